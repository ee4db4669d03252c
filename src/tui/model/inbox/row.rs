//! A row of the inbox's list.

use crate::graph::{Allow, Grade, Hash, Kind, ThreadId};
use crate::inbox::{ABSENT_ACTION, ASKING_WORKFLOW, Candidate, Flag, ItemKind, ItemLine, ItemStatus, Query};
use crate::text::Visible;
use jiff::Timestamp;
use std::cmp::Reverse;

/// A row of the list; all its text is safe to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    /// Its sequence number among interrupts or among results.
    pub place: i64,
    /// Changes whenever anything about the item does.
    pub stamp: u64,
    pub status: ItemStatus,
    /// The thread that asks.
    pub thread: ThreadId,
    pub kind: ItemKind,
    pub workflow: String,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    pub title: String,
    /// A second line about it.
    pub gist: String,
    /// Who it comes from; empty if unknown.
    pub source: String,
    /// Which answers it accepts.
    pub allow: Allow,
    /// The gravest of its warnings.
    pub grade: Option<Grade>,
    /// Whether mail arrived since it was asked.
    pub new_mail: bool,
    /// Whether accepting it cannot be undone.
    pub irreversible: bool,
    /// What a decision on it is bound to.
    pub hash: Option<Hash>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When its subject arrived.
    pub dated: Timestamp,
    pub snoozed_until: Option<Timestamp>,
    /// Whether somebody waits for the answer and does nothing else meanwhile.
    pub waiting: bool,
    /// When they give up.
    pub gives_up_at: Option<Timestamp>,
}

impl From<ItemLine> for Row {
    fn from(line: ItemLine) -> Self {
        // Ten thousand rows stay in memory, so their strings keep no spare capacity.
        let clean = |text: &str| {
            let mut clean = Visible::line(text).into_string();
            clean.shrink_to_fit();
            clean
        };
        Self {
            id: line.glance.id,
            place: line.glance.place,
            stamp: line.glance.stamp,
            status: line.glance.status,
            thread: line.thread,
            kind: line.kind,
            workflow: clean(&line.workflow),
            action: clean(&line.action),
            title: clean(&line.title),
            gist: clean(&line.gist),
            source: clean(line.source.as_deref().unwrap_or_default()),
            allow: line.allow,
            grade: line.grade,
            new_mail: line.warnings.iter().any(|code| code == "new_mail"),
            irreversible: line.irreversible,
            hash: line.hash,
            created_at: line.created_at,
            dated: line.dated,
            snoozed_until: line.snoozed_until,
            waiting: line.waiting,
            gives_up_at: line.gives_up_at,
        }
    }
}

impl Row {
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

    pub fn matches(&self, query: &Query, now: Timestamp) -> bool {
        let has = |flag: &Flag| flag.holds(self.grade, self.new_mail, self.irreversible, self.status);
        let shown = Candidate {
            texts: &[&self.title, &self.gist, &self.source, &self.action, &self.workflow],
            source: &self.source,
            workflow: &self.workflow,
            kind: Some(self.kind),
            at: self.created_at,
        };
        query.takes(&shown, now) && query.flags.iter().all(has)
    }

    /// The sender, or else the workflow.
    pub fn who(&self) -> &str {
        if self.source.is_empty() { &self.workflow } else { &self.source }
    }

    /// The workflow it belongs to. Questions that sayso itself asks belong to the mail or the model they are about.
    pub fn about(&self) -> &str {
        match (self.workflow.as_str(), self.action.as_str()) {
            (ASKING_WORKFLOW, ABSENT_ACTION) => "model",
            (ASKING_WORKFLOW, _) => "email",
            (workflow, _) => workflow,
        }
    }

    pub(super) fn sort_key(&self) -> (bool, i64) {
        (self.kind == ItemKind::Result, self.place)
    }

    /// Lower is more urgent.
    pub(super) fn urgency(&self) -> (u8, Reverse<Option<Grade>>, bool) {
        let kind = match self.kind {
            ItemKind::Interrupt(Kind::Trouble) => 0,
            ItemKind::Interrupt(Kind::Question) => 1,
            ItemKind::Interrupt(Kind::Approval) => 2,
            ItemKind::Interrupt(Kind::Triage) => 3,
            ItemKind::Result => 4,
        };
        (kind, Reverse(self.grade), !self.new_mail)
    }
}
