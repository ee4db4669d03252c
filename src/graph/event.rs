//! What reaches a thread from outside: the end of its children, and events.

use super::{ThreadId, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildResult {
    /// The key the starting node chose.
    pub key: String,
    /// The child itself.
    pub thread: ThreadId,
    /// `true` when it reached its end, `false` when it was abandoned.
    pub done: bool,
    /// What it produced.
    pub output: Option<Value>,
    /// Why it did not.
    pub error: Option<String>,
}

/// Something that reaches a thread from outside while it lives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its own name (a mail's id, say). The hash of every open interrupt is bound to it.
    pub id: String,
    /// What came.
    pub what: What,
}

/// The ways the outside reaches a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    /// Words a person adds after a result; the thread runs again from its entry.
    Words {
        /// The words.
        text: String,
    },
    /// Words a person adds to a retry.
    Hint {
        /// The words.
        text: String,
    },
    /// News that open questions should be read with.
    News {
        /// What sort of news, for the workflow.
        topic: String,
        /// Its content, for the workflow.
        payload: Value,
        /// What open interrupts say from now on.
        warning: Warning,
    },
    /// A person corrects what the thread concluded: open questions close, and it runs again from its entry.
    Corrected {
        /// What is right, for the workflow.
        payload: Value,
    },
    /// What was asked has been settled without us: open questions close, and the thread goes on.
    Settled {
        /// A sentence for whoever still tries to answer.
        reason: String,
        /// Its content, for the workflow.
        payload: Value,
    },
}
