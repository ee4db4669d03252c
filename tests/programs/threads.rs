//! `start`, `continue`, `stop`, `threads`, `show`, `fork`, `graph`.

use crate::runner::{Cli, OUTCOME, each, keys, text, texts};
use serde_json::{Value, json};

#[test]
fn start_types_its_keys_by_the_schema_and_refuses_what_does_not_fit() {
    let cli = Cli::new();
    let outcome = cli.json(&["start", "chat", "topic=5", "turns=3"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "ready");
    let thread = text(&outcome["thread"]);
    assert!(thread.len() == 9 && thread.starts_with('t'));
    assert_eq!(cli.json(&["threads"])[0]["title"], "About 5");
    let (_, asked) = cli.asked(&["courier", r#"parcels=["a", "b"]"#]);
    assert_eq!(asked.len(), 2);
    let (_, asked) = cli.asked(&["courier", "parcels=word"]);
    assert_eq!(asked.len(), 1);
    cli.refused(&["start", "caht"], 3, "there is no workflow `caht`; did you mean `chat`?");
    cli.refused(&["start", "novel"], 3, "there are chat, courier, player");
    cli.refused(&["start", "chat"], 2, "`topic` is missing; write `topic=…`");
    cli.refused(&["start", "chat", "topci=x"], 2, "there is no key `topci`; did you mean `topic`?");
    cli.refused(&["start", "chat", "topic=x", "turns=many"], 2, "`turns`: `many` is not an integer");
    cli.refused(&["start", "chat", "topic=x", "turns=-1"], 2, "`turns`: ");
    cli.refused(&["start", "chat", "topic"], 2, "`topic` is not key=value");
}

#[test]
fn continue_goes_on_after_a_result() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.refused(&["continue", &thread, "more"], 1, "waits for an answer");
    cli.json(&["respond", &asked, "done", "--wait"]);
    let outcome = cli.json(&["continue", &thread, "now by quarter", "--wait"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "waiting");
    assert_eq!(cli.json(&["show", &thread])["state"]["said"][1], json!(["heard", "now by quarter"]));
    cli.refused(&["continue", &thread, ""], 2, "the text is empty");
    cli.refused(&["continue", &asked, "more"], 3, "names an interrupt");
    cli.refused(&["continue", &thread, "--take-over"], 1, "threads of `chat` ask no model");
    let output = cli.sayso_with(&["continue", &thread, "-"], b"");
    output.refused(2, "the text is empty");
}

#[test]
fn stop_makes_trouble_that_can_be_decided() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let outcome = cli.json(&["stop", &thread]);
    keys(&outcome, OUTCOME);
    keys(&outcome["error"], "code text");
    assert_eq!((&outcome["status"], &outcome["error"]["code"]), (&json!("trouble"), &json!("stopped")));
    // One card until it goes on, and then the question again.
    let list = cli.json(&["list"]);
    assert_eq!(each(&list, "action"), ["stopped"]);
    let trouble = text(&list[0]["id"]);
    assert!(cli.sayso(&["view", &trouble]).done().contains("accept (go on)"));
    assert_eq!(cli.json(&["accept", &trouble, "--wait"])["status"], "waiting");
    assert_eq!(each(&cli.json(&["list"]), "id"), [asked.as_str()]);
    // An answer to a thread that was stopped is kept.
    cli.json(&["stop", &thread]);
    let trouble = text(&cli.json(&["list", "--kind", "trouble"])[0]["id"]);
    let output = cli.sayso(&["respond", &asked, "done", "--wait"]);
    assert!(output.out.starts_with(&format!("Thread {thread} is stopped.\n")), "{output:?}");
    let kept = "note: your answer is kept, and takes effect if you let the thread go on\n";
    assert_eq!((output.code, output.err.as_str()), (0, kept));
    let output = cli.sayso(&["accept", &trouble, "--wait"]);
    assert!(output.done().starts_with(&format!("Thread {thread} is done.\n")), "{output:?}");
    // Or it is given up.
    let thread = text(&cli.json(&["start", "chat", "topic=milk"])["thread"]);
    let output = cli.sayso(&["stop", &thread]);
    let trouble = text(&cli.json(&["list", "--kind", "trouble"])[0]["id"]);
    let asks = format!("Asks {trouble}: `sayso show {trouble}` shows it.");
    assert_eq!(output.done(), format!("Thread {thread} is stopped.\n{asks}\n"));
    assert_eq!(cli.json(&["ignore", &trouble, "--wait"])["status"], "abandoned");
    cli.refused(&["stop", &thread], 3, "it is abandoned");
}

#[test]
fn threads_are_listed_newest_first_and_found_by_words() {
    let cli = Cli::new();
    let (first, asked) = cli.chat("tea");
    let (second, _) = cli.chat("saffron");
    cli.json(&["respond", &asked, "done", "--wait"]);
    let threads = cli.json(&["threads"]);
    keys(&threads[0], "id workflow title status steps created_at updated_at parent forked_from outcome end");
    let ids = |threads: &Value| each(threads, "id");
    assert_eq!(ids(&threads), [second.clone(), first.clone()]);
    assert_eq!(ids(&cli.json(&["threads", "--status", "done"])), std::slice::from_ref(&first));
    assert_eq!(ids(&cli.json(&["threads", "--search", "saffr"])), std::slice::from_ref(&second));
    assert_eq!(ids(&cli.json(&["threads", "--search", "nowhere"])).len(), 0);
    assert_eq!(ids(&cli.json(&["threads", "--limit", "1"])), std::slice::from_ref(&second));
    let output = cli.sayso(&["threads"]);
    let lines: Vec<&str> = output.done().lines().collect();
    assert!(lines[0].starts_with("ID         STATUS    WORKFLOW  STEPS  AGE  TITLE"), "{}", lines[0]);
    assert!(
        lines[1].starts_with(&format!("{second}  waiting   chat")) && lines[1].ends_with("About saffron")
    );
    assert!(lines[2].starts_with(&format!("{first}  answered  chat")), "how it ended: {}", lines[2]);
    assert!(cli.sayso(&["threads", "--search", "nowhere"]).done().starts_with("No thread matches"));
}

#[test]
fn show_tells_everything() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    cli.json(&["accept", &asked, "--wait"]);
    let view = cli.json(&["show", &thread[..5]]);
    keys(
        &view,
        "id workflow title status state output error parent forked_from steps questions decisions effects \
        usage trace",
    );
    for step in view["steps"].as_array().unwrap() {
        keys(step, "n node updates next at");
    }
    let question = &view["questions"][0];
    keys(question, "id step kind action title gist source args args_hash labels warnings state closed at");
    assert_eq!(
        [&question["kind"], &question["state"], &question["closed"]],
        [&json!("approval"), &json!("closed"), &json!(null)]
    );
    assert_eq!(question["args_hash"].as_str().unwrap().len(), 64);
    keys(
        &view["trace"],
        "name sort thread step at ms input_tokens output_tokens cost call model error children",
    );
    assert_eq!(view["steps"][0]["node"], "START");
    assert_eq!(view["steps"][0]["next"], json!({"goto": "plan"}));
    assert_eq!(view["steps"][1]["next"], json!({"ask": [asked], "then": "act"}));
    assert_eq!(view["steps"].as_array().unwrap().last().unwrap()["next"], json!({"end": true}));
    let decision = &view["decisions"][0];
    keys(decision, "interrupt action type proposed args executed by at undone_at");
    assert_eq!((&decision["type"], &decision["by"]), (&json!("accept"), &json!("cli")));
    keys(&view["effects"][0], "name step state at outcome");
    assert_eq!(view["effects"][0]["state"], "done");
    keys(&view["usage"], "calls input_tokens output_tokens cost");
    let output = cli.sayso(&["show", &thread]);
    let asks = format!("asks {asked} → act");
    for part in [
        "courier · done",
        "Steps",
        "START → plan",
        &asks,
        "Decisions",
        "by you, on the command line",
        "Effects",
        ": done",
    ] {
        assert!(output.done().contains(part), "{part}: {}", output.out);
    }
}

#[test]
fn fork_begins_anew_from_a_step() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["respond", &asked, "green", "--wait"]);
    let outcome = cli.json(&["fork", &thread, "--step", "1"]);
    keys(&outcome, OUTCOME);
    let fork = text(&outcome["thread"]);
    assert_ne!(fork, thread);
    assert_eq!(outcome["status"], "waiting");
    assert_eq!(texts(&outcome["interrupts"]).len(), 1);
    let line = cli.json(&["threads", "--limit", "1"])[0].clone();
    assert_eq!(line["forked_from"], json!({"thread": thread, "step": 1}));
    assert_eq!(cli.json(&["fork", &thread, "--step", "0", "--wait"])["status"], "waiting");
    cli.refused(&["fork", &thread, "--step", "99"], 2, "no step 99");
    cli.refused(&["fork", &thread], 2, "--step");
    cli.refused(&["fork", &thread, "--step", "-1"], 2, "");
    cli.refused(&["fork", "t00000000", "--step", "0"], 3, "there is no thread");
}

#[test]
fn graph_is_drawn() {
    let cli = Cli::new();
    let shape = cli.json(&["graph", "courier"]);
    keys(&shape, "name entry nodes");
    assert_eq!(shape["entry"], "plan");
    assert!(cli.sayso(&["graph", "courier"]).done().contains("▼ asks"));
    assert!(cli.sayso(&["graph", "courier", "--mermaid"]).done().contains("flowchart TD"));
    keys(&cli.json(&["graph", "courier", "--mermaid"]), "mermaid");
    cli.refused(&["graph", "currier"], 3, "did you mean `courier`?");
    let output = cli.sayso(&["graph"]);
    let listed = output.done();
    assert!(listed.starts_with("WORKFLOW") && listed.contains("courier"), "{listed}");
    let names = cli.json(&["graph"]);
    keys(&names[0], "name about");
    cli.refused(&["graph", "--mermaid"], 2, "WORKFLOW");
}
