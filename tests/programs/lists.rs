//! `list`, `view`, `status`, `snooze`.

use crate::runner::{Cli, each, keys, text};
use sayso::engine::store::Store;
use serde_json::{Value, json};

const ITEM: &str = "id thread workflow kind title gist action args schema edit_from allow labels warnings source text \
    created_at snoozed_until waiting gives_up_at args_hash irreversible grantable closed";

/// What is listed, as a table and as JSON.
fn listed(cli: &Cli, words: &[&str]) -> Vec<String> {
    let args = [&["list"][..], words].concat();
    let ids = each(&cli.json(&args), "id");
    let output = cli.sayso(&args);
    let printed: Vec<&str> =
        output.done().lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(printed, ids);
    ids
}

#[test]
fn one_order_for_the_table_for_json_and_for_the_screen() {
    let cli = Cli::new();
    let (_, question) = cli.chat("tea");
    let (_, older) = cli.parcel("book");
    let (_, newer) = cli.parcel("pen");
    // What is to approve comes before questions, as on the screen.
    assert_eq!(listed(&cli, &[]), [older.clone(), newer.clone(), question.clone()]);
    assert_eq!(listed(&cli, &["--limit", "1"]), std::slice::from_ref(&older));
    // The order that the person chose there.
    let store = Store::open(&cli.data()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(store.inbox().save_order("newest none".to_owned())).unwrap();
    drop(store);
    assert_eq!(listed(&cli, &[]), [newer, older, question]);
}

#[test]
fn list_gives_whole_items() {
    let cli = Cli::new();
    let (_, first) = cli.chat("tea");
    let (thread, second) = cli.parcel("book");
    let list = cli.json(&["list"]);
    assert_eq!(list[1]["id"], Value::from(first));
    let item = &list[0];
    keys(item, ITEM);
    for (key, expected) in [
        ("id", json!(second)),
        ("thread", json!(thread)),
        ("kind", json!("approval")),
        ("action", json!("deliver")),
        ("args", json!({"parcel": "book"})),
        ("warnings", json!([])),
        ("source", Value::Null),
        ("snoozed_until", Value::Null),
    ] {
        assert_eq!(item[key], expected, "{key}");
    }
    keys(&item["allow"], "accept edit respond ignore draft");
    keys(&item["labels"], "accept edit respond ignore");
    assert!(text(&item["created_at"]).ends_with('Z'), "{item}");
    assert_eq!(text(&item["args_hash"]).len(), 64);
    assert!(text(&list[1]["text"]).contains("Question 1 about tea?"));
    // A card that says nothing still shows what is proposed.
    assert!(text(&item["text"]).contains("parcel: book"), "{item}");
}

#[test]
fn list_is_narrowed_by_kind_and_count() {
    let cli = Cli::new();
    for topic in ["a", "b", "c"] {
        cli.chat(topic);
    }
    cli.parcel("book");
    for (words, expected) in [
        ("list", 4),
        ("list --kind approval", 1),
        ("list --kind question --limit 2", 2),
        ("list --kind trouble", 0),
        ("list --kind result", 0),
        ("list kind:approval", 1),
        ("list question b?", 1),
        ("list workflow:chat --limit 2", 2),
        ("list older:1h", 0),
        ("threads workflow:chat is:waiting", 3),
    ] {
        let args: Vec<&str> = words.split(' ').collect();
        assert_eq!(cli.json(&args).as_array().unwrap().len(), expected, "{words}");
    }
    let used = "answer: does not apply here; use from:, kind:, workflow:, is:, older:";
    cli.refused(&["list", "answer:edit"], 2, used);
    cli.refused(&["threads", "form:ines"], 2, "there is no form:; did you mean from:?");
}

#[test]
fn results_are_listed_viewed_and_filed_away() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["respond", &asked, "done", "--wait"]);
    let list = cli.json(&["list", "--kind", "result"]);
    keys(&list[0], ITEM);
    assert_eq!(list[0]["id"], Value::from(thread.clone()));
    assert_eq!(list[0]["kind"], "result");
    let blank = json!({
        "action": "result", "gist": "", "schema": true, "edit_from": null, "warnings": [], "source": null,
        "snoozed_until": null, "waiting": false, "gives_up_at": null, "args_hash": null, "irreversible": false,
        "grantable": {"thread": false, "sender": null}, "closed": null,
        "allow": {"accept": true, "edit": false, "respond": true, "ignore": false, "draft": false},
        "labels": {"accept": "file away", "edit": null, "respond": "go on", "ignore": null},
    });
    for (key, expected) in blank.as_object().unwrap() {
        assert_eq!(list[0][key], *expected, "{key}");
    }
    assert!(text(&list[0]["text"]).contains("Question 1 about tea?: done"), "{list}");
    assert_eq!(cli.json(&["view", &thread]), list[0]);
    assert_eq!(cli.json(&["list"]), json!([]));
    assert_eq!(cli.json(&["accept", &thread])["status"], "done");
    assert_eq!(cli.json(&["list", "--kind", "result"]), json!([]));
    cli.refused(&["accept", &thread], 3, "no result");
    cli.refused(&["view", &thread], 3, "no result waiting to be read");
}

#[test]
fn a_table_for_people() {
    let cli = Cli::new();
    let folder = cli.data().display().to_string();
    assert_eq!(cli.sayso(&["list"]).done(), format!("Nothing is open in {folder}.\n"));
    let (_, first) = cli.chat("tea");
    let (_, second) = cli.parcel("book");
    let output = cli.sayso(&["list"]);
    let lines: Vec<&str> = output.done().lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("ID         KIND      ACTION    FROM"), "{}", lines[0]);
    assert!(lines[1].starts_with(&format!("{second}  approval  deliver   courier")), "{}", lines[1]);
    assert!(lines[2].starts_with(&format!("{first}  question  question  chat")), "{}", lines[2]);
    assert!(lines[2].ends_with("s  Question 1 about tea?"), "{}", lines[2]);
    // Empty, it names results, and threads that nobody drives.
    cli.json(&["ignore", &second, "--wait"]);
    cli.json(&["respond", &first, "done", "--wait"]);
    cli.json(&["start", "chat", "topic=milk"]);
    let waits = format!("Nothing is open in {folder}; 2 results wait, see `sayso list kind:result`.");
    let ready = "1 thread is ready; `sayso run` takes it further.";
    assert_eq!(cli.sayso(&["list"]).done(), format!("{waits}\n{ready}\n"));
    assert_eq!(cli.json(&["list"]), json!([]));
    let none = format!("Nothing open matches in {folder}.\n");
    assert_eq!(cli.sayso(&["list", "--kind", "trouble"]).done(), none);
}

#[test]
fn trouble_says_what_its_thread_is_about() {
    let cli = Cli::new();
    let thread = text(&cli.json(&["start", "chat", "topic=tea"])["thread"]);
    cli.json(&["stop", &thread]);
    let output = cli.sayso(&["list"]);
    assert!(output.done().ends_with("s  chat was stopped · About tea\n"), "{output:?}");
    let item = cli.json(&["list"])[0].clone();
    assert_eq!((&item["title"], &item["source"]), (&json!("chat was stopped"), &Value::Null));
    let shown = cli.sayso(&["view", &text(&item["id"])]);
    assert!(shown.done().lines().any(|line| line == "about: About tea"), "{shown:?}");
    assert_eq!(shown.out.matches("chat was stopped").count(), 1, "the card begins with its title: {shown:?}");
}

#[test]
fn view_shows_the_card_and_what_it_takes() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    let output = cli.sayso(&["view", &asked[..6]]);
    let out = output.done();
    let answers = "answers: accept, edit, respond, ignore";
    for part in [&asked, &thread, "approval", "parcel: book", answers, "args_hash: "] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let item = cli.json(&["view", &asked]);
    assert_eq!(item, cli.json(&["list"])[0]);
    let (thread, question) = cli.chat("tea");
    assert!(cli.sayso(&["view", &question]).done().contains("answers: accept, respond, ignore"));
    // And what led to it.
    let why = cli.json(&["show", "--why", &question[..5]]);
    keys(&why, "id text");
    for output in [text(&why["text"]), cli.sayso(&["show", "--why", &thread]).done().to_owned()] {
        for part in ["What the thread did", "model calls: ", "tokens: "] {
            assert!(output.contains(part), "{part}: {output}");
        }
    }
    cli.refused(&["show", "--why", "x1"], 3, "`sayso list`");
}

#[test]
fn status_counts() {
    let cli = Cli::new();
    let (_, asked) = cli.chat("tea");
    cli.chat("milk");
    cli.json(&["respond", &asked, "done", "--wait"]);
    let status = cli.json(&["activity"]);
    let counts = "open snoozed threads paused driver waiting_for_model skipped";
    keys(&status, &format!("{counts} days models grants sources storage"));
    assert_eq!(status["days"].as_array().unwrap().len(), 30);
    keys(&status["open"], "triage approval question trouble result");
    assert_eq!((&status["open"]["question"], &status["open"]["result"]), (&json!(1), &json!(1)));
    assert_eq!((&status["threads"]["done"], &status["paused"]), (&json!(1), &json!(false)));
    assert_eq!(status["driver"], Value::Null);
    assert_eq!(cli.sayso(&["activity", "--short"]).done(), "1 open · 1 result\n");
    let output = cli.sayso(&["activity"]);
    for part in [
        "waiting for you: 1 question, 1 result\n",
        "saving files: the files that hold the result",
        "`sayso watch`",
    ] {
        assert!(output.done().contains(part), "{part}: {output:?}");
    }
    assert_eq!(output.out, cli.sayso(&["activity"]).out, "one verb with two names");
}

#[test]
fn snoozed_items_are_out_of_sight_until_woken() {
    let cli = Cli::new();
    let (_, asked) = cli.chat("tea");
    let item = cli.json(&["snooze", &asked, "2h"]);
    keys(&item, ITEM);
    assert!(item["snoozed_until"].is_string());
    assert_eq!(cli.json(&["list"]), json!([]));
    assert_eq!(cli.json(&["list", "--snoozed"])[0]["id"], Value::from(asked.clone()));
    assert_eq!(cli.json(&["activity"])["snoozed"], 1);
    assert!(cli.sayso(&["list", "--snoozed"]).done().contains("(until "));
    let woken = cli.sayso(&["snooze", &asked, "off"]);
    assert_eq!(woken.done(), format!("{asked} is back in the list.\n"));
    assert_eq!(cli.json(&["list", "--snoozed"]), json!([]));
    let past = cli.json(&["decisions", "answer:snooze"]);
    let outcomes = [&past[0]["outcome"], &past[1]["outcome"], &past[2]["outcome"]];
    assert_eq!(outcomes, [&json!("snooze ended"), &json!("snoozed"), &Value::Null]);
    assert_eq!((&past[1]["interrupt"], &past[1]["by"]), (&Value::from(asked.clone()), &Value::Null));
    let now = jiff::Timestamp::now().as_second();
    let later = jiff::Timestamp::from_second(now + 1_000_000).unwrap().to_string();
    for when in ["30m", "3d", "tomorrow", "monday", "23:59", &later] {
        assert_eq!(cli.json(&["snooze", &asked, when])["id"], Value::from(asked.clone()), "{when}");
    }
    assert_eq!(cli.json(&["view", &asked])["snoozed_until"], Value::from(later));
    cli.refused(&["snooze", &asked, "someday"], 2, "`someday` is not a time");
    cli.refused(&["snooze", &asked, "2020-01-01"], 2, "in the past");
    cli.refused(&["snooze", &asked, "2999-01-01"], 2, "ten years");
}
