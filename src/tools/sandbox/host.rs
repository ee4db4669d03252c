//! The only functions that reach the workbook from code. `prelude.py` wraps them in a class.

use super::formats::describe_cell;
use super::values::{Written, raised, refused, text, to_cell, to_python};
use super::{Change, Limits, MAX_LISTED, Observation};
use crate::text::Visible;
use crate::tools::workbook::{Area, Book, CellPos, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Value};
use monty_types::{ExcType, MontyException, MontyObject};
use std::collections::{BTreeMap, HashSet};

/// The functions, by name.
const NAMES: [&str; 17] = [
    "_ids",
    "_name",
    "_move",
    "_rename",
    "_remove",
    "_look",
    "_width",
    "_size",
    "_get",
    "_set",
    "_range",
    "_write",
    "_records",
    "_headings",
    "_formula",
    "_add",
    "_saved",
];

pub(super) type Called = Result<MontyObject, MontyException>;

/// The workbook as code reaches it.
pub(super) struct Host {
    pub(super) book: Book,
    /// The workbook's file name.
    name: String,
    calls: usize,
    max_calls: usize,
    size: usize,
    /// What cells held before this run of code, by sheet and position.
    pub(super) before: BTreeMap<(u32, CellPos), String>,
    added: Vec<String>,
    /// What was done to whole sheets.
    pub(super) layout: Vec<String>,
    /// Texts of the workbook that look like formulas but are not.
    texts: HashSet<String>,
}

impl Host {
    pub(super) fn new(name: &str, book: Book, limits: &Limits) -> Self {
        let size = book.size();
        let cells = book.sheets.iter().flat_map(|sheet| sheet.rows.iter().flatten());
        let texts = cells.filter_map(|cell| match cell {
            Value::Text(text) => looks_like_formula(text),
            _ => None,
        });
        let texts = texts.collect();
        Self {
            book,
            name: name.to_owned(),
            calls: 0,
            max_calls: limits.calls,
            size,
            before: BTreeMap::new(),
            added: Vec::new(),
            layout: Vec::new(),
            texts,
        }
    }

    pub(super) fn book(&self) -> &Book {
        &self.book
    }

    pub(super) fn knows(name: &str) -> bool {
        NAMES.contains(&name)
    }

    pub(super) fn is_over_limit(&self) -> bool {
        self.calls > self.max_calls
    }

    /// Starts a new cell of code.
    pub(super) fn begin(&mut self) {
        self.before.clear();
        self.added.clear();
        self.layout.clear();
    }

    /// What the cell of code changed.
    pub(super) fn end(&mut self) -> Observation {
        let mut observation = Observation {
            added: std::mem::take(&mut self.added),
            layout: first_of(std::mem::take(&mut self.layout)),
            ..Observation::default()
        };
        for ((id, at), before) in std::mem::take(&mut self.before) {
            let Some(sheet) = self.book.sheets.iter().find(|sheet| sheet.id == id) else { continue };
            let after = describe_cell(sheet, at);
            if after == before {
                continue;
            }
            observation.changed += 1;
            if observation.changes.len() < MAX_LISTED {
                let (sheet, cell) = (sheet.name.clone(), at.to_string());
                observation.changes.push(Change { sheet, cell, before, after });
            }
        }
        observation
    }

    pub(super) fn call(&mut self, name: &str, args: &[MontyObject]) -> Called {
        self.calls += 1;
        match (name, args) {
            ("_ids", []) => {
                let ids = self.book.sheets.iter().map(|sheet| MontyObject::Int(i64::from(sheet.id)));
                Ok(MontyObject::List(ids.collect()))
            }
            ("_saved", [MontyObject::String(path)]) => {
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
                if name != self.name {
                    self.layout.push(format!(
                        "No file is written as {}: the changes go into the result.",
                        Visible::line(name)
                    ));
                }
                Ok(MontyObject::None)
            }
            ("_name", [sheet]) => Ok(MontyObject::String(self.book.sheets[self.sheet(sheet)?].name.clone())),
            ("_size", [sheet]) => {
                let sheet = self.sheet(sheet)?;
                let sheet = &self.book.sheets[sheet];
                let count = |number: usize| MontyObject::Int(i64::try_from(number).unwrap_or(i64::MAX));
                Ok(MontyObject::Tuple(vec![count(sheet.rows.len()), count(sheet.width())]))
            }
            ("_get", [sheet, at]) => {
                let (sheet, at) = (self.sheet(sheet)?, place(at)?);
                Ok(to_python(self.book.sheets[sheet].value(at)))
            }
            ("_formula", [sheet, at]) => {
                let (sheet, at) = (self.sheet(sheet)?, place(at)?);
                let formula = self.book.sheets[sheet].formulas.get(&at);
                Ok(formula.map_or(MontyObject::None, |text| MontyObject::String(format!("={text}"))))
            }
            ("_set", [sheet, at, value]) => {
                let (sheet, at) = (self.sheet(sheet)?, place(at)?);
                self.set(sheet, at, value)?;
                Ok(MontyObject::None)
            }
            ("_range", [sheet, area]) => {
                let sheet = self.sheet(sheet)?;
                self.range(sheet, &text(area, "a range like A1:C10")?)
            }
            ("_write", [sheet, at, rows]) => {
                let (sheet, at) = (self.sheet(sheet)?, place(at)?);
                self.write(sheet, at, rows)
            }
            ("_records", [sheet, header]) => {
                let sheet = self.sheet(sheet)?;
                self.records(sheet, header)
            }
            ("_headings", [sheet, MontyObject::Int(row @ 1..)]) => {
                let sheet = &self.book.sheets[self.sheet(sheet)?];
                let row = u32::try_from(row - 1).unwrap_or(u32::MAX);
                let columns = 0..u32::try_from(sheet.width()).unwrap_or(u32::MAX);
                let heading = |column: u32| match sheet.value(CellPos::new(row, column)) {
                    Value::Text(text) => MontyObject::String(Visible::line(text).into_string()),
                    other => to_python(other),
                };
                Ok(MontyObject::List(columns.map(heading).collect()))
            }
            ("_add", [name]) => {
                let name = text(name, "a name")?;
                let at = self.book.add(&name).map_err(refused)?;
                self.added.push(name.clone());
                Ok(MontyObject::Int(i64::from(self.book.sheets[at].id)))
            }
            (name, args) => self.arrange(name, args),
        }
    }

    /// A sheet by its name, or by the id that code knows.
    pub(super) fn sheet(&self, name: &MontyObject) -> Result<usize, MontyException> {
        let MontyObject::Int(id) = name else {
            return self.book.find(&text(name, "a sheet's name")?).map_err(refused);
        };
        let index = self.book.sheets.iter().position(|sheet| i64::from(sheet.id) == *id);
        index.ok_or_else(|| raised(ExcType::ValueError, "that sheet was removed"))
    }

    /// Records a cell's content before this run of code first touches it.
    pub(super) fn touch(&mut self, sheet: usize, at: CellPos) {
        let Some(sheet) = self.book.sheets.get_mut(sheet) else { return };
        self.before.entry((sheet.id, at)).or_insert_with(|| describe_cell(sheet, at));
        sheet.touch(at);
    }

    fn set(&mut self, sheet: usize, at: CellPos, value: &MontyObject) -> Result<(), MontyException> {
        let written = match value {
            // Text from the workbook stays text wherever code copies it: a person who approves a filter has not
            // approved a formula that somebody typed into a column of names.
            MontyObject::String(text)
                if looks_like_formula(text).is_some_and(|text| self.texts.contains(&text)) =>
            {
                Written::Value(Value::Text(text.as_str().into()))
            }
            _ => to_cell(value)?,
        };
        self.touch(sheet, at);
        let target = &mut self.book.sheets[sheet];
        let row = target.rows.get(at.row as usize).map_or(0, Vec::len);
        let rows = (at.row as usize + 1).saturating_sub(target.rows.len());
        self.size += rows + (at.column as usize + 1).saturating_sub(row);
        if self.size > MAX_CELLS {
            let text = format!("the workbook would hold over {MAX_CELLS} cells, counting the gaps");
            return Err(raised(ExcType::ValueError, text));
        }
        match written {
            Written::Value(value) => target.put(at, value),
            Written::Formula(formula) => {
                target.put(at, Value::Empty);
                target.formulas.insert(at, formula);
            }
        }
        Ok(())
    }

    fn range(&self, sheet: usize, area: &str) -> Called {
        let (rows, columns) = self.bounds(sheet, area)?;
        let sheet = &self.book.sheets[sheet];
        let row = |row: u32| {
            let cells = columns.clone().map(|column| to_python(sheet.value(CellPos::new(row, column))));
            MontyObject::List(cells.collect())
        };
        Ok(MontyObject::List(rows.map(row).collect()))
    }

    /// The rows and columns of an area; open ends extend to the end of the sheet.
    pub(super) fn bounds(
        &self,
        sheet: usize,
        area: &str,
    ) -> Result<(std::ops::Range<u32>, std::ops::Range<u32>), MontyException> {
        let area = Area::read(area).map_err(refused)?;
        let target = &self.book.sheets[sheet];
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let last_row = area.to.0.map_or(small(target.rows.len()), |row| row + 1);
        let last_column = area.to.1.map_or(small(target.width()), |column| column + 1);
        let (rows, columns) = (area.from.row..last_row, area.from.column..last_column);
        if rows.len().saturating_mul(columns.len()) > MAX_CELLS {
            return Err(raised(ExcType::ValueError, "that range is too large; name a smaller one"));
        }
        Ok((rows, columns))
    }

    fn write(&mut self, sheet: usize, at: CellPos, rows: &MontyObject) -> Called {
        let list = |value: &MontyObject| match value {
            MontyObject::List(items) | MontyObject::Tuple(items) => Some(items.clone()),
            MontyObject::NamedTuple { values, .. } => Some(values.clone()),
            _ => None,
        };
        let wrong = || raised(ExcType::TypeError, "write() takes a list of rows, each a list of values");
        let rows = list(rows).ok_or_else(wrong)?;
        for (down, row) in (0u32..).zip(&rows) {
            for (right, value) in (0u32..).zip(&list(row).ok_or_else(wrong)?) {
                let at = CellPos::new(at.row.saturating_add(down), at.column.saturating_add(right));
                if at.row >= MAX_ROWS || at.column >= MAX_COLUMNS {
                    return Err(raised(ExcType::ValueError, "the rows reach beyond the end of the sheet"));
                }
                self.set(sheet, at, value)?;
            }
        }
        Ok(MontyObject::None)
    }

    fn records(&self, sheet: usize, header: &MontyObject) -> Called {
        let MontyObject::Int(header @ 1..) = header else {
            return Err(raised(
                ExcType::ValueError,
                "header is the number of the row with the headings, from 1",
            ));
        };
        let sheet = &self.book.sheets[sheet];
        let header = usize::try_from(header - 1).unwrap_or(usize::MAX);
        let mut used_keys = HashSet::new();
        let mut keys = Vec::new();
        for column in 0..u32::try_from(sheet.width()).unwrap_or(u32::MAX) {
            let row = u32::try_from(header).unwrap_or(u32::MAX);
            let at = CellPos::new(row, column);
            // The heading as the person and the model see it, so that code can use it.
            let mut key = Visible::line(&sheet.value(at).shown()).as_str().trim().to_owned();
            if key.is_empty() {
                key = at.to_string().trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
            }
            let base_key = key.clone();
            let mut n = 2;
            while !used_keys.insert(key.clone()) {
                key = format!("{base_key}_{n}");
                n += 1;
            }
            keys.push(key);
        }
        let empty = Value::Empty;
        let record = |row: &Vec<Value>| {
            let cell = |column: usize| to_python(row.get(column).unwrap_or(&empty));
            let pairs = keys.iter().enumerate().map(|(n, key)| (MontyObject::String(key.clone()), cell(n)));
            MontyObject::dict(pairs.collect::<Vec<_>>())
        };
        Ok(MontyObject::List(sheet.rows.iter().skip(header.saturating_add(1)).map(record).collect()))
    }
}

/// The first entries, and how many more there are.
fn first_of(mut done: Vec<String>) -> Vec<String> {
    let more = done.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        done.truncate(MAX_LISTED);
        done.push(format!("… and {more} more."));
    }
    done
}

/// A text that starts like a formula, normalised for comparison: code may strip it or change its case.
fn looks_like_formula(text: &str) -> Option<String> {
    let text = text.trim();
    text.starts_with('=').then(|| text.to_lowercase())
}

/// A cell by its name, or by row and column counted from 1.
fn place(value: &MontyObject) -> Result<CellPos, MontyException> {
    match value {
        MontyObject::String(text) => CellPos::read(text).map_err(refused),
        MontyObject::Tuple(pair) => match pair.as_slice() {
            [MontyObject::Int(row @ 1..=1_048_576), MontyObject::Int(column @ 1..=16_384)] => {
                let small = |number: i64| u32::try_from(number - 1).unwrap_or(u32::MAX);
                Ok(CellPos::new(small(*row), small(*column)))
            }
            _ => Err(raised(ExcType::ValueError, "a cell is \"B7\" or (row, column), both counted from 1")),
        },
        _ => Err(raised(ExcType::TypeError, "a cell is \"B7\" or (row, column), both counted from 1")),
    }
}
