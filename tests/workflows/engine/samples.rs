//! Old samples: what earlier builds wrote can still be read.
//!
//! `tests/fixtures/states/NAME.json` holds the updates and the state of a thread of workflow NAME. They are only ever
//! added to; until the first release, `cargo test --test workflows -- --ignored write_the_samples` makes them anew.

use crate::support::TestInbox;
use crate::support::test_inbox::eager;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Everything that happened to a thread, and what it came to.
#[derive(Serialize, Deserialize)]
struct Sample {
    workflow: String,
    updates: Vec<Value>,
    state: Value,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/states")
}

fn samples() -> Vec<Sample> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let samples = files.filter(|path| path.extension().is_some_and(|ext| ext == "json"));
    samples.map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()).collect()
}

#[test]
fn old_states_and_updates_are_read() {
    let inbox = TestInbox::new();
    let registry = inbox.engine().registry();
    let samples = samples();
    assert!(samples.len() >= 3);
    for Sample { workflow, updates, state } in samples {
        let workflow = &registry.get(&workflow).unwrap().workflow;
        let folded = updates
            .iter()
            .fold(workflow.empty(), |folded, step| workflow.apply(folded, &step.to_string()).unwrap());
        let now: Value = serde_json::from_str(&workflow.write(&folded).unwrap()).unwrap();
        assert_eq!(now, state, "{}", workflow.name());
        let read = workflow.read(&state.to_string()).unwrap();
        let written: Value = serde_json::from_str(&workflow.write(&read).unwrap()).unwrap();
        assert_eq!(written, state, "{}", workflow.name());
    }
}

#[test]
fn what_cannot_be_read_names_the_path_of_the_bad_field() {
    let inbox = TestInbox::new();
    let registry = inbox.engine().registry();
    let player = &registry.get("player").unwrap().workflow;
    let state = json!({"program": [[{"note": 3}]], "line": 0, "log": [], "answers": []});
    let error = player.read(&state.to_string()).err().unwrap();
    assert_eq!((error.what, error.path.as_str()), ("state", "program[0][0].note"), "{error}");
    let error = player.apply(player.empty(), r#"[{"played": {"line": "x", "log": []}}]"#).err().unwrap();
    assert_eq!((error.what, error.path.as_str()), ("update", "[0].played.line"), "{error}");
    assert!(error.to_string().starts_with("cannot read update of workflow `player` at `[0].played.line`: "));
}

#[tokio::test]
async fn a_thread_that_cannot_be_read_is_trouble_that_names_the_field() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"ask": [{"key": "a"}]}]])).await;
    // The same name, another state: as after an update of sayso that forgot its old threads.
    let mut chat = crate::support::chat::spec();
    chat.workflow = sayso::engine::graph::Workflow::new("player", crate::support::chat::graph(), ().into());
    let inbox = inbox.restart_with(eager(), vec![chat]);
    inbox.accept_and_drive(&thread).await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("cannot read update of workflow `player` at `[0]"), "{text}");
}

#[tokio::test]
#[ignore = "writes the samples"]
async fn write_the_samples() {
    std::fs::create_dir_all(folder()).unwrap();
    let inbox = TestInbox::new();
    let chat = inbox.start("chat", json!({"topic": "tea"})).await;
    let courier = inbox.start("courier", json!({"parcels": ["book", "lamp"]})).await;
    let kid = json!({"key": "k", "program": [[{"note": "kid"}]]});
    let player = inbox
        .start_program(json!([[{"call": "x"}, {"spawn": [kid]}], [{"ask": [{"key": "a"}]}], [{"once": {"name": "go", "key": "a"}}]]))
        .await;
    inbox.drive().await;
    inbox.respond(&chat, "green").await;
    inbox.accept(&courier).await;
    inbox.news(&player, "mail").await;
    inbox.accept_and_drive(&player).await;
    for (name, thread) in [("chat", &chat), ("courier", &courier), ("player", &player)] {
        let view = inbox.view(thread).await;
        let updates = view.steps.into_iter().map(|step| step.updates).collect();
        let sample = Sample { workflow: name.to_owned(), updates, state: view.state };
        let text = serde_json::to_string_pretty(&sample).unwrap();
        std::fs::write(folder().join(format!("{name}.json")), text + "\n").unwrap();
    }
}
