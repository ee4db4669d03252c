//! The Memory tab: what sayso does by itself, and what it tells models, version by version.

use super::rows::Rows;
use crate::inbox::{MemoryItem, MemoryLine, MemoryVersion, RowKey, RowLine, RowView};
use crate::tui::card::ScrollPosition;

#[derive(Clone, Debug, Default)]
pub struct MemoryTab {
    /// The rows, and below them the profiles.
    pub list: Rows<MemoryItem>,
    /// The scroll position of the page.
    pub page_top: ScrollPosition,
    /// What to show once it is loaded.
    pub wanted: Option<Wanted>,
    pub versions: Option<Versions>,
    /// The selected row with its mails.
    pub row: Option<RowView>,
}

/// Something in the list that another screen leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Version(String, u64),
    Row(RowKey),
}

impl MemoryTab {
    pub fn profile(&self) -> Option<&MemoryLine> {
        match self.list.selected()? {
            MemoryItem::Profile(line) => Some(line),
            MemoryItem::Row(_) => None,
        }
    }

    pub fn row(&self) -> Option<&RowLine> {
        match self.list.selected()? {
            MemoryItem::Row(line) => Some(line),
            MemoryItem::Profile(_) => None,
        }
    }
}

/// A profile with all its versions.
#[derive(Clone, Debug)]
pub struct Versions {
    /// Whose preferences about what.
    pub namespace: String,
    /// All versions, newest first.
    pub history: Vec<MemoryVersion>,
    /// Lines that learning may not drop.
    pub pinned: Vec<String>,
    pub shown_index: usize,
}

impl Versions {
    pub fn shown(&self) -> Option<&MemoryVersion> {
        self.history.get(self.shown_index)
    }
}
