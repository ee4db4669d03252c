//! Positions in a sheet, as people write them: `B7`.

use super::{MAX_COLUMNS, MAX_ROWS, WorkbookError};
use std::fmt;

/// The position of a cell, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellPos {
    pub row: u32,
    pub column: u32,
}

impl CellPos {
    /// Row and column are counted from zero.
    pub fn new(row: u32, column: u32) -> Self {
        Self { row, column }
    }

    /// Parses a position like `B7` or `$B$7`.
    pub fn read(text: &str) -> Result<Self, WorkbookError> {
        let plain = text.trim().replacen('$', "", if text.trim().starts_with('$') { 2 } else { 1 });
        let (letters, digits) = plain.split_at(plain.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0));
        match (column(letters), number(digits)) {
            (Some(column), Some(row)) => Ok(Self { row, column }),
            _ => Err(WorkbookError::Place(format!("`{text}` is not a cell like B7"))),
        }
    }
}

impl fmt::Display for CellPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", letters(self.column), self.row + 1)
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
    if letters.is_empty() || letters.len() > 3 {
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
    }
}
