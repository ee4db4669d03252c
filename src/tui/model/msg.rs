//! The events the screen handles, as a closed list, and what they carry.

use super::job::Callback;
use crate::engine::graph::{Progress, Shape};
use crate::inbox::{AnswerKind, Card, ThreadView};
use crate::tui::key::Key;
use jiff::Timestamp;
use std::time::Instant;

/// A key as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub key: Key,
    pub at: Instant,
    /// Whether other keys came with it: nobody types that fast, so it decides nothing.
    pub burst: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    Click,
    WheelUp,
    WheelDown,
}

/// What was in the last frame that a key may act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The item whose card was drawn.
    pub card: Option<String>,
    /// Whether the end of its proposal was on the screen.
    pub end: bool,
    /// The number of the uppermost layer.
    pub layer: Option<u64>,
}

/// A thread as it was read.
#[derive(Clone, Debug)]
pub struct LoadedThread {
    /// Everything on record.
    pub view: ThreadView,
    /// The conversation.
    pub card: Card,
    /// Its graph, if this build knows the workflow.
    pub shape: Option<Shape>,
}

/// Who drives threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driving {
    Unknown,
    /// This process.
    Ours,
    /// Another process, by its pid if known.
    Theirs(Option<u32>),
    /// Nobody can, for this reason.
    Nobody(String),
}

pub enum Msg {
    Key(Press),
    Paste(String),
    /// The mouse was used at a column and a row.
    Mouse(Mouse, u16, u16),
    Resized(u16, u16),
    /// A frame is on the screen, and no key was waiting when it was flushed.
    Drawn(Seen, Instant),
    Tick(Instant, Timestamp),
    /// Something in the store changed.
    Changed,
    /// A node driven by this process made progress.
    Progress(Progress),
    Driving(Driving),
    /// A job has ended.
    Ended(Callback),
}

/// What a decision did, for the note about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    Accepted,
    /// Accepted with changes.
    Edited,
    /// Written in place of the proposal; it is proposed next.
    Written,
    Answered,
    /// A permission was refused.
    Refused,
    Ignored,
    /// Saved as a draft.
    Drafted,
    /// A result was filed away.
    Filed,
    /// A result was continued.
    Continued,
    Snoozed {
        until: Timestamp,
    },
    Woken,
}

impl DecisionKind {
    pub fn is_snooze(self) -> bool {
        matches!(self, DecisionKind::Snoozed { .. })
    }

    pub fn can_be_undone(self) -> bool {
        !matches!(self, DecisionKind::Filed | DecisionKind::Continued | DecisionKind::Woken)
    }

    /// In the past tense.
    pub fn word(self) -> &'static str {
        match self {
            DecisionKind::Accepted => AnswerKind::Accept.past(),
            DecisionKind::Edited => AnswerKind::Edit.past(),
            DecisionKind::Written => "written",
            DecisionKind::Answered => AnswerKind::Respond.past(),
            DecisionKind::Refused => "refused",
            DecisionKind::Ignored => AnswerKind::Ignore.past(),
            DecisionKind::Drafted => AnswerKind::Draft.past(),
            DecisionKind::Filed => "filed away",
            DecisionKind::Continued => "continued",
            DecisionKind::Snoozed { .. } => AnswerKind::Snooze.past(),
            DecisionKind::Woken => "snooze ended",
        }
    }
}
