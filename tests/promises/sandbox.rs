//! P01, P02 and S06: code that tries to escape, code that tries to use up everything, and workbooks that are bombs.

use crate::report;
use futures_util::StreamExt;
use sayso::tools::sandbox::{Job, Limits, Observation, Sandbox, SandboxError, Work};
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const BOOK: &[u8] = b"a,b\n1,2\n";

fn sandbox() -> Sandbox {
    Sandbox::of(env!("CARGO_BIN_EXE_sayso").into())
}

fn job(cells: &[&str], limits: Limits) -> Job {
    let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
    Job { name: "book.csv".to_owned(), work: Work::Run, cells, limits, ..Job::default() }
}

async fn run(code: &str, limits: Limits) -> Observation {
    let (report, _) = sandbox().run(&job(&[code], limits), BOOK).await.unwrap();
    report.observation.unwrap()
}

/// Each would print SECRET, or leave a file, if it got anywhere.
const ESCAPES: &[&str] = &[
    "open('/etc/passwd').read()",
    "open('CANARY', 'w').write('x')",
    "open('/proc/self/environ', 'rb').read()",
    "import os\nos.system('touch CANARY')",
    "import os\nos.listdir('/')",
    "import os\nos.environ['HOME']",
    "import os\nprint(os.getenv('SECRET'))\nraise SystemError",
    "import os\nos.remove('CANARY')",
    "import os\nos.fork()",
    "import os\nos.execv('/bin/sh', ['sh'])",
    "import os\nos.popen('id').read()",
    "import subprocess\nsubprocess.run(['id'])",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "import http.client",
    "import requests",
    "import ctypes\nctypes.CDLL(None)",
    "import importlib\nimportlib.import_module('os')",
    "__import__('os').system('id')",
    "__builtins__['open']('/etc/passwd')",
    "eval(\"__import__('os')\")",
    "exec('import socket')",
    "compile('1', 'x', 'exec')",
    "globals()['__builtins__']",
    "().__class__.__bases__[0].__subclasses__()",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__",
    "[].__class__.__mro__[1]",
    "getattr((), '__class__').__base__.__subclasses__()",
    "sheet.__globals__['_get']",
    "Sheet.__init__.__globals__",
    "import sys\nsys.modules['os']",
    "import sys\nsys.exit(0)",
    "import sys\nsys.settrace(None)",
    "import sys\nsys.stdout.buffer.write(b'x')\nraise ValueError",
    "from pathlib import Path\nPath('/etc/passwd').read_text()",
    "from pathlib import Path\nPath('CANARY').write_text('x')",
    "from pathlib import Path\nlist(Path('/').iterdir())",
    "from pathlib import Path\nPath('/etc/passwd').stat()",
    "from pathlib import Path\nPath.home()",
    "import pickle\npickle.loads(b'')",
    "import marshal",
    "import threading",
    "import multiprocessing",
    "import signal\nsignal.alarm(1)",
    "import time\ntime.sleep(1)",
    "import datetime\ndatetime.datetime.now()",
    "import asyncio\nasyncio.run(open('/etc/passwd'))",
    "import shutil\nshutil.rmtree('/')",
    "import tempfile\ntempfile.mkdtemp()",
    "import gc\ngc.get_objects()",
    "import inspect\ninspect.currentframe()",
    "input()",
    "breakpoint()",
    "_get('../../etc/passwd', 'A1')",
    "_set(sheets()[0], (1, 0), 'x')",
    "_range(sheets()[0], 'A1:ZZZZ9')",
    "sheet().set('A1', open)",
    "add_sheet('../../x')",
    "host_call('x')",
];

#[tokio::test]
async fn p01_no_escape_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let canary = folder.path().join("canary");
    for attempt in ESCAPES {
        let code = attempt.replace("CANARY", canary.to_str().unwrap());
        let observation = run(&code, Limits::default()).await;
        assert!(observation.error.is_some(), "{attempt}: {observation:?}");
        assert!(!canary.exists(), "{attempt}");
        let text = format!("{observation:?}");
        assert!(!text.contains("root:"), "{attempt}: {text}");
    }
    assert!(ESCAPES.len() >= 40);
    report("P01", "escapes from the sandbox", ESCAPES.len());
}

#[tokio::test]
async fn p01_the_child_is_given_nothing() {
    // What would be seen from inside: no environment, and the same result twice, so no clock and no chance.
    let code = "import os\ntry:\n    print(os.getenv('PATH'))\nexcept Exception as e:\n    print('refused', e)\nprint(hash('x') == hash('x'), id(1) == id(1))";
    let (one, two) = (run(code, Limits::default()).await, run(code, Limits::default()).await);
    assert!(one.stdout.starts_with("refused") && one == two, "{one:?}");
    // Where there is no child, nothing runs.
    let none = Sandbox::of("/nowhere/at/all".into());
    let refused = none.run(&job(&["print(1)"], Limits::default()), BOOK).await;
    assert!(matches!(refused, Err(SandboxError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn p02_bombs_are_stopped_at_the_limit() {
    // Where another limit is to be met first, a slow machine has time for that.
    let limits = |expected| {
        let seconds = if matches!(expected, "seconds" | "") { 1 } else { 20 };
        Limits { memory: 200 << 20, seconds, ..Limits::default() }
    };
    let bombs = [
        ("while True: pass", "seconds"),
        ("def f(n):\n    while True:\n        n += 1\nf(0)", "seconds"),
        ("x = 0\nfor i in range(10 ** 12):\n    x += i", "seconds"),
        ("while True:\n    sheet().get('A1')", ""),
        ("x = []\nwhile True:\n    x.append('a' * 1000000)", "memory"),
        ("x = 'a'\nwhile True:\n    x += x", "memory"),
        ("x = list(range(10 ** 9))", ""),
        ("x = 10 ** 10 ** 9", ""),
        ("x = [[0] * 10 ** 6 for i in range(10 ** 6)]", ""),
        ("x = {}\nn = 0\nwhile True:\n    n += 1\n    x[n] = str(n) * 100", ""),
        ("while True: print('x' * 1000)", "KB"),
        ("print('x' * 10 ** 8)", ""),
        ("'x' * 10 ** 8", ""),
        ("def f(): return f()\nf()", "recursion"),
        ("f = lambda f: f(f)\nf(f)", "recursion"),
        ("x = []\nfor i in range(100000):\n    x = [x]\nprint(x)", ""),
        ("eval('(' * 100000)", ""),
        ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", ""),
        ("s = add_sheet('t')\nn = 1\nwhile True:\n    s.set((n, 16384), 'x')\n    n += 1", ""),
        ("sheet().set('XFD1048576', 1)\nsheet().rows()", ""),
    ];
    let began = Instant::now();
    let runs = bombs.map(async |(code, expected)| (code, expected, run(code, limits(expected)).await));
    let done = futures_util::stream::iter(runs).buffered(4).collect::<Vec<_>>();
    let (done, ()) = tokio::join!(done, work_that_hears_nothing_is_killed());
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
    for (code, expected, observation) in done {
        // Where it matters which limit is met first, that one is named; a quick machine may meet another than a slow
        // one.
        let error = observation.error.unwrap_or_default();
        assert!(error.contains(expected), "{code}: {error}");
        assert!(observation.stdout.len() <= 70 << 10, "{code}");
    }
    report("P02", "bombs in the sandbox", bombs.len() + 1);
}

/// What cannot be stopped from within is killed from without, soon after its time is over.
async fn work_that_hears_nothing_is_killed() {
    let began = Instant::now();
    let observation = run("9 ** 9 ** 9", Limits { seconds: 1, ..Limits::default() }).await;
    assert!(observation.stopped, "{observation:?}");
    assert_eq!(observation.error.as_deref(), Some("It was stopped after 1 seconds."));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
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
        let limits = Limits { memory: 256 << 20, seconds: 10, ..Limits::default() };
        let job = Job { name: (*name).to_owned(), work: Work::Look, ..job(&[], limits) };
        let began = Instant::now();
        let result = sandbox().run(&job, bytes).await;
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        match (expected, result) {
            (Some(expected), Err(SandboxError::Workbook(text))) => {
                assert!(text.contains(expected), "{what}: {text}")
            }
            (None, Ok(_) | Err(SandboxError::Workbook(_))) => {}
            (_, other) => panic!("{what}: {other:?}"),
        }
    }
    report("S06", "workbooks that are bombs", bombs.len());
}

/// What somebody typed into a column is no formula, however it is copied; what code writes itself is one.
#[tokio::test]
async fn p01_text_of_a_workbook_does_not_become_a_formula() {
    let book = "Name,Note\n\"=HYPERLINK(\"\"http://evil.example\"\",\"\"x\"\")\",a\n =cmd|'/C calc'!A0,b\n@SUM(A1),c\n";
    let code = "out = add_sheet('Copy')\nfor n, r in enumerate(sheet().records()):\n    \
        out.set((n + 1, 1), r['Name'])\n    out.set((n + 1, 2), r['Name'].strip())\n    \
        out.set((n + 1, 3), r['Name'].upper())\nout.set('D1', '=1+1')\nout.append(list(sheet().records()[0].values()))";
    let write = Job { work: Work::Write, ..job(&[code], Limits::default()) };
    let (report, bytes) = sandbox().run(&write, book.as_bytes()).await.unwrap();
    assert_eq!(report.observation.unwrap().error, None);
    assert_eq!(report.formulas, ["Copy!D1 =1+1"]);
    let written = sayso::tools::workbook::open("copy.xlsx", &bytes).unwrap();
    let copy = &written.sheets[written.find("Copy").unwrap()];
    assert_eq!(copy.formulas.len(), 1, "{:?}", copy.formulas);
    assert!(
        copy.value(sayso::tools::workbook::CellPos::read("A1").unwrap()).shown().starts_with("=HYPERLINK")
    );
}

/// What is hidden in a name or a heading is seen, and code names it as it is seen.
#[tokio::test]
async fn p01_names_with_something_hidden_go_by_how_they_are_seen() {
    let book = "Na\u{1b}[2Jme,Amo\u{202e}unt\nx\u{7},5\ny,7\n".as_bytes();
    let (report, _) = sandbox().run(&job(&["1"], Limits::default()), book).await.unwrap();
    let summary = report.summary.unwrap();
    let seen = sayso::text::Visible::line(&summary.sheets[0].columns[1].header).into_string();
    assert!(seen.contains("U+202E"), "{seen}");
    let code =
        format!("s = sheet()\nprint(sum(s.column({seen:?})), s.records()[0][{seen:?}], s.letters({seen:?}))");
    let (report, _) = sandbox().run(&job(&[&code], Limits::default()), book).await.unwrap();
    let observation = report.observation.unwrap();
    assert_eq!((observation.error, observation.stdout.as_str()), (None, "12 5 B\n"));
}

/// 50,000 rows are read, summed, written and read again within 256 MB and, by a build that is not optimised, a
/// minute.
#[tokio::test]
async fn a_large_workbook_stays_within_its_time_and_memory() {
    let mut text = String::from("Region,Product,Amount,Units,Day\n");
    for n in 0..50_000 {
        let line = format!("R{},P{},{}.5,{},2026-01-{:02}\n", n % 7, n % 13, n % 1000, n % 50, n % 28 + 1);
        text.push_str(&line);
    }
    let code = "total = sum(sheet().column('Amount'))\nprint(total)\nsheet().set('F1', total)";
    let limits = || Limits { memory: 256 << 20, ..Limits::default() };
    let write = Job { name: "big.csv".to_owned(), work: Work::Write, ..job(&[code], limits()) };
    let began = Instant::now();
    let (report, bytes) = sandbox().run(&write, text.as_bytes()).await.unwrap();
    let observation = report.observation.unwrap();
    assert_eq!((observation.error, observation.stdout.trim()), (None, "25000000.0"));
    let look = Job { name: "big.xlsx".to_owned(), work: Work::Look, ..job(&[], limits()) };
    let (report, _) = sandbox().run(&look, &bytes).await.unwrap();
    assert_eq!(report.summary.unwrap().sheets[0].rows, 50_001);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    println!("50,000 rows of 5 cells: read, summed, written and read again in {:?}", began.elapsed());
}
