//! Whether two packages that one program wrote differ in more than values and formulas.

use super::super::WorkbookError;
use super::package::Package;
use super::xml::{Piece, TagKind, pieces};
use std::fmt::Write;

/// The values of texts; sheets refer to them by number.
const STRINGS: &str = "xl/sharedStrings.xml";
/// Who saved it, and when.
const PROPERTIES: &str = "docProps/core.xml";

/// Whether two workbooks that one program wrote differ in values and formulas at most.
pub fn is_same_form(one: &[u8], two: &[u8]) -> bool {
    is_same(one, two).unwrap_or(false)
}

fn is_same(one: &[u8], two: &[u8]) -> Result<bool, WorkbookError> {
    let (mut one, mut two) = (Package::open(one)?, Package::open(two)?);
    let names = one.names();
    if names != two.names() {
        return Ok(false);
    }
    for name in names.iter().filter(|name| *name != STRINGS) {
        let (before, after) = (one.bytes(name)?, two.bytes(name)?);
        let same = before == after
            || match (std::str::from_utf8(&before), std::str::from_utf8(&after)) {
                (Ok(before), Ok(after)) if name.starts_with("xl/worksheets/sheet") => {
                    form(before) == form(after)
                }
                (Ok(before), Ok(after)) if name == PROPERTIES => undated(before) == undated(after),
                _ => false,
            };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A sheet without what its cells hold. Formulas that fill an area belong to its form.
fn form(xml: &str) -> String {
    let mut out = String::with_capacity(1_000);
    let mut cell: Option<&str> = None;
    for piece in pieces(xml) {
        match piece.name() {
            "c" if piece.kind != TagKind::End => {
                let place = piece.attribute("r").unwrap_or_default();
                if let Some(style) = piece.attribute("s").filter(|style| *style != "0") {
                    let _ = write!(out, "[{place} {style}]");
                }
                cell = (piece.kind == TagKind::Start).then_some(place);
            }
            "c" => cell = None,
            "f" if cell.is_some() && piece.attribute("t").is_some_and(|kind| kind != "shared") => {
                let _ = write!(out, "[{} {}]", cell.unwrap_or_default(), piece.raw);
            }
            _ if cell.is_some() => {}
            "row" => row(&mut out, &piece),
            // How far the cells reach.
            "dimension" => {}
            "sheetData" => out.push_str("sheetData"),
            _ => out.push_str(piece.raw),
        }
    }
    out
}

/// A row counts if it has more than a number.
fn row(out: &mut String, piece: &Piece<'_>) {
    let number = piece.attribute("r").unwrap_or_default();
    let spans = piece.attribute("spans").map(|spans| format!("spans=\"{spans}\"")).unwrap_or_default();
    let rest = piece.raw.replacen(&format!("r=\"{number}\""), "", 1).replacen(&spans, "", 1);
    if rest.contains('=') {
        let _ = write!(out, "[{number} {rest}]");
    }
}

/// The properties without the time of the last change.
fn undated(xml: &str) -> String {
    let mut is_date = false;
    let kept = pieces(xml).filter(|piece| {
        is_date = piece.opens("modified") || (is_date && !piece.closes("modified"));
        !is_date
    });
    kept.map(|piece| piece.raw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_formulas_are_no_form() {
        let sheet = |rows: &str| {
            format!("<worksheet><dimension ref=\"A1\"/><sheetData>{rows}</sheetData><cols/></worksheet>")
        };
        let plain = form(&sheet("<row r=\"1\" spans=\"1:2\"><c r=\"A1\" s=\"2\"><v>1</v></c></row>"));
        for same in [
            "<row r=\"1\"><c r=\"A1\" s=\"2\" t=\"s\"><v>7</v></c></row>",
            "<row r=\"1\" spans=\"1:9\"><c r=\"A1\" s=\"2\"/><c r=\"C1\"><f>A1*2</f><v/></c></row><row r=\"4\"><c r=\"B4\" s=\"0\"/></row>",
        ] {
            assert_eq!(form(&sheet(same)), plain, "{same}");
        }
        for other in [
            "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>",
            "<row r=\"1\"><c r=\"A1\" s=\"2\"><v>1</v></c><c r=\"B1\" s=\"1\"/></row>",
            "<row r=\"1\" ht=\"20\"><c r=\"A1\" s=\"2\"><v>1</v></c></row>",
            "<row r=\"1\"><c r=\"A1\" s=\"2\"><f t=\"array\" ref=\"A1:A3\">B1:B3</f><v/></c></row>",
        ] {
            assert_ne!(form(&sheet(other)), plain, "{other}");
        }
        let saved = |when: &str| {
            format!("<cp><dc:title>x</dc:title><dcterms:modified a=\"b\">{when}</dcterms:modified></cp>")
        };
        assert_eq!(undated(&saved("today")), undated(&saved("yesterday")));
        assert!(undated(&saved("today")).contains("<dc:title>x<"));
    }
}
