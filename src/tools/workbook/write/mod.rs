//! Writes .xlsx: changed values and formulas are put into the workbook they belong to, whose other parts stay byte for
//! byte; a workbook of another format becomes a new package. Formulas are written as text; the program that opens the
//! file is told to compute all of them.

mod cells;
mod form;
mod package;
mod xml;

#[cfg(test)]
mod tests;

use super::{Book, CellPos, Sheet, Value, WorkbookError, compare};
use package::Package;

pub use form::is_same_form;

/// The workbook `original` with the values and formulas in which `now` differs from `was`.
pub fn patch(original: &[u8], was: &Book, now: &Book) -> Result<Vec<u8>, WorkbookError> {
    let mut package = Package::open(original)?;
    let zero = if package.counts_from_1904()? { 1_462.0 } else { 0.0 };
    for (name, part) in package.sheets()? {
        let (Some(was), Some(now)) = (was.named(&name), now.named(&name)) else { continue };
        let edits = compare::changed(was, now);
        if !edits.is_empty() {
            let xml = package.read(&part)?;
            package.put(&part, cells::patch(&xml, now, &edits, zero)?);
        }
    }
    package.compute_on_load()?;
    package.finish()
}

/// The workbook as .xlsx, with its values and formulas.
pub fn convert(book: &Book) -> Result<Vec<u8>, WorkbookError> {
    let empty = package::empty()?;
    let mut package = Package::open(&empty)?;
    for sheet in &book.sheets {
        let part = package.add_sheet(&sheet.name)?;
        let xml = package.read(&part)?;
        package.put(&part, cells::patch(&xml, sheet, &every(sheet), 0.0)?);
    }
    package.compute_on_load()?;
    package.finish()
}

/// Every cell with content.
fn every(sheet: &Sheet) -> Vec<CellPos> {
    let mut all: Vec<CellPos> = Vec::new();
    for (row, cells) in (0..).zip(&sheet.rows) {
        let filled = (0..).zip(cells).filter(|(_, value)| **value != Value::Empty);
        all.extend(filled.map(|(column, _)| CellPos::new(row, column)));
    }
    all.extend(sheet.formulas.keys());
    all.sort_unstable();
    all.dedup();
    all
}
