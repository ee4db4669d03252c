//! A plain list with a cursor.

use crate::tui::card::{Doc, ScrollPosition};

/// How many rows are read at a time.
pub const PAGE: usize = 100;

#[derive(Clone, Debug)]
pub struct PagedList<T> {
    pub rows: Vec<T>,
    /// The selected row.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// The page of the selected row, and the key of that row.
    pub page: Option<(String, Doc)>,
    /// The scroll position of the page.
    pub page_top: ScrollPosition,
    /// Whether it has been read.
    pub read: bool,
    /// Where the unread rest begins.
    pub next: Option<i64>,
    /// Whether the rest is being read.
    pub reading: bool,
}

impl<T> Default for PagedList<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            cursor: 0,
            top: 0,
            page: None,
            page_top: ScrollPosition::default(),
            read: false,
            next: None,
            reading: false,
        }
    }
}

impl<T> PagedList<T> {
    pub fn selected(&self) -> Option<&T> {
        self.rows.get(self.cursor)
    }

    /// Where the next page begins, if the cursor is within two screens of it and it is not being read yet. Marks it as
    /// being read.
    pub fn begin_next_page(&mut self, height: usize) -> Option<i64> {
        let is_near = self.cursor + height * 2 >= self.rows.len();
        let next = self.next.filter(|_| is_near && !self.reading)?;
        self.reading = true;
        Some(next)
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
        self.cursor = position.unwrap_or(self.cursor.min(self.rows.len().saturating_sub(1)));
    }
}
