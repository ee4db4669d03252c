//! Workbooks: read from .xlsx, .xls, .ods and .csv, changed cell by cell, written as .xlsx.
//!
//! Promises: a possible bomb is refused by its declared size before it is parsed; writing an .xlsx keeps every part
//! that was not touched, byte for byte (see [`write`]). Parsing is still not safe: run it in the bounded child of
//! [`super::sandbox`], never in the program itself. Does not compute formulas.

mod compare;
mod delimited;
mod edit;
mod find;
mod follow;
mod guard;
mod odf;
mod read;
mod refs;
mod summary;
mod write;

pub use compare::{Differences, compare, lost};
pub use edit::followed;
pub use find::find;
pub use follow::{Axis, Change, Move};
pub use read::open;
pub use refs::{Area, CellPos};
pub use summary::{ColumnView, SheetView, WorkbookSummary};
pub use write::{preservation_notes, write};

use crate::text::Visible;
use jiff::civil::DateTime;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The id that code uses; it does not change with the name.
    pub id: u32,
    /// Its name in the .xlsx it was read from.
    pub origin: Option<String>,
    /// What cannot follow when its rows or columns move, in words.
    pub obstacles: Vec<String>,
    /// Whether it was added since the workbook was opened.
    pub added: bool,
    /// Rows and columns that were inserted or deleted since, in order.
    pub moves: Vec<Move>,
    /// Cells that were written or formatted since.
    pub touched: BTreeSet<CellPos>,
    /// Touched cells that held a date when they were first written.
    pub dated: BTreeSet<CellPos>,
    /// Formats to add to those that cells already have.
    pub looks: BTreeMap<CellPos, CellFormat>,
    /// New column widths, in characters.
    pub widths: BTreeMap<u32, f64>,
}

/// A change to a cell's format; `None` leaves a property unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellFormat {
    /// The fill colour, as six hexadecimal digits.
    pub fill: Option<String>,
    /// The format of numbers and dates (`0.00`, `dd.mm.yyyy`).
    pub number_format: Option<String>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    /// The text colour, as six hexadecimal digits.
    pub colour: Option<String>,
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
    /// Whether it was read from .xlsx, which can be changed in place.
    pub xlsx: bool,
    /// The last id that an added sheet got; none is used twice.
    pub last_id: u32,
    /// Sheets of the file that were removed, by their names there.
    pub removed: Vec<String>,
    /// What was moved, renamed and removed, in order and by the sheet's name at the time.
    pub history: Vec<(String, Change)>,
}

impl Book {
    /// The sheet with this name, in any case; the error lists the existing names.
    pub fn find(&self, name: &str) -> Result<usize, WorkbookError> {
        let exact = self.sheets.iter().position(|sheet| sheet.name == name);
        let lower = name.to_lowercase();
        let index = exact.or_else(|| self.sheets.iter().position(|s| s.name.to_lowercase() == lower));
        // A name with hidden characters is also found by its visible form.
        let index = index
            .or_else(|| self.sheets.iter().position(|sheet| Visible::line(&sheet.name).as_str() == name));
        index.ok_or_else(|| {
            let names: Vec<String> = self.sheets.iter().map(|sheet| format!("`{}`", sheet.name)).collect();
            WorkbookError::Place(format!("there is no sheet `{name}`; there are {}", names.join(", ")))
        })
    }

    /// Adds an empty sheet.
    pub fn add(&mut self, name: &str) -> Result<usize, WorkbookError> {
        self.may_be_named(name)?;
        if self.sheets.len() >= MAX_SHEETS {
            return Err(WorkbookError::Place(format!("there are {MAX_SHEETS} sheets already")));
        }
        let highest_id = self.sheets.iter().map(|sheet| sheet.id).max().unwrap_or(0);
        let id = highest_id.max(self.last_id) + 1;
        self.last_id = id;
        self.sheets.push(Sheet { name: name.to_owned(), id, added: true, ..Sheet::default() });
        Ok(self.sheets.len() - 1)
    }

    /// Checks whether a sheet may have this name; the error says why not.
    fn may_be_named(&self, name: &str) -> Result<(), WorkbookError> {
        let bad = |c: char| matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\') || c.is_control();
        let refused = if name.trim().is_empty() || name.chars().count() > 31 {
            "a sheet's name has 1 to 31 characters".to_owned()
        } else if name.chars().any(bad) || name.starts_with('\'') || name.ends_with('\'') {
            format!("`{name}` holds a character that a sheet's name may not hold: [ ] : * ? / \\ '")
        } else if self.find(name).is_ok() {
            format!("there is a sheet `{name}` already")
        } else {
            return Ok(());
        };
        Err(WorkbookError::Place(refused))
    }

    /// Whether anything changed since it was opened.
    pub fn changed(&self) -> bool {
        let changed = |sheet: &Sheet| sheet.added || !sheet.touched.is_empty() || !sheet.widths.is_empty();
        !self.history.is_empty() || self.sheets.iter().any(changed)
    }

    /// How many cells it holds, including gaps.
    pub fn size(&self) -> usize {
        self.sheets.iter().flat_map(|sheet| &sheet.rows).map(Vec::len).sum()
    }
}
