//! `sheet` on the machine's own Python with openpyxl, pandas and matplotlib: what the code does is right, it repeats,
//! and what it did not touch stays.

use crate::support::instructions::INSTRUCTIONS;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::llm::{ModelError, Reply, Scripted};
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use sayso::tools::cage::{Cage, PythonFinder};
use sayso::tools::sandbox::{Job, Report, Sandbox, Work};
use sayso::tools::workbook::{self, CellPos};
use serde_json::{Value, json};

/// Where the libraries are installed.
const PYTHON: &str = "target/sheet-python/bin/python";

fn sandbox() -> Sandbox {
    Sandbox::of(env!("CARGO_BIN_EXE_sayso").into())
}

/// The Python in its cage; nothing where it cannot be had.
async fn cage() -> Option<Cage> {
    let program = std::env::current_dir().unwrap().join(PYTHON);
    match PythonFinder::new(program.to_str().unwrap(), sandbox()).get().await {
        Ok(cage) if cage.interpreter().modules.len() == 4 => Some(cage),
        Ok(cage) => {
            println!("not tried here: {}", cage.interpreter().text());
            None
        }
        Err(why) => {
            println!("not tried here: {}", why.unwrap_or_default());
            None
        }
    }
}

async fn run(cage: &Cage, book: &str, cells: &[&str]) -> (Report, Vec<u8>) {
    let bytes = std::fs::read(format!("tests/fixtures/workbooks/{book}")).unwrap();
    let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
    let day = "2026-11-16".to_owned();
    let job = Job { name: book.to_owned(), work: Work::Write, cells, day, ..Job::default() };
    cage.run(&job, &bytes).await.unwrap()
}

#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn ordinary_code_is_right_in_the_machines_python() {
    let Some(cage) = cage().await else { return };
    for case in INSTRUCTIONS {
        let (report, written) = run(&cage, case.book, &[case.code]).await;
        let observation = report.observation.unwrap();
        assert_eq!(observation.error, None, "{}", case.instruction);
        assert_eq!(observation.stdout.trim_end(), case.printed, "{}", case.instruction);
        let book = workbook::open(case.book, &written).unwrap();
        for (sheet, cell, shown) in case.cells {
            let sheet = &book.sheets[book.find(sheet).unwrap()];
            assert_eq!(sheet.shown(CellPos::read(cell).unwrap()), *shown, "{} {cell}", case.instruction);
        }
    }
    println!(
        "{} instructions in {}, caged by {}",
        INSTRUCTIONS.len(),
        cage.interpreter().text(),
        cage.walls()
    );
}

#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn cells_repeat_with_clock_and_chance() {
    let Some(cage) = cage().await else { return };
    let code = "import random, time, uuid, datetime, os\nimport numpy as np, pandas as pd, openpyxl\n\
        print(random.random(), np.random.rand(), np.random.default_rng().random(), uuid.uuid4(), os.urandom(4))\n\
        print(time.time(), datetime.datetime.now(), datetime.date.today(), pd.Timestamp.now(), hash('x'))\n\
        print(object())\nwb = openpyxl.load_workbook('orders.xlsx')\nwb.active['K1'] = datetime.datetime.now()\nwb.save('orders.xlsx')";
    let (one, _) = run(&cage, "orders.xlsx", &[code, "print(1)"]).await;
    let (two, _) = run(&cage, "orders.xlsx", &[code, "print(1)"]).await;
    assert_eq!(one.digests.len(), 2);
    assert_eq!(one.digests, two.digests);
    let (report, _) = run(&cage, "orders.xlsx", &[code]).await;
    let report = report.observation.unwrap();
    assert_eq!(report.error, None);
    assert!(report.stdout.contains("2026-11-16 00:00:00 2026-11-16 2026-11-16"), "{}", report.stdout);
    // What gets at the real clock all the same is found out.
    let sly =
        "import ctypes\nt = (ctypes.c_long * 2)()\nctypes.CDLL(None).clock_gettime(1, t)\nprint(list(t))";
    let (one, _) = run(&cage, "orders.xlsx", &[sly]).await;
    let (two, _) = run(&cage, "orders.xlsx", &[sly]).await;
    assert_ne!(one.digests, two.digests);
}

/// What openpyxl wrote again holds what code did not touch: formulas, formats, frozen panes, widths, charts.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn what_code_did_not_touch_is_still_there() {
    let Some(cage) = cage().await else { return };
    for (book, cell) in [("orders.xlsx", "Orders"), ("budget.xlsx", "Notes"), ("staff.xlsx", "Teams")] {
        let look = "import openpyxl, json\ndef look(file):\n    wb = openpyxl.load_workbook(file)\n    out = {}\n    \
            for ws in wb:\n        out[ws.title] = [[[c.value if not hasattr(c.value, 'isoformat') else c.value.isoformat(), \
            c.number_format, c.font.b, c.fill.start_color.rgb if c.fill.fill_type else None] for c in row] for row in ws.iter_rows()]\n        \
            out[ws.title + ' sheet'] = [ws.freeze_panes, str(ws.merged_cells), len(ws._charts), \
            {k: v.width for k, v in ws.column_dimensions.items()}, len(ws.conditional_formatting), \
            len(ws.data_validations.dataValidation), ws.auto_filter.ref]\n    \
            out['names'] = {k: v.attr_text for k, v in wb.defined_names.items()}\n    return out\nbefore = look('BOOK')";
        let look = look.replace("BOOK", book);
        let change = format!(
            "wb = openpyxl.load_workbook('{book}')\nwb['{cell}']['Z9'] = 'new'\nwb.save('{book}')\nafter = look('{book}')\n\
             cells = [(s, r, c) for s in before if not s.endswith(' sheet') and s != 'names' for r in range(len(before[s])) \
             for c in range(len(before[s][r])) if before[s][r][c] != after[s][r][c]]\n\
             print(cells, [s for s in before if s.endswith(' sheet') and before[s] != after[s]], before['names'] == after['names'])"
        );
        let (report, _) = run(&cage, book, &[&look, &change]).await;
        let observation = report.observation.unwrap();
        assert_eq!(
            (observation.error.as_deref(), observation.stdout.as_str()),
            (None, "[] [] True\n"),
            "{book}"
        );
        let cells: Vec<&str> = observation.changes.iter().map(|change| change.cell.as_str()).collect();
        assert_eq!((cells, observation.changed), (vec!["Z9"], 1), "{book}");
        assert!(report.kept[0].starts_with("what openpyxl reads"), "{book}: {:?}", report.kept);
    }
}

type Answer = Result<Reply, ModelError>;

fn code(code: &str) -> Answer {
    Ok(Scripted::calls([("python", json!({ "code": code }))]))
}

fn finish(answer: &str) -> Answer {
    Ok(Scripted::calls([("finish", json!({ "answer": answer }))]))
}

async fn begun(book: &str, answers: Vec<Answer>) -> (TestInbox, sayso::engine::graph::ThreadId) {
    let program = std::env::current_dir().unwrap().join(PYTHON).to_str().unwrap().to_owned();
    let inbox = TestInbox::builder()
        .with_model(FakeModel::new(answers))
        .with_services(move |services| {
            services.pythons = PythonFinder::new(&program, services.sandbox.clone())
        })
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
    if cage().await.is_none() {
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

/// Code that does not give the same again stops and asks.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn a_difference_stops_and_asks() {
    if cage().await.is_none() {
        return;
    }
    let sly =
        "import ctypes\nt = (ctypes.c_long * 2)()\nctypes.CDLL(None).clock_gettime(1, t)\nprint(list(t))";
    let answers = vec![code(sly), code("print('next')"), finish("Done.")];
    let (inbox, thread) = begun("staff.xlsx", answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    inbox.answer(&thread, Decision::Accept).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "differs");
    assert!(
        item.text.contains("gave a different result") && item.text.contains("clock_gettime"),
        "{}",
        item.text
    );
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(outcome.output.unwrap()["answer"], "Done.");
}

/// Every file that code leaves lies beside the workbook and is named; what is too much is named as well.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn every_file_is_kept_or_named() {
    if cage().await.is_none() {
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

/// What a .csv was converted from is no new file, unless code wrote it again.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn a_csv_that_code_writes_again_is_kept() {
    let Some(cage) = cage().await else { return };
    let run = async |code: &str| {
        let (name, work) = ("sales.csv".to_owned(), Work::Run);
        let job = Job { name, work, cells: vec![code.to_owned()], ..Job::default() };
        let (report, _) = cage.run(&job, b"a,b\n1,2\n").await.unwrap();
        report.files.into_iter().map(|file| (file.name, file.bytes)).collect::<Vec<_>>()
    };
    assert!(run("print(1)").await.is_empty());
    let written = run("open('sales.csv', 'w').write('a\\n3\\n')").await;
    assert_eq!(written, [("sales.csv".to_owned(), b"a\n3\n".to_vec())]);
}

/// Earlier cells run again without taking time from the next one.
#[tokio::test]
#[ignore = "needs Python with openpyxl, pandas and matplotlib"]
async fn earlier_cells_take_no_time_from_the_next() {
    let Some(cage) = cage().await else { return };
    let busy = "import ctypes\nt = (ctypes.c_long * 2)()\nclock = ctypes.CDLL(None).clock_gettime\nclock(1, t)\nend = t[0] + 2\n\
        while t[0] < end:\n    clock(1, t)\nprint('done')";
    let bytes = std::fs::read("tests/fixtures/workbooks/orders.xlsx").unwrap();
    let limits = sayso::tools::sandbox::Limits { seconds: 3, ..Default::default() };
    let cells = vec![busy.to_owned(); 4];
    let job = Job { name: "orders.xlsx".to_owned(), work: Work::Run, cells, limits, ..Job::default() };
    let (report, _) = cage.run(&job, &bytes).await.unwrap();
    let observation = report.observation.unwrap();
    assert_eq!((observation.error, observation.stdout.as_str()), (None, "done\n"));
}
