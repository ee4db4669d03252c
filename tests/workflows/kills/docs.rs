//! A run of six agents: the person is asked, takes over, writes one page, and the model refines the others.

use super::*;
use crate::docs::docs_inbox::{AGENTS, agent, result, scores};
use crate::support::test_inbox::respond;
use crate::support::{FakeModel, file_names};
use sayso::agent::llm::{Message, Reply, Scripted};
use sayso::inbox::{Status, YOUR_TURN};
use serde_json::json;

/// Every agent refines its page once, and reads a file for that.
fn answer(home: &Path, request: &Request) -> Reply {
    note(home, request);
    let (agent, said) = (agent(request), serde_json::to_string(&request.messages).unwrap());
    match request.task.as_str() {
        "docs.analyze" => Scripted::text(&format!("## Overview\n\nFirst of {agent}.")),
        "docs.evaluate" => Scripted::json(&scores([if said.contains("First of") { 50.0 } else { 90.0 }; 4])),
        "docs.questions" => {
            let one = |what: &str, for_person: bool| json!({"question": format!("{what} of {agent}?"), "files": [], "for_person": for_person});
            Scripted::json(&json!({"questions": [one("Why", true), one("Where", false), one("How", false)]}))
        }
        "docs.refine" if !request.messages.iter().any(|message| matches!(message, Message::Tool { .. })) => {
            Scripted::calls([("read_file", json!({"path": "src/lib.rs"}))])
        }
        "docs.refine" => Scripted::text(&format!("## Overview\n\nRefined {agent}.")),
        other => panic!("{other}"),
    }
}

fn open(home: &Path) -> TestInbox {
    let folder = home.to_owned();
    let model = FakeModel::by(move |request| Ok(answer(&folder, request)));
    let inbox = TestInbox::builder().in_folder(home).with_model(model).open();
    inbox.write_input("src/lib.rs", "//! Keeps boxes.\npub struct Box;\n");
    inbox
}

pub async fn live(home: &Path) {
    let inbox = open(home);
    let out = home.join("pages");
    let input = json!({"dir": inbox.inputs(), "out": out, "ask_human": true});
    let thread = begun(&inbox, "docs", input).await;
    loop {
        inbox.drive().await;
        let mut open = Vec::new();
        for item in inbox.items().await {
            open.push(inbox.item(&item.id).await);
        }
        if open.is_empty() {
            return;
        }
        let is_mine = |text: &str| text.contains("the page about the architecture");
        if open.iter().any(|item| item.action != YOUR_TURN) {
            hand(&inbox, &thread, true).await;
            for item in open.iter().filter(|item| item.action != YOUR_TURN) {
                inbox.decide(&item.id, respond("Because Noor wanted it.")).await.unwrap();
            }
        } else if let Some(item) = open.iter().find(|item| is_mine(&item.text)) {
            inbox.decide(&item.id, respond("## Overview\n\nMine.")).await.unwrap();
        } else {
            hand(&inbox, &thread, false).await;
        }
    }
}

fn dies_at(point: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let died = dies("docs", home.path(), point);
    // Eight agents at most are at work at once, whose calls may be made again.
    let asked = asked(home.path());
    assert!((33..=41).contains(&asked.len()), "{point}: {asked:?}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let inbox = open(home.path());
        let thread = thread_of(&inbox, "docs").await.unwrap();
        let (outcome, view) = (inbox.outcome(&thread).await, inbox.view(&thread).await);
        assert_eq!((outcome.status, view.effects.len()), (Status::Done, 7), "{point}: {outcome:?}");
        for name in AGENTS {
            let page = result(&outcome, name)["markdown"].to_string();
            let expected = if name == "architecture" { "Mine." } else { "Refined" };
            assert!(page.contains(expected), "{point}: {page}");
        }
        assert_eq!(file_names(&home.path().join("pages")).len(), 7, "{point}");
        inbox.assert_intact(point);
    });
    died
}

#[test]
fn a_run_of_docs_killed_at_many_steps() {
    at_each("docs", &COMMITS, 9, dies_at);
    at_each("docs", &HANDS, 1, dies_at);
}
