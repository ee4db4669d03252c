//! The answer to a program that asked a person. The field names are a contract: we add but never rename.

use super::Status;
use crate::engine::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// Accepted as proposed.
    Accept,
    /// Accepted with changed arguments.
    Edit,
    /// Answered in words.
    Respond,
    /// Refused.
    Ignore,
    /// Nobody answered in time.
    Expired,
    /// The asker stopped waiting.
    Withdrawn,
}

impl Ending {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The state of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestAnswer {
    /// The question's id, for use with `sayso request --answer`.
    pub id: InterruptId,
    pub thread: ThreadId,
    /// The thread's status.
    pub status: Status,
    /// The open question, if it is still open.
    pub interrupts: Vec<InterruptId>,
    /// How it ended; `None` while it is open, or decided but can still be undone.
    pub r#type: Option<Ending>,
    /// What may be done: the arguments as accepted or edited, or the text of a response.
    pub args: Value,
    pub by: Option<String>,
    pub at: Option<Timestamp>,
    /// What the asker should remember, exactly as it offered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remember: Option<Value>,
}
