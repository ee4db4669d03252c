//! A server's threads as screens and scripts see threads.

use super::api::{Checkpoint, RemoteStatus, RemoteThread};
use super::messages;
use crate::graph::ThreadId;
use crate::inbox::{ErrorView, NextView, Status, StepView, ThreadLine, ThreadView, TraceView, UsageView};
use crate::text::Visible;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The id of a server's thread while it is not mirrored; always the same for the same thread.
fn id(server: &str, thread: &str) -> ThreadId {
    let digest = Sha256::digest(format!("{server}\n{thread}"));
    let letters = digest.iter().take(8).map(|byte| char::from(LETTERS[usize::from(byte & 31)]));
    let word: String = std::iter::once('t').chain(letters).collect();
    // It consists of id characters, so this always parses.
    ThreadId::parse(&word).unwrap_or_else(|_| ThreadId::random())
}

fn status(remote: RemoteStatus) -> Status {
    match remote {
        RemoteStatus::Idle => Status::Done,
        RemoteStatus::Busy => Status::Running,
        RemoteStatus::Interrupted => Status::Waiting,
        RemoteStatus::Error => Status::Trouble,
    }
}

fn timestamp(text: &str) -> Timestamp {
    text.parse().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A server's thread as one line of a list.
pub fn line(server: &str, thread: &RemoteThread) -> ThreadLine {
    let title = messages::title(&thread.metadata, &thread.values);
    let title = if title.is_empty() { thread.id.clone() } else { title };
    ThreadLine {
        id: id(server, &thread.id),
        workflow: Visible::line(&format!("{server}/{}", thread.graph)).into_string(),
        title: Visible::line(&title).into_string(),
        status: status(thread.status),
        steps: 0,
        created_at: timestamp(&thread.created_at),
        updated_at: timestamp(&thread.updated_at),
        parent: None,
        forked_from: None,
        outcome: None,
        end: None,
        snippet: None,
        // It is in no list of this folder.
        place: 0,
    }
}

/// The server's view of a thread: its status, state and conversation.
pub fn state(server: &str, thread: &RemoteThread) -> Value {
    let turns = messages::all(&thread.values).into_iter();
    let messages: Vec<Value> = turns.map(|(who, text)| json!({"who": who, "said": text})).collect();
    let status = match thread.status {
        RemoteStatus::Idle => "idle",
        RemoteStatus::Busy => "busy",
        RemoteStatus::Interrupted => "interrupted",
        RemoteStatus::Error => "error",
    };
    Visible::json(&json!({
        "server": server, "thread": thread.id, "graph": thread.graph, "status": status,
        "messages": messages, "values": thread.values, "metadata": thread.metadata,
    }))
}

/// The steps of a server's thread, oldest first; `history` is newest first, as servers return it.
pub fn steps(history: &[Checkpoint]) -> Vec<StepView> {
    let mut steps = Vec::new();
    let mut before: Option<&Checkpoint> = None;
    for (n, checkpoint) in history.iter().rev().enumerate() {
        let node = match before {
            Some(before) if !before.next.is_empty() => before.next.join(", "),
            _ => checkpoint.metadata.get("source").and_then(Value::as_str).unwrap_or("START").to_owned(),
        };
        let next = match checkpoint.next.as_slice() {
            [] => NextView::End { end: true },
            next => NextView::Goto { goto: Visible::line(&next.join(", ")).into_string() },
        };
        steps.push(StepView {
            n: n as u64,
            node: Visible::line(&node).into_string(),
            updates: Visible::json(&changed(before.map(|before| &before.values), &checkpoint.values)),
            next,
            at: checkpoint.created_at.as_deref().map(timestamp).unwrap_or(Timestamp::UNIX_EPOCH),
        });
        before = Some(checkpoint);
    }
    steps
}

/// The full view of a server's thread that is not mirrored here.
pub fn view(server: &str, thread: &RemoteThread, history: &[Checkpoint]) -> ThreadView {
    let line = line(server, thread);
    let error = thread
        .error
        .as_ref()
        .map(|text| ErrorView { code: "failed".to_owned(), text: Visible::new(text).into_string() });
    let trace = TraceView {
        thread: Some(line.id.clone()),
        ..TraceView::begun(line.workflow.clone(), "thread", line.created_at)
    };
    ThreadView {
        id: line.id,
        workflow: line.workflow,
        title: line.title,
        status: line.status,
        state: state(server, thread),
        output: (thread.status == RemoteStatus::Idle).then(|| Visible::json(&thread.values)),
        error,
        parent: None,
        forked_from: None,
        steps: steps(history),
        questions: Vec::new(),
        decisions: Vec::new(),
        effects: Vec::new(),
        usage: UsageView::default(),
        trace,
    }
}

/// The parts of a state that a step changed.
fn changed(before: Option<&Value>, after: &Value) -> Value {
    let Value::Object(after) = after else { return after.clone() };
    let was = |key: &str| before.and_then(|before| before.get(key));
    let changed: Map<String, Value> = after
        .iter()
        .filter(|(key, value)| was(key) != Some(value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Value::Object(changed)
}
