//! A server's thread as people see it.

use super::api::{RemoteStatus, RemoteThread};
use super::messages;
use crate::text::Visible;
use serde_json::{Value, json};

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
