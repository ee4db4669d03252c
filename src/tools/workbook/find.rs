//! Finds the words of a question in headings and values.

use super::{Book, CellPos, refs::letters};
use std::collections::BTreeMap;

/// How many lines, and how many cells per line, we report.
const MAX_LINES: usize = 30;
const MAX_CELLS_PER_LINE: usize = 5;

/// Headings and cells that contain a word of the question, one line each.
pub fn find(book: &Book, question: &str) -> Vec<String> {
    let plain = |text: &str| text.to_lowercase();
    let words: Vec<String> = question
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .filter(|word| word.chars().count() > 2)
        .map(plain)
        .collect();
    let mut lines = Vec::new();
    for sheet in &book.sheets {
        let last = sheet.rows.len();
        for (column, value) in (0u32..).zip(sheet.rows.first().into_iter().flatten()) {
            let heading = plain(&value.shown());
            if words.iter().any(|word| heading.contains(word.as_str())) {
                let letters = letters(column);
                lines.push(format!("`{}` in {}: {letters}2:{letters}{last}", value.shown(), sheet.name));
            }
        }
        let mut sheets: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
        for (row, cells) in (0u32..).zip(&sheet.rows).skip(1) {
            for (column, value) in (0u32..).zip(cells) {
                let text = plain(&value.shown());
                if text.is_empty() {
                    continue;
                }
                if let Some(word) =
                    words.iter().find(|word| text == **word || text.split(' ').any(|part| part == **word))
                {
                    let entry = sheets.entry(word).or_default();
                    entry.0 += 1;
                    if entry.1.len() < MAX_CELLS_PER_LINE {
                        entry.1.push(CellPos::new(row, column).to_string());
                    }
                }
            }
        }
        for (word, (count, cells)) in sheets {
            lines.push(format!("\"{word}\" in {}: {count} cells, first {}", sheet.name, cells.join(", ")));
        }
    }
    lines.truncate(MAX_LINES);
    lines
}
