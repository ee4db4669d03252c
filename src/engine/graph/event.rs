//! What reaches a thread from outside: results of its children, and events.

use super::{ThreadId, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildResult {
    /// The key the starting node chose.
    pub key: String,
    pub thread: ThreadId,
    /// `true` if it reached its end, `false` if it was abandoned.
    pub done: bool,
    /// The child's result.
    pub output: Option<Value>,
    /// Why there is no result.
    pub error: Option<String>,
}

/// Something that reaches a living thread from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Identifies the event (a mail's id, say). The hash of every open interrupt is bound to it.
    pub id: String,
    pub what: EventKind,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A person adds text after a result; the thread runs again from its entry.
    Words { text: String },
    /// A person adds text to a retry.
    Hint { text: String },
    /// News that should be read together with open questions.
    News {
        /// The topic, for the workflow.
        topic: String,
        /// The content, for the workflow.
        payload: Value,
        /// A warning that open interrupts show from now on.
        warning: Warning,
    },
    /// A person corrects the thread's conclusion: open questions close, and it runs again from its entry.
    Corrected {
        /// The correction, for the workflow.
        payload: Value,
    },
    /// The question was answered elsewhere: open questions close, and the thread goes on.
    AnsweredElsewhere {
        /// A sentence for anyone who still tries to answer.
        reason: String,
        /// The content, for the workflow.
        payload: Value,
    },
}
