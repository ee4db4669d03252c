//! Positions in a sheet, as people write them: `B7`, `A1:C10`, `A:C`, `2:5`.

use super::{MAX_COLUMNS, MAX_ROWS, WorkbookError};
use std::fmt;

/// The position of a cell, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellPos {
    pub row: u32,
    pub column: u32,
}

/// A rectangle, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub from: CellPos,
    /// The last row and column; `None` if it extends to the end of the sheet.
    pub to: (Option<u32>, Option<u32>),
}

impl CellPos {
    /// Row and column are counted from zero.
    pub fn new(row: u32, column: u32) -> Self {
        Self { row, column }
    }

    /// Parses a position like `B7` or `$B$7`.
    pub fn read(text: &str) -> Result<Self, WorkbookError> {
        match End::read(text.trim()) {
            Some(End { column: Some((_, column)), row: Some((_, row)) }) => Ok(Self { row, column }),
            _ => Err(WorkbookError::Place(format!("`{text}` is not a cell like B7"))),
        }
    }
}

impl fmt::Display for CellPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", letters(self.column), self.row + 1)
    }
}

impl Area {
    /// Parses a range.
    pub fn read(text: &str) -> Result<Self, WorkbookError> {
        let bad = || WorkbookError::Place(format!("`{text}` is not a range like A1:C10, A:C or 2:5"));
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let end = |text: &str| End::read(text.trim()).ok_or_else(bad);
        let (one, two) = (end(first)?, end(last)?);
        if !one.is_like(&two) || (!text.contains(':') && !one.is_cell()) {
            return Err(bad());
        }
        let order = |a: Option<(bool, u32)>, b: Option<(bool, u32)>| match (a, b) {
            (Some((_, a)), Some((_, b))) => (a.min(b), Some(a.max(b))),
            _ => (0, None),
        };
        let ((column, last_column), (row, last_row)) =
            (order(one.column, two.column), order(one.row, two.row));
        Ok(Self { from: CellPos { row, column }, to: (last_row, last_column) })
    }
}

/// One end of a range, or a cell: its column, its row, or both, each with whether it has a `$`.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub column: Option<(bool, u32)>,
    pub row: Option<(bool, u32)>,
}

impl End {
    pub fn read(text: &str) -> Option<Self> {
        let dollar = |text: &mut &str| match text.strip_prefix('$') {
            Some(rest) => {
                *text = rest;
                true
            }
            None => false,
        };
        let mut rest = text;
        let first = dollar(&mut rest);
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (letters, after) = rest.split_at(length);
        if letters.is_empty() {
            return Some(Self { column: None, row: Some((first, number(after)?)) });
        }
        let column = Some((first, column(letters)?));
        if after.is_empty() {
            return Some(Self { column, row: None });
        }
        let mut rest = after;
        let second = dollar(&mut rest);
        Some(Self { column, row: Some((second, number(rest)?)) })
    }

    pub fn is_cell(&self) -> bool {
        self.column.is_some() && self.row.is_some()
    }

    /// Whether both name a column, a row, or both.
    pub fn is_like(&self, other: &Self) -> bool {
        self.column.is_some() == other.column.is_some() && self.row.is_some() == other.row.is_some()
    }

    pub fn text(&self) -> String {
        let mark = |dollar: bool| if dollar { "$" } else { "" };
        let column = self.column.map(|(d, n)| format!("{}{}", mark(d), letters(n))).unwrap_or_default();
        let row = self.row.map(|(d, n)| format!("{}{}", mark(d), n + 1)).unwrap_or_default();
        column + &row
    }
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let row = is_number.then(|| text.parse::<u32>().ok()).flatten()?;
    (1..=MAX_ROWS).contains(&row).then(|| row - 1)
}

pub(super) fn letters(column: u32) -> String {
    let mut rest = column + 1;
    let mut text = String::new();
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or_default();
        text.insert(0, char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    text
}

fn column(letters: &str) -> Option<u32> {
    if letters.len() > 3 {
        return None;
    }
    let mut number = 0u32;
    for letter in letters.chars() {
        let letter = letter.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        number = number * 26 + (letter as u32 - 'A' as u32 + 1);
    }
    (number <= MAX_COLUMNS).then(|| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for (text, row, column) in
            [("A1", 0, 0), ("$b$7", 6, 1), ("AA10", 9, 26), ("XFD1048576", 1_048_575, 16_383)]
        {
            let at = CellPos::read(text).unwrap();
            assert_eq!((at.row, at.column), (row, column), "{text}");
            assert_eq!(at.to_string(), text.replace('$', "").to_uppercase());
        }
        for bad in ["", "A0", "XFE1", "A1048577", "7", "B", "A1:B2", "ÄÄ1", "A-1", "AAAA1"] {
            assert!(CellPos::read(bad).is_err(), "{bad}");
        }
        assert_eq!(Area::read("C3:A1").unwrap(), Area { from: CellPos::new(0, 0), to: (Some(2), Some(2)) });
        assert_eq!(Area::read("B:C").unwrap(), Area { from: CellPos::new(0, 1), to: (None, Some(2)) });
        assert_eq!(Area::read("2:5").unwrap(), Area { from: CellPos::new(1, 0), to: (Some(4), None) });
        for bad in ["A:3", "B", "7", ":", "A1:"] {
            assert!(Area::read(bad).is_err(), "{bad}");
        }
    }
}
