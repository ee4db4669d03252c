//! The four decisions, `undo`, and what they are bound to.

use crate::runner::{Cli, OUTCOME, keys, text, texts};
use sayso::engine::store::Store;
use serde_json::{Value, json};

#[test]
fn accept_only_writes_and_drives_if_it_waits() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    let outcome = cli.json(&["accept", &asked]);
    keys(&outcome, OUTCOME);
    let expected = json!({"thread": thread, "status": "ready", "interrupts": [], "output": {"delivered": []}, "error": null});
    assert_eq!(outcome, expected);
    assert_eq!(cli.deliveries(), 0);
    assert_eq!(cli.json(&["run"]), json!({"threads": [thread], "interrupts": []}));
    assert_eq!(cli.deliveries(), 1);
    let (_, asked) = cli.parcel("pen");
    let outcome = cli.json(&["accept", &asked, "--wait", "--timeout", "60"]);
    assert_eq!(
        (&outcome["status"], &outcome["output"]),
        (&json!("done"), &json!({"delivered": ["delivered"]}))
    );
    assert_eq!(cli.deliveries(), 2);
}

#[test]
fn what_is_accepted_is_held_and_can_be_taken_back() {
    let cli = Cli::new();
    cli.configure("[approvals]\nhold_seconds = 3600\n");
    let (_, asked) = cli.parcel("book");
    for more in [&[][..], &["--batch"]] {
        assert_eq!(cli.json(&["accept", &asked])["status"], "held");
        assert!(cli.sayso(&["activity", "--short"]).done().contains("1 held"));
        let undo = [&["undo", &asked], more].concat();
        let undone = cli.json(&undo);
        // Of a batch, all are named; this one is a batch of one.
        let undone = undone.get(0).unwrap_or(&undone);
        assert!(undone.get("refused").is_none_or(Value::is_null), "{undone}");
        assert_eq!(
            (&undone["status"], texts(&undone["interrupts"])),
            (&json!("waiting"), vec![asked.clone()])
        );
        cli.refused(&undo, 1, "nothing to undo");
    }
    assert_eq!(cli.json(&["ignore", &asked, "--wait"])["status"], "done");
    cli.refused(&["undo", &asked], 3, "no longer open");
    assert_eq!(cli.deliveries(), 0);
}

#[test]
fn a_decision_is_bound_to_the_hash_shown() {
    let cli = Cli::new();
    let (_, asked) = cli.parcel("book");
    cli.refused(&["accept", &asked, "--args-hash", "00000000"], 3, "has changed since it was shown");
    cli.refused(&["edit", &asked, "--set", "parcel=pen", "--args-hash", "00000000"], 3, "has changed");
    let hash = text(&cli.json(&["view", &asked])["args_hash"]);
    assert_eq!(cli.json(&["accept", &asked, "--args-hash", &hash[..12]])["status"], "ready");
}

#[test]
fn what_was_changed_on_the_screen_and_not_sent_is_not_accepted_as_it_was_proposed_by_chance() {
    let cli = Cli::new();
    let (_, asked) = cli.parcel("book");
    let store = Store::open(&cli.data()).unwrap();
    let draft = Some(json!({"parcel": "pen"}).to_string());
    let kept = store.inbox().save_draft(format!("edit:{asked}"), draft);
    tokio::runtime::Runtime::new().unwrap().block_on(kept).unwrap();
    for id in [&asked, &asked[..5]] {
        cli.refused(&["accept", id], 2, "on the screen and haven't sent it");
    }
    assert_eq!(cli.json(&["view", &asked])["args"]["parcel"], "book");
    assert_eq!(cli.json(&["accept", &asked, "--original"])["status"], "ready");
}

#[test]
fn edit_changes_or_replaces_the_proposal() {
    let cli = Cli::new();
    for (edit, parcel) in [(["--set", "parcel=pen"], "pen"), (["--args", r#"{"parcel": "cup"}"#], "cup")] {
        let (thread, asked) = cli.parcel("book");
        assert_eq!(cli.json(&["edit", &asked, edit[0], edit[1], "--wait"])["status"], "done");
        let decision = &cli.json(&["show", &thread])["decisions"][0];
        assert_eq!((&decision["type"], &decision["proposed"]), (&json!("edit"), &json!({"parcel": "book"})));
        let edited = json!({ "parcel": parcel });
        assert_eq!((&decision["args"], &decision["executed"]), (&edited, &edited));
    }
}

#[test]
fn edits_that_do_not_fit_are_refused_by_field() {
    let cli = Cli::new();
    let (_, asked) = cli.parcel("book");
    for (edit, expected) in [
        (&["--args", r#"{"parcel": 3}"#][..], "`parcel`: 3 is not of type \"string\""),
        (&["--args", "{}"], "\"parcel\" is a required property"),
        (&["--args", "{parcel"], "--args is not JSON"),
        (&["--set", "parcel="], "`parcel`: "),
        (&["--set", "pracel=x"], "there is no key `pracel`; did you mean `parcel`?"),
        (&["--set", "parcel"], "is not key=value"),
        (&["--set", "parcel=a", "parcel=b"], "`parcel` is given twice"),
        (&["--set", "parcel=x", "--args", "{}"], "cannot be used with"),
        (&[], "--set"),
    ] {
        cli.refused(&[&["edit", &asked], edit].concat(), 2, expected);
    }
    let (_, question) = cli.chat("tea");
    cli.refused(&["edit", &question, "--set", "content=x"], 2, "it takes accept, respond or ignore");
    assert_eq!(cli.json(&["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn respond_takes_words_or_stdin_once() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let output = cli.sayso(&["respond", &asked, "-5 \"quoted\" =x"]);
    assert_eq!(output.done(), format!("Thread {thread} is ready; `sayso run` takes it further.\n"));
    cli.refused(&["respond", &asked, "no"], 3, "no longer open: it was answered (by cli) at ");
    assert!(cli.sayso(&["run"]).done().starts_with("1 thread went on; 1 question waits for you"));
    cli.refused(&["accept", &asked], 3, "no longer open");
    cli.refused(&["snooze", &asked, "1h"], 3, "no longer open");
    let next = text(&cli.json(&["list"])[0]["id"]);
    cli.refused(&["respond", &next, "  "], 2, "the text is empty");
    cli.sayso_with(&["respond", &next, "-"], b"").refused(2, "the text is empty");
    cli.sayso_with(&["respond", &next, "-"], b"\xff\xfe").refused(2, "stdin cannot be read");
    let words = "Zeile 1\nZeile 2 é\n";
    let output = cli.sayso_with(&["respond", &next, "-", "--wait"], words.as_bytes());
    assert!(output.done().starts_with(&format!("Thread {thread} waits for you")), "{output:?}");
    let next = text(&cli.json(&["list"])[0]["id"]);
    let output = cli.sayso(&["respond", &next, "done", "--wait"]);
    assert_eq!(output.done(), format!("Thread {thread} is done.\nResult:\n  turns: 3\n"));
    let decisions = cli.json(&["show", &thread])["decisions"].clone();
    assert_eq!(
        (&decisions[0]["args"], &decisions[1]["args"]),
        (&json!("-5 \"quoted\" =x"), &json!(words.trim_end()))
    );
}

#[test]
fn a_result_takes_words_and_nothing_else() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["accept", &asked, "--wait"]);
    cli.refused(&["ignore", &thread], 2, "a result cannot be answered with ignore");
    cli.refused(&["edit", &thread, "--set", "a=1"], 2, "a result cannot be answered with edit");
    cli.refused(&["accept", &thread, "--args-hash", "12345678"], 2, "a result has no hash");
    assert_eq!(cli.json(&["respond", &thread, "and milk?", "--wait"])["status"], "waiting");
}
