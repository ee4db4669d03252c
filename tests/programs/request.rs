//! `request` and `answer`: programs that ask, and die, and ask again.

use crate::runner::{
    Background, Cli, answer, each, json, keys, list, open, read, run, spawn, text, texts, the_one, until,
    with_stdin,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ANSWER: &str = "id thread status interrupts type args by at";

#[test]
fn a_question_is_asked_shown_and_answered_in_each_way() {
    let cli = Cli::new();
    let ways: [(&[&str], i32, &str, Value); 4] = [
        (&["accept"], 0, "accept", json!({"env": "prod", "n": 3})),
        (&["edit", "--set", "n=4"], 0, "edit", json!({"env": "prod", "n": 4})),
        (&["respond", "not on a Friday"], 0, "respond", json!("not on a Friday")),
        (&["ignore"], 4, "ignore", Value::Null),
    ];
    let asked = ["request", "--title", "Deploy 1.4?", "--text", "It is green.", "--action", "deploy"];
    let more = ["--args", r#"{"env":"prod","n":3}"#, "--source", "ci", "--wait"];
    for (decision, code, word, args) in ways {
        let asker = spawn(&cli, &[&asked[..], &more].concat());
        let item = the_one(&cli);
        for (key, expected) in [
            ("workflow", "request"),
            ("action", "request/deploy"),
            ("kind", "approval"),
            ("source", "request: ci"),
            ("title", "Deploy 1.4?"),
        ] {
            assert_eq!(item[key], expected);
        }
        assert_eq!(item["args"], json!({"env": "prod", "n": 3}));
        assert_eq!(item["warnings"], json!([]));
        let id = text(&item["id"]);
        let shown = run(&cli, &["view", &id]);
        for part in
            ["a program that calls itself ci", "action: deploy", "env: prod", "It is green.", "in folder: "]
        {
            assert!(shown.out.contains(part), "{part}: {shown:?}");
        }
        assert_eq!(shown.out.lines().nth(1), Some("Deploy 1.4?"), "{shown:?}");
        let waits = read(&run(&cli, &["request", "--answer", &id]), 6);
        keys(&waits, ANSWER);
        assert_eq!((&waits["type"], &waits["status"]), (&Value::Null, &json!("waiting")));
        answer(&cli, &id, decision);
        let reply = read(&asker.wait(), code);
        keys(&reply, ANSWER);
        assert_eq!((&reply["type"], &reply["args"], &reply["by"]), (&json!(word), &args, &json!("cli")));
        assert_eq!(reply["id"], json!(id));
        text(&reply["at"]);
        // Read later, as often as one likes, by the question or its thread.
        assert_eq!(read(&run(&cli, &["request", "--answer", &id]), code), reply);
        assert_eq!(
            read(&run(&cli, &["request", "--answer", &text(&reply["thread"]), "--json"]), code),
            reply
        );
        assert_eq!(open(&cli).len(), 0);
        assert_eq!(json(&cli, &["list", "--kind", "result"]), json!([]), "the asker has it; it is no result");
    }
}

#[test]
fn a_question_without_an_action_takes_words_from_stdin() {
    let cli = Cli::new();
    let args = ["request", "--title", "Which region?", "--text", "-"];
    let asked = read(&with_stdin(&cli, &args, b"eu\nor us\n"), 0);
    keys(&asked, ANSWER);
    assert_eq!(asked["type"], Value::Null);
    let item = the_one(&cli);
    assert_eq!((&item["kind"], &item["action"]), (&json!("question"), &json!("request/question")));
    let allow = json!({"accept": true, "edit": false, "respond": true, "ignore": true, "draft": false});
    assert_eq!(item["allow"], allow);
    let id = text(&asked["id"]);
    assert!(run(&cli, &["view", &id]).out.contains("eu\nor us"));
    json(&cli, &["respond", &id, "eu"]);
    // Nobody drives; reading the answer is enough.
    assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 0)["args"], "eu");
}

#[test]
fn only_the_answers_that_were_named_are_taken() {
    let cli = Cli::new();
    json(&cli, &["request", "--title", "Go?", "--allow", "accept,ignore"]);
    let item = the_one(&cli);
    let (id, thread) = (text(&item["id"]), text(&item["thread"]));
    run(&cli, &["respond", &id, "maybe"]).refused(2, "it takes accept or ignore");
    // Nobody has to run anything for an answer to reach whoever asked.
    let taken = format!("Thread {thread} is ready; whoever asked takes the answer from it.\n");
    assert_eq!(run(&cli, &["accept", &id]).out, taken);
    assert_eq!(json(&cli, &["request", "--answer", &id])["type"], "accept");
    let schema = cli.path("schema.json");
    std::fs::write(&schema, r#"{"type":"object","properties":{"n":{"type":"integer","maximum":5}}}"#)
        .unwrap();
    let schema = schema.display().to_string();
    let asked = ["request", "--title", "N?", "--action", "n", "--args", r#"{"n":3}"#, "--schema", &schema];
    let id = text(&json(&cli, &asked)["id"]);
    run(&cli, &["edit", &id, "--set", "n=9"]).refused(2, "`n`");
    json(&cli, &["edit", &id, "--set", "n=5"]);
    assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 0)["args"], json!({"n": 5}));
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is_kept() {
    let cli = Cli::new();
    let schema = cli.path("schema.json").display().to_string();
    let (long, key, source) = ("x".repeat(400), "k".repeat(201), "s".repeat(81));
    run(&cli, &["request"]).refused(2, "--title");
    run(&cli, &["request", "--title", "  "]).refused(2, "`title`: say in one line");
    run(&cli, &["request", "--title", &long]).refused(2, "400 characters are too many");
    for (args, expected) in [
        (&["--args", "{}"][..], "--action"),
        (&["--action", "a", "--args", "{x"], "--args is not JSON"),
        (&["--action", "a", "--args", "[1]"], "not a JSON object"),
        (&["--action", "write email"], "`action`"),
        (&["--action", "email/write_email"], "`action`"),
        (&["--allow", "shrug"], "shrug"),
        (&["--allow", "edit"], "nothing to edit"),
        (&["--expires", "soon"], "`soon` is not a length of time"),
        (&["--timeout", "3"], "--wait"),
        (&["--key", &key], "at most 200"),
        (&["--source", &source], "81 characters"),
        (&["--action", "a", "--schema", &schema], "cannot be read"),
    ] {
        run(&cli, &[&["request", "--title", "t"], args].concat()).refused(2, expected);
    }
    for (text, expected) in [
        ("nonsense", "is not JSON"),
        ("[]", "not a JSON object"),
        (r#"{"type": 7}"#, "not a JSON schema"),
        (r#"{"required": ["n"]}"#, "`args`"),
    ] {
        std::fs::write(&schema, text).unwrap();
        run(&cli, &["request", "--title", "t", "--action", "a", "--schema", &schema]).refused(2, expected);
    }
    for (stdin, expected) in [(&[b'x'; 300 * 1024][..], "too many"), (b"\xff\xfe", "UTF-8")] {
        with_stdin(&cli, &["request", "--title", "t", "--text", "-"], stdin).refused(2, expected);
    }
    let both = ["request", "--title", "t", "--action", "a", "--text", "-", "--args", "-"];
    with_stdin(&cli, &both, b"{}").refused(2, "cannot both come from stdin");
    assert_eq!(json(&cli, &["threads"]), json!([]));
    for (id, expected) in [
        ("nonsense!", "cannot be the id"),
        ("i00000000", "there is no interrupt"),
        ("t00000000", "there is no thread"),
    ] {
        run(&cli, &["request", "--answer", id]).refused(3, expected);
    }
    std::fs::write(cli.path("a.csv"), "Amount\n1\n").unwrap();
    cli.configure(&crate::model::config());
    let other = json(&cli, &["sheet", "a.csv", "-i", "sum Amount"]);
    run(&cli, &["request", "--answer", &text(&other["thread"])])
        .refused(2, "was not started by `sayso request`");
}

#[test]
fn one_key_is_one_question_with_one_answer() {
    let cli = Cli::new();
    let asked = ["request", "--title", "Pay?", "--action", "pay", "--args", r#"{"n":1}"#, "--key", "inv-7"];
    let waiting: Vec<&str> = asked.iter().copied().chain(["--wait"]).collect();
    // The first asker dies in its sleep.
    let first = spawn(&cli, &waiting);
    let id = text(&the_one(&cli)["id"]);
    first.signal(Signal::KILL);
    drop(first);
    // Many ask again at once.
    let askers: Vec<Background> = (0..6).map(|_| spawn(&cli, &waiting)).collect();
    assert_eq!(text(&json(&cli, &asked)["id"]), id);
    run(&cli, &["request", "--title", "Pay?", "--key", "inv-7"]).refused(2, "belongs to another request");
    let other = ["request", "--title", "Pay?", "--action", "pay", "--args", r#"{"n":2}"#, "--key", "inv-7"];
    run(&cli, &other).refused(2, "`inv-7`");
    assert_eq!(open(&cli).len(), 1);
    json(&cli, &["accept", &id]);
    for asker in askers {
        let reply = read(&asker.wait(), 0);
        assert_eq!((&reply["id"], &reply["type"]), (&json!(id), &json!("accept")));
    }
    // Also long after it was answered.
    assert_eq!(read(&run(&cli, &waiting), 0)["args"], json!({"n": 1}));
    assert_eq!((open(&cli).len(), list(&cli, &["threads"]).len()), (0, 1));
    // Of many that come first, one asks.
    let askers: Vec<Background> =
        (0..8).map(|_| spawn(&cli, &["request", "--title", "Me?", "--key", "race"])).collect();
    let ids: BTreeSet<String> = askers.into_iter().map(|asker| text(&read(&asker.wait(), 0)["id"])).collect();
    assert_eq!((ids.len(), open(&cli).len()), (1, 1));
}

#[test]
fn many_askers_each_get_their_own_answer_and_nobody_drives_meanwhile() {
    const ASKERS: usize = 20;
    let cli = Cli::new();
    json(&cli, &["list"]);
    let askers: Vec<(String, Background)> = (0..ASKERS)
        .map(|n| {
            let title = format!("Question {n}");
            let asker = spawn(&cli, &["request", "--title", &title, "--wait"]);
            (title, asker)
        })
        .collect();
    until(|| open(&cli).len() == ASKERS);
    assert_eq!(json(&cli, &["activity"])["driver"], Value::Null, "waiting takes no lock");
    let mut items = open(&cli);
    // Neither in the order asked nor in its reverse.
    items.sort_by_key(|item| text(&item["id"]));
    for item in &items {
        let title = text(&item["title"]);
        assert_eq!(run(&cli, &["respond", &text(&item["id"]), &format!("to {title}")]).code, 0);
    }
    for (title, asker) in askers {
        let reply = read(&asker.wait(), 0);
        assert_eq!(reply["args"], json!(format!("to {title}")));
    }
    assert_eq!(list(&cli, &["threads", "--status", "done"]).len(), ASKERS);
}

#[test]
fn a_driver_that_dies_in_the_middle_loses_no_answer() {
    for point in ["before_node", "before_commit", "after_commit"] {
        let cli = Cli::new();
        let asked = ["request", "--title", "Go?", "--key", "k"];
        let id = text(&json(&cli, &asked)["id"]);
        json(&cli, &["accept", &id]);
        cli.killed_at(point, &["run"]);
        let reply = read(&run(&cli, &["request", "--title", "Go?", "--key", "k", "--wait"]), 0);
        assert_eq!((&reply["type"], &reply["status"]), (&json!("accept"), &json!("done")), "{point}");
        let whole = json(&cli, &["show", &text(&reply["thread"])]);
        assert_eq!(each(&whole["steps"], "node"), ["START", "ask_person", "ANSWERS", "answered"], "{point}");
    }
}

#[test]
fn beside_a_driver_an_asker_waits_for_it() {
    let cli = Cli::new();
    let driver = spawn(&cli, &["watch"]);
    until(|| json(&cli, &["activity"])["driver"] == json!(driver.pid()));
    let asker = spawn(&cli, &["request", "--title", "Go?", "--wait"]);
    let id = text(&the_one(&cli)["id"]);
    json(&cli, &["accept", &id]);
    assert_eq!(read(&asker.wait(), 0)["type"], "accept");
    // Paused, an answer stands and is not handed on.
    let asker = spawn(&cli, &["request", "--title", "And now?", "--wait"]);
    let id = text(&the_one(&cli)["id"]);
    json(&cli, &["pause"]);
    json(&cli, &["ignore", &id]);
    assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 6)["status"], "ready");
    json(&cli, &["pause", "--off"]);
    assert_eq!(read(&asker.wait(), 4)["type"], "ignore");
    driver.signal(Signal::TERM);
    assert_eq!(driver.wait().code, 0);
}

#[test]
fn a_request_that_expires_closes_and_says_so() {
    let cli = Cli::new();
    // An answer that was given wins, however late it is read.
    let won = text(&json(&cli, &["request", "--title", "Won", "--expires", "3s"])["id"]);
    json(&cli, &["accept", &won]);
    let lost = text(&json(&cli, &["request", "--title", "Lost", "--expires", "3s"])["id"]);
    let quick = spawn(&cli, &["request", "--title", "Quick", "--expires", "1s", "--wait"]);
    // Without its asker, whoever looks next closes it.
    let alone = text(&json(&cli, &["request", "--title", "Alone", "--expires", "1s"])["id"]);
    until(|| run(&cli, &["request", "--answer", &alone]).code == 5);
    let reply = read(&quick.wait(), 5);
    assert_eq!(
        (&reply["type"], &reply["by"], &reply["args"]),
        (&json!("expired"), &Value::Null, &Value::Null)
    );
    text(&reply["at"]);
    let id = text(&reply["id"]);
    run(&cli, &["accept", &id]).refused(3, "nobody answered in time");
    assert!(run(&cli, &["view", &id]).out.contains("no longer open: nobody answered in time"));
    assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 5)["type"], "expired");
    until(|| run(&cli, &["request", "--answer", &lost]).code == 5);
    assert_eq!(read(&run(&cli, &["request", "--answer", &won]), 0)["type"], "accept");
    json(&cli, &["request", "--title", "Driven", "--expires", "1s"]);
    until(|| {
        run(&cli, &["run"]);
        open(&cli).is_empty()
    });
}

/// Whether somebody waits for it, by the one item there is.
fn is_waited_for(cli: &Cli) -> bool {
    the_one(cli)["waiting"] == json!(true)
}

#[test]
fn nobody_waits_for_an_answer_who_is_gone() {
    let cli = Cli::new();
    // Whoever gives up says so, without a driver.
    let asked = ["request", "--title", "Well?", "--wait"];
    run(&cli, &[&asked[..], &["--timeout", "0.2"]].concat()).refused(1, "it stays in the inbox");
    assert!(!is_waited_for(&cli));
    let driver = spawn(&cli, &["watch"]);
    json(&cli, &["ignore", &text(&the_one(&cli)["id"])]);
    until(|| open(&cli).is_empty());
    // Of somebody who is killed, the driver finds out. Nobody could come back for the answer.
    let killed = spawn(&cli, &asked);
    assert!(is_waited_for(&cli));
    killed.signal(Signal::KILL);
    drop(killed);
    until(|| open(&cli).is_empty());
    // With a key, somebody can.
    let keyed = [&asked[..], &["--key", "k"]].concat();
    let killed = spawn(&cli, &keyed);
    let id = text(&the_one(&cli)["id"]);
    killed.signal(Signal::KILL);
    drop(killed);
    until(|| !is_waited_for(&cli));
    let again = spawn(&cli, &keyed);
    until(|| is_waited_for(&cli));
    again.signal(Signal::KILL);
    drop(again);
    until(|| !is_waited_for(&cli));
    let again = spawn(&cli, &keyed);
    until(|| is_waited_for(&cli));
    json(&cli, &["accept", &id]);
    let reply = read(&again.wait(), 0);
    assert_eq!((&reply["id"], &reply["type"]), (&json!(id), &json!("accept")));
    driver.signal(Signal::TERM);
    assert_eq!(driver.wait().code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn patience_ends_and_signals_end_it_and_the_question_stays() {
    let cli = Cli::new();
    let asked = ["request", "--title", "Well?", "--key", "k", "--wait"];
    let impatient: Vec<&str> = asked.iter().copied().chain(["--timeout", "0.2"]).collect();
    run(&cli, &impatient).refused(1, "gave up after 0.2 s: nobody has answered `i");
    let id = text(&the_one(&cli)["id"]);
    let waiting = spawn(&cli, &asked);
    // SIGTERM is caught from when it begins to wait.
    until(|| catches_term(waiting.pid()));
    waiting.signal(Signal::TERM);
    waiting.wait().refused(1, "interrupted while waiting");
    assert_eq!(texts(&read(&run(&cli, &["request", "--answer", &id]), 6)["interrupts"]), [id]);
}

#[cfg(target_os = "linux")]
fn catches_term(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (15 - 1)) != 0
}

#[test]
fn nobody_can_pass_for_another_workflow_or_reach_the_terminal() {
    let cli = Cli::new();
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{200b}evil\r\n! WARNING\u{e0041}";
    let came = json!({"to": {"name": [evil]}});
    let request = |args: &Value| {
        let args = args.to_string();
        let asked = ["request", "--title", evil, "--text", evil, "--source", evil, "--action", "write_email"];
        run(&cli, &[&asked[..], &["--args", &args, "--json"]].concat())
    };
    let named = request(&json!({"to": {evil: 1}}));
    named.refused(2, "holds characters that cannot be shown");
    assert!(!named.err.contains('\u{1b}'));
    let id = text(&read(&request(&came), 0)["id"]);
    let item = the_one(&cli);
    assert_eq!((&item["workflow"], &item["action"]), (&json!("request"), &json!("request/write_email")));
    assert!(text(&item["source"]).starts_with("request: "));
    assert!(!text(&item["title"]).contains('\n'));
    assert_eq!(item["warnings"].as_array().unwrap().len(), 1, "ours, and none of its own");
    assert_eq!(item["warnings"][0]["code"], "hidden_characters");
    let (accept, answer) = (&["accept", &id][..], &["request", "--answer", &id][..]);
    for args in [&["list"][..], &["view", &id], &["threads"], &["list", "--json"], accept, answer] {
        let output = run(&cli, args);
        let hidden = |c: char| sayso::text::is_hidden(c) && !matches!(c, '\n' | '\t');
        assert!(!output.out.contains(hidden) && !output.err.contains(hidden), "{output:?}");
    }
    let reply = read(&run(&cli, &["request", "--answer", &id]), 0);
    assert_eq!(reply["args"], came, "what came is what is approved");
}
