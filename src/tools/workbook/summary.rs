//! A compact summary of a workbook, for a model and for people.

use super::refs::letters;
use super::{Book, CellPos, Dialect, Sheet};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How many sheets, columns and sample rows we include, and how long a text may be.
const SHEETS: usize = 20;
const COLUMNS: usize = 40;
const SAMPLES: usize = 5;
const LONGEST: usize = 60;

/// A summary of a workbook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkbookSummary {
    pub sheets: Vec<SheetView>,
    /// The names of sheets that are not described.
    pub more: Vec<String>,
    /// What we noticed while reading.
    pub notes: Vec<String>,
    /// How the fields of a text format are told apart.
    pub dialect: Option<Dialect>,
}

/// A summary of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetView {
    pub name: String,
    pub rows: usize,
    /// How many columns it has.
    pub width: usize,
    /// How many cells hold formulas.
    pub formulas: usize,
    pub columns: Vec<ColumnView>,
}

/// A summary of a column; its first row is taken as the heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnView {
    pub letters: String,
    /// The text of its first cell.
    pub header: String,
    /// The kinds of values in its cells, most frequent first.
    pub kind: String,
    /// The first few cells below the heading.
    pub samples: Vec<String>,
}

impl WorkbookSummary {
    pub fn of(book: &Book) -> Self {
        let sheets = book.sheets.iter().take(SHEETS).map(view).collect();
        let more = book.sheets.iter().skip(SHEETS).map(|sheet| sheet.name.clone()).collect();
        Self { sheets, more, notes: book.notes.clone(), dialect: book.dialect.clone() }
    }

    /// As text, for a prompt.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for sheet in &self.sheets {
            let _ = write!(text, "Sheet `{}`: {} rows, {} columns", sheet.name, sheet.rows, sheet.width);
            if sheet.formulas > 0 {
                let _ = write!(text, ", {} formulas", sheet.formulas);
            }
            text.push('\n');
            for column in &sheet.columns {
                let ColumnView { letters, header, kind, samples } = column;
                let _ = writeln!(text, "  {letters} `{header}` ({kind}): {}", samples.join(" | "));
            }
        }
        if !self.more.is_empty() {
            let _ = writeln!(text, "Further sheets: {}", self.more.join(", "));
        }
        for note in &self.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        text
    }
}

fn view(sheet: &Sheet) -> SheetView {
    let (rows, width) = sheet.extent();
    let columns = (0..width.min(COLUMNS)).filter_map(|column| u32::try_from(column).ok());
    SheetView {
        name: sheet.name.clone(),
        rows,
        width,
        formulas: sheet.formulas.len(),
        columns: columns.map(|column| column_view(sheet, column)).collect(),
    }
}

fn column_view(sheet: &Sheet, column: u32) -> ColumnView {
    let clip = |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    };
    let last = u32::try_from(sheet.extent().0).unwrap_or(u32::MAX);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in 1..last.min(1_000) {
        let at = CellPos::new(row, column);
        let word = match sheet.formulas.contains_key(&at) {
            true => "formula",
            false => sheet.value(at).word(),
        };
        match counts.iter_mut().find(|(known, _)| *known == word) {
            _ if word == "empty" => {}
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<&str> = counts.iter().map(|(word, _)| *word).collect();
    let samples = (1..last).map(|row| clip(sheet.shown(CellPos::new(row, column)))).take(SAMPLES);
    ColumnView {
        letters: letters(column),
        header: clip(sheet.shown(CellPos::new(0, column))),
        kind: if words.is_empty() { "empty".to_owned() } else { words.join(", ") },
        samples: samples.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::workbook::Value;

    #[test]
    fn formulas_without_values_and_all_sheets_are_told() {
        let mut sheet = Sheet { name: "Orders".to_owned(), ..Sheet::default() };
        for (cell, text) in [("A1", "Units"), ("B1", "Twice"), ("A2", "3")] {
            sheet.put(CellPos::read(cell).unwrap(), Value::Text(text.into()));
        }
        for cell in ["B2", "C3"] {
            sheet.formulas.insert(CellPos::read(cell).unwrap(), "A2*2".to_owned());
        }
        let further = (1..=SHEETS).map(|n| Sheet { name: format!("S{n}"), ..Sheet::default() });
        let sheets = std::iter::once(sheet).chain(further).collect();
        let text = WorkbookSummary::of(&Book { sheets, ..Book::default() }).text();
        let expected = "Sheet `Orders`: 3 rows, 3 columns, 2 formulas\n  A `Units` (text): 3 | \n  \
                        B `Twice` (formula): =A2*2 | \n  C `` (formula):  | =A2*2\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("Further sheets: S20\n"), "{text}");
    }
}
