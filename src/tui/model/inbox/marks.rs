//! Marks: items to be decided together.

use super::list::List;
use crate::inbox::ItemLine;

impl List {
    pub fn has_marks(&self) -> bool {
        !self.marked.is_empty()
    }

    /// How many of the items shown are marked. A mark that a filter hides counts again once its item is shown.
    pub fn mark_count(&self) -> usize {
        self.marked.len()
    }

    pub fn is_marked(&self, id: &str) -> bool {
        self.marks.contains(id)
    }

    /// Marks the rows at these positions.
    pub fn mark(&mut self, positions: Vec<usize>) {
        self.marks.extend(self.ids_at(&positions));
        self.marked.extend(positions);
        self.marked.sort_unstable();
        self.marked.dedup();
    }

    /// Marks the rows at these positions, or unmarks them if all are marked.
    pub fn toggle_marks(&mut self, positions: Vec<usize>) {
        let ids = self.ids_at(&positions);
        if ids.iter().any(|id| !self.marks.contains(id)) {
            return self.mark(positions);
        }
        self.unmark(&ids);
    }

    pub fn unmark(&mut self, ids: &[String]) {
        for id in ids {
            self.marks.remove(id);
        }
        self.find_marked();
    }

    fn ids_at(&self, positions: &[usize]) -> Vec<String> {
        positions.iter().filter_map(|position| self.row(*position)).map(|row| row.id.clone()).collect()
    }

    pub fn clear_marks(&mut self) {
        self.marks.clear();
        self.marked.clear();
    }

    /// The marked rows, in the order shown.
    pub fn marked(&self) -> Vec<&ItemLine> {
        self.marked.iter().filter_map(|position| self.row(*position)).collect()
    }

    /// Finds the marked rows again. Every frame needs them several times, so it must not search for them.
    pub(super) fn find_marked(&mut self) {
        let is_marked = |position: &usize| self.row(*position).is_some_and(|row| self.is_marked(&row.id));
        self.marked =
            if self.marks.is_empty() { Vec::new() } else { (0..self.len()).filter(is_marked).collect() };
    }
}
