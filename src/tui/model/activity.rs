//! The rows of the Activity tab: one page of figures, then running threads and grants.

use super::rows::Rows;
use super::{Model, Tab};
use crate::engine::graph::ThreadId;
use crate::inbox::{Activity, GrantLine, Storage, ThreadLine, UsageView};
use crate::tui::card::ScrollPosition;
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
    pub list: Rows<ActivityRow>,
    /// The grant to select once the list is loaded.
    pub grant_to_select: Option<String>,
    /// The scroll position of the page.
    pub page_top: ScrollPosition,
    pub figures: Option<Activity>,
    /// What the database file holds.
    pub storage: Option<Storage>,
    /// What running threads have used.
    pub usage: HashMap<ThreadId, UsageView>,
    pub read_at: Option<Instant>,
}

impl Model {
    /// Lists the running threads and the grants again. The selection stays on its row; if that is gone, it goes to the
    /// section the row was in.
    pub fn list_activity(&mut self, change: impl FnOnce(&mut Model)) {
        let (key, section) = (self.activity_key(self.activity.list.cursor), self.activity_section());
        change(self);
        let mut rows = Vec::new();
        for section in Section::ALL {
            rows.push(ActivityRow::Section(section));
            match section {
                Section::Running => rows.extend((0..self.running.len()).map(ActivityRow::Thread)),
                Section::Allowed => rows.extend((0..self.grants.len()).map(ActivityRow::Grant)),
                Section::Overview => {}
            }
        }
        let section_row =
            section.and_then(|section| rows.iter().position(|row| *row == ActivityRow::Section(section)));
        self.activity.list.rows = rows;
        let same_row =
            (0..self.activity.list.rows.len()).find(|row| key.is_some() && self.activity_key(*row) == key);
        let row = same_row.or(section_row).unwrap_or(self.activity.list.cursor);
        self.activity.list.select(row);
    }

    /// The selected row, if the Activity tab is on the screen.
    pub fn activity_row(&self) -> Option<ActivityRow> {
        self.activity.list.selected().copied().filter(|_| self.tab == Tab::Activity)
    }

    pub fn selected_grant(&self) -> Option<&GrantLine> {
        match self.activity_row()? {
            ActivityRow::Grant(n) => self.grants.get(n),
            ActivityRow::Section(_) | ActivityRow::Thread(_) => None,
        }
    }

    pub fn selected_running(&self) -> Option<&ThreadLine> {
        match self.activity_row()? {
            ActivityRow::Thread(n) => self.running.get(n),
            ActivityRow::Section(_) | ActivityRow::Grant(_) => None,
        }
    }

    /// Identifies a row independently of its position.
    pub fn activity_key(&self, row: usize) -> Option<String> {
        match self.activity.list.rows.get(row)? {
            ActivityRow::Section(section) => Some(section.title().to_owned()),
            ActivityRow::Thread(n) => self.running.get(*n).map(|line| line.id.to_string()),
            ActivityRow::Grant(n) => self.grants.get(*n).map(|grant| grant.id.clone()),
        }
    }

    /// The section of the selected row.
    pub fn activity_section(&self) -> Option<Section> {
        Some(match self.activity.list.selected()? {
            ActivityRow::Section(section) => *section,
            ActivityRow::Thread(_) => Section::Running,
            ActivityRow::Grant(_) => Section::Allowed,
        })
    }

    /// Selects a grant, if it is listed.
    pub fn select_grant(&mut self, id: &str) {
        let is_wanted = |n: &usize| self.grants.get(*n).is_some_and(|grant| grant.id == id);
        let section = ActivityRow::Section(Section::Allowed);
        let grant = (0..self.grants.len()).find(is_wanted).map_or(section, ActivityRow::Grant);
        let row = self.activity.list.rows.iter().position(|row| *row == grant);
        self.activity.list.select(row.unwrap_or(0));
    }
}
