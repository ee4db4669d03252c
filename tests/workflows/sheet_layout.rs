//! What code does to a workbook beside values: rows, columns, sheets and looks; and code as models write it.

use sayso::tools::sandbox::{Job, Limits, Observation, Report, Sandbox, Work};
use sayso::tools::workbook::{self, Book, CellPos};

const ORDERS: &[u8] = include_bytes!("../fixtures/workbooks/orders.xlsx");

async fn run(code: &str) -> (Report, Observation, Vec<u8>) {
    let job = Job {
        name: "orders.xlsx".to_owned(),
        work: Work::Write,
        cells: vec![code.to_owned()],
        limits: Limits::default(),
        ..Job::default()
    };
    let (report, bytes) = Sandbox::of(env!("CARGO_BIN_EXE_sayso").into()).run(&job, ORDERS).await.unwrap();
    let observation = report.observation.clone().unwrap();
    (report, observation, bytes)
}

async fn ran(code: &str) -> (Observation, Book) {
    let (_, observation, bytes) = run(code).await;
    assert_eq!(observation.error, None, "{code}");
    let book = workbook::open("orders.xlsx", &bytes).unwrap();
    (observation, book)
}

fn shown(book: &Book, sheet: &str, cell: &str) -> String {
    book.sheets[book.find(sheet).unwrap()].shown(CellPos::read(cell).unwrap())
}

#[tokio::test]
async fn rows_are_deleted_and_formulas_and_ranges_follow() {
    let code = "s = sheet('Orders')\nfor row in range(s.size()[0], 1, -1):\n    \
        if s.get((row, 9)) == 'cancelled':\n        s.delete_rows(row)\nprint(s.size())";
    let (observation, book) = ran(code).await;
    assert_eq!(observation.stdout, "(34, 9)\n");
    assert_eq!(observation.layout.len(), 7);
    assert_eq!(observation.layout[0], "`Orders`: 1 row deleted, the first row 41.");
    assert_eq!(shown(&book, "Orders", "H5"), "=F5*G5");
    assert_eq!(shown(&book, "Orders", "A5"), "A-1005");
    assert_eq!(shown(&book, "Customers", "D2"), "=COUNTIF(Orders!$C$2:$C$34,A2)");
}

#[tokio::test]
async fn what_openpyxl_code_does_is_done() {
    let code = "from openpyxl import load_workbook\nfrom openpyxl.styles import Font\n\
        wb = load_workbook('orders.xlsx')\nws = wb['Orders']\nprint(ws.max_row, ws['B2'].value, ws.cell(row=2, column=3).value)\n\
        names = [row[2] for row in ws.iter_rows(min_row=2, values_only=True)]\nprint(sorted(set(names), key=str.lower)[0])\n\
        ws.insert_cols(1)\nws['A1'].value = 'Mark'\nws['A1'].font = Font(bold=True)\nws.column_dimensions['A'].width = 6\n\
        ws.cell(2, 8).number_format = '0.0'\nws.title = 'Sold'\ndel wb['Customers']\nwb.save('orders.xlsx')";
    let (observation, book) = ran(code).await;
    assert_eq!(observation.stdout, "41 2026-01-05 00:00:00 Velo Nord\nCaf\u{e9} S\u{fc}d\n");
    let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["Sold"]);
    assert_eq!((shown(&book, "Sold", "A1"), shown(&book, "Sold", "I2")), ("Mark".into(), "=G2*H2".into()));
    assert!(observation.layout.contains(&"Sheet `Customers` removed.".to_owned()), "{observation:?}");
}

#[tokio::test]
async fn dates_of_openpyxl_keep_their_format() {
    let (_, _, bytes) = run("import datetime\nsheet().set('B2', datetime.datetime(2026, 5, 6))").await;
    let book = workbook::open("orders.xlsx", &bytes).unwrap();
    assert_eq!(shown(&book, "Orders", "B2"), "2026-05-06");
    let part = |bytes: &[u8], name: &str| parts(bytes)[name].clone();
    let style = |bytes: &[u8]| {
        let sheet = part(bytes, "xl/worksheets/sheet1.xml");
        let cell = sheet.split("<c r=\"B2\"").nth(1).unwrap().split('>').next().unwrap().to_owned();
        cell.split("s=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(style(&bytes), style(ORDERS));
    assert_eq!(part(&bytes, "xl/styles.xml"), part(ORDERS, "xl/styles.xml"));
}

#[tokio::test]
async fn code_as_models_write_it_runs() {
    for (code, printed) in [
        ("print(sorted(['b', 'A'], key=str.lower))", "['A', 'b']"),
        ("print(next(x for x in [1, 2, 3] if x > 1), next((x for x in [1] if x > 1), None))", "2 None"),
        (
            "from itertools import groupby\nprint([(k, list(g)) for k, g in groupby([1, 1, 2])])",
            "[(1, [1, 1]), (2, [2])]",
        ),
        (
            "import re\nprint(re.sub('[a-z]', lambda m: m.group().upper(), 'a1b'), re.compile('b').sub('c', 'abb', 1))",
            "A1B acb",
        ),
        ("print('%-5s|%05.1f|%d%%' % ('a', 3.14159, 7))", "a    |003.1|7%"),
        ("d = {'a': 1, 'b': 2}\nprint(max(d, key=d.get))", "b"),
        ("d = {'a': 1, 'b': 2}\ndel d['a']\nd['b'] += 3\nprint(d)", "{'b': 5}"),
        ("print(f\"{sheet()['F2'].value:>4}|\")", "   1|"),
    ] {
        let (observation, _) = ran(code).await;
        assert_eq!(observation.stdout.trim_end(), printed, "{code}");
    }
    for (code, expected) in [
        ("total = add_up([1, 2])", "NameError: name 'add_up' is not defined"),
        ("print(revenue)", "NameError: name 'revenue' is not defined"),
        ("ws = sheet()\nws.freeze_panes = 'A2'", "freeze_panes of a sheet cannot be set here"),
        (
            "from openpyxl.styles import Alignment\nAlignment(horizontal='center')",
            "Alignment cannot be set here",
        ),
        ("sheet('Nowhere')", "there is no sheet `Nowhere`"),
        ("import pandas as pd", "Hint: sheet(\"Name\").records()"),
    ] {
        let (_, observation, _) = run(code).await;
        let error = observation.error.unwrap_or_default();
        assert!(error.contains(expected), "{code}: {error}");
        assert!(!error.contains("_item") && !error.contains("python-input-0"), "{code}: {error}");
    }
}

/// Formulas, formats, frozen panes, charts: every part but the changed sheet and the list of sheets is the same, and so
/// is every row but the changed one.
#[tokio::test]
async fn what_was_not_touched_stays_byte_for_byte() {
    let original = include_bytes!("../fixtures/workbooks/budget.xlsx");
    let cells = vec!["sheet('2026').set('C6', 13000)".to_owned()];
    let job = Job { name: "budget.xlsx".to_owned(), work: Work::Write, cells, ..Job::default() };
    let (_, bytes) = Sandbox::of(env!("CARGO_BIN_EXE_sayso").into()).run(&job, original).await.unwrap();
    let (before, after) = (parts(original), parts(&bytes));
    assert!(before.keys().any(|part| part.contains("chart")), "{:?}", before.keys());
    for (part, text) in &before {
        match part.as_str() {
            "xl/workbook.xml" => {}
            "xl/worksheets/sheet1.xml" => {
                let rows = |text: &str| text.split("<row").map(str::to_owned).collect::<Vec<_>>();
                let (was, now) = (rows(text), rows(&after[part]));
                let changed: Vec<usize> = (0..was.len()).filter(|row| was[*row] != now[*row]).collect();
                // What stands before the first row names how far the sheet reaches, which readers find out themselves.
                assert_eq!((was.len(), changed), (now.len(), vec![0, 5]), "{}", now[5]);
                for kept in ["<pane ", "topLeftCell=\"B4\"", "<mergeCell ", "<drawing "] {
                    assert!(after[part].contains(kept), "{kept}");
                }
            }
            _ => assert_eq!(Some(text), after.get(part), "{part}"),
        }
    }
}

fn parts(bytes: &[u8]) -> std::collections::BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut parts = std::collections::BTreeMap::new();
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).unwrap();
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut text).unwrap();
        parts.insert(part.name().unwrap().to_string(), String::from_utf8_lossy(&text).into_owned());
    }
    parts
}

#[tokio::test]
async fn a_workbook_saved_under_another_name_is_said_to_be_in_the_result() {
    let save = |path: &str| {
        format!("import openpyxl\nwb = openpyxl.load_workbook('orders.xlsx')\nwb.save('{path}')")
    };
    assert!(ran(&save("orders.xlsx")).await.0.layout.is_empty());
    let layout = ran(&save("out/summary.xlsx")).await.0.layout;
    assert_eq!(layout, ["No file is written as summary.xlsx: the changes go into the result."]);
}
