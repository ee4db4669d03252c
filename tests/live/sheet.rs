//! `sheet` on the machine's own Python with openpyxl, pandas, matplotlib and what else reads and writes workbooks: what
//! ordinary code does is right, and what it did not touch stays.

use crate::support::instructions::INSTRUCTIONS;
use crate::support::python::reader;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::llm::{ModelError, Reply, Scripted};
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use sayso::tools::cage::{self, Cell, LeftFile, Limits, Needs, PythonFinder, Report};
use sayso::tools::workbook::{self, Book, CellPos};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Where the libraries are installed.
const PYTHON: &str = "target/sheet-python/bin/python";

fn finder() -> PythonFinder {
    let program = std::env::current_dir().unwrap().join(PYTHON);
    PythonFinder::new(program.to_str().unwrap(), reader())
}

/// The Python in its cage; nothing where it cannot be had.
async fn python() -> Option<PythonFinder> {
    let finder = finder();
    match finder.get(Needs::Openpyxl).await {
        Ok(cage) if cage.interpreter().modules.len() == 4 => Some(finder),
        Ok(cage) => {
            println!("not tried here: {}", cage.interpreter().text());
            None
        }
        Err(why) => {
            println!("not tried here: {why}");
            None
        }
    }
}

fn cell(book: &str, code: &str) -> Cell {
    let workbook = std::fs::read(format!("tests/fixtures/workbooks/{book}")).unwrap();
    Cell { code: code.to_owned(), name: book.to_owned(), workbook, ..Cell::default() }
}

async fn run(python: &PythonFinder, book: &str, code: &str) -> Report {
    cage::run(python, &reader(), &cell(book, code)).await.unwrap()
}

/// The workbook as the code left it.
fn left(book: &str, report: &Report) -> Book {
    workbook::open(book, &report.saved.as_ref().unwrap().bytes).unwrap()
}

fn shown(book: &Book, sheet: &str, cell: &str) -> String {
    book.sheets[book.find(sheet).unwrap()].shown(CellPos::read(cell).unwrap())
}

#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn ordinary_code_is_right_in_the_machines_python() {
    let Some(python) = python().await else { return };
    for case in INSTRUCTIONS {
        let report = run(&python, case.book, case.code).await;
        let observation = &report.observation;
        assert_eq!(observation.error, None, "{}", case.instruction);
        assert_eq!(observation.stdout.trim_end(), case.printed, "{}", case.instruction);
        for (sheet, cell, expected) in case.cells {
            assert_eq!(shown(&left(case.book, &report), sheet, cell), *expected, "{}", case.instruction);
        }
    }
    let cage = python.get(Needs::Openpyxl).await.unwrap();
    let (text, walls) = (cage.interpreter().text(), cage.walls());
    println!("{} instructions in {text}, caged by {walls}", INSTRUCTIONS.len());
}

/// What people's libraries do in passing: each prints "ok" and leaves these files.
const CORPUS: &[(&str, &[&str])] = &[
    (
        "import pandas as pd\npd.DataFrame({'a': [1]}).to_excel('out.xlsx', engine='openpyxl')\nprint('ok')",
        &["out.xlsx"],
    ),
    (
        "import pandas as pd\npd.DataFrame({'a': [1]}).to_excel('out.xlsx', engine='xlsxwriter')\nprint('ok')",
        &["out.xlsx"],
    ),
    (
        "import xlsxwriter\nwb = xlsxwriter.Workbook('out.xlsx')\nws = wb.add_worksheet()\nws.write(0, 0, 'x', wb.add_format({'bold': True}))\n\
      chart = wb.add_chart({'type': 'column'})\nchart.add_series({'values': '=Sheet1!$A$1:$A$3'})\nws.insert_chart('C1', chart)\nwb.close()\nprint('ok')",
        &["out.xlsx"],
    ),
    (
        "import shutil\nshutil.copy('orders.xlsx', 'a.xlsx')\nshutil.copy2('a.xlsx', 'b.xlsx')\nshutil.copyfile('b.xlsx', 'c.xlsx')\n\
      shutil.move('c.xlsx', 'd.xlsx')\nprint('ok')",
        &["a.xlsx", "b.xlsx", "d.xlsx"],
    ),
    (
        "import os, tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n    f.write('x')\nf = tempfile.TemporaryFile()\nf.write(b'x')\n\
      s = tempfile.SpooledTemporaryFile(max_size=1)\ns.write(b'xyz')\nfd, name = tempfile.mkstemp()\nos.close(fd)\nos.utime(name)\n\
      os.chmod(name, 0o644)\nprint('ok')",
        &[],
    ),
    (
        "import os, tempfile\nwith tempfile.TemporaryDirectory() as d:\n    open(os.path.join(d, 'x'), 'w').write('x')\n\
      assert not os.path.exists(d)\nos.makedirs('out/deep', exist_ok=True)\nopen('out/deep/t.csv', 'w').write('a')\nos.mkdir('empty')\nprint('ok')",
        &["out/deep/t.csv"],
    ),
    (
        "import os, matplotlib.pyplot as plt\nos.makedirs('out')\nplt.plot([1, 2])\nplt.savefig('out/c.png')\nprint('ok')",
        &["out/c.png"],
    ),
    (
        "import multiprocessing, os\nassert multiprocessing.cpu_count() >= 1 and os.cpu_count() >= 1\nprint('ok')",
        &[],
    ),
    (
        "import random, uuid, secrets, os, datetime, time\nassert len(os.urandom(4)) == 4 and secrets.token_hex() and uuid.uuid4() and random.random()\n\
      assert abs(time.time() - datetime.datetime.now().timestamp()) < 1\nprint('ok')",
        &[],
    ),
    (
        "import pandas as pd\nd = pd.read_excel('orders.xlsx', sheet_name=None)\nassert list(d) == ['Orders', 'Customers']\n\
      m = d['Orders'].merge(d['Customers'], on='Customer', how='left')\np = m.pivot_table(index='Status', values='Units', aggfunc='sum')\n\
      p.to_csv('p.csv')\np.to_html('p.html')\np.to_json('p.json')\nm.melt()\nm.describe()\nprint('ok')",
        &["p.csv", "p.html", "p.json"],
    ),
    (
        "import pandas as pd\ndf = pd.read_excel('orders.xlsx')\ndf['Date'] = pd.to_datetime(df['Date'])\n\
      df.set_index('Date').resample('ME')['Units'].sum()\ndf.to_csv('w.csv', encoding='cp1252', sep=';', decimal=',', errors='replace')\n\
      pd.read_csv('w.csv', encoding='cp1252', sep=';', decimal=',')\nprint('ok')",
        &["w.csv"],
    ),
    (
        "import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(1, 2)\na.pie([1, 2], labels=['\u{dc}', 'b'])\nb.hist([1, 2, 2, 3])\n\
      fig.savefig('c.png', dpi=60)\nfig.savefig('c.svg')\nfig.savefig('c.pdf')\nprint('ok')",
        &["c.pdf", "c.png", "c.svg"],
    ),
    ("import pandas as pd\npd.DataFrame({'a': [1, 2, 3]}).plot.bar()\nprint('ok')", &["chart-1.png"]),
    (
        "import matplotlib.font_manager as f\nassert f.findSystemFonts() is not None and f.findfont('DejaVu Sans')\nprint('ok')",
        &[],
    ),
    (
        "import sqlite3\nc = sqlite3.connect('x.db')\nc.execute('create table t (a)')\nc.commit()\nc.close()\nprint('ok')",
        &["x.db"],
    ),
    (
        "import zipfile, json, csv\nz = zipfile.ZipFile('z.zip', 'w', zipfile.ZIP_DEFLATED)\nz.write('orders.xlsx')\nz.close()\n\
      json.dump({}, open('j.json', 'w'))\nprint('ok')",
        &["j.json", "z.zip"],
    ),
    (
        "import numpy as np\nnp.save('a.npy', np.linalg.inv(np.eye(200)))\nnp.random.default_rng().normal(size=1000)\nprint('ok')",
        &["a.npy"],
    ),
    (
        "for n in range(3):\n    with open(f'big{n}', 'wb') as f:\n        for _ in range(250):\n            f.write(bytes(1 << 20))\nprint('ok')",
        &[],
    ),
];

#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn what_libraries_do_in_passing_is_done() {
    let Some(python) = python().await else { return };
    for (code, files) in CORPUS {
        let report = run(&python, "orders.xlsx", code).await;
        assert_eq!(
            (report.observation.error.as_deref(), report.observation.stdout.as_str()),
            (None, "ok\n"),
            "{code}"
        );
        let names: Vec<&str> = report.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, *files, "{code}");
        assert!(report.saved.is_none(), "{code}");
        for LeftFile { name, bytes } in report.files.iter().filter(|file| file.name.ends_with(".xlsx")) {
            workbook::open(name, bytes).unwrap_or_else(|why| panic!("{code}: {name}: {why}"));
        }
    }
}

/// The other formats are converted, and a text is read as it is written.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn the_other_formats_are_worked_on() {
    let Some(python) = python().await else { return };
    let code = "import openpyxl\nwb = openpyxl.load_workbook('sales.xlsx')\nws = wb['Sales']\nprint(ws['B2'].value, ws['C2'].value, ws['E2'].value)\n\
                ws['G1'] = 'Seen'\nwb.save('sales.xlsx')";
    for name in ["sales.xls", "sales.ods"] {
        let bytes = std::fs::read(format!("tests/fixtures/workbooks/{name}")).unwrap();
        let workbook = reader().convert(name, &Limits::default(), &bytes).await.unwrap();
        let (code, book) = (code.to_owned(), "sales.xlsx".to_owned());
        let cell = Cell { code, name: book, workbook, ..Cell::default() };
        let report = cage::run(&python, &reader(), &cell).await.unwrap();
        assert_eq!(report.observation.error, None, "{name}");
        assert_eq!(report.observation.stdout, "10.5 2026-03-01 00:00:00 =B2*2\n", "{name}");
        assert_eq!(shown(&left("sales.xlsx", &report), "Sales", "G1"), "Seen", "{name}");
    }
    let text = "Stra\u{df}e;Betrag\nK\u{f6}lner;1,5\nM\u{fc}ller;2,5\n";
    let workbook = latin(text);
    let code = "import pandas as pd\ndf = pd.read_csv('sales.csv', sep=';', encoding='cp1252', decimal=',')\n\
                print(df['Betrag'].sum(), df.iloc[0, 0])\ndf['Doppelt'] = df['Betrag'] * 2\n\
                df.to_csv('sales.csv', sep=';', encoding='cp1252', decimal=',', index=False)";
    let cell = Cell { code: code.to_owned(), name: "sales.csv".to_owned(), workbook, ..Cell::default() };
    let report = cage::run(&python, &reader(), &cell).await.unwrap();
    assert_eq!(report.observation.error, None);
    assert_eq!(report.observation.stdout, "4.0 K\u{f6}lner\n");
    let expected = latin("Stra\u{df}e;Betrag;Doppelt\nK\u{f6}lner;1,5;3,0\nM\u{fc}ller;2,5;5,0\n");
    assert_eq!(report.saved.unwrap().bytes, expected);
}

/// A text of letters that have one byte in cp1252.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

/// The parts of a package.
fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut parts = BTreeMap::new();
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut bytes).unwrap();
        parts.insert(part.name().unwrap().to_string(), bytes);
    }
    parts
}

/// Where only values and formulas change, every part but the changed sheet and the list of sheets is the same, and so is
/// every row but the changed one. Where formats change, openpyxl's file is taken.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn what_code_did_not_touch_stays_byte_for_byte() {
    let Some(python) = python().await else { return };
    let code = |change: &str| {
        format!(
            "import openpyxl\nwb = openpyxl.load_workbook('budget.xlsx')\nws = wb['2026']\n{change}\nwb.save('budget.xlsx')"
        )
    };
    let report = run(&python, "budget.xlsx", &code("ws['C6'] = 13000\nws['H6'] = '=C6*2'")).await;
    assert_eq!(report.observation.error, None);
    let saved = report.saved.as_ref().unwrap();
    assert!(saved.patched && saved.lost.is_empty(), "{:?}", report.observation);
    assert_eq!(saved.formulas, ["2026!H6 =C6*2"]);
    assert_eq!(
        (report.observation.changed, report.observation.layout.len()),
        (2, 0),
        "{:?}",
        report.observation
    );
    let original = std::fs::read("tests/fixtures/workbooks/budget.xlsx").unwrap();
    let (before, after) = (parts(&original), parts(&saved.bytes));
    assert!(before.keys().any(|part| part.contains("chart")), "{:?}", before.keys());
    for (part, bytes) in &before {
        match part.as_str() {
            "xl/workbook.xml" | "xl/calcChain.xml" | "[Content_Types].xml" | "xl/_rels/workbook.xml.rels" => {
            }
            "xl/worksheets/sheet1.xml" => {
                let rows = |bytes: &[u8]| {
                    String::from_utf8_lossy(bytes).split("<row").map(str::to_owned).collect::<Vec<_>>()
                };
                let (was, now) = (rows(bytes), rows(&after[part]));
                let changed: Vec<usize> = (0..was.len()).filter(|row| was[*row] != now[*row]).collect();
                // What stands before the first row names how far the sheet reaches, which readers find out themselves.
                assert_eq!((was.len(), changed), (now.len(), vec![0, 5]), "{}", now[5]);
            }
            _ => assert_eq!(Some(bytes), after.get(part), "{part}"),
        }
    }
    let again = "from openpyxl.styles import Font\nws['C6'] = 13000\nws['C6'].font = Font(bold=True)";
    let report = run(&python, "budget.xlsx", &code(again)).await;
    assert!(!report.saved.as_ref().unwrap().patched);
    let told = ["Formats, widths or other parts of the workbook changed.".to_owned()];
    assert_eq!(
        (report.observation.changed, &report.observation.layout[..]),
        (1, &told[..]),
        "{:?}",
        report.observation
    );
    let chart = "from openpyxl.chart import BarChart, Reference\nc = BarChart()\nc.add_data(Reference(ws, min_col=2, min_row=4, max_row=9))\n\
                 ws.add_chart(c, 'J4')";
    let report = run(&python, "budget.xlsx", &code(chart)).await;
    assert_eq!(report.observation.layout, ["Added to the workbook: 1 charts."]);
    // Code that only read it and saved it again has changed nothing.
    let report = run(&python, "budget.xlsx", &code("pass")).await;
    assert_eq!(report.observation.layout, ["budget.xlsx was saved; its values and formulas are as before."]);
}

/// What openpyxl cannot keep is named before any code runs.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn what_openpyxl_would_leave_out_is_known_beforehand() {
    let Some(python) = python().await else { return };
    let mut book = cell("budget.xlsx", "");
    let lost = cage::losses(&python, &reader(), &book).await.unwrap();
    assert_eq!(lost, Some(Vec::new()), "it keeps the chart");
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&book.workbook)).unwrap();
    for at in 0..archive.len() {
        out.raw_copy_file(archive.by_index_raw(at).unwrap()).unwrap();
    }
    for part in ["xl/slicers/slicer1.xml", "xl/slicers/slicer2.xml", "xl/vbaProject.bin"] {
        out.start_file(part, zip::write::SimpleFileOptions::default()).unwrap();
    }
    book.workbook = out.finish().unwrap().into_inner();
    let lost = cage::losses(&python, &reader(), &book).await.unwrap();
    assert_eq!(lost, Some(vec!["1 macros".to_owned(), "2 slicers".to_owned()]));
    book.workbook = b"PK no workbook".to_vec();
    assert_eq!(cage::losses(&python, &reader(), &book).await.unwrap(), None);
}

/// 50,000 rows and two pieces of code, each a process of its own.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn two_pieces_of_code_on_50_000_rows_take_their_time_once() {
    let Some(python) = python().await else { return };
    let mut text = String::from("Region,Product,Amount,Units,Day\n");
    for n in 0..50_000 {
        text += &format!("R{},P{},{}.5,{},2026-01-{:02}\n", n % 7, n % 13, n % 1000, n % 50, n % 28 + 1);
    }
    let began = Instant::now();
    let mut workbook = reader().convert("big.csv", &Limits::default(), text.as_bytes()).await.unwrap();
    println!("50,000 rows: converted in {:?}", began.elapsed());
    let sum = "import pandas as pd\nprint(pd.read_excel('big.xlsx')['Amount'].sum())";
    let set = "import openpyxl\nwb = openpyxl.load_workbook('big.xlsx')\nwb.active['F1'] = 'Seen'\nwb.save('big.xlsx')";
    for code in [sum, set] {
        let began = Instant::now();
        let (code, name) = (code.to_owned(), "big.xlsx".to_owned());
        let cell = Cell { code, name, workbook: workbook.clone(), ..Cell::default() };
        let report = cage::run(&python, &reader(), &cell).await.unwrap();
        assert_eq!(report.observation.error, None);
        workbook = report.saved.map_or(workbook, |saved| saved.bytes);
        println!("50,000 rows: a piece of code in {:?}", began.elapsed());
    }
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
}

type Answer = Result<Reply, ModelError>;

fn code(code: &str) -> Answer {
    Ok(Scripted::calls([("python", json!({ "code": code }))]))
}

fn finish(answer: &str) -> Answer {
    Ok(Scripted::calls([("finish", json!({ "answer": answer }))]))
}

async fn begun(book: &str, answers: Vec<Answer>) -> (TestInbox, sayso::engine::graph::ThreadId) {
    let inbox = TestInbox::builder()
        .with_model(FakeModel::new(answers))
        .with_services(|services| services.python = std::sync::Arc::new(finder()))
        .open();
    let bytes = std::fs::read(format!("tests/fixtures/workbooks/{book}")).unwrap();
    std::fs::create_dir_all(inbox.inputs()).unwrap();
    std::fs::write(inbox.inputs().join(book), bytes).unwrap();
    let input = json!({"workbook": inbox.inputs().join(book), "instruction": "Draw it"});
    let thread = inbox.run("sheet", input).await;
    (inbox, thread)
}

/// The whole way: the card says which Python, the model is told, the chart lies beside the workbook.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn a_chart_is_drawn_and_lies_beside_the_workbook() {
    if python().await.is_none() {
        return;
    }
    let draw = "import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [1, 2])\nplt.savefig('costs.png')\nprint('a 1\\nb 2')";
    let (inbox, thread) = begun("budget.xlsx", vec![code(draw), finish("Drawn.")]).await;
    let card = inbox.open_item(&thread).await.text;
    assert!(card.contains("python: Python 3") && card.contains("matplotlib"), "{card}");
    let system = inbox.model.requests()[0].system.clone();
    assert!(system.contains("wb.save(\"budget.xlsx\")") && system.contains("Today is "), "{system}");
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    let path = inbox.inputs().join("budget.costs.png");
    assert_eq!(outcome.output.as_ref().unwrap()["files"], json!([path]));
    assert_eq!(outcome.output.as_ref().unwrap()["file"], Value::Null, "the workbook was not changed");
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    let (_, card) = inbox.decisions().result(thread).await.unwrap();
    assert!(card.text().contains(path.to_str().unwrap()), "{}", card.text());
}

/// Every file that code leaves lies beside the workbook and is named; what is too much is named as well.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn every_file_is_kept_or_named() {
    if python().await.is_none() {
        return;
    }
    let save = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndf.to_excel('summary.xlsx')\n\
        df.to_csv('summary.csv', index=False)\ndf.to_excel('result.xlsx')\nopen('much.bin', 'wb').write(bytes(70 << 20))\nprint('saved')";
    let (inbox, thread) = begun("budget.xlsx", vec![code(save), finish("Saved.")]).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    let output = outcome.output.unwrap();
    let path = |name: &str| inbox.inputs().join(name);
    let names = ["budget.saved.result.xlsx", "budget.summary.csv", "budget.summary.xlsx"];
    assert_eq!(output["files"], json!(names.map(path)));
    assert_eq!(std::fs::read_to_string(path("budget.summary.csv")).unwrap(), "a\n1\n2\n");
    let summary =
        workbook::open("summary.xlsx", &std::fs::read(path("budget.summary.xlsx")).unwrap()).unwrap();
    assert_eq!(summary.sheets[0].shown(CellPos::read("B3").unwrap()), "2");
    assert_eq!(output["dropped"], json!(["much.bin: it is larger than 65536 KiB"]));
    let (_, card) = inbox.decisions().result(thread).await.unwrap();
    for name in names.map(path) {
        assert!(card.text().contains(name.to_str().unwrap()), "{}", card.text());
    }
    assert!(card.text().contains("not kept: much.bin"), "{}", card.text());
}
