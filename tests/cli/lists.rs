//! `list`, `view`, `status`, `snooze`.

use crate::desk::{Desk, keys, text};
use serde_json::{Value, json};

const ITEM: &[&str] = &[
    "id",
    "thread",
    "workflow",
    "kind",
    "title",
    "gist",
    "action",
    "args",
    "schema",
    "allow",
    "labels",
    "warnings",
    "source",
    "text",
    "created_at",
    "snoozed_until",
    "args_hash",
    "irreversible",
    "grantable",
    "closed",
];

#[test]
fn list_gives_whole_items_oldest_first() {
    let desk = Desk::new();
    let (_, first) = desk.chat("tea");
    let (thread, second) = desk.parcel("book");
    let list = desk.json(&["list"]);
    assert_eq!(list[0]["id"], Value::from(first));
    let item = &list[1];
    keys(item, ITEM);
    assert_eq!(item["id"], Value::from(second));
    assert_eq!(item["thread"], Value::from(thread));
    assert_eq!(item["kind"], "approval");
    assert_eq!(item["action"], "deliver");
    assert_eq!(item["args"], json!({"parcel": "book"}));
    keys(&item["allow"], &["accept", "edit", "respond", "ignore", "draft"]);
    keys(&item["labels"], &["accept", "edit", "respond", "ignore"]);
    assert_eq!(item["warnings"], json!([]));
    assert_eq!((&item["source"], &item["snoozed_until"]), (&Value::Null, &Value::Null));
    assert!(text(&item["created_at"]).ends_with('Z'), "{item}");
    assert_eq!(text(&item["args_hash"]).len(), 64);
    assert!(text(&list[0]["text"]).contains("Question 1 about tea?"));
    // A card that says nothing still shows what is proposed.
    assert!(text(&item["text"]).contains("parcel: book"), "{item}");
}

#[test]
fn list_is_narrowed_by_kind_and_count() {
    let desk = Desk::new();
    for topic in ["a", "b", "c"] {
        desk.chat(topic);
    }
    desk.parcel("book");
    let count = |args: &[&str]| desk.json(args).as_array().unwrap().len();
    assert_eq!(count(&["list"]), 4);
    assert_eq!(count(&["list", "--kind", "approval"]), 1);
    assert_eq!(count(&["list", "--kind", "question", "--limit", "2"]), 2);
    assert_eq!(count(&["list", "--kind", "trouble"]), 0);
    assert_eq!(count(&["list", "--kind", "result"]), 0);
}

#[test]
fn results_are_listed_viewed_and_filed_away() {
    let desk = Desk::new();
    let (thread, asked) = desk.chat("tea");
    desk.json(&["respond", &asked, "done", "--wait"]);
    let list = desk.json(&["list", "--kind", "result"]);
    keys(&list[0], ITEM);
    assert_eq!(list[0]["id"], Value::from(thread.clone()));
    assert_eq!(list[0]["kind"], "result");
    assert_eq!(list[0]["args_hash"], Value::Null);
    assert!(text(&list[0]["text"]).contains("Question 1 about tea?: done"), "{list}");
    assert_eq!(desk.json(&["view", &thread]), list[0]);
    assert_eq!(desk.json(&["list"]), json!([]));
    assert_eq!(desk.json(&["accept", &thread])["status"], "done");
    assert_eq!(desk.json(&["list", "--kind", "result"]), json!([]));
    desk.refused(&["accept", &thread], 3, "no result");
    desk.refused(&["view", &thread], 3, "no result waiting to be read");
}

#[test]
fn a_table_for_people() {
    let desk = Desk::new();
    let empty = desk.sayso(&["list"]);
    assert_eq!(empty.done(), format!("Nothing is open in {}.\n", desk.data().display()));
    let (_, first) = desk.chat("tea");
    let (_, second) = desk.parcel("book");
    let said = desk.sayso(&["list"]);
    let lines: Vec<&str> = said.done().lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("ID         KIND      ACTION    FROM"), "{}", lines[0]);
    assert!(lines[1].starts_with(&format!("{first}  question  question  chat")), "{}", lines[1]);
    assert!(lines[2].starts_with(&format!("{second}  approval  deliver   courier")), "{}", lines[2]);
    assert!(lines[1].ends_with("s  Question 1 about tea?"), "{}", lines[1]);
}

#[test]
fn an_empty_list_names_results_and_threads_that_nobody_drives() {
    let desk = Desk::new();
    let (_, asked) = desk.chat("tea");
    desk.json(&["respond", &asked, "done", "--wait"]);
    desk.json(&["start", "chat", "topic=milk"]);
    let folder = desk.data().display().to_string();
    assert_eq!(
        desk.sayso(&["list"]).done(),
        format!(
            "Nothing is open in {folder}; 1 result waits, see `sayso list --kind result`.\n\
             1 thread is ready; `sayso run` takes it further.\n"
        )
    );
    assert_eq!(desk.json(&["list"]), json!([]));
    assert_eq!(
        desk.sayso(&["list", "--kind", "trouble"]).done(),
        format!("Nothing of this kind is open in {folder}.\n")
    );
}

#[test]
fn trouble_says_what_its_thread_is_about() {
    let desk = Desk::new();
    let thread = text(&desk.json(&["start", "chat", "topic=tea"])["thread"]);
    desk.json(&["stop", &thread]);
    let said = desk.sayso(&["list"]);
    assert!(said.done().ends_with("s  chat was stopped · About tea\n"), "{said:?}");
    let item = desk.json(&["list"])[0].clone();
    assert_eq!((&item["title"], &item["source"]), (&json!("chat was stopped"), &Value::Null));
    let shown = desk.sayso(&["view", &text(&item["id"])]);
    assert!(shown.done().lines().any(|line| line == "about: About tea"), "{shown:?}");
    assert_eq!(shown.out.matches("chat was stopped").count(), 1, "the card begins with its title: {shown:?}");
}

#[test]
fn view_shows_the_card_and_what_it_takes() {
    let desk = Desk::new();
    let (thread, asked) = desk.parcel("book");
    let said = desk.sayso(&["view", &asked[..6]]);
    let out = said.done();
    for part in
        [&asked, &thread, "approval", "parcel: book", "answers: accept, edit, respond, ignore", "args_hash: "]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let item = desk.json(&["view", &asked]);
    assert_eq!(item, desk.json(&["list"])[0]);
    let (_, question) = desk.chat("tea");
    assert!(desk.sayso(&["view", &question]).done().contains("answers: accept, respond, ignore"));
}

#[test]
fn status_counts() {
    let desk = Desk::new();
    let (_, asked) = desk.chat("tea");
    desk.chat("milk");
    desk.json(&["respond", &asked, "done", "--wait"]);
    let status = desk.json(&["status"]);
    keys(&status, &["open", "snoozed", "threads", "paused", "driver"]);
    keys(&status["open"], &["triage", "approval", "question", "trouble", "result"]);
    assert_eq!(status["open"]["question"], 1);
    assert_eq!(status["open"]["result"], 1);
    assert_eq!(status["threads"]["done"], 1);
    assert_eq!(status["paused"], false);
    assert_eq!(status["driver"], Value::Null);
    assert_eq!(desk.sayso(&["status", "--short"]).done(), "1 open · 1 results\n");
    let said = desk.sayso(&["status"]);
    assert!(said.done().contains("open     1 question, 1 result\n"), "{said:?}");
    assert!(said.done().contains("`sayso run`"), "{said:?}");
}

#[test]
fn snoozed_items_are_out_of_sight_until_woken() {
    let desk = Desk::new();
    let (_, asked) = desk.chat("tea");
    let item = desk.json(&["snooze", &asked, "2h"]);
    keys(&item, ITEM);
    assert!(item["snoozed_until"].is_string());
    assert_eq!(desk.json(&["list"]), json!([]));
    assert_eq!(desk.json(&["list", "--snoozed"])[0]["id"], Value::from(asked.clone()));
    assert_eq!(desk.json(&["status"])["snoozed"], 1);
    assert!(desk.sayso(&["list", "--snoozed"]).done().contains("(until "));
    let woken = desk.sayso(&["snooze", &asked, "off"]);
    assert_eq!(woken.done(), format!("{asked} is back in the list.\n"));
    assert_eq!(desk.json(&["list", "--snoozed"]), json!([]));
    let later =
        jiff::Timestamp::from_second(jiff::Timestamp::now().as_second() + 1_000_000).unwrap().to_string();
    for when in ["30m", "3d", "tomorrow", "monday", "23:59", &later] {
        assert_eq!(desk.json(&["snooze", &asked, when])["id"], Value::from(asked.clone()), "{when}");
    }
    assert_eq!(desk.json(&["view", &asked])["snoozed_until"], Value::from(later));
    desk.refused(&["snooze", &asked, "someday"], 2, "`someday` is not a time");
    desk.refused(&["snooze", &asked, "2020-01-01"], 2, "in the past");
    desk.refused(&["snooze", &asked, "2999-01-01"], 2, "ten years");
}
