//! Items as lines of a list that stays small and live with ten thousand of them.

use super::ItemKind;
use crate::graph::{Allow, Grade, Hash, InterruptId, ThreadId};
use jiff::Timestamp;

/// Where an item stands in the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits for a decision.
    Open,
    /// It waits, out of sight.
    Snoozed,
    /// It is decided, and its thread waits for other answers.
    Decided,
    /// It is decided, and can still be taken back for a moment.
    Held {
        /// How long, in milliseconds.
        hold_ms: i64,
        since: Timestamp,
    },
    /// A finished thread's answer that nobody has read.
    Result,
}

/// An item at a glance: enough to see that something about it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The item's id.
    pub id: String,
    /// Its place among its like; later ones have higher places.
    pub place: i64,
    pub standing: Standing,
    /// Differs when anything about the item does.
    pub stamp: u64,
}

/// An item as one line of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemLine {
    pub glance: Glance,
    /// The thread that asks.
    pub thread: ThreadId,
    pub workflow: String,
    /// What sort of item it is.
    pub kind: ItemKind,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// One line for the list.
    pub title: String,
    /// One more line: what it is about.
    pub gist: String,
    /// Whom or what it comes from.
    pub source: Option<String>,
    /// Which answers it takes.
    pub allow: Allow,
    /// How much the heaviest of its warnings weighs.
    pub grade: Option<Grade>,
    /// The codes of what is unusual about it.
    pub warnings: Vec<String>,
    /// Accepting it does something that cannot be taken back.
    pub irreversible: bool,
    /// What a decision on it is bound to.
    pub hash: Option<Hash>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When what it is about came: the newest mail of its thread, where it has any.
    pub dated: Timestamp,
    /// Until when it is out of sight.
    pub snoozed_until: Option<Timestamp>,
    /// Whether somebody waits for the answer and does nothing else meanwhile.
    pub waiting: bool,
    /// When they give up.
    pub gives_up_at: Option<Timestamp>,
}

/// Which lines are wanted.
#[derive(Clone, Debug)]
pub enum LineQuery {
    /// The first open ones, for a first look.
    First(usize),
    /// These; what is gone meanwhile is left out.
    Of(Vec<String>),
}

/// Decisions taken together, or one taken alone, that can still be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// On what, in the order they were asked; undoing the batch of any of them takes all of them back.
    pub interrupts: Vec<InterruptId>,
    /// `accept`, `edit` …
    pub decision: String,
    /// When the last of them was taken.
    pub at: Timestamp,
}
