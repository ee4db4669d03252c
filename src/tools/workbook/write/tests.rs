//! Untouched parts stay, and touched ones become what was meant.

use super::super::{Axis, CellFormat, CellPos, Move, Sheet, Value, open};
use super::*;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// A package as a spreadsheet program writes it, with parts we do not know.
fn package(prefix: &str) -> Vec<u8> {
    let doc = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let rels = "http://schemas.openxmlformats.org/package/2006/relationships";
    let (p, ns) =
        if prefix.is_empty() { (String::new(), "xmlns") } else { (format!("{prefix}:"), "xmlns:x") };
    let parts = [
        ("[Content_Types].xml", "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Override PartName=\"/xl/calcChain.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml\"/></Types>".to_owned()),
        ("_rels/.rels", format!("<Relationships xmlns=\"{rels}\"><Relationship Id=\"r1\" Type=\"{doc}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>")),
        ("xl/workbook.xml", format!("<{p}workbook {ns}=\"{MAIN}\" xmlns:r=\"{doc}\"><{p}sheets><{p}sheet name=\"Q&amp;A\" sheetId=\"4\" r:id=\"rId7\"/><{p}sheet name=\"Other\" sheetId=\"9\" r:id=\"rId8\"/></{p}sheets><{p}definedNames><{p}definedName name=\"x\">'Q&amp;A'!$A$1</{p}definedName></{p}definedNames></{p}workbook>")),
        ("xl/_rels/workbook.xml.rels", format!("<Relationships xmlns=\"{rels}\"><Relationship Id=\"rId7\" Type=\"{doc}/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"rId8\" Type=\"{doc}/worksheet\" Target=\"/xl/worksheets/sheet2.xml\"/><Relationship Id=\"rId1\" Type=\"{doc}/styles\" Target=\"styles.xml\"/><Relationship Id=\"rId2\" Type=\"{doc}/calcChain\" Target=\"calcChain.xml\"/></Relationships>")),
        ("xl/styles.xml", format!("<{p}styleSheet {ns}=\"{MAIN}\"><{p}fonts count=\"1\"><{p}font/></{p}fonts><{p}fills count=\"2\"><{p}fill/><{p}fill/></{p}fills><{p}cellXfs count=\"3\"><{p}xf numFmtId=\"0\"/><{p}xf numFmtId=\"14\" fontId=\"0\"><{p}alignment horizontal=\"center\"/></{p}xf><{p}xf numFmtId=\"4\"/></{p}cellXfs></{p}styleSheet>")),
        ("xl/calcChain.xml", "<calcChain/>".to_owned()),
        ("xl/charts/chart1.xml", "<chart>as it was</chart>".to_owned()),
        ("xl/worksheets/sheet1.xml", format!("<{p}worksheet {ns}=\"{MAIN}\"><{p}dimension ref=\"A1:C4\"/><{p}cols><{p}col min=\"1\" max=\"1\" width=\"30\"/></{p}cols><{p}sheetData><{p}row r=\"1\" spans=\"1:3\"><{p}c r=\"A1\" s=\"2\"><{p}v>1</{p}v></{p}c><{p}c r=\"B1\"><{p}f t=\"shared\" ref=\"B1:B3\" si=\"0\">A1*2</{p}f><{p}v>2</{p}v></{p}c></{p}row><{p}row r=\"2\"><{p}c r=\"A2\" s=\"1\"><{p}v>46000</{p}v></{p}c><{p}c r=\"B2\"><{p}f t=\"shared\" si=\"0\"/><{p}v>4</{p}v></{p}c></{p}row><{p}row r=\"4\"><{p}c r=\"C4\" t=\"inlineStr\"><{p}is><{p}t>end</{p}t></{p}is></{p}c></{p}row></{p}sheetData><{p}mergeCells count=\"1\"><{p}mergeCell ref=\"A5:B5\"/></{p}mergeCells></{p}worksheet>")),
        ("xl/worksheets/sheet2.xml", format!("<{p}worksheet {ns}=\"{MAIN}\"><{p}sheetData/></{p}worksheet>")),
    ];
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in &parts {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn part(bytes: &[u8], name: &str) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name(name).ok()?.read_to_string(&mut text).unwrap();
    Some(text)
}

fn set(sheet: &mut Sheet, cell: &str, value: Value) {
    let at = CellPos::read(cell).unwrap();
    sheet.touch(at);
    sheet.put(at, value);
}

#[test]
fn what_was_not_touched_stays_byte_for_byte() {
    for prefix in ["", "x"] {
        let original = package(prefix);
        let mut book = open("b.xlsx", &original).unwrap();
        assert_eq!(book.sheets[0].name, "Q&A");
        assert_eq!(book.sheets[0].shown(CellPos::read("B2").unwrap()), "=A2*2");
        let day = Value::Date(jiff::civil::date(2026, 5, 6).at(0, 0, 0, 0));
        let sheet = &mut book.sheets[0];
        set(sheet, "B1", Value::Text("a <b> & \"c\"".into()));
        set(sheet, "A2", day.clone());
        set(sheet, "B3", Value::Number(-1.5));
        set(sheet, "A4", day.clone());
        set(sheet, "D9", Value::Bool(true));
        let red = CellFormat { fill: Some("FF0000".to_owned()), ..CellFormat::default() };
        sheet.looks.insert(CellPos::read("A1").unwrap(), red);
        sheet.touched.insert(CellPos::read("A1").unwrap());
        let added = book.add("N<w").unwrap();
        set(&mut book.sheets[added], "A1", Value::Text(" kept ".into()));
        book.sheets[added].formulas.insert(CellPos::read("A2").unwrap(), "1<2".to_owned());
        let written = write(&book, &original).unwrap();
        for same in ["xl/charts/chart1.xml", "xl/worksheets/sheet2.xml"] {
            assert_eq!(part(&written, same), part(&original, same));
        }
        assert_eq!(part(&written, "xl/calcChain.xml"), None);
        let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
        for kept in ["width=\"30\"", "mergeCell ref=\"A5:B5\"", ">end<"] {
            assert!(sheet.contains(kept), "{kept}: {sheet}");
        }
        let main = part(&written, "xl/workbook.xml").unwrap();
        let (names, calc) =
            (main.find("/definedNames").or(main.find("x:definedNames>")), main.find("calcPr"));
        assert!(names < calc && main.contains("fullCalcOnLoad=\"1\""), "{main}");

        let again = open("b.xlsx", &written).unwrap();
        let names: Vec<&str> = again.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        assert_eq!(names, ["Q&A", "Other", "N<w"]);
        let shown = |sheet: usize, cell: &str| again.sheets[sheet].shown(CellPos::read(cell).unwrap());
        assert_eq!(shown(0, "A1"), "1");
        assert_eq!(shown(0, "B1"), "a <b> & \"c\"");
        // Its group lost its first cell, so it has its own text now.
        assert_eq!(shown(0, "B2"), "=A2*2");
        assert_eq!(again.sheets[0].value(CellPos::read("A2").unwrap()), &day);
        assert_eq!(again.sheets[0].value(CellPos::read("A4").unwrap()), &day);
        assert_eq!(
            (shown(0, "B3"), shown(0, "D9"), shown(0, "C4")),
            ("-1.5".into(), "TRUE".into(), "end".into())
        );
        assert_eq!((shown(2, "A1"), shown(2, "A2")), (" kept ".into(), "=1<2".into()));
        // A2 keeps its style; the others have new ones based on their own.
        assert!(sheet.contains("r=\"A2\" s=\"1\"") && sheet.contains("r=\"A1\" s=\"3\""), "{sheet}");
        let styles = part(&written, "xl/styles.xml").unwrap();
        assert!(
            styles.contains("cellXfs count=\"5\"") && styles.contains("fgColor rgb=\"FFFF0000\""),
            "{styles}"
        );
        assert!(styles.contains("numFmtId=\"4\" fillId=\"2\" applyFill=\"1\""), "{styles}");
    }
}

#[test]
fn what_xml_cannot_hold_is_left_out_and_the_rest_escaped() {
    assert_eq!(xml::escape("a\u{1}<&>\"\u{ffff}é\n"), "a&lt;&amp;&gt;&quot;é\n");
}

/// A date from a program that writes `t="n"` stays a date and keeps its format.
#[test]
fn a_date_of_any_program_keeps_its_format() {
    for kind in ["", " t=\"n\""] {
        let original = package("");
        let xml = part(&original, "xl/worksheets/sheet1.xml").unwrap();
        let xml = xml.replace("r=\"A2\" s=\"1\"", &format!("r=\"A2\" s=\"1\"{kind}"));
        let mut parts = Package::open(&original).unwrap();
        parts.put("xl/worksheets/sheet1.xml", xml);
        let original = parts.finish().unwrap();
        let mut book = open("b.xlsx", &original).unwrap();
        set(&mut book.sheets[0], "A2", Value::Date(jiff::civil::date(2026, 5, 6).at(0, 0, 0, 0)));
        let written = write(&book, &original).unwrap();
        let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
        assert!(sheet.contains("r=\"A2\" s=\"1\""), "{kind}: {sheet}");
    }
}

#[test]
fn rows_move_and_what_refers_to_them_follows() {
    for prefix in ["", "x"] {
        let original = package(prefix);
        let mut book = open("b.xlsx", &original).unwrap();
        let rows = |at, count, insert| Move { axis: Axis::Rows, at, count, insert };
        book.move_cells(0, rows(0, 1, false)).unwrap();
        book.move_cells(0, rows(0, 3, true)).unwrap();
        let written = write(&book, &original).unwrap();
        let again = open("b.xlsx", &written).unwrap();
        let shown = |cell: &str| again.sheets[0].shown(CellPos::read(cell).unwrap());
        assert_eq!(
            (shown("A4"), shown("B4"), shown("C6")),
            ("2025-12-09".into(), "=A4*2".into(), "end".into())
        );
        let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
        for kept in ["width=\"30\"", "mergeCell ref=\"A7:B7\"", "r=\"A4\" s=\"1\""] {
            assert!(sheet.contains(kept), "{kept}: {sheet}");
        }
        let main = part(&written, "xl/workbook.xml").unwrap();
        assert!(main.contains("name=\"x\">#REF!<"), "{main}");
        assert_eq!(part(&written, "xl/worksheets/sheet2.xml"), part(&original, "xl/worksheets/sheet2.xml"));
    }
}

#[test]
fn columns_move_with_their_widths_and_sheets_are_renamed_and_removed() {
    let original = package("");
    let mut book = open("b.xlsx", &original).unwrap();
    book.move_cells(0, Move { axis: Axis::Columns, at: 0, count: 2, insert: true }).unwrap();
    book.sheets[0].widths.insert(0, 12.5);
    book.rename(0, "It's new").unwrap();
    book.remove(1).unwrap();
    assert!(book.remove(0).is_err(), "the last one stays");
    let bold =
        CellFormat { bold: Some(true), number_format: Some("0.000".to_owned()), ..CellFormat::default() };
    let at = CellPos::read("C1").unwrap();
    book.sheets[0].looks.insert(at, bold);
    book.sheets[0].touch(at);
    let written = write(&book, &original).unwrap();
    let again = open("b.xlsx", &written).unwrap();
    assert_eq!(again.sheets.len(), 1);
    assert_eq!(again.sheets[0].name, "It's new");
    assert_eq!(again.sheets[0].shown(CellPos::read("D2").unwrap()), "=C2*2");
    let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
    let widths = "<cols><col min=\"1\" max=\"1\" width=\"12.5\" customWidth=\"1\"/><col min=\"3\" max=\"3\" width=\"30\"/></cols>";
    assert!(sheet.contains(widths), "{sheet}");
    let main = part(&written, "xl/workbook.xml").unwrap();
    assert!(main.contains("'It''s new'!$C$1"), "{main}");
    assert_eq!(part(&written, "xl/worksheets/sheet2.xml"), None);
    let styles = part(&written, "xl/styles.xml").unwrap();
    assert!(styles.contains("<numFmt numFmtId=\"164\" formatCode=\"0.000\"/>"), "{styles}");
    assert!(styles.contains("<fonts count=\"2\"><font/><font><b/></font></fonts>"), "{styles}");
}

#[test]
fn an_empty_named_range_or_chart_reference_stays_empty() {
    let original = package("");
    let xml = part(&original, "xl/workbook.xml").unwrap();
    let local = |at: u8| format!("<definedName name=\"e{at}\" localSheetId=\"{at}\"></definedName>");
    let empty = format!("<definedNames><definedName name=\"e\"></definedName>{}{}", local(0), local(1));
    let mut parts = Package::open(&original).unwrap();
    parts.put("xl/workbook.xml", xml.replace("<definedNames>", &empty));
    parts.put("xl/charts/chart1.xml", "<c:chart><c:f></c:f><c:f>'Q&amp;A'!$A$1</c:f></c:chart>".to_owned());
    let original = parts.finish().unwrap();
    let mut book = open("b.xlsx", &original).unwrap();
    book.rename(0, "New").unwrap();
    book.remove(1).unwrap();
    let written = write(&book, &original).unwrap();
    let main = part(&written, "xl/workbook.xml").unwrap();
    let names = "<definedNames><definedName name=\"e\"></definedName>\
                 <definedName name=\"e0\" localSheetId=\"0\"></definedName>\
                 <definedName name=\"x\">'New'!$A$1</definedName></definedNames>";
    assert!(main.contains(names), "{main}");
    let chart = part(&written, "xl/charts/chart1.xml").unwrap();
    assert_eq!(chart, "<c:chart><c:f></c:f><c:f>'New'!$A$1</c:f></c:chart>");
}
