//! The list of decisions: the answers, who gave them, and how they ended.

use super::{DecidedBy, GrantLine, RowKey};
use crate::engine::graph::{BatchId, Decision, InterruptId, Kind, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The type of a person's answer, without its text, or what else they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AnswerKind {
    Accept,
    Edit,
    Respond,
    Ignore,
    Draft,
    /// They hid a question until later, or ended that.
    Snooze,
    /// They gave a mail another class.
    Reclassify,
    /// They put a mail away.
    Move,
}

impl AnswerKind {
    /// What was done, unless the card has its own word for it.
    pub fn past(self) -> &'static str {
        match self {
            AnswerKind::Accept => "accepted",
            AnswerKind::Edit => "accepted with changes",
            AnswerKind::Respond => "answered",
            AnswerKind::Ignore => "ignored",
            AnswerKind::Draft => "saved as a draft",
            AnswerKind::Snooze => "snoozed",
            AnswerKind::Reclassify => "reclassified",
            AnswerKind::Move => "moved",
        }
    }
}

impl From<&Decision> for AnswerKind {
    fn from(decision: &Decision) -> Self {
        match decision {
            Decision::Accept => AnswerKind::Accept,
            Decision::Edit { .. } => AnswerKind::Edit,
            Decision::Respond { .. } => AnswerKind::Respond,
            Decision::Ignore => AnswerKind::Ignore,
            Decision::Draft => AnswerKind::Draft,
        }
    }
}

/// How a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DecisionEnd {
    /// It can still be undone, or its thread has not gone on yet.
    Pending,
    /// The approved action happened, or the answer reached its thread.
    Done,
    /// A person refused.
    Ignored,
    /// Nobody answered in time.
    Expired,
    /// A person undid it, or news arrived that it did not take into account.
    Undone,
    /// The approved action did not happen.
    Failed,
    /// Nobody knows yet whether it happened.
    InDoubt,
}

impl DecisionEnd {
    /// The word used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A decision in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionLine {
    pub at: Timestamp,
    /// The question; `None` if a mail was reclassified or moved.
    pub interrupt: Option<InterruptId>,
    pub thread: ThreadId,
    pub workflow: String,
    /// The question's kind.
    pub kind: Option<Kind>,
    /// The tool, or the name of the question.
    pub action: String,
    pub title: String,
    /// The sender of the mail, or the agent, folder or server that asked.
    pub source: Option<String>,
    pub answer: AnswerKind,
    /// What the person wrote, if anything.
    pub text: Option<String>,
    /// The arguments that were decided on: as proposed, or as the person edited them.
    #[serde(skip)]
    pub args: Value,
    /// Who answered; `None` if a person did something else.
    pub by: Option<DecidedBy>,
    pub end: DecisionEnd,
    /// How it ended, in people's words: "sent", "refused".
    pub outcome: String,
    /// When the action that it approved was done.
    #[serde(skip)]
    pub ended_at: Option<Timestamp>,
    /// Its number in the log; pages start after one.
    #[serde(skip)]
    pub seq: i64,
    /// The decisions taken together share one.
    #[serde(skip)]
    pub batch: Option<BatchId>,
}

/// What led to a decision, and what it led to besides its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionLinks {
    /// The grant that made it, and the grant given with it.
    pub grants: Vec<GrantLine>,
    pub lessons: Vec<LessonLink>,
    /// The rows it made or confirmed.
    pub rows: Vec<RowKey>,
}

/// What a profile should learn from a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonLink {
    pub namespace: String,
    /// The version that was written; `None` if nothing is stored, or not yet.
    pub version: Option<u64>,
}
