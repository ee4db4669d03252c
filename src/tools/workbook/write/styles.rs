//! The styles of a package: adds a style, based on the cell's own, for each new format.

use super::super::{CellFormat, WorkbookError};
use super::xml::{Piece, TagKind, escape, pieces};
use crate::text::unescape_xml;
use std::collections::BTreeMap;

/// Formats that every program knows by number.
const KNOWN: [(&str, usize); 14] = [
    ("General", 0),
    ("0", 1),
    ("0.00", 2),
    ("#,##0", 3),
    ("#,##0.00", 4),
    ("0%", 9),
    ("0.00%", 10),
    ("0.00E+00", 11),
    ("mm-dd-yy", 14),
    ("d-mmm-yy", 15),
    ("h:mm", 20),
    ("h:mm:ss", 21),
    ("m/d/yy h:mm", 22),
    ("@", 49),
];
/// The first number for a workbook's custom formats.
const OWN: usize = 164;

/// A format to add to the one a cell already has.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StyleRequest {
    /// The style it has.
    pub(super) base: usize,
    /// As a day (14) or a time (22), unless `look` has another format.
    pub(super) format: Option<u16>,
    pub(super) look: CellFormat,
}

/// A list of the part, and what was added to it.
struct List {
    items: Vec<String>,
    original_count: usize,
}

impl List {
    fn of(xml: &str, name: &str) -> Self {
        let items = children(xml, name);
        Self { original_count: items.len(), items }
    }

    /// The number of an item; adds it unless we added it before.
    fn number(&mut self, item: String) -> usize {
        let new = self.items.iter().skip(self.original_count).position(|added| *added == item);
        new.map_or_else(
            || {
                self.items.push(item);
                self.items.len() - 1
            },
            |at| at + self.original_count,
        )
    }

    fn added(&self) -> String {
        self.items.iter().skip(self.original_count).map(String::as_str).collect()
    }
}

/// The styles, including those that were added.
pub(super) struct Styles {
    xml: String,
    prefix: String,
    formats: List,
    fills: List,
    fonts: List,
    codes: List,
    added_styles: BTreeMap<StyleRequest, usize>,
}

impl Styles {
    /// Reads a part; an empty text has no styles, and none are added.
    pub(super) fn read(xml: String) -> Result<Self, WorkbookError> {
        let prefix = pieces(&xml).find(|piece| piece.name() == "cellXfs").map_or("", |piece| piece.prefix());
        Ok(Self {
            prefix: prefix.to_owned(),
            formats: List::of(&xml, "cellXfs"),
            fills: List::of(&xml, "fills"),
            fonts: List::of(&xml, "fonts"),
            codes: List::of(&xml, "numFmts"),
            xml,
            added_styles: BTreeMap::new(),
        })
    }

    /// The number of the style for this request.
    pub(super) fn number(&mut self, request: StyleRequest) -> usize {
        if (request.format.is_none() && request.look == CellFormat::default())
            || self.formats.original_count == 0
        {
            return request.base;
        }
        if let Some(number) = self.added_styles.get(&request) {
            return *number;
        }
        let base =
            self.formats.items.get(request.base).or(self.formats.items.first()).cloned().unwrap_or_default();
        let Some(first) = pieces(&base).next() else { return request.base };
        let rest = base.get(first.raw.len()..).unwrap_or_default().to_owned();
        let mut tag = first.raw.to_owned();
        let mut set = |key: &str, value: usize| {
            tag = Piece { kind: first.kind, raw: &tag, at: 0 }.with(key, &value.to_string());
        };
        let format = match &request.look.number_format {
            Some(code) => Some(self.code(code)),
            None => request.format.map(usize::from),
        };
        if let Some(format) = format {
            set("numFmtId", format);
            set("applyNumberFormat", 1);
        }
        let CellFormat { bold, italic, colour, fill, .. } = &request.look;
        if bold.is_some() || italic.is_some() || colour.is_some() {
            let font = first.attribute("fontId").and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            let font = self.fonts.items.get(font).cloned().unwrap_or_default();
            set("fontId", self.fonts.number(font_like(&font, &self.prefix, &request.look)));
            set("applyFont", 1);
        }
        if let Some(colour) = fill {
            let p = &self.prefix;
            set(
                "fillId",
                self.fills.number(format!(
                    "<{p}fill><{p}patternFill patternType=\"solid\">\
                     <{p}fgColor rgb=\"FF{colour}\"/></{p}patternFill></{p}fill>"
                )),
            );
            set("applyFill", 1);
        }
        let number = self.formats.items.len();
        self.formats.items.push(format!("{tag}{rest}"));
        self.added_styles.insert(request, number);
        number
    }

    /// The number of a format code.
    fn code(&mut self, code: &str) -> usize {
        if let Some((_, number)) = KNOWN.iter().find(|(known_code, _)| *known_code == code) {
            return *number;
        }
        let id =
            |item: &String| pieces(item).next().and_then(|p| p.attribute("numFmtId")?.parse::<usize>().ok());
        let format_code = |item: &String| {
            pieces(item).next().and_then(|p| p.attribute("formatCode").map(|c| unescape_xml(c).into_owned()))
        };
        if let Some(existing) =
            self.codes.items.iter().find(|item| format_code(item).as_deref() == Some(code))
        {
            return id(existing).unwrap_or(0);
        }
        let number = self.codes.items.iter().filter_map(id).max().unwrap_or(0).max(OWN - 1) + 1;
        let p = &self.prefix;
        let item = format!("<{p}numFmt numFmtId=\"{number}\" formatCode=\"{}\"/>", escape(code));
        self.codes.items.push(item);
        number
    }

    /// The part with the additions; `None` if there are none.
    pub(super) fn written(self) -> Option<String> {
        if self.added_styles.is_empty() {
            return None;
        }
        let p = &self.prefix;
        let lists = [
            ("numFmts", &self.codes),
            ("fonts", &self.fonts),
            ("fills", &self.fills),
            ("cellXfs", &self.formats),
        ];
        let mut out = String::with_capacity(self.xml.len() + 1_000);
        for piece in pieces(&self.xml) {
            let list = lists.iter().find(|(name, _)| *name == piece.name()).map(|(_, list)| list);
            match (list, piece.kind) {
                (Some(list), TagKind::Start) => {
                    out.push_str(&piece.with("count", &list.items.len().to_string()))
                }
                (Some(list), TagKind::End) => {
                    out.push_str(&list.added());
                    out.push_str(piece.raw);
                }
                _ => out.push_str(piece.raw),
            }
            // By the schema the formats come first, and the part may have had none.
            if piece.opens("styleSheet") && self.codes.original_count == 0 && !self.codes.items.is_empty() {
                let (count, all) = (self.codes.items.len(), self.codes.added());
                out.push_str(&format!("<{p}numFmts count=\"{count}\">{all}</{p}numFmts>"));
            }
        }
        Some(out)
    }
}

/// A font like this one, with the wanted changes.
fn font_like(font: &str, p: &str, look: &CellFormat) -> String {
    let wrapped = format!("<fonts>{font}</fonts>");
    let inner = children(&wrapped, "fonts").first().map(|font| children(font, "font")).unwrap_or_default();
    let named =
        |child: &String| pieces(child).next().map(|piece| piece.name().to_owned()).unwrap_or_default();
    let (bold, italic) = (look.bold, look.italic);
    let has = |name: &str| inner.iter().any(|child| named(child) == name);
    let mut out = format!("<{p}font>");
    for (name, wished) in [("b", bold), ("i", italic)] {
        if wished.unwrap_or_else(|| has(name)) {
            out.push_str(&format!("<{p}{name}/>"));
        }
    }
    let colour = look.colour.as_ref().map(|colour| format!("<{p}color rgb=\"FF{colour}\"/>"));
    // By the schema the colour follows the size.
    let before = ["strike", "condense", "extend", "outline", "shadow", "u", "vertAlign", "sz"];
    let rest = inner.iter().filter(|child| !["b", "i"].contains(&named(child).as_str()));
    let rest: Vec<&String> = rest.filter(|child| colour.is_none() || named(child) != "color").collect();
    let (first, last): (Vec<&String>, Vec<&String>) =
        rest.into_iter().partition(|child| before.contains(&named(child).as_str()));
    first.into_iter().for_each(|child| out.push_str(child));
    out.push_str(&colour.unwrap_or_default());
    last.into_iter().for_each(|child| out.push_str(child));
    out + &format!("</{p}font>")
}

/// The raw children of the list with this name.
fn children(xml: &str, list: &str) -> Vec<String> {
    let mut children = Vec::new();
    let mut depth = 0usize;
    let mut inside = false;
    for piece in pieces(xml) {
        if piece.kind == TagKind::Start && piece.name() == list {
            inside = true;
            continue;
        }
        if piece.closes(list) {
            break;
        }
        if !inside {
            continue;
        }
        if depth == 0 && matches!(piece.kind, TagKind::Start | TagKind::Empty) {
            children.push(String::new());
        }
        match piece.kind {
            TagKind::Start => depth += 1,
            TagKind::End => depth = depth.saturating_sub(1),
            TagKind::Empty | TagKind::Other => {}
        }
        let belongs = depth > 0 || piece.kind != TagKind::Other;
        if belongs && let Some(last) = children.last_mut() {
            last.push_str(piece.raw);
        }
    }
    children
}
