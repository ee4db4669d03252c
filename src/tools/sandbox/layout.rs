//! Host functions for the layout of a workbook: rows and columns, sheet names, and cell formats.

use super::formats::read_format;
use super::host::{Called, Host};
use super::values::{raised, refused, text};
use crate::tools::workbook::{Axis, CellFormat, CellPos, MAX_COLUMNS, Move, followed};
use monty_types::{ExcType, MontyException, MontyObject};

/// How many cells may be formatted at once.
const MAX_FORMATTED_CELLS: usize = 200_000;

impl Host {
    /// Answers calls that arrange sheets; an unknown name is reported as undefined.
    pub(super) fn arrange(&mut self, name: &str, args: &[MontyObject]) -> Called {
        match (name, args) {
            ("_move", [sheet, MontyObject::String(axis), first, count, MontyObject::Bool(insert)]) => {
                let axis = if axis == "rows" { Axis::Rows } else { Axis::Columns };
                let (at, count) = (counted(first)? - 1, counted(count)?);
                self.shift(sheet, Move { axis, at, count, insert: *insert })
            }
            ("_rename", [sheet, name]) => {
                let (sheet, name) = (self.sheet(sheet)?, text(name, "a name")?);
                let old = self.book.sheets[sheet].name.clone();
                self.book.rename(sheet, &name).map_err(refused)?;
                self.layout.push(format!("Sheet `{old}` renamed to `{name}`."));
                Ok(MontyObject::None)
            }
            ("_remove", [sheet]) => {
                let sheet = self.sheet(sheet)?;
                let (id, name) = (self.book.sheets[sheet].id, self.book.sheets[sheet].name.clone());
                self.book.remove(sheet).map_err(refused)?;
                self.before.retain(|(sheet_id, _), _| *sheet_id != id);
                self.layout.push(format!("Sheet `{name}` removed."));
                Ok(MontyObject::None)
            }
            ("_look", [sheet, area, MontyObject::String(key), value]) => {
                let (sheet, area) = (self.sheet(sheet)?, text(area, "a range like A1:C10")?);
                self.look(sheet, &area, &read_format(key, value)?)
            }
            ("_width", [sheet, MontyObject::String(column), width]) => {
                let sheet = self.sheet(sheet)?;
                let width = match width {
                    MontyObject::Int(width) => *width as f64,
                    MontyObject::Float(width) => *width,
                    _ => f64::NAN,
                };
                if !(0.0..=255.0).contains(&width) {
                    return Err(raised(ExcType::ValueError, "a column is 0 to 255 characters wide"));
                }
                let at = CellPos::read(&format!("{column}1")).map_err(|_| {
                    raised(ExcType::ValueError, format!("`{column}` is no column: its letters, like \"B\""))
                })?;
                let sheet = &mut self.book.sheets[sheet];
                sheet.widths.insert(at.column, width);
                self.layout.push(format!("Column {column} of `{}` is {width} wide.", sheet.name));
                Ok(MontyObject::None)
            }
            _ if Self::knows(name) => {
                Err(raised(ExcType::TypeError, format!("{name}() takes other arguments")))
            }
            _ => Err(raised(ExcType::NameError, format!("name '{name}' is not defined"))),
        }
    }

    fn shift(&mut self, sheet: &MontyObject, moved: Move) -> Called {
        let sheet = self.sheet(sheet)?;
        let id = self.book.sheets[sheet].id;
        self.book.move_cells(sheet, moved).map_err(refused)?;
        let before = std::mem::take(&mut self.before);
        let follows = |((sheet_id, at), text): ((u32, CellPos), String)| {
            let at = if sheet_id == id { followed(at, moved)? } else { at };
            Some(((sheet_id, at), text))
        };
        self.before = before.into_iter().filter_map(follows).collect();
        let name = &self.book.sheets[sheet].name;
        let (noun, place) = match moved.axis {
            Axis::Rows => ("row", (moved.at + 1).to_string()),
            Axis::Columns => {
                ("column", CellPos::new(0, moved.at).to_string().trim_end_matches('1').to_owned())
            }
        };
        let many = if moved.count == 1 { "" } else { "s" };
        let how = if moved.insert { "inserted before" } else { "deleted, the first" };
        self.layout.push(format!("`{name}`: {} {noun}{many} {how} {noun} {place}.", moved.count));
        Ok(MontyObject::None)
    }

    fn look(&mut self, sheet: usize, area: &str, change: &CellFormat) -> Called {
        let (rows, columns) = self.bounds(sheet, area)?;
        if rows.len().saturating_mul(columns.len()) > MAX_FORMATTED_CELLS {
            return Err(raised(ExcType::ValueError, "that is too much to format; name a smaller range"));
        }
        for row in rows {
            for column in columns.clone() {
                let at = CellPos::new(row, column);
                self.touch(sheet, at);
                let look = self.book.sheets[sheet].looks.entry(at).or_default();
                let CellFormat { fill, number_format, bold, italic, colour } = change.clone();
                look.fill = fill.or(look.fill.take());
                look.number_format = number_format.or(look.number_format.take());
                look.bold = bold.or(look.bold);
                look.italic = italic.or(look.italic);
                look.colour = colour.or(look.colour.take());
            }
        }
        Ok(MontyObject::None)
    }
}

/// A count of rows or columns, or the number of one, starting at 1.
fn counted(value: &MontyObject) -> Result<u32, MontyException> {
    match value {
        MontyObject::Int(n @ 1..=1_048_576) => Ok(u32::try_from(*n).unwrap_or(MAX_COLUMNS)),
        _ => Err(raised(ExcType::ValueError, "rows and columns are counted from 1")),
    }
}
