//! The state of a list: its rows, which of them is selected, and how far it has been read.

use crate::tui::actions::Action;
use std::ops::Range;

/// How many rows are read at a time.
pub const PAGE: usize = 100;

#[derive(Clone, Debug)]
pub struct Rows<T> {
    pub rows: Vec<T>,
    /// The selected row.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// Whether it has been read.
    pub read: bool,
    /// Where the unread rest begins.
    pub next: Option<i64>,
    /// Whether the rest is being read.
    pub reading: bool,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), cursor: 0, top: 0, read: false, next: None, reading: false }
    }
}

impl<T> From<Vec<T>> for Rows<T> {
    fn from(rows: Vec<T>) -> Self {
        Self { rows, read: true, ..Self::default() }
    }
}

impl<T> Rows<T> {
    pub fn selected(&self) -> Option<&T> {
        self.rows.get(self.cursor)
    }

    /// Selects a row, or the last one if there are fewer.
    pub fn select(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
    }

    /// Moves the selection by rows.
    pub fn step(&mut self, by: isize) {
        self.select(self.cursor.saturating_add_signed(by));
    }

    /// Moves the selection, if that is what the action does; the paging keys move it by so many rows.
    pub fn act(&mut self, action: Action, page: isize) {
        match action {
            Action::Down => self.step(1),
            Action::Up => self.step(-1),
            Action::PageDown => self.step(page),
            Action::PageUp => self.step(-page),
            Action::Top => self.select(0),
            Action::Bottom => self.select(usize::MAX),
            _ => {}
        }
    }

    /// The rows that a list of this height shows.
    pub fn shown(&self, height: u16) -> Range<usize> {
        let top = self.top_for(height);
        top..top + usize::from(height)
    }

    /// The first row to show so that the selected row is visible.
    pub fn top_for(&self, height: u16) -> usize {
        let height = usize::from(height.max(1));
        self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height))
    }

    /// Where the next page begins, if the cursor is within two screens of it and it is not being read yet. Marks it as
    /// being read.
    pub fn begin_next_page(&mut self, height: usize) -> Option<i64> {
        let is_near = self.cursor + height * 2 >= self.rows.len();
        let next = self.next.filter(|_| is_near && !self.reading)?;
        self.reading = true;
        Some(next)
    }

    /// Replaces all rows. The selected row stays selected.
    pub fn replace<K: PartialEq>(&mut self, rows: Vec<T>, key: impl Fn(&T) -> K) {
        self.put(None, rows, None, |row| Some(key(row)));
    }

    /// Stores a page that begins after `after`, or at the top. The selected row stays selected.
    pub fn put<K: PartialEq>(
        &mut self,
        after: Option<i64>,
        rows: Vec<T>,
        next: Option<i64>,
        key: impl Fn(&T) -> Option<K>,
    ) {
        self.reading = false;
        // The page does not continue where the list ends now.
        if after.is_some() && after != self.next {
            return;
        }
        let selected_key = self.selected().and_then(&key);
        if after.is_none() {
            self.rows.clear();
        }
        self.rows.extend(rows);
        (self.next, self.read) = (next, true);
        let position = self.rows.iter().position(|row| selected_key.is_some() && key(row) == selected_key);
        self.select(position.unwrap_or(self.cursor));
    }
}
