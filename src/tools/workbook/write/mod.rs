//! Writes .xlsx. A workbook read from .xlsx is patched: changed sheets, the styles and the lists of parts are
//! rewritten, every other part is copied unchanged. Other formats start with an empty package.
//!
//! If rows, columns or whole sheets moved, references in the kept parts follow: merged cells, conditional formats,
//! validations, named ranges, charts. A move that something could not follow was refused when it was requested.
//!
//! Formulas are written as text; the program that opens the file is told to compute all of them.

mod cells;
mod moved;
mod package;
mod structure;
mod styles;
mod xml;

#[cfg(test)]
mod tests;

use super::{Book, CellPos, WorkbookError};
use package::Package;
use std::collections::BTreeMap;
use styles::Styles;

/// What the result keeps of the workbook, for people to read before anything is done.
pub fn preservation_notes(book: &Book) -> Vec<String> {
    if book.xlsx {
        vec![
            "everything that is not touched stays as it is; formulas are computed when the result is opened"
                .to_owned(),
        ]
    } else {
        vec!["the values and formulas of all sheets are kept, but no formats, widths or charts".to_owned()]
    }
}

/// The workbook as .xlsx: with changes applied to `original` if it came as one.
pub fn write(book: &Book, original: &[u8]) -> Result<Vec<u8>, WorkbookError> {
    let empty;
    let base = if book.xlsx {
        original
    } else {
        empty = package::empty()?;
        &empty
    };
    let mut package = Package::open(base)?;
    let mut styles = Styles::read(package.text_of("styles").unwrap_or_default())?;
    let zero = if package.counts_from_1904()? { 1_462.0 } else { 0.0 };
    let parts = package.sheets()?;
    for sheet in &book.sheets {
        let origin = sheet.origin.as_ref();
        let part = parts.iter().find(|(name, _)| Some(name) == origin).map(|(_, part)| part.clone());
        let edits: Vec<CellPos> =
            if sheet.origin.is_some() { sheet.touched.iter().copied().collect() } else { every(sheet) };
        let (part, is_original) = match part {
            Some(part) => (part, true),
            None => (package.add_sheet(&sheet.name)?, false),
        };
        let xml = package.read(&part)?;
        let mut now = if is_original { moved::sheet(&xml, sheet, &book.history) } else { xml.clone() };
        if !edits.is_empty() {
            now = cells::patch(&now, sheet, &edits, &mut styles, zero)?;
        }
        if !sheet.widths.is_empty() {
            now = moved::widths(&now, &sheet.widths);
        }
        if now != xml {
            package.put(&part, now);
        }
        if is_original && !sheet.moves.is_empty() {
            package.move_drawings(&part, &sheet.moves)?;
        }
    }
    if !book.history.is_empty() && book.xlsx {
        package.follow(book)?;
    }
    if let Some(xml) = styles.written() {
        package.put_styles(xml)?;
    }
    package.compute_on_load()?;
    package.finish()
}

/// What cannot follow in each sheet when rows or columns move. An unreadable file has no entries.
pub fn obstacles(original: &[u8]) -> BTreeMap<String, Vec<String>> {
    let obstacles = Package::open(original).and_then(|mut package| package.obstacles());
    obstacles.unwrap_or_default()
}

/// Every cell with content.
fn every(sheet: &super::Sheet) -> Vec<CellPos> {
    let mut all: Vec<CellPos> = Vec::new();
    for (row, cells) in (0..).zip(&sheet.rows) {
        let filled = (0..).zip(cells).filter(|(_, value)| **value != super::Value::Empty);
        all.extend(filled.map(|(column, _)| CellPos::new(row, column)));
    }
    all.extend(sheet.formulas.keys().chain(sheet.looks.keys()));
    all.sort_unstable();
    all.dedup();
    all
}
