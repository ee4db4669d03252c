//! A plain list with a cursor.

use crate::tui::card::{Doc, ScrollPosition};

/// A list of another tab.
#[derive(Clone, Debug)]
pub struct Browse<T> {
    pub rows: Vec<T>,
    /// The selected one.
    pub cursor: usize,
    /// The first on the screen.
    pub top: usize,
    /// What is shown of the selected one, and which that is.
    pub page: Option<(String, Doc)>,
    /// The line of the page at the top.
    pub page_top: ScrollPosition,
    /// Whether it has been read.
    pub read: bool,
    /// Where the rest begins that has not been read.
    pub next: Option<i64>,
    /// Whether that is on its way.
    pub reading: bool,
}

impl<T> Default for Browse<T> {
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

impl<T> Browse<T> {
    /// The selected row.
    pub fn selected(&self) -> Option<&T> {
        self.rows.get(self.cursor)
    }
}
