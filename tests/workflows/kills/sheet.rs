//! Work on a workbook: the model's code runs, then the person's own, and the model has the last word.

use super::*;
use crate::support::{FakeModel, python};
use sayso::agent::llm::{Message, Reply, Scripted};
use sayso::engine::graph::Decision;
use sayso::inbox::{Status, YOUR_TURN};
use serde_json::json;

fn answer(home: &Path, request: &Request) -> Reply {
    note(home, request);
    match request.messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count() {
        0 => Scripted::calls([("python", json!({"code": python::SHARE.code}))]),
        _ => Scripted::calls([("finish", json!({"answer": "Both are marked."}))]),
    }
}

fn open(home: &Path) -> TestInbox {
    let folder = home.to_owned();
    let model = FakeModel::by(move |request| Ok(answer(&folder, request)));
    let inbox = TestInbox::builder().in_folder(home).with_model(model).open();
    inbox.write_input("sales.csv", "Region,Amount\nNorth,120\nSouth,80\n");
    inbox
}

pub async fn live(home: &Path) {
    let inbox = open(home);
    let input = json!({"workbook": inbox.inputs().join("sales.csv"), "instruction": "Mark both"});
    let thread = begun(&inbox, "sheet", input).await;
    inbox.drive().await;
    while let Some(item) = inbox.open_items(&thread).await.pop() {
        let ran = inbox.state(&thread).await["cells"].as_array().unwrap().len();
        match (item.action.as_str(), ran) {
            (YOUR_TURN, 1) => {
                let args = json!({"do": "python", "code": python::HEAD_AND_MORE.code});
                inbox.answer(&thread, Decision::Edit { args }).await;
            }
            (YOUR_TURN, _) => {
                hand(&inbox, &thread, false).await;
                inbox.drive().await;
            }
            _ => {
                hand(&inbox, &thread, true).await;
                inbox.answer(&thread, Decision::Accept).await;
            }
        }
    }
}

fn dies_at(point: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let died = dies("sheet", home.path(), point);
    let asked = asked(home.path());
    assert!((2..=3).contains(&asked.len()), "{point}: {asked:?}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let inbox = open(home.path());
        let view = inbox.view(&thread_of(&inbox, "sheet").await.unwrap()).await;
        assert_eq!(view.status, Status::Done, "{point}");
        assert_eq!(view.state["cells"].as_array().unwrap().len(), 2, "{point}");
        assert_eq!(view.state["cells"][1]["observation"]["stdout"], "Region,Amount,Share\n", "{point}");
        assert_eq!((view.decisions.len(), view.effects.len()), (2, 1), "{point}");
        assert_eq!(inbox.input_files(), ["sales.csv", "sales.result.csv"], "{point}");
        inbox.assert_intact(point);
    });
    died
}

#[test]
fn work_on_a_workbook_killed_at_every_step() {
    at_each("sheet", &[COMMITS, HANDS].concat(), 1, dies_at);
}
