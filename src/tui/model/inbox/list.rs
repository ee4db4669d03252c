//! The inbox's list: the order its rows are shown in, and which of them nobody has seen yet.
//!
//! Promises: the selection is by id, so rows that come or go never move it; if the selected row vanishes, nothing is
//! selected until the next move. The order and the headings are computed when rows, filter or sorting change, never
//! while drawing. Which cards were on the screen is known only as long as this screen is open.

use crate::engine::graph::{Kind, ThreadId};
use crate::inbox::{Group, ItemKind, ItemLine, ItemStamp, ItemStatus, Order, Query};
use crate::tui::model::rows::PAGE;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Everything that waits.
    #[default]
    All,
    Kind(ItemKind),
    Snoozed,
    /// Decided items that can still be undone.
    Held,
    /// Skipped mail; these are not items.
    Skipped,
    /// Past decisions, which are no longer items.
    Decided,
}

/// What stands above the rows of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub name: String,
    /// How many rows it has.
    pub count: usize,
    /// The position of its first row.
    first: usize,
}

#[derive(Clone, Debug, Default)]
pub struct List {
    rows: Vec<ItemLine>,
    /// The rows shown, by their place in `rows`.
    shown: Vec<u32>,
    /// The id of the selected item.
    selected: Option<String>,
    /// Where the selection is, or was before its row vanished.
    cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    pub filter: Filter,
    pub order: Order,
    /// The headings, from top to bottom.
    headings: Vec<Heading>,
    /// The stamp of each item whose card has been on the screen, as it was then.
    seen: HashMap<String, u64>,
    /// The filter typed with `/`.
    pub narrow: Query,
    /// The threads that the store found for it, each with the text around the match.
    found: HashMap<ThreadId, String>,
    pub(super) marks: HashSet<String>,
    /// The positions of the marked rows that are shown.
    pub(super) marked: Vec<usize>,
    /// The last row that was marked.
    pub anchor: Option<String>,
    /// Whether the whole inbox has been glanced at.
    pub complete: bool,
    /// Whether the selected row vanished and nothing was selected since.
    vanished: bool,
    /// Whether the line after the last row is selected.
    past_end: bool,
    /// An item that is shown while it is selected, whatever is filtered by.
    guest: Option<String>,
}

impl Filter {
    pub fn interrupts(kind: Kind) -> Self {
        Filter::Kind(ItemKind::Question(kind))
    }

    pub fn lists_items(self) -> bool {
        !matches!(self, Filter::Skipped | Filter::Decided)
    }
}

impl List {
    /// How many rows are shown.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The row shown at a position.
    pub fn row(&self, position: usize) -> Option<&ItemLine> {
        self.shown.get(position).and_then(|n| self.rows.get(*n as usize))
    }

    /// Whether the item with this id is shown.
    pub fn shows(&self, id: &str) -> bool {
        (0..self.len()).any(|n| self.row(n).is_some_and(|row| row.id == id))
    }

    /// Shows other rows.
    pub fn show(&mut self, filter: Filter, now: Timestamp) {
        (self.filter, self.guest) = (filter, None);
        self.arrange(now);
    }

    /// Shows everything that waits, and clears filters.
    pub fn show_all(&mut self, now: Timestamp) {
        (self.filter, self.narrow) = (Filter::All, Query::default());
        self.found.clear();
        self.arrange(now);
    }

    /// All rows, shown or not.
    pub fn all(&self) -> &[ItemLine] {
        &self.rows
    }

    pub fn find(&self, id: &str) -> Option<&ItemLine> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The selected row; `None` if nothing is shown or it vanished.
    pub fn selected(&self) -> Option<&ItemLine> {
        self.selected.as_ref().and_then(|id| self.row(self.cursor).filter(|row| row.id == *id))
    }

    /// Where the selection is, or was.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Selects a position, or the last one if there are fewer.
    pub fn select(&mut self, position: usize) {
        (self.vanished, self.past_end) = (false, false);
        self.cursor = position.min(self.len().saturating_sub(1));
        self.selected = self.row(self.cursor).map(|row| row.id.clone());
    }

    /// Selects an item, and shows it while it is selected even if the filter would not. Lists of anything else stay.
    pub fn select_item(&mut self, id: &str, now: Timestamp) {
        if !self.filter.lists_items() || self.find(id).is_none() {
            return;
        }
        (self.selected, self.guest) = (Some(id.to_owned()), Some(id.to_owned()));
        (self.vanished, self.past_end) = (false, false);
        self.arrange(now);
    }

    /// Selects nothing until the next move.
    pub fn deselect(&mut self) {
        (self.selected, self.vanished, self.past_end) = (None, true, false);
    }

    /// Selects the line after the last row, which is no item.
    pub fn select_past_end(&mut self) {
        (self.selected, self.vanished, self.past_end) = (None, false, true);
        self.cursor = self.len().saturating_sub(1);
    }

    pub fn is_past_end(&self) -> bool {
        self.past_end
    }

    /// Moves by rows. After the selected row vanished, the first move down goes to the row that took its place.
    pub fn step(&mut self, by: isize) {
        let by = match (self.selected().is_some(), by) {
            (false, 1..) => by - 1,
            _ => by,
        };
        self.select(self.cursor.saturating_add_signed(by));
    }

    /// Whether the selected row vanished and nothing was selected since.
    pub fn selection_vanished(&self) -> bool {
        self.vanished
    }

    /// Adds rows, replacing those with the same id.
    pub fn put(&mut self, lines: Vec<ItemLine>, now: Timestamp) {
        let positions: HashMap<&str, usize> =
            self.rows.iter().enumerate().map(|(n, row)| (row.id.as_str(), n)).collect();
        let (mut changed, mut new) = (Vec::new(), Vec::new());
        for row in lines {
            match positions.get(row.id.as_str()) {
                Some(n) => changed.push((*n, row)),
                None => new.push(row),
            }
        }
        for (n, row) in changed {
            self.rows[n] = row;
        }
        self.rows.extend(new);
        self.rows.sort_by_key(|row| (row.kind == ItemKind::Result, row.seq));
        self.arrange(now);
    }

    /// Removes rows that are gone, updates the status of the others, and returns the ids to read.
    pub fn compare(&mut self, all: &[ItemStamp], now: Timestamp) -> Vec<String> {
        let stamps: HashMap<&str, &ItemStamp> = all.iter().map(|stamp| (stamp.id.as_str(), stamp)).collect();
        self.rows.retain(|row| stamps.contains_key(row.id.as_str()));
        let mut known = HashMap::with_capacity(self.rows.len());
        for row in &mut self.rows {
            if let Some(stamp) = stamps.get(row.id.as_str()) {
                row.status = stamp.status;
            }
            known.insert(row.id.as_str(), row.stamp);
        }
        let unread = all.iter().filter(|stamp| known.get(stamp.id.as_str()) != Some(&stamp.stamp));
        let unread = unread.map(|stamp| stamp.id.clone()).collect();
        self.marks.retain(|id| stamps.contains_key(id.as_str()));
        self.seen.retain(|id, _| stamps.contains_key(id.as_str()));
        self.complete = true;
        self.arrange(now);
        unread
    }

    /// Removes rows and their marks at once, before the next glance does.
    pub fn drop_rows(&mut self, ids: &HashSet<String>, now: Timestamp) {
        self.rows.retain(|row| !ids.contains(&row.id));
        self.marks.retain(|id| !ids.contains(id));
        self.arrange(now);
    }

    /// Notes that the card of the selected item is on the screen.
    pub fn see_selected(&mut self) {
        let unseen = self.selected().filter(|row| self.is_unseen(row)).map(|row| (row.id.clone(), row.stamp));
        self.seen.extend(unseen);
    }

    /// Whether the card of an item has not been on the screen as it is now.
    pub fn is_unseen(&self, row: &ItemLine) -> bool {
        self.seen.get(&row.id) != Some(&row.stamp)
    }

    /// Lists only what matches, and selects the first of it if the selected item is not among it.
    pub fn narrow_to(&mut self, query: Query, now: Timestamp) {
        (self.narrow, self.guest) = (query, None);
        self.found.clear();
        self.arrange(now);
        if self.selected().is_none() {
            self.select(0);
        }
    }

    /// Lists also what the store found for the filter.
    pub fn add_found(&mut self, found: HashMap<ThreadId, String>, now: Timestamp) {
        self.found = found;
        self.arrange(now);
        if self.selected().is_none() && !self.past_end {
            self.select(0);
        }
    }

    /// The text around what the filter found in a thread.
    pub fn snippet(&self, thread: &ThreadId) -> Option<&str> {
        self.found.get(thread).map(String::as_str).filter(|snippet| !snippet.is_empty())
    }

    /// How many threads were found that the inbox does not list, and whether there may be more: one page is read.
    pub fn found_elsewhere(&self) -> (usize, bool) {
        let listed: HashSet<&ThreadId> =
            self.rows.iter().filter(|row| row.is_waiting()).map(|row| &row.thread).collect();
        let elsewhere = self.found.keys().filter(|thread| !listed.contains(thread)).count();
        (elsewhere, self.found.len() >= PAGE)
    }

    /// Computes the order again. The selection stays on its item; if that is gone, nothing is selected.
    pub fn arrange(&mut self, now: Timestamp) {
        self.guest = self.guest.take().filter(|guest| self.selected.as_ref() == Some(guest));
        let is_shown = |row: &ItemLine| {
            if self.guest.as_ref() == Some(&row.id) && !row.is_decided() {
                return true;
            }
            let passes_filter = match self.filter {
                Filter::All => row.is_waiting(),
                Filter::Kind(kind) => row.kind == kind && row.is_waiting(),
                Filter::Snoozed => row.status == ItemStatus::Snoozed,
                Filter::Held => row.is_decided(),
                Filter::Skipped | Filter::Decided => false,
            };
            passes_filter && (row.matches(&self.narrow, now) || self.found.contains_key(&row.thread))
        };
        let mut shown: Vec<u32> =
            (0_u32..).zip(&self.rows).filter(|(_, row)| is_shown(row)).map(|(n, _)| n).collect();
        self.order.arrange(&mut shown, |n| &self.rows[*n as usize], now);
        self.headings = self.headings_of(&shown, now);
        self.shown = shown;
        self.find_marked();
        self.cursor = match &self.selected {
            Some(id) => match self.shown.iter().position(|n| self.rows[*n as usize].id == *id) {
                Some(position) => position,
                None => {
                    self.selected = None;
                    self.vanished = true;
                    self.cursor.min(self.shown.len())
                }
            },
            None => self.cursor.min(self.shown.len()),
        };
    }

    fn headings_of(&self, shown: &[u32], now: Timestamp) -> Vec<Heading> {
        let mut headings = Vec::<Heading>::new();
        for (first, n) in shown.iter().enumerate().filter(|_| self.order.group != Group::None) {
            let (_, name) = self.order.group_of(&self.rows[*n as usize], now);
            match headings.last_mut().filter(|last| last.name == name) {
                Some(last) => last.count += 1,
                None => headings.push(Heading { name: name.to_owned(), count: 1, first }),
            }
        }
        headings
    }

    /// The heading of the group that begins at this position, if one does.
    pub fn heading_at(&self, position: usize) -> Option<&Heading> {
        let at = self.headings.binary_search_by_key(&position, |heading| heading.first).ok()?;
        self.headings.get(at)
    }
}
