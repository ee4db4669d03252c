//! The four decisions, `undo`, and what they are bound to.

use crate::desk::{Desk, OUTCOME, keys, text, texts};
use serde_json::{Value, json};

#[test]
fn accept_only_writes() {
    let desk = Desk::new();
    let (thread, asked) = desk.parcel("book");
    let outcome = desk.json(&["accept", &asked]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["thread"], Value::from(thread.clone()));
    assert_eq!(outcome["status"], "ready");
    assert_eq!(outcome["interrupts"], json!([]));
    assert_eq!(outcome["error"], Value::Null);
    assert_eq!(desk.deliveries(), 0);
    let driven = desk.json(&["run", "--until-idle"]);
    assert_eq!(driven, json!({"threads": [thread], "interrupts": []}));
    assert_eq!(desk.deliveries(), 1);
}

#[test]
fn accept_and_wait_drives() {
    let desk = Desk::new();
    let (_, asked) = desk.parcel("book");
    let outcome = desk.json(&["accept", &asked, "--wait", "--timeout", "60"]);
    assert_eq!(outcome["status"], "done");
    assert_eq!(outcome["output"], json!({"delivered": ["delivered"]}));
    assert_eq!(desk.deliveries(), 1);
}

#[test]
fn what_is_accepted_is_held_and_can_be_taken_back() {
    let desk = Desk::new();
    desk.configure("[approvals]\nhold_seconds = 3600\n");
    let (_, asked) = desk.parcel("book");
    assert_eq!(desk.json(&["accept", &asked])["status"], "held");
    assert!(desk.sayso(&["status", "--short"]).done().contains("1 held"));
    let undone = desk.json(&["undo", &asked]);
    keys(&undone, OUTCOME);
    assert_eq!(undone["status"], "waiting");
    assert_eq!(texts(&undone["interrupts"]), [asked.as_str()]);
    desk.refused(&["undo", &asked], 1, "nothing to undo");
    assert_eq!(desk.json(&["ignore", &asked, "--wait"])["status"], "done");
    desk.refused(&["undo", &asked], 3, "no longer open");
    assert_eq!(desk.deliveries(), 0);
}

#[test]
fn a_decision_is_bound_to_the_hash_shown() {
    let desk = Desk::new();
    let (_, asked) = desk.parcel("book");
    desk.refused(&["accept", &asked, "--args-hash", "00000000"], 3, "has changed since it was shown");
    desk.refused(&["edit", &asked, "--set", "parcel=pen", "--args-hash", "00000000"], 3, "has changed");
    let hash = text(&desk.json(&["view", &asked])["args_hash"]);
    assert_eq!(desk.json(&["accept", &asked, "--args-hash", &hash[..12]])["status"], "ready");
}

#[test]
fn edit_changes_or_replaces_the_proposal() {
    let desk = Desk::new();
    let (thread, asked) = desk.parcel("book");
    assert_eq!(desk.json(&["edit", &asked, "--set", "parcel=pen", "--wait"])["status"], "done");
    let decision = &desk.json(&["show", &thread])["decisions"][0];
    assert_eq!(decision["type"], "edit");
    assert_eq!(decision["proposed"], json!({"parcel": "book"}));
    assert_eq!(decision["args"], json!({"parcel": "pen"}));
    assert_eq!(decision["executed"], json!({"parcel": "pen"}));
    let (thread, asked) = desk.parcel("book");
    desk.json(&["edit", &asked, "--args", r#"{"parcel": "cup"}"#, "--wait"]);
    assert_eq!(desk.json(&["show", &thread])["decisions"][0]["executed"], json!({"parcel": "cup"}));
}

#[test]
fn edits_that_do_not_fit_are_refused_by_field() {
    let desk = Desk::new();
    let (_, asked) = desk.parcel("book");
    desk.refused(&["edit", &asked, "--args", r#"{"parcel": 3}"#], 2, "`parcel`: 3 is not of type \"string\"");
    desk.refused(&["edit", &asked, "--args", "{}"], 2, "\"parcel\" is a required property");
    desk.refused(&["edit", &asked, "--args", "{parcel"], 2, "--args is not JSON");
    desk.refused(&["edit", &asked, "--set", "parcel="], 2, "`parcel`: ");
    desk.refused(
        &["edit", &asked, "--set", "pracel=x"],
        2,
        "there is no key `pracel`; did you mean `parcel`?",
    );
    desk.refused(&["edit", &asked, "--set", "parcel"], 2, "is not key=value");
    desk.refused(&["edit", &asked, "--set", "parcel=a", "parcel=b"], 2, "`parcel` is given twice");
    desk.refused(&["edit", &asked, "--set", "parcel=x", "--args", "{}"], 2, "cannot be used with");
    desk.refused(&["edit", &asked], 2, "--set");
    let (_, question) = desk.chat("tea");
    desk.refused(&["edit", &question, "--set", "content=x"], 2, "it takes accept, respond or ignore");
    assert_eq!(desk.json(&["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn respond_takes_words_or_stdin() {
    let desk = Desk::new();
    let (thread, asked) = desk.chat("tea");
    let outcome = desk.json(&["respond", &asked, "-5 \"quoted\" =x", "--wait"]);
    let next = &texts(&outcome["interrupts"])[0];
    assert_ne!(next, &asked);
    let said =
        desk.sayso_with(&["respond", next, "-", "--wait", "--json"], "Zeile 1\nZeile 2 é\n".as_bytes());
    assert_eq!(said.code, 0, "{said:?}");
    let decisions = desk.json(&["show", &thread])["decisions"].clone();
    assert_eq!(decisions[0]["args"], "-5 \"quoted\" =x");
    assert_eq!(decisions[1]["args"], "Zeile 1\nZeile 2 é");
    let outcome: Value = serde_json::from_str(&said.out).unwrap();
    let next = &texts(&outcome["interrupts"])[0];
    desk.refused(&["respond", next, "  "], 2, "there are no words");
    desk.sayso_with(&["respond", next, "-"], b"").refused(2, "there are no words");
    desk.sayso_with(&["respond", next, "-"], b"\xff\xfe").refused(2, "stdin cannot be read");
}

#[test]
fn a_result_takes_words_and_nothing_else() {
    let desk = Desk::new();
    let (thread, asked) = desk.chat("tea");
    desk.json(&["accept", &asked, "--wait"]);
    desk.refused(&["ignore", &thread], 2, "a result cannot be answered with ignore");
    desk.refused(&["edit", &thread, "--set", "a=1"], 2, "a result cannot be answered with edit");
    desk.refused(&["accept", &thread, "--args-hash", "12345678"], 2, "a result has no hash");
    let outcome = desk.json(&["respond", &thread, "and milk?", "--wait"]);
    assert_eq!(outcome["status"], "waiting");
}

#[test]
fn nothing_is_decided_twice() {
    let desk = Desk::new();
    let (_, asked) = desk.chat("tea");
    desk.json(&["respond", &asked, "yes"]);
    desk.refused(&["respond", &asked, "no"], 3, "no longer open: it was answered (by cli) at ");
    desk.json(&["run", "--until-idle"]);
    desk.refused(&["accept", &asked], 3, "no longer open");
    desk.refused(&["snooze", &asked, "1h"], 3, "no longer open");
}

#[test]
fn sentences_for_people() {
    let desk = Desk::new();
    let (thread, asked) = desk.chat("tea");
    let said = desk.sayso(&["respond", &asked, "yes"]);
    assert_eq!(said.done(), format!("Thread {thread} is ready; `sayso run` takes it further.\n"));
    assert!(
        desk.sayso(&["run", "--until-idle"]).done().starts_with("1 thread went on; 1 question waits for you")
    );
    let next = text(&desk.json(&["list"])[0]["id"]);
    let said = desk.sayso(&["respond", &next, "done", "--wait"]);
    assert_eq!(said.done(), format!("Thread {thread} is done.\nResult:\n  turns: 2\n"));
}
