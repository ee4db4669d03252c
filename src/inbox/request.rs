//! What a program that asked a person is told. The field names are a contract: added to, never renamed.

use super::Status;
use crate::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// As proposed.
    Accept,
    /// With changed arguments.
    Edit,
    /// With words.
    Respond,
    /// No.
    Ignore,
    /// Nobody answered in time.
    Expired,
    /// The asker no longer waited.
    Withdrawn,
}

impl Ending {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// How a request stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestAnswer {
    /// The question, by which `sayso answer` finds it again.
    pub id: InterruptId,
    pub thread: ThreadId,
    /// Where that stands.
    pub status: Status,
    /// What is open now: the question, or nothing.
    pub interrupts: Vec<InterruptId>,
    /// How it ended; nothing while it is open, or decided and still to be taken back.
    pub r#type: Option<Ending>,
    /// What may be done: the arguments as accepted or edited; the words of a response.
    pub args: Value,
    /// Who decided.
    pub by: Option<String>,
    pub at: Option<Timestamp>,
    /// What the asker is to remember, as it offered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remember: Option<Value>,
}
