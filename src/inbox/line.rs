//! Items as lines of a list that stays small and live with ten thousand items.

use super::{ABSENT_ACTION, ASKING_WORKFLOW, ItemKind};
use crate::engine::graph::{Allow, Grade, Hash, InterruptId, ThreadId};
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
pub struct ItemStamp {
    pub id: String,
    pub status: ItemStatus,
    /// Changes when anything about the item changes.
    pub stamp: u64,
}

/// An item as one line of a list. Its texts come from outside; whoever draws them makes them safe.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemLine {
    /// The interrupt's id, or the thread's id for a result.
    pub id: String,
    /// Its number among questions, or among results; later items have higher ones.
    pub seq: i64,
    /// Changes when anything about the item changes.
    pub stamp: u64,
    pub status: ItemStatus,
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
    /// Whether mail arrived since it was asked.
    pub new_mail: bool,
    /// Accepting it cannot be undone.
    pub irreversible: bool,
    /// Whether it is a mail that the person wrote: refusing it keeps it as a draft.
    pub is_kept_as_draft: bool,
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

impl ItemLine {
    /// Whether it waits for the user now.
    pub fn is_waiting(&self) -> bool {
        matches!(self.status, ItemStatus::Open | ItemStatus::Result)
    }

    /// Whether it is decided but not acted on yet.
    pub fn is_decided(&self) -> bool {
        matches!(self.status, ItemStatus::Decided | ItemStatus::Held { .. })
    }

    /// Whether somebody is waiting for it now.
    pub fn is_waited_for(&self, now: Timestamp) -> bool {
        self.waiting && self.status == ItemStatus::Open && self.gives_up_at.is_none_or(|at| at > now)
    }

    /// Whether the user should look at it twice.
    pub fn is_warned(&self) -> bool {
        self.grade >= Some(Grade::Caution)
    }

    /// The sender, or else the workflow.
    pub fn who(&self) -> &str {
        self.source.as_deref().filter(|source| !source.is_empty()).unwrap_or(&self.workflow)
    }

    /// The workflow it belongs to. Questions that sayso itself asks belong to the mail or the model they are about.
    pub fn belongs_to(&self) -> &str {
        match (self.workflow.as_str(), self.action.as_str()) {
            (ASKING_WORKFLOW, ABSENT_ACTION) => "model",
            (ASKING_WORKFLOW, _) => "email",
            (workflow, _) => workflow,
        }
    }
}

/// Which lines to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineQuery {
    /// The most urgent open items, for the first screen.
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
