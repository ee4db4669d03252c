//! The Activity tab as rows that one moves through: sections, and among them what is running and what is allowed.

mod charts;
pub mod grants;
mod update;
mod view;

pub use update::*;
pub use view::{activity_length, draw, draw_running};

use crate::graph::ThreadId;
use crate::inbox::{Activity, ErrorLine, GrantLine, Storage, ThreadLine, UsageView};
use crate::tui::model::Model;
use crate::tui::tabs::Tab;
use std::collections::HashMap;
use std::time::Instant;

/// So many days are looked back on.
pub const DAYS: u16 = 30;

/// A part of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Everything in numbers.
    Overview,
    /// What is at work.
    Running,
    /// What was decided, by day and by tool.
    Decisions,
    /// Tokens and prices, by day and by model.
    Models,
    /// How long models and nodes take.
    Times,
    /// What goes wrong, by how often.
    Errors,
    /// How each mailbox does.
    Mail,
    /// What may be done without asking.
    Allowed,
    /// What the file holds.
    Storage,
}

impl Section {
    /// All of them, in order.
    pub const ALL: [Section; 9] = [
        Section::Overview,
        Section::Running,
        Section::Decisions,
        Section::Models,
        Section::Times,
        Section::Errors,
        Section::Mail,
        Section::Allowed,
        Section::Storage,
    ];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Section::Overview => "Overview",
            Section::Running => "Running now",
            Section::Decisions => "Decisions",
            Section::Models => "Models and cost",
            Section::Times => "How long it takes",
            Section::Errors => "What goes wrong",
            Section::Mail => "Mailboxes",
            Section::Allowed => "Allowed without asking",
            Section::Storage => "Storage",
        }
    }
}

/// A row of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityRow {
    Section(Section),
    /// A running thread, by its place.
    Thread(usize),
    /// A grant, by its place.
    Grant(usize),
}

/// What the tab knows besides what others know too.
#[derive(Clone, Debug, Default)]
pub struct ActivityTab {
    /// The selected row.
    pub cursor: usize,
    /// The first on the screen.
    pub top: usize,
    /// The grant to select once the list is there.
    pub wanted: Option<String>,
    /// The line of the page at the top.
    pub page_top: usize,
    /// What went on.
    pub figures: Option<Box<Activity>>,
    /// What went wrong.
    pub errors: Vec<ErrorLine>,
    /// What the file holds, once somebody looked.
    pub storage: Option<Storage>,
    /// What running threads have used.
    pub usage: HashMap<ThreadId, UsageView>,
    /// When it was last read.
    pub read_at: Option<Instant>,
    /// Whether a prune is under way.
    pub pruning: bool,
}

impl Model {
    /// The rows of the Activity tab.
    pub fn activity_rows(&self) -> Vec<ActivityRow> {
        let mut rows = Vec::with_capacity(Section::ALL.len() + self.running.rows.len() + self.grants.len());
        for section in Section::ALL {
            rows.push(ActivityRow::Section(section));
            match section {
                Section::Running => rows.extend((0..self.running.rows.len()).map(ActivityRow::Thread)),
                Section::Allowed => rows.extend((0..self.grants.len()).map(ActivityRow::Grant)),
                _ => {}
            }
        }
        rows
    }

    /// The selected row, if the Activity tab is on the screen.
    pub fn activity_row(&self) -> Option<ActivityRow> {
        if self.tab == Tab::Activity { self.activity_rows().get(self.activity.cursor).copied() } else { None }
    }

    /// The selected grant of the Activity tab.
    pub fn selected_grant(&self) -> Option<&GrantLine> {
        match self.activity_row()? {
            ActivityRow::Grant(n) => self.grants.get(n),
            ActivityRow::Section(_) | ActivityRow::Thread(_) => None,
        }
    }

    /// The selected running thread, wherever those are listed.
    pub fn selected_running(&self) -> Option<&ThreadLine> {
        match self.activity_row() {
            Some(ActivityRow::Thread(n)) => self.running.rows.get(n),
            Some(ActivityRow::Section(_) | ActivityRow::Grant(_)) => None,
            None if self.shows_running() => self.running.selected(),
            None => None,
        }
    }

    /// What the selected row is, whatever its place.
    pub fn activity_key(&self) -> Option<String> {
        match self.activity_rows().get(self.activity.cursor)? {
            ActivityRow::Section(section) => Some(section.title().to_owned()),
            ActivityRow::Thread(n) => self.running.rows.get(*n).map(|line| line.id.to_string()),
            ActivityRow::Grant(n) => self.grants.get(*n).map(|grant| grant.id.clone()),
        }
    }

    /// Selects what was selected before rows came or went; what is gone leaves the section it stood in.
    pub fn keep_activity(&mut self, key: Option<String>, section: Option<Section>) {
        let rows = self.activity_rows().len();
        let at = self.activity.cursor;
        let found = (0..rows).find(|n| {
            self.activity.cursor = *n;
            self.activity_key() == key
        });
        let home = section.and_then(|section| {
            self.activity_rows().iter().position(|row| *row == ActivityRow::Section(section))
        });
        self.activity.cursor = found.or(home).unwrap_or(at).min(rows.saturating_sub(1));
    }

    /// The section the selected row stands in.
    pub fn activity_section(&self) -> Option<Section> {
        Some(match self.activity_rows().get(self.activity.cursor)? {
            ActivityRow::Section(section) => *section,
            ActivityRow::Thread(_) => Section::Running,
            ActivityRow::Grant(_) => Section::Allowed,
        })
    }
}
