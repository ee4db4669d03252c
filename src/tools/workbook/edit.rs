//! Changes whole sheets: inserts and deletes rows and columns, renames and removes sheets. Formulas of every sheet
//! follow; if something cannot follow, the change is refused before anything is done.

use super::follow::{Axis, Change, Move, follow};
use super::{Book, CellPos, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Sheet, Value, WorkbookError};
use std::collections::{BTreeMap, BTreeSet};

fn refused<T>(text: impl Into<String>) -> Result<T, WorkbookError> {
    Err(WorkbookError::Place(text.into()))
}

impl Sheet {
    /// Marks a cell as written; remembers whether it held a date, so that it is shown as one.
    pub fn touch(&mut self, at: CellPos) {
        if self.touched.insert(at) && matches!(self.value(at), Value::Date(_)) {
            self.dated.insert(at);
        }
    }

    fn rekey(&mut self, moved: Move) {
        fn map<T: Clone>(old: &BTreeMap<CellPos, T>, moved: Move) -> BTreeMap<CellPos, T> {
            old.iter().filter_map(|(at, value)| Some((followed(*at, moved)?, value.clone()))).collect()
        }
        let set = |old: &BTreeSet<CellPos>| old.iter().filter_map(|at| followed(*at, moved)).collect();
        (self.formulas, self.looks) = (map(&self.formulas, moved), map(&self.looks, moved));
        (self.touched, self.dated) = (set(&self.touched), set(&self.dated));
        if moved.axis == Axis::Columns {
            let widths = self.widths.iter();
            self.widths =
                widths.filter_map(|(column, width)| Some((moved.follow(*column)?, *width))).collect();
        }
        let (at, count) = (moved.at as usize, moved.count as usize);
        match (moved.axis, moved.insert) {
            (Axis::Rows, true) if at < self.rows.len() => {
                self.rows.splice(at..at, std::iter::repeat_n(Vec::new(), count));
            }
            (Axis::Rows, false) if at < self.rows.len() => {
                let end = self.rows.len().min(at + count);
                self.rows.drain(at..end);
            }
            (Axis::Rows, _) => {}
            (Axis::Columns, insert) => {
                for row in self.rows.iter_mut().filter(|row| at < row.len()) {
                    if insert {
                        row.splice(at..at, std::iter::repeat_n(Value::Empty, count));
                    } else {
                        let end = row.len().min(at + count);
                        row.drain(at..end);
                    }
                }
            }
        }
    }
}

/// Where a cell is after a move; `None` if it was deleted.
pub fn followed(at: CellPos, moved: Move) -> Option<CellPos> {
    Some(match moved.axis {
        Axis::Rows => CellPos::new(moved.follow(at.row)?, at.column),
        Axis::Columns => CellPos::new(at.row, moved.follow(at.column)?),
    })
}

impl Book {
    /// Inserts or deletes rows or columns; everything after them moves, and formulas follow.
    pub fn move_cells(&mut self, sheet: usize, moved: Move) -> Result<(), WorkbookError> {
        let size = self.size();
        let Some(target) = self.sheets.get_mut(sheet) else { return refused("there is no such sheet") };
        if !target.obstacles.is_empty() {
            let (name, obstacles) = (&target.name, target.obstacles.join(" and "));
            return refused(format!(
                "`{name}` holds {obstacles}, which would not move along: copy what is to stay to a new sheet instead"
            ));
        }
        let (used, most) = match moved.axis {
            Axis::Rows => (target.rows.len(), MAX_ROWS),
            Axis::Columns => (target.width(), MAX_COLUMNS),
        };
        if moved.count == 0 || moved.at.checked_add(moved.count).is_none_or(|end| end > most) {
            return refused(format!("a sheet has {most} {}", word(moved.axis)));
        }
        let count = moved.count as usize;
        if moved.insert {
            let more = if moved.axis == Axis::Rows { count } else { count.saturating_mul(target.rows.len()) };
            if used + count > most as usize || size.saturating_add(more) > MAX_CELLS {
                return refused(format!("there is no room for {count} more {}", word(moved.axis)));
            }
        }
        target.rekey(moved);
        if target.origin.is_some() {
            target.moves.push(moved);
            // Formulas shared by a group are written out, so that each follows by itself.
            let formulas: Vec<CellPos> = target.formulas.keys().copied().collect();
            formulas.into_iter().for_each(|at| target.touch(at));
        }
        let name = target.name.clone();
        self.followed(&name, Change::Moved(moved));
        Ok(())
    }

    pub fn rename(&mut self, sheet: usize, name: &str) -> Result<(), WorkbookError> {
        let Some(target) = self.sheets.get(sheet) else { return refused("there is no such sheet") };
        let old = target.name.clone();
        if old.to_lowercase() != name.to_lowercase() {
            self.may_be_named(name)?;
        }
        self.followed(&old, Change::Renamed(name.to_owned()));
        if let Some(target) = self.sheets.get_mut(sheet) {
            name.clone_into(&mut target.name);
        }
        Ok(())
    }

    pub fn remove(&mut self, sheet: usize) -> Result<(), WorkbookError> {
        if self.sheets.len() < 2 {
            return refused("a workbook keeps at least one sheet");
        }
        if sheet >= self.sheets.len() {
            return refused("there is no such sheet");
        }
        let gone = self.sheets.remove(sheet);
        self.removed.extend(gone.origin);
        self.followed(&gone.name, Change::Removed);
        Ok(())
    }

    /// Updates the formulas of every sheet after a change, and records it for the parts not held here.
    fn followed(&mut self, name: &str, change: Change) {
        for sheet in &mut self.sheets {
            let now = |(at, text): (&CellPos, &String)| {
                follow(text, &sheet.name, name, &change).map(|text| (*at, text))
            };
            let changed: Vec<(CellPos, String)> = sheet.formulas.iter().filter_map(now).collect();
            for (at, text) in changed {
                sheet.touch(at);
                sheet.formulas.insert(at, text);
            }
        }
        self.history.push((name.to_owned(), change));
    }
}

fn word(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "rows",
        Axis::Columns => "columns",
    }
}
