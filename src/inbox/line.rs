//! Items as lines of a list that stays small and live with ten thousand items.

use super::ItemKind;
use crate::graph::{Allow, Grade, Hash, InterruptId, ThreadId};
use jiff::Timestamp;

/// The status of an item in the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStatus {
    /// It waits for a decision.
    Open,
    /// It waits, but is hidden.
    Snoozed,
    /// It is decided; its thread waits for other answers.
    Decided,
    /// It is decided, and can still be undone for a moment.
    Held { hold_ms: i64, since: Timestamp },
    /// A finished thread's result that nobody has read.
    Result,
}

/// Just enough about an item to notice that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    pub id: String,
    /// Its place among interrupts, or among results; later items have higher places.
    pub place: i64,
    pub status: ItemStatus,
    /// Changes when anything about the item changes.
    pub stamp: u64,
}

/// An item as one line of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemLine {
    pub glance: Glance,
    /// The thread that asks.
    pub thread: ThreadId,
    pub workflow: String,
    pub kind: ItemKind,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// One line for the list.
    pub title: String,
    /// A second line: what it is about.
    pub gist: String,
    /// The person or thing it comes from.
    pub source: Option<String>,
    pub allow: Allow,
    /// The highest grade among its warnings.
    pub grade: Option<Grade>,
    /// The codes of its warnings.
    pub warnings: Vec<String>,
    /// Accepting it cannot be undone.
    pub irreversible: bool,
    /// The hash that a decision is bound to.
    pub hash: Option<Hash>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// The time of the newest mail in its thread, if there is any; otherwise the time it was asked.
    pub dated: Timestamp,
    /// Hidden until then.
    pub snoozed_until: Option<Timestamp>,
    /// Whether the asker is blocked until it gets the answer.
    pub waiting: bool,
    /// When the asker gives up.
    pub gives_up_at: Option<Timestamp>,
}

/// Which lines to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineQuery {
    /// The first open items, for the first screen.
    First(usize),
    /// These items; those that are gone are left out.
    Of(Vec<String>),
}

/// Decisions made together, or a single one, that can still be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoableBatch {
    /// In the order they were asked; undoing any of them undoes the whole batch.
    pub interrupts: Vec<InterruptId>,
    /// `accept`, `edit` …
    pub decision: String,
    /// When the last of them was made.
    pub at: Timestamp,
}
