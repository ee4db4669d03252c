//! SIGKILL while an agent looks things up, and while a person takes the model's place and gives it back: nothing is
//! lost, and nothing is done or asked for twice.

use crate::inputs::{analysis, dialogue};
use crate::support::FakeModel;
use crate::support::test_inbox::{TestInbox, respond};
use sayso::agent::llm::{Message, Reply, Request, Scripted};
use sayso::app::fail_point;
use sayso::engine::graph::ThreadId;
use sayso::inbox::YOUR_TURN;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const FIRST: &str = "Since when?";
const MINE: &str = "And why then?";
const LAST: &str = "Is that it?";

/// Searches and reads before the first words, and counts what it was asked for.
fn answer(home: &Path, request: &Request) -> Reply {
    let mut asked = OpenOptions::new().create(true).append(true).open(home.join("asked")).unwrap();
    writeln!(asked, "{}", request.task).unwrap();
    let found = request.messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count();
    let words = serde_json::to_string(&request.messages).unwrap();
    match (request.task.as_str(), found) {
        ("analyze.final", _) => Scripted::text("The parts were late."),
        (_, 0) => Scripted::calls([("search", json!({"text": "slipped"}))]),
        (_, 1) => Scripted::calls([("read", json!({"path": "notes.md"}))]),
        _ => Scripted::text(if words.contains(MINE) { LAST } else { FIRST }),
    }
}

fn open(home: &Path) -> TestInbox {
    let folder = home.to_owned();
    let model = FakeModel::by(move |request| Ok(answer(&folder, request)));
    let inbox = TestInbox::builder().in_folder(home).with_model(model).open();
    inbox.write_input("notes.md", "The launch slipped by three weeks.");
    inbox
}

async fn thread(inbox: &TestInbox) -> Option<ThreadId> {
    let threads = inbox.lines().await;
    assert!(threads.len() <= 1, "{threads:?}");
    Some(threads.first()?.id.clone())
}

async fn hand(inbox: &TestInbox, thread: &ThreadId, to_person: bool) {
    if inbox.threads().is_taken_over(thread.clone()).await.unwrap() != to_person {
        fail_point("before_hand");
        inbox.threads().hand(thread.clone(), to_person).await.unwrap();
        fail_point("after_hand");
    }
}

/// From the first question to the result, or what is left of that.
async fn live(home: &Path) {
    let inbox = open(home);
    let thread = match thread(&inbox).await {
        Some(thread) => thread,
        None => inbox.start("analyze", analysis(&inbox)).await,
    };
    inbox.drive().await;
    while let Some(item) = inbox.open_items(&thread).await.pop() {
        let question = item.args["question"].as_str().unwrap_or_default();
        let words = match (item.action.as_str(), question) {
            (YOUR_TURN, _) => MINE,
            (_, FIRST) => {
                hand(&inbox, &thread, true).await;
                "Since May"
            }
            (_, MINE) => {
                hand(&inbox, &thread, false).await;
                "The parts were late"
            }
            _ => "DONE",
        };
        inbox.answer(&thread, respond(words)).await;
    }
}

#[test]
fn entry() {
    let Ok(home) = std::env::var("SAYSO_LOOP_HOME") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(live(Path::new(&home)));
    std::process::exit(0);
}

/// Lives in a process of its own; whether it lived to the end.
fn lives(home: &Path, point: Option<&str>) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["kills::entry", "--exact", "--nocapture", "--test-threads=1"]);
    child.env("SAYSO_LOOP_HOME", home).stdout(Stdio::null()).stderr(Stdio::null());
    child.envs(point.map(|point| ("SAYSO_FAIL_POINT", point)));
    child.status().unwrap().success()
}

/// Dies there, lives again, and whether it died.
fn dies_at(point: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let died = !lives(home.path(), Some(point));
    assert!(!died || lives(home.path(), None), "{point}: recovery");
    let asked = std::fs::read_to_string(home.path().join("asked")).unwrap();
    // Two looks, two questions and the result; the call under way may be made again.
    assert!((5..=6).contains(&asked.lines().count()), "{point}: {asked}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let inbox = open(home.path());
        let view = inbox.view(&thread(&inbox).await.unwrap()).await;
        let talk = ["A:Since when?", "U:Since May", "A:And why then?", "U:The parts were late", "A:Is that it?"];
        let end = ["U:DONE", "A:The parts were late."];
        assert_eq!(dialogue(&view), [&talk[..], &end].concat(), "{point}");
        assert_eq!(view.state["file_contents"], json!(["notes.md"]), "{point}");
        assert_eq!(inbox.input_files(), ["analysis_result.md", "notes.md"], "{point}");
        inbox.assert_intact(point);
    });
    died
}

#[test]
fn killed_at_every_step_of_a_talk_that_changes_hands() {
    let mut deaths = 0;
    for point in ["before_commit", "after_commit", "before_hand", "after_hand"] {
        let died = (1..).take_while(|count| dies_at(&format!("{point}:{count}"))).count();
        assert!(died >= 2, "{point}: it died {died} times");
        deaths += died;
    }
    println!("loop · SIGKILL while it looks things up and changes hands · {deaths} trials · {deaths} passes");
}
