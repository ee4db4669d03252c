//! Changes some cells in a sheet's part: all others, and everything around them, stay unchanged.

use super::super::{CellPos, Sheet, Value, WorkbookError};
use super::package::{DAY, MOMENT};
use super::xml::{Piece, TagKind, escape, pieces};
use jiff::civil::DateTime;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The part with the cells of `edits` as they are in `sheet` now.
pub(super) fn patch(xml: &str, sheet: &Sheet, edits: &[CellPos], zero: f64) -> Result<String, WorkbookError> {
    let mut rows: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for at in edits {
        rows.entry(at.row).or_default().insert(at.column);
    }
    let (prefix, out) = (String::new(), String::new());
    let mut patch = Patch { sheet, rows, zero, prefix, broken: BTreeSet::new(), out };
    let mut rest = pieces(xml);
    let mut has_data = false;
    while let Some(piece) = rest.next() {
        match (piece.kind, piece.name()) {
            // Readers find the extent of the sheet themselves.
            (TagKind::Empty, "dimension") => {}
            (TagKind::Empty, "sheetData") => {
                has_data = true;
                patch.prefix = piece.prefix().to_owned();
                let name = piece.full_name();
                let _ = write!(patch.out, "<{name}>");
                patch.rows_before(None);
                let _ = write!(patch.out, "</{name}>");
            }
            (TagKind::Start, "sheetData") => {
                has_data = true;
                patch.prefix = piece.prefix().to_owned();
                patch.out.push_str(piece.raw);
                patch.data(&mut rest);
            }
            _ => patch.out.push_str(piece.raw),
        }
    }
    if has_data {
        Ok(patch.out)
    } else {
        Err(WorkbookError::Broken(format!("`{}` holds no cells", sheet.name)))
    }
}

struct Patch<'a> {
    sheet: &'a Sheet,
    /// The cells still to be written.
    rows: BTreeMap<u32, BTreeSet<u32>>,
    /// The offset of the date system from 1900, in days.
    zero: f64,
    prefix: String,
    /// Groups of shared formulas whose first cell is gone: the others need their own text.
    broken: BTreeSet<String>,
    out: String,
}

impl Patch<'_> {
    fn data<'x>(&mut self, rest: &mut impl Iterator<Item = Piece<'x>>) {
        let mut next_row = 0;
        while let Some(piece) = rest.next() {
            if piece.closes("sheetData") {
                self.rows_before(None);
                self.out.push_str(piece.raw);
                return;
            }
            if !piece.opens("row") {
                self.out.push_str(piece.raw);
                continue;
            }
            let row =
                piece.attribute("r").and_then(|r| r.parse::<u32>().ok()).map_or(next_row, |r| r.max(1) - 1);
            next_row = row + 1;
            self.rows_before(Some(row));
            let edits = self.rows.remove(&row).unwrap_or_default();
            if piece.kind == TagKind::Start && edits.is_empty() && self.broken.is_empty() {
                self.out.push_str(piece.raw);
                self.copy_row(rest);
            } else if piece.kind == TagKind::Start {
                self.out.push_str(&without_spans(&piece));
                self.row(row, edits, rest);
            } else if edits.is_empty() {
                self.out.push_str(piece.raw);
            } else {
                let open = without_spans(&piece);
                let _ = write!(self.out, "{}>", open.trim_end_matches("/>"));
                self.cells(row, &edits);
                let _ = write!(self.out, "</{}>", piece.full_name());
            }
        }
    }

    /// Copies a row without changes.
    fn copy_row<'x>(&mut self, rest: &mut impl Iterator<Item = Piece<'x>>) {
        for piece in rest {
            self.out.push_str(piece.raw);
            if piece.closes("row") {
                return;
            }
        }
    }

    /// The cells of one row, up to its end.
    fn row<'x>(&mut self, row: u32, mut edits: BTreeSet<u32>, rest: &mut impl Iterator<Item = Piece<'x>>) {
        let mut next_column = 0;
        while let Some(piece) = rest.next() {
            if piece.closes("row") {
                self.cells(row, &edits);
                self.out.push_str(piece.raw);
                return;
            }
            if !piece.opens("c") {
                self.out.push_str(piece.raw);
                continue;
            }
            let column =
                piece.attribute("r").and_then(|r| CellPos::read(r).ok()).map_or(next_column, |at| at.column);
            next_column = column + 1;
            let later = edits.split_off(&column);
            self.cells(row, &edits);
            edits = later;
            let at = CellPos::new(row, column);
            let pieces = element(piece, rest);
            if edits.remove(&column) {
                self.lose(&pieces);
                self.cell(at, piece.attribute("s").and_then(|s| s.parse().ok()).unwrap_or(0));
            } else {
                self.keep_cell(at, &pieces);
            }
        }
    }

    /// Keeps a cell unchanged, except that a formula of a broken group gets its own text.
    fn keep_cell(&mut self, at: CellPos, pieces: &[Piece<'_>]) {
        let shared = pieces.iter().find(|p| p.opens("f") && p.attribute("t") == Some("shared"));
        let group = shared.and_then(|p| p.attribute("si"));
        let text = self.sheet.formulas.get(&at);
        let (Some(shared), Some(text)) = (shared, text) else {
            return self.out.extend(pieces.iter().map(|piece| piece.raw));
        };
        if !group.is_some_and(|group| self.broken.contains(group)) {
            return self.out.extend(pieces.iter().map(|piece| piece.raw));
        }
        let mut inside = false;
        for piece in pieces {
            if piece.at == shared.at {
                let name = shared.full_name();
                let _ = write!(self.out, "<{name}>{}</{name}>", escape(text));
                inside = piece.kind == TagKind::Start;
            } else if inside {
                inside = !piece.closes("f");
            } else {
                self.out.push_str(piece.raw);
            }
        }
    }

    /// Notes which formula group breaks when a cell is replaced.
    fn lose(&mut self, pieces: &[Piece<'_>]) {
        let first = pieces.iter().find(|p| p.opens("f") && p.attribute("ref").is_some());
        if let Some(group) = first.and_then(|piece| piece.attribute("si")) {
            self.broken.insert(group.to_owned());
        }
    }

    /// Writes new rows before `row`, or all that are left.
    fn rows_before(&mut self, row: Option<u32>) {
        let later = row.map(|row| self.rows.split_off(&row)).unwrap_or_default();
        for (row, edits) in std::mem::replace(&mut self.rows, later) {
            let _ = write!(self.out, "<{}row r=\"{}\">", self.prefix, row + 1);
            self.cells(row, &edits);
            let _ = write!(self.out, "</{}row>", self.prefix);
        }
    }

    fn cells(&mut self, row: u32, columns: &BTreeSet<u32>) {
        for column in columns {
            self.cell(CellPos::new(row, *column), 0);
        }
    }

    /// Writes a cell's current content in the style it has.
    fn cell(&mut self, at: CellPos, style: usize) {
        let value = self.sheet.value(at);
        let formula = self.sheet.formulas.get(&at);
        let style = match value {
            // A date in a cell without a style would be shown as a number.
            Value::Date(date) if style == 0 => {
                if date.time() == jiff::civil::Time::midnight() {
                    DAY
                } else {
                    MOMENT
                }
            }
            _ => style,
        };
        let style = if style == 0 { String::new() } else { format!(" s=\"{style}\"") };
        let p = &self.prefix;
        let open = format!("<{p}c r=\"{at}\"{style}");
        let formula = formula.map(|text| format!("<{p}f>{}</{p}f>", escape(text))).unwrap_or_default();
        // A formula that is copied keeps its value; a newly written one has none yet.
        let valued = |kind: &str, value: &str| format!("{open}{kind}>{formula}<{p}v>{value}</{p}v></{p}c>");
        let cell = match value {
            Value::Empty if formula.is_empty() => format!("{open}/>"),
            Value::Empty => format!("{open}>{formula}</{p}c>"),
            Value::Bool(yes) => valued(" t=\"b\"", if *yes { "1" } else { "0" }),
            Value::Number(number) => valued("", &number.to_string()),
            Value::Date(date) => valued("", &(serial(*date) - self.zero).to_string()),
            Value::Error(text) => valued(" t=\"e\"", &escape(text)),
            Value::Text(text) if !formula.is_empty() => valued(" t=\"str\"", &escape(text)),
            Value::Text(text) => format!(
                "{open} t=\"inlineStr\"><{p}is><{p}t xml:space=\"preserve\">{}</{p}t></{p}is></{p}c>",
                escape(text)
            ),
        };
        self.out.push_str(&cell);
    }
}

/// A row's tag without its `spans`, which may be wrong once its cells change.
fn without_spans(piece: &Piece<'_>) -> String {
    match piece.attribute("spans") {
        Some(spans) => piece.raw.replacen(&format!("spans=\"{spans}\""), "", 1),
        None => piece.raw.to_owned(),
    }
}

/// A whole element, from its first piece to its last.
fn element<'x>(first: Piece<'x>, rest: &mut impl Iterator<Item = Piece<'x>>) -> Vec<Piece<'x>> {
    let mut pieces = vec![first];
    let mut depth = usize::from(first.kind == TagKind::Start);
    while depth > 0 {
        let Some(piece) = rest.next() else { break };
        match piece.kind {
            TagKind::Start => depth += 1,
            TagKind::End => depth -= 1,
            TagKind::Empty | TagKind::Other => {}
        }
        pieces.push(piece);
    }
    pieces
}

/// A time as spreadsheets count it: days since the end of 1899, as if 1900 were a leap year.
fn serial(date: DateTime) -> f64 {
    let zero = jiff::civil::date(1899, 12, 30).at(0, 0, 0, 0);
    date.duration_since(zero).as_secs_f64() / 86_400.0
}
