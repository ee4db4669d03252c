//! The four decisions, `undo`, and what they are bound to.

use crate::runner::{Cli, OUTCOME, keys, text, texts};
use sayso::store::Store;
use serde_json::{Value, json};

#[test]
fn accept_only_writes() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    let outcome = cli.json(&["accept", &asked]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["thread"], Value::from(thread.clone()));
    assert_eq!(outcome["status"], "ready");
    assert_eq!(outcome["interrupts"], json!([]));
    assert_eq!(outcome["error"], Value::Null);
    assert_eq!(cli.deliveries(), 0);
    let driven = cli.json(&["run"]);
    assert_eq!(driven, json!({"threads": [thread], "interrupts": []}));
    assert_eq!(cli.deliveries(), 1);
}

#[test]
fn accept_and_wait_drives() {
    let cli = Cli::new();
    let (_, asked) = cli.parcel("book");
    let outcome = cli.json(&["accept", &asked, "--wait", "--timeout", "60"]);
    assert_eq!(outcome["status"], "done");
    assert_eq!(outcome["output"], json!({"delivered": ["delivered"]}));
    assert_eq!(cli.deliveries(), 1);
}

#[test]
fn what_is_accepted_is_held_and_can_be_taken_back() {
    let cli = Cli::new();
    cli.configure("[approvals]\nhold_seconds = 3600\n");
    let (_, asked) = cli.parcel("book");
    assert_eq!(cli.json(&["accept", &asked])["status"], "held");
    assert!(cli.sayso(&["status", "--short"]).done().contains("1 held"));
    let undone = cli.json(&["undo", &asked]);
    keys(&undone, OUTCOME);
    assert_eq!(undone["status"], "waiting");
    assert_eq!(texts(&undone["interrupts"]), [asked.as_str()]);
    cli.refused(&["undo", &asked], 1, "nothing to undo");
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
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let kept = async {
        let store = Store::open(&cli.data()).unwrap();
        let draft = Some(json!({"parcel": "pen"}).to_string());
        store.inbox().save_draft(format!("edit:{asked}"), draft).await.unwrap();
    };
    runtime.block_on(kept);
    for id in [&asked, &asked[..5]] {
        cli.refused(&["accept", id], 2, "on the screen and haven't sent it");
    }
    assert_eq!(cli.json(&["view", &asked])["args"]["parcel"], "book");
    assert_eq!(cli.json(&["accept", &asked, "--original"])["status"], "ready");
}

#[test]
fn edit_changes_or_replaces_the_proposal() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    assert_eq!(cli.json(&["edit", &asked, "--set", "parcel=pen", "--wait"])["status"], "done");
    let decision = &cli.json(&["show", &thread])["decisions"][0];
    assert_eq!(decision["type"], "edit");
    assert_eq!(decision["proposed"], json!({"parcel": "book"}));
    assert_eq!(decision["args"], json!({"parcel": "pen"}));
    assert_eq!(decision["executed"], json!({"parcel": "pen"}));
    let (thread, asked) = cli.parcel("book");
    cli.json(&["edit", &asked, "--args", r#"{"parcel": "cup"}"#, "--wait"]);
    assert_eq!(cli.json(&["show", &thread])["decisions"][0]["executed"], json!({"parcel": "cup"}));
}

#[test]
fn edits_that_do_not_fit_are_refused_by_field() {
    let cli = Cli::new();
    let (_, asked) = cli.parcel("book");
    cli.refused(&["edit", &asked, "--args", r#"{"parcel": 3}"#], 2, "`parcel`: 3 is not of type \"string\"");
    cli.refused(&["edit", &asked, "--args", "{}"], 2, "\"parcel\" is a required property");
    cli.refused(&["edit", &asked, "--args", "{parcel"], 2, "--args is not JSON");
    cli.refused(&["edit", &asked, "--set", "parcel="], 2, "`parcel`: ");
    cli.refused(
        &["edit", &asked, "--set", "pracel=x"],
        2,
        "there is no key `pracel`; did you mean `parcel`?",
    );
    cli.refused(&["edit", &asked, "--set", "parcel"], 2, "is not key=value");
    cli.refused(&["edit", &asked, "--set", "parcel=a", "parcel=b"], 2, "`parcel` is given twice");
    cli.refused(&["edit", &asked, "--set", "parcel=x", "--args", "{}"], 2, "cannot be used with");
    cli.refused(&["edit", &asked], 2, "--set");
    let (_, question) = cli.chat("tea");
    cli.refused(&["edit", &question, "--set", "content=x"], 2, "it takes accept, respond or ignore");
    assert_eq!(cli.json(&["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn respond_takes_words_or_stdin() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let outcome = cli.json(&["respond", &asked, "-5 \"quoted\" =x", "--wait"]);
    let next = &texts(&outcome["interrupts"])[0];
    assert_ne!(next, &asked);
    let output =
        cli.sayso_with(&["respond", next, "-", "--wait", "--json"], "Zeile 1\nZeile 2 é\n".as_bytes());
    assert_eq!(output.code, 0, "{output:?}");
    let decisions = cli.json(&["show", &thread])["decisions"].clone();
    assert_eq!(decisions[0]["args"], "-5 \"quoted\" =x");
    assert_eq!(decisions[1]["args"], "Zeile 1\nZeile 2 é");
    let outcome: Value = serde_json::from_str(&output.out).unwrap();
    let next = &texts(&outcome["interrupts"])[0];
    cli.refused(&["respond", next, "  "], 2, "the text is empty");
    cli.sayso_with(&["respond", next, "-"], b"").refused(2, "the text is empty");
    cli.sayso_with(&["respond", next, "-"], b"\xff\xfe").refused(2, "stdin cannot be read");
}

#[test]
fn a_result_takes_words_and_nothing_else() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["accept", &asked, "--wait"]);
    cli.refused(&["ignore", &thread], 2, "a result cannot be answered with ignore");
    cli.refused(&["edit", &thread, "--set", "a=1"], 2, "a result cannot be answered with edit");
    cli.refused(&["accept", &thread, "--args-hash", "12345678"], 2, "a result has no hash");
    let outcome = cli.json(&["respond", &thread, "and milk?", "--wait"]);
    assert_eq!(outcome["status"], "waiting");
}

#[test]
fn nothing_is_decided_twice() {
    let cli = Cli::new();
    let (_, asked) = cli.chat("tea");
    cli.json(&["respond", &asked, "yes"]);
    cli.refused(&["respond", &asked, "no"], 3, "no longer open: it was answered (by cli) at ");
    cli.json(&["run"]);
    cli.refused(&["accept", &asked], 3, "no longer open");
    cli.refused(&["snooze", &asked, "1h"], 3, "no longer open");
}

#[test]
fn sentences_for_people() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let output = cli.sayso(&["respond", &asked, "yes"]);
    assert_eq!(output.done(), format!("Thread {thread} is ready; `sayso run` takes it further.\n"));
    assert!(cli.sayso(&["run"]).done().starts_with("1 thread went on; 1 question waits for you"));
    let next = text(&cli.json(&["list"])[0]["id"]);
    let output = cli.sayso(&["respond", &next, "done", "--wait"]);
    assert_eq!(output.done(), format!("Thread {thread} is done.\nResult:\n  turns: 2\n"));
}
