//! A compact summary of a workbook, for a model and for people.

use super::refs::letters;
use super::{Book, CellPos, Sheet};
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
    /// How many sheets are left out.
    pub more: usize,
    /// What we noticed while reading.
    pub notes: Vec<String>,
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
        Self { sheets, more: book.sheets.len().saturating_sub(SHEETS), notes: book.notes.clone() }
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
        if self.more > 0 {
            let _ = writeln!(text, "… and {} sheets more", self.more);
        }
        for note in &self.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        text
    }
}

fn view(sheet: &Sheet) -> SheetView {
    let width = sheet.width();
    let columns = (0..width.min(COLUMNS)).filter_map(|column| u32::try_from(column).ok());
    SheetView {
        name: sheet.name.clone(),
        rows: sheet.rows.len(),
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
    let last = u32::try_from(sheet.rows.len()).unwrap_or(u32::MAX);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in 1..last.min(1_000) {
        let word = sheet.value(CellPos::new(row, column)).word();
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
        header: clip(sheet.value(CellPos::new(0, column)).shown()),
        kind: if words.is_empty() { "empty".to_owned() } else { words.join(", ") },
        samples: samples.collect(),
    }
}
