//! Workbooks: read from .xlsx, .xls, .ods and .csv, compared, and written as .xlsx.
//!
//! Promises: a possible bomb is refused by its declared size before it is parsed. Parsing is still not safe: run it in
//! the bounded child of [`super::cage`], never in the program itself. Does not compute formulas.

mod compare;
mod delimited;
mod find;
mod guard;
mod odf;
mod read;
mod refs;
mod summary;
mod write;

pub use compare::{Differences, compare, gained, has_parts, lost};
pub use find::find;
pub use read::open;
pub use refs::CellPos;
pub use summary::{ColumnView, SheetView, WorkbookSummary};
pub use write::{convert, is_same_form, patch};

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many cells we read, including the gaps before the last cell of a row.
pub const MAX_CELLS: usize = 6_000_000;
pub const MAX_SHEETS: usize = 255;
/// How many rows .xlsx has.
pub const MAX_ROWS: u32 = 1_048_576;
/// How many columns .xlsx has.
pub const MAX_COLUMNS: u32 = 16_384;

/// Why a workbook cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkbookError {
    /// Not a format we read.
    #[error("{0} is not a workbook: .xlsx, .xls, .ods and .csv can be read")]
    Kind(String),
    #[error("the workbook is too large: {0}")]
    TooLarge(String),
    /// It contains something no honest workbook has.
    #[error("the workbook is refused: {0}")]
    Refused(String),
    /// Its content does not match its name.
    #[error("the workbook cannot be read: {0}")]
    Broken(String),
    /// A place or name that does not exist or is not allowed.
    #[error("{0}")]
    Place(String),
}

impl WorkbookError {
    /// The error with the workbook's name, for a caller with more than one.
    pub fn about(&self, name: &str) -> String {
        match self {
            Self::TooLarge(why) => format!("{name} is too large: {why}"),
            Self::Refused(why) => format!("{name} is refused: {why}"),
            Self::Broken(why) => format!("{name} cannot be read: {why}"),
            Self::Kind(_) | Self::Place(_) => self.to_string(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    #[default]
    Empty,
    Bool(bool),
    Number(f64),
    Text(Box<str>),
    /// A day, or a time on one.
    Date(DateTime),
    /// An error of the program that wrote it (`#DIV/0!`).
    Error(Box<str>),
}

impl Value {
    /// As a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Value::Empty => String::new(),
            Value::Bool(true) => "TRUE".to_owned(),
            Value::Bool(false) => "FALSE".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) | Value::Error(text) => text.to_string(),
            Value::Date(date) if date.time() == jiff::civil::Time::midnight() => date.date().to_string(),
            Value::Date(date) => date.to_string(),
        }
    }

    /// The kind of value, in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Value::Empty => "empty",
            Value::Bool(_) => "yes/no",
            Value::Number(_) => "number",
            Value::Text(_) => "text",
            Value::Date(_) => "date",
            Value::Error(_) => "error",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub name: String,
    /// Its rows, each as long as its last cell.
    pub rows: Vec<Vec<Value>>,
    /// Formulas as text, without the `=`.
    pub formulas: BTreeMap<CellPos, String>,
}

impl Sheet {
    /// Sets a cell that was read, and counts it together with the gap before it.
    fn put_read(
        &mut self,
        at: CellPos,
        value: Value,
        remaining_cells: &mut usize,
    ) -> Result<(), WorkbookError> {
        if value == Value::Empty {
            return Ok(());
        }
        let row = at.row as usize;
        // An empty row costs as much as a cell.
        let rows = (row + 1).saturating_sub(self.rows.len());
        let before = self.rows.get(row).map_or(0, Vec::len);
        let more = rows + (at.column as usize + 1).saturating_sub(before);
        *remaining_cells = remaining_cells.checked_sub(more).ok_or_else(|| {
            WorkbookError::TooLarge(format!("over {MAX_CELLS} cells, counting the gaps between them"))
        })?;
        self.put(at, value);
        Ok(())
    }

    pub fn value(&self, at: CellPos) -> &Value {
        static EMPTY: Value = Value::Empty;
        self.rows.get(at.row as usize).and_then(|row| row.get(at.column as usize)).unwrap_or(&EMPTY)
    }

    /// The content as a person reads it, a formula with its `=`.
    pub fn shown(&self, at: CellPos) -> String {
        match self.formulas.get(&at) {
            Some(formula) => format!("={formula}"),
            None => self.value(at).shown(),
        }
    }

    /// The length of its longest row.
    pub fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How many rows and columns it has; a formula that no program has computed counts, too.
    pub fn extent(&self) -> (usize, usize) {
        let formulas = || self.formulas.keys();
        let rows = formulas().next_back().map_or(0, |at| at.row as usize + 1);
        let width = formulas().map(|at| at.column as usize + 1).max().unwrap_or(0);
        (self.rows.len().max(rows), self.width().max(width))
    }

    /// Sets a value; removes a formula there.
    pub fn put(&mut self, at: CellPos, value: Value) {
        self.formulas.remove(&at);
        let (row, column) = (at.row as usize, at.column as usize);
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        if let Some(cells) = self.rows.get_mut(row) {
            if cells.len() <= column {
                cells.resize(column + 1, Value::Empty);
            }
            if let Some(cell) = cells.get_mut(column) {
                *cell = value;
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Book {
    /// In order.
    pub sheets: Vec<Sheet>,
    /// What we noticed while reading: how a .csv was understood, what was left out.
    pub notes: Vec<String>,
    /// How the fields of a text format are told apart.
    pub dialect: Option<Dialect>,
}

/// How a .csv is written, in the words of Python.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    pub encoding: String,
    pub delimiter: char,
    /// The decimal sign.
    pub decimal: char,
}

impl Book {
    fn named(&self, name: &str) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.name == name)
    }

    /// The sheet with this name, in any case; the error lists the existing names.
    pub fn find(&self, name: &str) -> Result<usize, WorkbookError> {
        let exact = self.sheets.iter().position(|sheet| sheet.name == name);
        let lower = name.to_lowercase();
        let index = exact.or_else(|| self.sheets.iter().position(|s| s.name.to_lowercase() == lower));
        index.ok_or_else(|| {
            let names: Vec<String> = self.sheets.iter().map(|sheet| format!("`{}`", sheet.name)).collect();
            WorkbookError::Place(format!("there is no sheet `{name}`; there are {}", names.join(", ")))
        })
    }
}
