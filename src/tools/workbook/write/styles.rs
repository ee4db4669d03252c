//! The styles of a package: for a marked cell, or a date where none was, one more style like the cell's own.

use super::super::WorkbookError;
use super::xml::{Kind, Piece, pieces};
use std::collections::BTreeMap;

/// How a cell is to look beside how it looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wish {
    /// The style it has.
    pub(super) base: usize,
    /// As a day (14) or a moment (22).
    pub(super) format: Option<u16>,
    /// Filled with this colour, six hexadecimal digits.
    pub(super) fill: Option<String>,
}

/// The styles, and those that were added.
pub(super) struct Styles {
    xml: String,
    formats: Vec<String>,
    known: usize,
    fills: usize,
    colours: Vec<String>,
    given: BTreeMap<Wish, usize>,
}

impl Styles {
    /// Reads a part; an empty text has no styles and gives none.
    pub(super) fn read(xml: String) -> Result<Self, WorkbookError> {
        let formats = children(&xml, "cellXfs");
        let fills = children(&xml, "fills").len();
        let known = formats.len();
        Ok(Self { xml, formats, known, fills, colours: Vec::new(), given: BTreeMap::new() })
    }

    /// The number of the style that looks so.
    pub(super) fn number(&mut self, wish: Wish) -> usize {
        if (wish.format.is_none() && wish.fill.is_none()) || self.known == 0 {
            return wish.base;
        }
        if let Some(number) = self.given.get(&wish) {
            return *number;
        }
        let Some(base) = self.formats.get(wish.base).or(self.formats.first()) else { return wish.base };
        let (first, rest) = match pieces(base).next() {
            Some(first) => (first, base.get(first.raw.len()..).unwrap_or_default().to_owned()),
            None => return wish.base,
        };
        let mut tag = first.raw.to_owned();
        let mut set = |key: &str, value: &str| {
            let piece = Piece { kind: first.kind, raw: &tag, at: 0 };
            tag = piece.with(key, value);
        };
        if let Some(format) = wish.format {
            set("numFmtId", &format.to_string());
            set("applyNumberFormat", "1");
        }
        if let Some(colour) = &wish.fill {
            let place = self.colours.iter().position(|known| known == colour).unwrap_or_else(|| {
                self.colours.push(colour.clone());
                self.colours.len() - 1
            });
            set("fillId", &(self.fills + place).to_string());
            set("applyFill", "1");
        }
        self.formats.push(format!("{tag}{rest}"));
        let number = self.formats.len() - 1;
        self.given.insert(wish, number);
        number
    }

    /// The part with what was added; nothing where nothing was.
    pub(super) fn written(self) -> Option<String> {
        if self.given.is_empty() {
            return None;
        }
        let prefix =
            pieces(&self.xml).find(|piece| piece.name() == "cellXfs").map_or("", |piece| piece.prefix());
        let fills: String = self
            .colours
            .iter()
            .map(|colour| {
                format!(
                    "<{prefix}fill><{prefix}patternFill patternType=\"solid\">\
                     <{prefix}fgColor rgb=\"FF{colour}\"/></{prefix}patternFill></{prefix}fill>"
                )
            })
            .collect();
        let formats: String = self.formats.iter().skip(self.known).map(String::as_str).collect();
        let mut out = String::with_capacity(self.xml.len() + fills.len() + formats.len());
        for piece in pieces(&self.xml) {
            if piece.closes("fills") {
                out.push_str(&fills);
            }
            if piece.closes("cellXfs") {
                out.push_str(&formats);
            }
            let count = match (piece.kind, piece.name()) {
                (Kind::Start, "fills") => Some(self.fills + self.colours.len()),
                (Kind::Start, "cellXfs") => Some(self.formats.len()),
                _ => None,
            };
            match count {
                Some(count) => out.push_str(&piece.with("count", &count.to_string())),
                None => out.push_str(piece.raw),
            }
        }
        Some(out)
    }
}

/// The raw children of the one list of this name.
fn children(xml: &str, list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut inside = false;
    for piece in pieces(xml) {
        if piece.kind == Kind::Start && piece.name() == list {
            inside = true;
            continue;
        }
        if piece.closes(list) {
            break;
        }
        if !inside {
            continue;
        }
        if depth == 0 && matches!(piece.kind, Kind::Start | Kind::Empty) {
            found.push(String::new());
        }
        match piece.kind {
            Kind::Start => depth += 1,
            Kind::End => depth = depth.saturating_sub(1),
            Kind::Empty | Kind::Other => {}
        }
        let belongs = depth > 0 || piece.kind != Kind::Other;
        if belongs && let Some(last) = found.last_mut() {
            last.push_str(piece.raw);
        }
    }
    found
}
