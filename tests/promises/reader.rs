//! S06: workbooks that are bombs are refused by the reader's child, which can do nothing else.

use crate::report;
use crate::support::python::reader;
use sayso::tools::cage::{CageError, Limits, Reader};
use sayso::tools::workbook::{self, CellPos};
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[tokio::test]
async fn s06_the_child_that_reads_can_do_nothing_else() {
    let layers = reader().check().await.unwrap();
    assert!(layers.limits, "{layers:?}");
    // Where there is no child, nothing is read.
    let none = Reader::of("/nowhere/at/all".into());
    let refused = none.look("a.csv", None, &Limits::default(), b"a\n1\n").await;
    assert!(matches!(refused, Err(CageError::Unavailable(_))), "{refused:?}");
}

fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// An .xlsx with this sheet.
fn xlsx(sheet: &[u8], strings: &[u8]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let doc = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let rels = "http://schemas.openxmlformats.org/package/2006/relationships";
    let book = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{doc}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    let top = format!(
        "<Relationships xmlns=\"{rels}\"><Relationship Id=\"r1\" Type=\"{doc}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let inner = format!(
        "<Relationships xmlns=\"{rels}\"><Relationship Id=\"r1\" Type=\"{doc}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    package(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", top.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", inner.as_bytes()),
        ("xl/sharedStrings.xml", strings),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

#[tokio::test]
async fn s06_workbooks_that_are_bombs_are_refused_in_bounded_memory() {
    let entities =
        b"<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><sst>&a;</sst>";
    let laughs =
        b"<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><worksheet><sheetData/></worksheet>";
    let far = b"<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>\
        <row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row></sheetData></worksheet>";
    let mut wide = b"<worksheet><sheetData>".to_vec();
    for row in 1..=2_000 {
        wide.extend(format!("<row r=\"{row}\"><c r=\"XFD{row}\"><v>1</v></c></row>").bytes());
    }
    wide.extend(b"</sheetData></worksheet>");
    let zeros = vec![b' '; 200 << 20];
    let many: Vec<(String, Vec<u8>)> = (0..5_000).map(|n| (format!("p{n}.bin"), Vec::new())).collect();
    let many: Vec<(&str, &[u8])> =
        many.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let declared = b"<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData/></worksheet>";
    let bombs = [
        ("external entity", "b.xlsx", xlsx(b"<worksheet/>", entities), Some("entities")),
        ("entity expansion", "b.xlsx", xlsx(laughs, b"<sst/>"), Some("entities")),
        ("far corners", "b.xlsx", xlsx(far, b"<sst/>"), None),
        ("wide rows", "b.xlsx", xlsx(&wide, b"<sst/>"), Some("too large")),
        ("a part of spaces", "b.xlsx", xlsx(&zeros, b"<sst/>"), Some("zip bomb")),
        ("thousands of parts", "b.xlsx", package(&many), Some("parts")),
        ("only declared", "b.xlsx", xlsx(declared, b"<sst/>"), None),
        ("no package", "b.xlsx", b"PK\x03\x04garbage".to_vec(), Some("b.xlsx cannot be read: it is not")),
        ("no package", "b.ods", vec![0; 1000], Some("b.ods cannot be read: it is not")),
        ("no workbook", "b.xls", vec![0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0], Some("")),
        ("a spaced .ods", "b.ods", package(&[("content.xml", &zeros)]), Some("zip bomb")),
        ("binary .csv", "b.csv", vec![0; 5000], Some("no text")),
    ];
    for (what, name, bytes, expected) in &bombs {
        let began = Instant::now();
        let limits = Limits { memory: 256 << 20, ..Limits::default() };
        let result = reader().look(name, None, &limits, bytes).await;
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        match (expected, result) {
            (Some(expected), Err(CageError::Workbook(text))) => {
                assert!(text.contains(expected), "{what}: {text}")
            }
            (None, Ok(_) | Err(CageError::Workbook(_))) => {}
            (_, other) => panic!("{what}: {other:?}"),
        }
    }
    report("S06", "workbooks that are bombs", bombs.len());
}

/// What somebody typed into a column is no formula when a workbook becomes another format.
#[tokio::test]
async fn s06_text_of_a_workbook_does_not_become_a_formula() {
    let book = "Name,Note\n\"=HYPERLINK(\"\"http://evil.example\"\",\"\"x\"\")\",a\n =cmd|'/C calc'!A0,b\n@SUM(A1),c\n";
    let bytes = reader().convert("book.csv", &Limits::default(), book.as_bytes()).await.unwrap();
    let written = workbook::open("copy.xlsx", &bytes).unwrap();
    assert!(written.sheets[0].formulas.is_empty(), "{:?}", written.sheets[0].formulas);
    assert!(written.sheets[0].value(CellPos::read("A2").unwrap()).shown().starts_with("=HYPERLINK"));
}

/// 50,000 rows are read, converted, changed and compared within 256 MB and, by a build that is not optimised, a
/// minute.
#[tokio::test]
async fn a_large_workbook_stays_within_its_time_and_memory() {
    let mut text = String::from("Region,Product,Amount,Units,Day\n");
    for n in 0..50_000 {
        let line = format!("Reg{},P{},{}.5,{},2026-01-{:02}\n", n % 7, n % 13, n % 1000, n % 50, n % 28 + 1);
        text.push_str(&line);
    }
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let began = Instant::now();
    let seen = reader().look("big.csv", Some("Reg3".to_owned()), &limits, text.as_bytes()).await.unwrap();
    assert_eq!(seen.summary.sheets[0].rows, 50_001);
    assert_eq!(seen.found, ["\"reg3\" in big: 7143 cells, first A5, A12, A19, A26, A33"]);
    let packed = reader().convert("big.csv", &limits, text.as_bytes()).await.unwrap();
    let other = text.replacen("P0,0.5", "P0,7.5", 1);
    let other = reader().convert("big.csv", &limits, other.as_bytes()).await.unwrap();
    let both = [packed.as_slice(), &other, &packed];
    let (compared, patched) = reader().compare("big.xlsx", both, &[], &limits).await.unwrap();
    assert_eq!((compared.changed, compared.changes[0].after.as_str(), compared.patched), (1, "7.5", true));
    assert_eq!(reader().look("big.xlsx", None, &limits, &patched).await.unwrap().summary, compared.summary);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    println!(
        "50,000 rows of 5 cells: read, converted twice, compared and read again in {:?}",
        began.elapsed()
    );
}
