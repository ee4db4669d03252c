//! An inbox with a folder to analyse, and the model's replies.

use crate::support::test_inbox::TestInbox;
use crate::support::{FakeModel, merged};
use sayso::agent::llm::{ModelError, Reply, Scripted, Usage};
use sayso::engine::graph::ThreadId;
use sayso::inbox::ThreadView;
use serde_json::{Value, json};

/// An inbox whose model gives these answers, beside a folder with a note.
pub fn with_answers(answers: impl IntoIterator<Item = Result<Reply, ModelError>>) -> TestInbox {
    with_config("", answers)
}

pub fn with_config(config: &str, answers: impl IntoIterator<Item = Result<Reply, ModelError>>) -> TestInbox {
    with_model(config, FakeModel::new(answers))
}

pub fn with_model(config: &str, model: FakeModel) -> TestInbox {
    let inbox = TestInbox::builder().config(config).with_model(model).open();
    inbox.write_input("notes.md", "The launch slipped by three weeks.");
    inbox
}

/// A reply that cost something.
pub fn paid(text: &str) -> Result<Reply, ModelError> {
    let usage = Usage { input: 1000, output: 100, cached: 0 };
    Ok(Reply { usage, ..Scripted::text(text) })
}

pub fn refused() -> Result<Reply, ModelError> {
    Err(ModelError::Refused { model: "main".into(), why: "it would rather not".into() })
}

pub fn unreachable() -> Result<Reply, ModelError> {
    Err(ModelError::Unreachable { model: "main".into(), why: "nobody answers".into() })
}

/// What an analysis of the folder is started with.
pub fn analysis(inbox: &TestInbox) -> Value {
    json!({"query": "Why did the launch slip?", "inputs": inbox.inputs()})
}

/// An analysis, driven to its first question.
pub async fn analyze(inbox: &TestInbox) -> ThreadId {
    analyze_with(inbox, json!({})).await
}

pub async fn analyze_with(inbox: &TestInbox, more: Value) -> ThreadId {
    inbox.run("analyze", merged(analysis(inbox), more)).await
}

/// Who said what, as `U:` and `A:` lines.
pub fn dialogue(view: &ThreadView) -> Vec<String> {
    let turns = view.state["analysis_history"].as_array().unwrap();
    let line = |turn: &Value| {
        let who = if turn["role"] == "user" { "U" } else { "A" };
        format!("{who}:{}", turn["text"].as_str().unwrap())
    };
    turns.iter().map(line).collect()
}

/// What happened, step by step.
pub fn happened(view: &ThreadView) -> Vec<String> {
    let step = |step: &sayso::inbox::StepView| {
        let updates = step.updates.as_array().unwrap().iter();
        let updates = updates.map(|u| u["what"].as_str().or(u["loop"].as_str()).unwrap());
        format!("{}: {}", step.node, updates.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
    };
    view.steps.iter().map(step).collect()
}

/// An inbox without any model but the person.
pub fn with_me() -> TestInbox {
    let inbox = TestInbox::builder().with_model(FakeModel::person()).open();
    inbox.write_input("notes.md", "The launch slipped by three weeks.");
    inbox
}
