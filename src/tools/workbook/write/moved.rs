//! Moves the rows and cells of a sheet's part to their new positions, and updates the references around them. Also sets
//! column widths, which are stored next to the cells.

use super::super::follow::{Axis, Change, Move, follow, follow_area};
use super::super::{CellPos, Sheet};
use super::cells::{element, without_spans};
use super::xml::{Piece, TagKind, escape, pieces};
use crate::text::unescape_xml;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lists that may not be empty and store their count.
const LISTS: [&str; 6] =
    ["mergeCells", "hyperlinks", "dataValidations", "cols", "ignoredErrors", "protectedRanges"];
/// The elements of those lists.
const LISTED: [&str; 6] =
    ["mergeCell", "hyperlink", "dataValidation", "col", "ignoredError", "protectedRange"];
/// Elements whose text is a formula.
const FORMULAS: [&str; 4] = ["formula", "formula1", "formula2", "f"];

/// The part with everything at its new position; `history` is what happened in the whole workbook.
pub(super) fn sheet(xml: &str, sheet: &Sheet, history: &[(String, Change)]) -> String {
    if history.is_empty() {
        return xml.to_owned();
    }
    let mut out = String::with_capacity(xml.len());
    let mut rest = pieces(xml);
    let mut list: Option<OpenList<'_>> = None;
    while let Some(piece) = rest.next() {
        if piece.kind == TagKind::Start && piece.name() == "sheetData" {
            out.push_str(piece.raw);
            cells(&mut out, &mut rest, &sheet.moves);
            continue;
        }
        if LISTS.contains(&piece.name()) {
            match (piece.kind, list.take()) {
                (TagKind::Start, _) => list = Some(OpenList { tag: piece, at: out.len(), count: 0 }),
                (TagKind::End, Some(open)) => open.close(&mut out, &piece),
                _ => out.push_str(piece.raw),
            }
            continue;
        }
        if !matches!(piece.kind, TagKind::Start | TagKind::Empty) {
            out.push_str(piece.raw);
            continue;
        }
        let Some(now) = around(&piece, &sheet.moves) else {
            element(piece, &mut rest);
            continue;
        };
        if let Some(list) = &mut list
            && LISTED.contains(&piece.name())
        {
            list.count += 1;
        }
        out.push_str(&now);
        if piece.kind != TagKind::Start {
            continue;
        }
        if FORMULAS.contains(&piece.name()) {
            push_formula(&mut out, &mut rest, sheet.origin.as_deref().unwrap_or_default(), history);
        } else if piece.name() == "sqref" {
            let Some(text) = rest.next() else { break };
            let now = if text.kind == TagKind::Other { areas(text.raw, &sheet.moves) } else { None };
            out.push_str(now.as_deref().unwrap_or(text.raw));
        }
    }
    out
}

/// Rows and cells at their new positions, to the end of `sheetData`.
fn cells<'x>(out: &mut String, rest: &mut impl Iterator<Item = Piece<'x>>, moves: &[Move]) {
    // Rows and columns that do not state their number follow the one before.
    let (mut next_row, mut next_column, mut row) = (0, 0, 0);
    while let Some(piece) = rest.next() {
        if !moves.is_empty() && piece.opens("row") {
            let number = piece.attribute("r").and_then(|r| r.parse::<u32>().ok());
            let number = number.map_or(next_row, |r| r.max(1) - 1);
            (next_row, next_column) = (number + 1, 0);
            match place(number, Axis::Rows, moves) {
                Some(now) => {
                    row = now;
                    out.push_str(&with(&without_spans(&piece), "r", &(now + 1).to_string()));
                }
                None => {
                    element(piece, rest);
                }
            }
        } else if !moves.is_empty() && piece.opens("c") {
            let number = piece.attribute("r").and_then(|r| CellPos::read(r).ok());
            let number = number.map_or(next_column, |at| at.column);
            next_column = number + 1;
            match place(number, Axis::Columns, moves) {
                Some(now) => out.push_str(&piece.with("r", &CellPos::new(row, now).to_string())),
                None => {
                    element(piece, rest);
                }
            }
        } else {
            out.push_str(piece.raw);
            if piece.closes("sheetData") {
                return;
            }
        }
    }
}

/// A list that has not been closed yet.
struct OpenList<'x> {
    tag: Piece<'x>,
    /// Where its content starts in the output.
    at: usize,
    /// How many elements were kept.
    count: usize,
}

impl OpenList<'_> {
    fn close(self, out: &mut String, end: &Piece<'_>) {
        let content = out.split_off(self.at);
        if self.count == 0 {
            return;
        }
        match self.tag.attribute("count") {
            Some(_) => out.push_str(&self.tag.with("count", &self.count.to_string())),
            None => out.push_str(self.tag.raw),
        }
        out.push_str(&content);
        out.push_str(end.raw);
    }
}

/// A formula after all changes, in a sheet that was originally called `own_sheet`.
fn apply_history(formula: &str, own_sheet: &str, history: &[(String, Change)]) -> String {
    let mut own_sheet = own_sheet.to_owned();
    let mut text = formula.to_owned();
    for (sheet, change) in history {
        if let Some(now) = follow(&text, &own_sheet, sheet, change) {
            text = now;
        }
        if let (Change::Renamed(name), true) = (change, own_sheet == *sheet) {
            own_sheet.clone_from(name);
        }
    }
    text
}

/// Adds the formula that comes next, after all changes; an element without one has its end tag there.
pub(super) fn push_formula<'x>(
    out: &mut String,
    rest: &mut impl Iterator<Item = Piece<'x>>,
    sheet: &str,
    history: &[(String, Change)],
) {
    let Some(text) = rest.next() else { return };
    match text.kind {
        TagKind::Other => out.push_str(&escape(&apply_history(&unescape_xml(text.raw), sheet, history))),
        TagKind::Start | TagKind::Empty | TagKind::End => out.push_str(text.raw),
    }
}

fn place(n: u32, axis: Axis, moves: &[Move]) -> Option<u32> {
    moves.iter().filter(|moved| moved.axis == axis).try_fold(n, |n, moved| moved.follow(n))
}

/// A tag around the cells with its references updated; `None` if nothing is left of them.
fn around(piece: &Piece<'_>, moves: &[Move]) -> Option<String> {
    if piece.name() == "col" {
        let number = |key: &str| piece.attribute(key).and_then(|n| n.parse::<u32>().ok());
        let (Some(min), Some(max)) = (number("min"), number("max")) else {
            return Some(piece.raw.to_owned());
        };
        let span = moves
            .iter()
            .filter(|moved| moved.axis == Axis::Columns)
            .try_fold((min.max(1) - 1, max.max(1) - 1), |(first, last), moved| moved.span(first, last));
        let (first, last) = span?;
        return Some(with(&with(piece.raw, "min", &(first + 1).to_string()), "max", &(last + 1).to_string()));
    }
    let mut tag = piece.raw.to_owned();
    for key in ["ref", "sqref"] {
        // Losing the cursor position does no harm.
        if let Some(references) = piece.attribute(key).filter(|_| piece.name() != "selection") {
            tag = with(&tag, key, &areas(references, moves)?);
        }
    }
    Some(tag)
}

fn with(tag: &str, key: &str, value: &str) -> String {
    let kind = if tag.ends_with("/>") { TagKind::Empty } else { TagKind::Start };
    Piece { kind, raw: tag, at: 0 }.with(key, value)
}

/// A list of areas after the moves; `None` if none is left.
fn areas(text: &str, moves: &[Move]) -> Option<String> {
    let one = |area: &str| moves.iter().try_fold(area.to_owned(), |area, moved| follow_area(&area, *moved));
    let moved_areas: Vec<String> = text.split_whitespace().filter_map(one).collect();
    (!moved_areas.is_empty()).then(|| moved_areas.join(" "))
}

/// The part with these column widths.
pub(super) fn widths(xml: &str, widths: &BTreeMap<u32, f64>) -> String {
    let mut split_columns: BTreeMap<u32, String> = BTreeMap::new();
    let mut columns: Vec<((u32, u32), String)> = Vec::new();
    let mut prefix = "";
    for piece in pieces(xml) {
        if piece.opens("sheetData") {
            prefix = piece.prefix();
        }
        if piece.opens("col") {
            let number =
                |key: &str| piece.attribute(key).and_then(|n| n.parse::<u32>().ok()).unwrap_or(1).max(1);
            columns.push(((number("min") - 1, number("max") - 1), piece.raw.to_owned()));
        }
    }
    // A run of columns is split where one of them gets its own width.
    let mut all: Vec<(u32, String)> = Vec::new();
    for ((first, last), raw) in columns {
        let mut from = first;
        for (column, _) in widths.range(first..=last) {
            split_columns.insert(*column, raw.clone());
            if from < *column {
                all.push((from, span(&raw, from, column - 1)));
            }
            from = column + 1;
        }
        if from <= last {
            all.push((from, span(&raw, from, last)));
        }
    }
    for (column, width) in widths {
        let blank = format!("<{prefix}col/>");
        let raw = span(split_columns.get(column).unwrap_or(&blank), *column, *column);
        all.push((*column, with(&with(&raw, "width", &width.to_string()), "customWidth", "1")));
    }
    all.sort_by_key(|(column, _)| *column);
    let mut cols = format!("<{prefix}cols>");
    all.iter().for_each(|(_, raw)| cols.push_str(raw));
    let _ = write!(cols, "</{prefix}cols>");
    let mut out = String::with_capacity(xml.len() + cols.len());
    let mut inside = false;
    for piece in pieces(xml) {
        match piece.name() {
            "cols" => inside = piece.kind == TagKind::Start,
            "sheetData" if !piece.closes("sheetData") => {
                out.push_str(&cols);
                out.push_str(piece.raw);
            }
            _ if inside => {}
            _ => out.push_str(piece.raw),
        }
    }
    out
}

fn span(raw: &str, first: u32, last: u32) -> String {
    with(&with(raw, "min", &(first + 1).to_string()), "max", &(last + 1).to_string())
}
