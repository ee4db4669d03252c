//! Untouched parts stay, and touched ones become what was meant.

use super::super::{CellPos, Sheet, Value, open};
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
    sheet.put(CellPos::read(cell).unwrap(), value);
}

#[test]
fn what_was_not_touched_stays_byte_for_byte() {
    for prefix in ["", "x"] {
        let original = package(prefix);
        let was = open("b.xlsx", &original).unwrap();
        assert_eq!(was.sheets[0].name, "Q&A");
        assert_eq!(was.sheets[0].shown(CellPos::read("B2").unwrap()), "=A2*2");
        let mut book = was.clone();
        let day = Value::Date(jiff::civil::date(2026, 5, 6).at(0, 0, 0, 0));
        let sheet = &mut book.sheets[0];
        set(sheet, "B1", Value::Text("a <b> & \"c\"".into()));
        set(sheet, "A2", day.clone());
        set(sheet, "B3", Value::Number(-1.5));
        set(sheet, "D9", Value::Bool(true));
        sheet.formulas.insert(CellPos::read("D10").unwrap(), "1<2".to_owned());
        let written = patch(&original, &was, &book).unwrap();
        for same in ["xl/charts/chart1.xml", "xl/worksheets/sheet2.xml", "xl/styles.xml"] {
            assert_eq!(part(&written, same), part(&original, same));
        }
        assert_eq!(part(&written, "xl/calcChain.xml"), None);
        let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
        for kept in
            ["width=\"30\"", "mergeCell ref=\"A5:B5\"", ">end<", "r=\"A1\" s=\"2\"", "r=\"A2\" s=\"1\""]
        {
            assert!(sheet.contains(kept), "{kept}: {sheet}");
        }
        let main = part(&written, "xl/workbook.xml").unwrap();
        let (names, calc) =
            (main.find("/definedNames").or(main.find("x:definedNames>")), main.find("calcPr"));
        assert!(names < calc && main.contains("fullCalcOnLoad=\"1\""), "{main}");

        let again = open("b.xlsx", &written).unwrap();
        let names: Vec<&str> = again.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        assert_eq!(names, ["Q&A", "Other"]);
        let shown = |cell: &str| again.sheets[0].shown(CellPos::read(cell).unwrap());
        assert_eq!(shown("A1"), "1");
        assert_eq!(shown("B1"), "a <b> & \"c\"");
        // Its group lost its first cell, so it has its own text now.
        assert_eq!(shown("B2"), "=A2*2");
        assert_eq!(again.sheets[0].value(CellPos::read("A2").unwrap()), &day);
        let rest = ["B3", "D9", "D10", "C4"].map(shown);
        assert_eq!(rest, ["-1.5", "TRUE", "=1<2", "end"]);
    }
}

#[test]
fn another_format_becomes_a_package() {
    let text = "Name,Day,At\n N<w ,2026-05-06,2026-05-06T10:30:00\n";
    let mut book = open("sales.csv", text.as_bytes()).unwrap();
    book.sheets[0].formulas.insert(CellPos::read("D2").unwrap(), "1<2".to_owned());
    let written = convert(&book).unwrap();
    let again = open("sales.xlsx", &written).unwrap();
    assert_eq!(again.sheets[0].name, "sales");
    let shown = ["A2", "B2", "C2", "D2"].map(|cell| again.sheets[0].shown(CellPos::read(cell).unwrap()));
    assert_eq!(shown, [" N<w ", "2026-05-06", "2026-05-06T10:30:00", "=1<2"]);
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
        let was = open("b.xlsx", &original).unwrap();
        let mut book = was.clone();
        set(&mut book.sheets[0], "A2", Value::Date(jiff::civil::date(2026, 5, 6).at(0, 0, 0, 0)));
        let written = patch(&original, &was, &book).unwrap();
        let sheet = part(&written, "xl/worksheets/sheet1.xml").unwrap();
        assert!(sheet.contains("r=\"A2\" s=\"1\""), "{kind}: {sheet}");
    }
}
