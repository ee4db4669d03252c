//! An analysis that searches and reads, and a talk that changes hands.

use super::*;
use crate::inputs::{analysis, dialogue};
use crate::support::FakeModel;
use crate::support::test_inbox::respond;
use sayso::agent::llm::{Message, Reply, Scripted};
use sayso::inbox::YOUR_TURN;
use serde_json::json;

const FIRST: &str = "Since when?";
const MINE: &str = "And why then?";
const LAST: &str = "Is that it?";

/// Searches and reads before the first words.
fn answer(home: &Path, request: &Request) -> Reply {
    note(home, request);
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

/// From the first question to the result, or what is left of that.
pub async fn live(home: &Path) {
    let inbox = open(home);
    let thread = begun(&inbox, "analyze", analysis(&inbox)).await;
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

fn dies_at(point: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let died = dies("analyze", home.path(), point);
    // Two looks, two questions and the result; the call under way may be made again.
    let asked = asked(home.path());
    assert!((5..=6).contains(&asked.len()), "{point}: {asked:?}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let inbox = open(home.path());
        let view = inbox.view(&thread_of(&inbox, "analyze").await.unwrap()).await;
        let talk =
            ["A:Since when?", "U:Since May", "A:And why then?", "U:The parts were late", "A:Is that it?"];
        let end = ["U:DONE", "A:The parts were late."];
        assert_eq!(dialogue(&view), [&talk[..], &end].concat(), "{point}");
        assert_eq!(view.state["file_contents"], json!(["notes.md"]), "{point}");
        assert_eq!(inbox.input_files(), ["analysis_result.md", "notes.md"], "{point}");
        inbox.assert_intact(point);
    });
    died
}

#[test]
fn an_analysis_killed_at_every_step() {
    at_each("analyze", &[COMMITS, HANDS].concat(), 1, dies_at);
}
