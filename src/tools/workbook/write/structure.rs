//! Updates the parts around the sheets after sheets were renamed, removed or had cells moved: the list of sheets, named
//! ranges, drawings and charts.

use super::super::follow::{Axis, Move};
use super::super::{Book, WorkbookError};
use super::cells::element;
use super::moved::push_formula;
use super::package::{Package, TYPES, rels_of};
use super::xml::{Piece, TagKind, escape, pieces};
use crate::text::unescape_xml;
use std::collections::BTreeMap;

/// Parts of a sheet that cannot follow its rows, by the end of their relationship's name.
const OBSTACLES: [(&str, &str); 5] = [
    ("/table", "a table"),
    ("/pivotTable", "a pivot table"),
    ("/comments", "comments"),
    ("/threadedComment", "comments"),
    ("/queryTable", "a query"),
];

impl Package<'_> {
    /// What cannot follow in each sheet when rows or columns move.
    pub(super) fn obstacles(&mut self) -> Result<BTreeMap<String, Vec<String>>, WorkbookError> {
        let mut obstacles = BTreeMap::new();
        for (name, part) in self.sheets()? {
            // Most sheets have no relationships, and no part for them.
            let rels = self.rels(&part).unwrap_or_default();
            let mut words: Vec<String> = Vec::new();
            for (ending, word) in OBSTACLES {
                if rels.iter().any(|rel| rel.kind.ends_with(ending))
                    && !words.iter().any(|known| known == word)
                {
                    words.push(word.to_owned());
                }
            }
            obstacles.insert(name, words);
        }
        Ok(obstacles)
    }

    /// Keeps charts and pictures of a sheet next to the cells they were at.
    pub(super) fn move_drawings(&mut self, sheet: &str, moves: &[Move]) -> Result<(), WorkbookError> {
        let drawings = self.rels(sheet).unwrap_or_default();
        for rel in drawings.into_iter().filter(|rel| rel.kind.ends_with("/drawing")) {
            let xml = self.read(&rel.target)?;
            let mut out = String::with_capacity(xml.len());
            let mut rest = pieces(&xml);
            while let Some(piece) = rest.next() {
                out.push_str(piece.raw);
                let axis = match piece.name() {
                    "row" => Axis::Rows,
                    "col" => Axis::Columns,
                    _ => continue,
                };
                if piece.kind != TagKind::Start {
                    continue;
                }
                let Some(text) = rest.next() else { break };
                match text.raw.trim().parse::<u32>() {
                    Ok(n) => {
                        let now = moves.iter().filter(|moved| moved.axis == axis);
                        // A drawing at a deleted row stays in its place.
                        let now = now.fold(n, |n, moved| moved.follow(n).unwrap_or(moved.at));
                        out.push_str(&now.to_string());
                    }
                    Err(_) => out.push_str(text.raw),
                }
            }
            if out != xml {
                self.put(&rel.target, out);
            }
        }
        Ok(())
    }

    /// Updates everything outside the sheets that names one: their list, named ranges and charts.
    pub(super) fn follow(&mut self, book: &Book) -> Result<(), WorkbookError> {
        for chart in self.charts() {
            let xml = self.read(&chart)?;
            let mut out = String::with_capacity(xml.len());
            let mut rest = pieces(&xml);
            while let Some(piece) = rest.next() {
                out.push_str(piece.raw);
                if piece.kind == TagKind::Start && piece.name() == "f" {
                    push_formula(&mut out, &mut rest, "", &book.history);
                }
            }
            if out != xml {
                self.put(&chart, out);
            }
        }
        let parts = self.sheets()?;
        let removed_parts: Vec<String> = parts
            .iter()
            .filter(|(name, _)| book.removed.contains(name))
            .map(|(_, part)| part.clone())
            .collect();
        let workbook = self.workbook.clone();
        let xml = self.read(&workbook)?;
        let listed = list_of_sheets(&xml, book);
        self.put(&workbook, listed);
        if removed_parts.is_empty() {
            return Ok(());
        }
        let rels = self.rels(&workbook)?;
        let ids: Vec<&str> = rels
            .iter()
            .filter(|rel| removed_parts.contains(&rel.target))
            .map(|rel| rel.id.as_str())
            .collect();
        self.drop_pieces(&rels_of(&workbook), |piece| {
            piece.attribute("Id").is_some_and(|id| ids.contains(&id))
        })?;
        self.drop_pieces(TYPES, |piece| {
            let part = piece.attribute("PartName").map(|part| part.trim_start_matches('/').to_owned());
            part.is_some_and(|part| removed_parts.contains(&part))
        })?;
        for part in removed_parts {
            self.dropped.insert(rels_of(&part));
            self.dropped.insert(part);
        }
        Ok(())
    }

    fn drop_pieces(&mut self, part: &str, is_gone: impl Fn(&Piece<'_>) -> bool) -> Result<(), WorkbookError> {
        let xml = self.read(part)?;
        let rest: String = pieces(&xml).filter(|piece| !is_gone(piece)).map(|piece| piece.raw).collect();
        self.put(part, rest);
        Ok(())
    }
}

/// The workbook's part with the current sheets and updated named ranges.
fn list_of_sheets(xml: &str, book: &Book) -> String {
    let names: Vec<String> = pieces(xml)
        .filter(|piece| piece.opens("sheet"))
        .map(|piece| unescape_xml(piece.attribute("name").unwrap_or_default()).into_owned())
        .collect();
    let is_gone = |name: &String| book.removed.contains(name);
    // Maps the old position of a sheet that stays to its new one.
    let place = |at: usize| {
        let stays = names.get(at).is_some_and(|name| !is_gone(name));
        stays.then(|| names.iter().take(at).filter(|name| !is_gone(name)).count())
    };
    let mut out = String::with_capacity(xml.len());
    let mut rest = pieces(xml);
    let mut n = 0;
    while let Some(piece) = rest.next() {
        match piece.name() {
            "sheet" if piece.opens("sheet") => {
                let name = names.get(n).cloned().unwrap_or_default();
                n += 1;
                if is_gone(&name) {
                    continue;
                }
                let now = book.sheets.iter().find(|sheet| sheet.origin.as_deref() == Some(&name));
                match now.filter(|sheet| sheet.name != name) {
                    Some(sheet) => out.push_str(&piece.with("name", &escape(&sheet.name))),
                    None => out.push_str(piece.raw),
                }
            }
            "workbookView" if piece.attribute("activeTab").is_some() => {
                let at = piece.attribute("activeTab").and_then(|n| n.parse().ok()).unwrap_or(0);
                out.push_str(&piece.with("activeTab", &place(at).unwrap_or(0).to_string()));
            }
            "definedName" if piece.kind == TagKind::Start => {
                let old_index = piece.attribute("localSheetId").and_then(|n| n.parse::<usize>().ok());
                let tag = match old_index.map(place) {
                    Some(None) => {
                        element(piece, &mut rest);
                        continue;
                    }
                    Some(Some(at)) => piece.with("localSheetId", &at.to_string()),
                    None => piece.raw.to_owned(),
                };
                let sheet = old_index.and_then(|at| names.get(at)).map_or("", String::as_str);
                out.push_str(&tag);
                push_formula(&mut out, &mut rest, sheet, &book.history);
            }
            _ => out.push_str(piece.raw),
        }
    }
    out
}
