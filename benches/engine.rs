//! What a durable turn costs, compared with the disk alone in the same run.
//!
//! `cargo bench --bench engine` prints a table; `-- --json` prints the same as JSON; `-- --quick` takes a
//! tenth of the turns. With `LANGGRAPH_PYTHON` set to a Python that has `langgraph`, `langgraph-checkpoint-sqlite` and
//! `aiosqlite`, LangGraph takes the same turns in the same run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod report;
mod statements;
mod talk;

use report::Row;
use rusqlite::Connection;
use sayso::app::{Driver, Engine, Scope, Settings, Until};
use sayso::engine::graph::{Decision, ThreadId};
use sayso::engine::store::Store;
use sayso::inbox::door::Inbox;
use sayso::inbox::{DecidedBy, DecisionRequest, ItemQuery, Registry};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let quick = report::flag("--quick");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = runtime.block_on(async {
        // For `benches/instructions.sh`, which counts what so many turns of so many threads cost.
        if let [threads, turns] = numbers("--count")[..] {
            durable_turns(threads as usize, turns).await;
            std::process::exit(0);
        }
        let turns = if quick { 100 } else { 1000 };
        let mut rows = Vec::new();
        // Raw and sayso take turns, so that both see the same weather on a shared disk.
        let (mut raw, mut one, mut many) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..if quick { 1 } else { 5 } {
            raw.push(raw_turns(turns));
            one.push(durable_turns(1, turns).await);
            if report::flag("--e1") {
                continue;
            }
            many.push(durable_turns(64, turns / 10).await);
        }
        if report::flag("--e1") {
            println!("{:.0} of {:.0}", median(one), median(raw));
            std::process::exit(0);
        }
        let (raw, one, many) = (median(raw), median(one), median(many));
        rows.push(Row::new(
            "E1",
            "durable turns a second, one thread",
            one,
            "raw SQLite, 2 FULL commits",
            raw,
            one / raw,
            "≥ 0.33",
        ));
        rows.push(Row::new(
            "E2",
            "durable turns a second, 64 threads",
            many,
            "E1",
            one,
            many / one,
            "reported",
        ));
        if let Some(theirs) = langgraph_turns() {
            let ratio = many / theirs;
            rows.push(Row::new("E2", "the same", many, "LangGraph, SQLite saver", theirs, ratio, "≥ 35"));
        }
        rows.extend(size_and_load(if quick { 200 } else { 1000 }).await);
        rows.extend(statements_a_turn().await);
        rows
    });
    report::print("engine", &rows);
}

/// The numbers after a flag.
fn numbers(flag: &str) -> Vec<u32> {
    std::env::args().skip_while(|arg| arg != flag).skip(1).map_while(|arg| arg.parse().ok()).collect()
}

fn settings() -> Settings {
    Settings {
        hold: Duration::ZERO,
        soft_hold: Duration::ZERO,
        concurrency: 64,
        step_limit: 100_000,
        ..Settings::default()
    }
}

fn open(folder: &Path) -> Inbox {
    let store = Store::open(folder).unwrap();
    Inbox::new(Engine::new(store, Registry::new([talk::spec()]), settings()))
}

/// Two FULL commits a turn, each message written once: a decision, then a node's result.
fn raw_turns(turns: u32) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let db = Connection::open(folder.path().join("raw.db")).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)",
    )
    .unwrap();
    let mut insert = db.prepare("INSERT INTO t (text) VALUES (?)").unwrap();
    let begin = Instant::now();
    for turn in 0..turns {
        let (answer, question) = (talk::answer(turn), talk::question(turn));
        insert.execute([answer]).unwrap();
        insert.execute([question]).unwrap();
    }
    f64::from(turns) / begin.elapsed().as_secs_f64()
}

async fn durable_turns(threads: usize, turns: u32) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let inbox = open(folder.path());
    for _ in 0..threads {
        inbox.threads().start("talk".to_owned(), json!({})).await.unwrap();
    }
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let driver = tokio::spawn(async move {
        let stop = async {
            let _ = stopped.await;
        };
        worker.run(&Scope::All, Until::Stopped, stop).await.unwrap();
    });
    let begin = Instant::now();
    answer_all(&inbox, threads, turns).await;
    let rate = threads as f64 * f64::from(turns) / begin.elapsed().as_secs_f64();
    let _ = stop.send(());
    driver.await.unwrap();
    rate
}

/// What one thread's turns ask of SQLite.
async fn statements_a_turn() -> [Row; 4] {
    let counts = statements::count();
    let turns = 100;
    let before = counts.now();
    durable_turns(1, turns).await;
    let turn = counts.since(before).map(|count| count as f64 / f64::from(turns));
    let row = |what, value, goal| Row::new("E5", what, value, "a turn", 1.0, value, goal);
    [
        row("statements in write transactions", turn[0], "≤ 12"),
        row("statements in all", turn[0] + turn[1], "≤ 20"),
        row("write transactions", turn[2], "2"),
        row("read transactions", turn[3], "≤ 4"),
    ]
}

/// LangGraph's turns a second over 64 threads, where there is one to ask.
fn langgraph_turns() -> Option<f64> {
    let python = std::env::var_os("LANGGRAPH_PYTHON")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/langgraph_turns.py");
    let ran = std::process::Command::new(python).arg(script).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8(ran.stdout).unwrap().trim().parse().unwrap())
}

/// Answers whatever is asked, as soon as it is, until every thread has had its turns.
async fn answer_all(inbox: &Inbox, threads: usize, turns: u32) {
    let mut changes = inbox.changes();
    let mut deciding = tokio::task::JoinSet::new();
    let (mut after, mut answered) = (None, 0);
    while answered < threads * turns as usize {
        changes.borrow_and_update();
        // Questions are asked in the order of their numbers, so what lies behind the last one seen is new.
        let page = inbox
            .decisions()
            .questions(ItemQuery { after, limit: threads, ..ItemQuery::default() })
            .await
            .unwrap();
        after = page.last.or(after);
        for item in page.rows {
            answered += 1;
            let decision = Decision::Respond { text: talk::answer(answered as u32) };
            let interrupt = item.id;
            let decide =
                DecisionRequest { interrupt, decision, shown: None, learn: true, by: DecidedBy::Cli };
            let inbox = inbox.clone();
            deciding.spawn(async move { inbox.decisions().decide(decide).await.unwrap() });
        }
        changes.changed().await.unwrap();
        while let Some(decided) = deciding.try_join_next() {
            decided.unwrap();
        }
    }
    while deciding.join_next().await.is_some() {}
}

async fn size_and_load(turns: u32) -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let inbox = open(folder.path());
    let short = inbox.threads().start("talk".to_owned(), json!({})).await.unwrap().thread;
    drive(&inbox, &short, 4).await;
    let before = file_bytes(folder.path());
    let long = inbox.threads().start("talk".to_owned(), json!({})).await.unwrap().thread;
    drive(&inbox, &long, turns / 2).await;
    let half = file_bytes(folder.path());
    drive(&inbox, &long, turns / 2).await;
    let whole = file_bytes(folder.path());
    let messages: usize = (0..turns).map(|turn| talk::question(turn).len() + talk::answer(turn).len()).sum();
    let (size, messages) = ((whole - before) as f64, messages as f64);
    let halves = (whole - half) as f64 / (half - before) as f64;
    // A snapshot every so often makes single steps uneven, so loading is measured on state of bounded size.
    let (small, big) = (load(&inbox, 10).await, load(&inbox, 1000).await);
    let (short, long) = (fold(&inbox, &short), fold(&inbox, &long));
    vec![
        Row::new(
            "E3",
            "bytes in the file a turn",
            size / f64::from(turns),
            "bytes of its messages",
            messages / f64::from(turns),
            size / messages,
            "≤ 2",
        ),
        Row::new(
            "E3",
            "second half of the turns, bytes",
            (whole - half) as f64,
            "first half",
            (half - before) as f64,
            halves,
            "≤ 1.1 (linear)",
        ),
        Row::new(
            "E4",
            "loading a state after 1,000 steps, µs",
            big,
            "after 10 steps",
            small,
            big / small,
            "≤ 5",
        ),
        Row::new(
            "E4",
            "loading a talk of 1,000 turns, µs",
            long,
            "a talk of 4 turns",
            short,
            long / short,
            "reported: the state itself is larger",
        ),
    ]
}

async fn drive(inbox: &Inbox, id: &ThreadId, turns: u32) {
    let engine = inbox.engine().clone();
    let mut worker = Driver::take(engine).await.unwrap().unwrap();
    for turn in 0..turns {
        worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        let interrupt = inbox.threads().outcome(id.clone()).await.unwrap().interrupts[0].clone();
        let decision = Decision::Respond { text: talk::answer(turn) };
        inbox
            .decisions()
            .decide(DecisionRequest { interrupt, decision, shown: None, learn: true, by: DecidedBy::Cli })
            .await
            .unwrap();
    }
    worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
}

/// The median time to load a thread of `steps` steps whose state does not grow, in microseconds.
async fn load(inbox: &Inbox, steps: u32) -> f64 {
    let id = inbox.threads().start("talk".to_owned(), json!({ "steps": steps })).await.unwrap().thread;
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    fold(inbox, &id)
}

fn fold(inbox: &Inbox, id: &ThreadId) -> f64 {
    let once = || {
        let begin = Instant::now();
        inbox.engine().state_at(id, None).unwrap().unwrap();
        begin.elapsed().as_secs_f64() * 1e6
    };
    median((0..200).map(|_| once()).collect())
}

/// The file as it is on disk once its log is folded in; nobody searched, so there is no word index in it.
fn file_bytes(folder: &Path) -> u64 {
    let path = folder.join("sayso.db");
    let db = Connection::open(&path).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    std::fs::metadata(path).unwrap().len()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
