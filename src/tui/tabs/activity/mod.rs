//! The rows of the Activity tab: one page of figures, then running threads and grants.

pub mod grants;
mod update;
mod view;

pub use update::*;
pub use view::{activity_length, draw, draw_running};

use crate::graph::ThreadId;
use crate::inbox::{Activity, GrantLine, Storage, ThreadLine, UsageView};
use crate::tui::model::Model;
use crate::tui::tabs::Tab;
use std::collections::HashMap;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Everything in numbers, on one page.
    Overview,
    Running,
    /// What is allowed without asking.
    Allowed,
}

impl Section {
    /// In the order shown.
    pub const ALL: [Section; 3] = [Section::Overview, Section::Running, Section::Allowed];

    pub fn title(self) -> &'static str {
        match self {
            Section::Overview => "Overview",
            Section::Running => "Running now",
            Section::Allowed => "Allowed without asking",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityRow {
    Section(Section),
    /// A running thread, by its index.
    Thread(usize),
    /// A grant, by its index.
    Grant(usize),
}

/// State that only this tab uses.
#[derive(Clone, Debug, Default)]
pub struct ActivityTab {
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// The grant to select once the list is loaded.
    pub grant_to_select: Option<String>,
    /// The scroll position of the page, in lines.
    pub page_top: usize,
    pub figures: Option<Box<Activity>>,
    /// What the database file holds.
    pub storage: Option<Storage>,
    /// What running threads have used.
    pub usage: HashMap<ThreadId, UsageView>,
    pub read_at: Option<Instant>,
    /// Whether pruning is in progress.
    pub pruning: bool,
}

impl Model {
    pub fn activity_rows(&self) -> Vec<ActivityRow> {
        let mut rows = Vec::with_capacity(Section::ALL.len() + self.running.rows.len() + self.grants.len());
        for section in Section::ALL {
            rows.push(ActivityRow::Section(section));
            match section {
                Section::Running => rows.extend((0..self.running.rows.len()).map(ActivityRow::Thread)),
                Section::Allowed => rows.extend((0..self.grants.len()).map(ActivityRow::Grant)),
                Section::Overview => {}
            }
        }
        rows
    }

    /// The selected row, if the Activity tab is on the screen.
    pub fn activity_row(&self) -> Option<ActivityRow> {
        if self.tab == Tab::Activity { self.activity_rows().get(self.activity.cursor).copied() } else { None }
    }

    pub fn selected_grant(&self) -> Option<&GrantLine> {
        match self.activity_row()? {
            ActivityRow::Grant(n) => self.grants.get(n),
            ActivityRow::Section(_) | ActivityRow::Thread(_) => None,
        }
    }

    /// The selected running thread, in any list that shows them.
    pub fn selected_running(&self) -> Option<&ThreadLine> {
        match self.activity_row() {
            Some(ActivityRow::Thread(n)) => self.running.rows.get(n),
            Some(ActivityRow::Section(_) | ActivityRow::Grant(_)) => None,
            None if self.shows_running() => self.running.selected(),
            None => None,
        }
    }

    /// Identifies the selected row independently of its position.
    pub fn activity_key(&self) -> Option<String> {
        match self.activity_rows().get(self.activity.cursor)? {
            ActivityRow::Section(section) => Some(section.title().to_owned()),
            ActivityRow::Thread(n) => self.running.rows.get(*n).map(|line| line.id.to_string()),
            ActivityRow::Grant(n) => self.grants.get(*n).map(|grant| grant.id.clone()),
        }
    }

    /// Keeps the selection when rows come or go; if the selected row is gone, selects the section it was in.
    pub fn keep_activity(&mut self, key: Option<String>, section: Option<Section>) {
        let rows = self.activity_rows().len();
        let cursor = self.activity.cursor;
        let same_row = (0..rows).find(|n| {
            self.activity.cursor = *n;
            self.activity_key() == key
        });
        let section_row = section.and_then(|section| {
            self.activity_rows().iter().position(|row| *row == ActivityRow::Section(section))
        });
        self.activity.cursor = same_row.or(section_row).unwrap_or(cursor).min(rows.saturating_sub(1));
    }

    /// The section of the selected row.
    pub fn activity_section(&self) -> Option<Section> {
        Some(match self.activity_rows().get(self.activity.cursor)? {
            ActivityRow::Section(section) => *section,
            ActivityRow::Thread(_) => Section::Running,
            ActivityRow::Grant(_) => Section::Allowed,
        })
    }
}
