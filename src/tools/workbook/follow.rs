//! References that follow their cells: rewrites a formula after rows, columns or sheets were moved.
//!
//! A formula is scanned, not parsed: texts, names, functions and table references are copied unchanged, and only what
//! is surely a reference is changed. A reference to deleted cells becomes `#REF!`, as in every spreadsheet.

use super::refs::End;
use super::{MAX_COLUMNS, MAX_ROWS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Rows,
    Columns,
}

/// Rows or columns that were inserted or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub axis: Axis,
    /// The first one, counted from 0.
    pub at: u32,
    pub count: u32,
    /// Whether they were inserted before `at`; otherwise they were deleted from there on.
    pub insert: bool,
}

/// What happened to a whole sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Moved(Move),
    /// Its new name.
    Renamed(String),
    Removed,
}

impl Move {
    fn limit(self) -> u32 {
        match self.axis {
            Axis::Rows => MAX_ROWS,
            Axis::Columns => MAX_COLUMNS,
        }
    }

    /// Where a row or column is afterwards; `None` if it was deleted.
    pub fn follow(self, n: u32) -> Option<u32> {
        self.span(n, n).map(|(first, _)| first)
    }

    /// Where a range of them is afterwards, both ends included.
    pub fn span(self, first: u32, last: u32) -> Option<(u32, u32)> {
        let max_index = self.limit() - 1;
        if self.insert {
            let shift = |n: u32| if n >= self.at { n.saturating_add(self.count) } else { n };
            // A range of all rows stays one, however many are inserted.
            let is_whole = first == 0 && last == max_index;
            let first = if is_whole { 0 } else { shift(first) };
            return (first <= max_index).then(|| (first, shift(last).min(max_index)));
        }
        let end = self.at.saturating_add(self.count);
        let new_first = if first < self.at { first } else { first.max(end) - self.count };
        let new_last = match last {
            last if last == max_index => max_index,
            last if last < self.at => last,
            last if last < end => self.at.checked_sub(1)?,
            last => last - self.count,
        };
        (new_first <= new_last).then_some((new_first, new_last))
    }
}

/// An area (`B7`, `A1:C9`, `A:C`, `2:5`) after a move; `None` if nothing is left of it. Other text stays unchanged.
pub fn follow_area(text: &str, moved: Move) -> Option<String> {
    let (one, two) = text.split_once(':').unwrap_or((text, text));
    match (End::read(one), End::read(two)) {
        (Some(from), Some(to)) if !text.contains(':') => {
            shifted(from, to, moved).map(|(from, _)| from.text())
        }
        (Some(from), Some(to)) => {
            shifted(from, to, moved).map(|(from, to)| format!("{}:{}", from.text(), to.text()))
        }
        _ => Some(text.to_owned()),
    }
}

fn shifted(mut from: End, mut to: End, moved: Move) -> Option<(End, End)> {
    let (one, two) = match moved.axis {
        Axis::Rows => (&mut from.row, &mut to.row),
        Axis::Columns => (&mut from.column, &mut to.column),
    };
    if let (Some((_, first)), Some((_, last))) = (one, two) {
        let (low, high) = ((*first).min(*last), (*first).max(*last));
        let (low, high) = moved.span(low, high)?;
        (*first, *last) = if first > last { (high, low) } else { (low, high) };
    }
    Some((from, to))
}

/// A sheet's name as formulas write it.
pub fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    let simple = name.chars().all(plain)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && End::read(name).is_none();
    if simple { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

/// A formula of the sheet `own_sheet` after a change to `sheet`; `None` if it stays the same.
pub fn follow(formula: &str, own_sheet: &str, sheet: &str, change: &Change) -> Option<String> {
    let is_changed_sheet = |name: &str| name.to_lowercase() == sheet.to_lowercase();
    let mut out = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => closing(rest, first),
            // References to tables and other files.
            '[' => rest.find(']').map_or(rest.len(), |at| at + 1),
            // An error that is already there.
            '#' => rest.find('!').map_or(rest.len(), |at| at + 1),
            c if is_word(c) => word(rest),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        if first != '\'' && !is_word(first) {
            out.push_str(piece);
            rest = after;
            continue;
        }
        let is_external = out.ends_with(']');
        let (prefix, place) = match after.strip_prefix('!') {
            Some(place) => (Some(piece), place),
            None => (None, rest),
        };
        let (reference, length) = reference(place);
        let (raw, after) = place.split_at(length.max(1).min(place.len()));
        rest = after;
        let is_affected = !is_external
            && prefix
                .map_or_else(|| is_changed_sheet(own_sheet), |prefix| is_changed_sheet(&unquoted(prefix)));
        let unchanged = || prefix.map_or_else(|| raw.to_owned(), |prefix| format!("{prefix}!{raw}"));
        out += &match (reference, change) {
            (Some((from, to)), Change::Moved(moved)) if is_affected => {
                let now = shifted(from, to.unwrap_or(from), *moved).map(|(from, to_now)| match to {
                    Some(_) => format!("{}:{}", from.text(), to_now.text()),
                    None => from.text(),
                });
                match (now, prefix) {
                    (None, _) => "#REF!".to_owned(),
                    (Some(now), _) if now.eq_ignore_ascii_case(raw) => unchanged(),
                    (Some(now), None) => now,
                    (Some(now), Some(prefix)) => format!("{prefix}!{now}"),
                }
            }
            (_, Change::Renamed(name)) if is_affected && prefix.is_some() => {
                format!("{}!{raw}", quoted(name))
            }
            (_, Change::Removed) if is_affected && prefix.is_some() => "#REF!".to_owned(),
            _ => unchanged(),
        };
    }
    (out != formula).then_some(out)
}

/// The reference at the start of a text, if there is one, and the length of it or else of the first word.
fn reference(text: &str) -> (Option<(End, Option<End>)>, usize) {
    let one = word(text);
    let (first, after) = text.split_at(one);
    let from = End::read(first);
    if let (Some(from), Some(next)) = (from, after.strip_prefix(':')) {
        let two = word(next);
        let (second, after) = next.split_at(two);
        let to = End::read(second).filter(|to| to.is_like(&from) && !after.starts_with(['(', '!']));
        if to.is_some() {
            return (Some((from, to)), one + 1 + two);
        }
    }
    let cell = from.filter(|from| from.is_cell() && !after.starts_with(['(', '!']));
    (cell.map(|cell| (cell, None)), one)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?')
}

fn word(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

/// The length of a quoted piece with both quotes; a doubled quote belongs to it.
fn closing(text: &str, quote: char) -> usize {
    let mut at = 1;
    loop {
        let Some(offset) = text.get(at..).and_then(|rest| rest.find(quote)) else { return text.len() };
        at += offset + 1;
        if !text.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
            return at;
        }
        at += 1;
    }
}

fn unquoted(name: &str) -> String {
    match name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(at: u32, count: u32, insert: bool) -> Change {
        Change::Moved(Move { axis: Axis::Rows, at: at - 1, count, insert })
    }

    #[test]
    fn references_follow_their_cells() {
        let out = rows(3, 2, false);
        let cases = [
            ("A1+A5", "A1+A3"),
            ("SUM(A1:A9)", "SUM(A1:A7)"),
            ("SUM(A3:A4)", "SUM(#REF!)"),
            ("SUM($B$2:$B$4)", "SUM($B$2:$B$2)"),
            ("A4", "#REF!"),
            ("SUM(A:A,2:6)", "SUM(A:A,2:4)"),
            ("Other!A5+Mine!A5+'Mine'!A6", "Other!A5+Mine!A3+'Mine'!A4"),
            (
                "\"A5\"&LOG10(A5)&A5name&T[A5]&[1]Mine!A5&#REF!",
                "\"A5\"&LOG10(A3)&A5name&T[A5]&[1]Mine!A5&#REF!",
            ),
            ("IF(A1>1E5,\"it''s \"\"A9\"\"\",TRUE)", "IF(A1>1E5,\"it''s \"\"A9\"\"\",TRUE)"),
        ];
        for (before, after) in cases {
            let now = follow(before, "mine", "Mine", &out).unwrap_or_else(|| before.to_owned());
            assert_eq!(now, after, "{before}");
        }
        let put_in = rows(3, 2, true);
        assert_eq!(follow("SUM(A1:A9)+A3+A2", "Mine", "Mine", &put_in).unwrap(), "SUM(A1:A11)+A5+A2");
        assert_eq!(follow("SUM(A1:A2)", "Mine", "Mine", &put_in), None);
        let column = Change::Moved(Move { axis: Axis::Columns, at: 1, count: 1, insert: false });
        assert_eq!(follow("SUM(A1:C1)+$D$4+B:B", "M", "M", &column).unwrap(), "SUM(A1:B1)+$C$4+#REF!");
    }

    #[test]
    fn names_of_sheets_follow_too() {
        let named = Change::Renamed("It's new".to_owned());
        let now = follow("Old!A1+'Old'!B:B+Older!A1+A1+Old!name", "X", "Old", &named).unwrap();
        assert_eq!(now, "'It''s new'!A1+'It''s new'!B:B+Older!A1+A1+'It''s new'!name");
        assert_eq!(follow("SUM(Old!A1:B2)+1", "X", "old", &Change::Removed).unwrap(), "SUM(#REF!)+1");
        for (name, written) in [("Sales", "Sales"), ("Q1", "'Q1'"), ("2026", "'2026'"), ("A b", "'A b'")] {
            assert_eq!(quoted(name), written);
        }
        assert_eq!(
            follow_area("B2:C9", Move { axis: Axis::Rows, at: 0, count: 1, insert: false }).unwrap(),
            "B1:C8"
        );
    }
}
