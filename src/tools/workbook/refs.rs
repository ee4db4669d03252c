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
        match halves(text) {
            Some((Some(column), Some(row))) => Ok(Self { row, column }),
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
        let (one, two) = (halves(first).ok_or_else(bad)?, halves(last).ok_or_else(bad)?);
        if one.0.is_some() != two.0.is_some() || one.1.is_some() != two.1.is_some() {
            return Err(bad());
        }
        if !text.contains(':') && (one.0.is_none() || one.1.is_none()) {
            return Err(bad());
        }
        let order = |a: Option<u32>, b: Option<u32>| match (a, b) {
            (Some(a), Some(b)) => (a.min(b), Some(a.max(b))),
            _ => (0, None),
        };
        let ((column, last_column), (row, last_row)) = (order(one.0, two.0), order(one.1, two.1));
        Ok(Self { from: CellPos { row, column }, to: (last_row, last_column) })
    }
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

/// Column and row of one end of a range. Either may be missing, but not both.
fn halves(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text);
    let digits = text.find(|c: char| c.is_ascii_digit() || c == '$').unwrap_or(text.len());
    let (letters, row) = text.split_at(digits);
    let row = row.strip_prefix('$').unwrap_or(row);
    let column = if letters.is_empty() { None } else { Some(column(letters)?) };
    let row = if row.is_empty() {
        None
    } else {
        let row: u32 = row.parse().ok()?;
        if row == 0 || row > MAX_ROWS {
            return None;
        }
        Some(row - 1)
    };
    (column.is_some() || row.is_some()).then_some((column, row))
}

pub(super) fn column(letters: &str) -> Option<u32> {
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
