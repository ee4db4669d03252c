//! A year of heavy use: what the file grows to, whether the last day is as quick as the first, and what pruning gives
//! back. And S1: full-text search over 100,000 threads.
//!
//! `cargo bench --bench year` prints tables; `-- --json` prints the same as JSON; `-- --quick` takes ten days and a
//! tenth of the threads; `-- --search` stops after S1. Mails go through the real intake and the real workflow, with the built-in model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod report;
#[allow(dead_code)]
#[path = "ui/seed.rs"]
mod seed;
mod setup;

use jiff::{SignedDuration, Timestamp};
use report::Row;
use sayso::app::{Driver, Scope, Setup, Until};
use sayso::engine::graph::Decision;
use sayso::inbox::door::Inbox;
use sayso::inbox::{
    ActivityQuery, DecidedBy, DecisionRequest, ItemQuery, PruneQuery, Status, Storage, ThreadQuery,
};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// Mails a day.
const MAILS: usize = 200;

fn main() {
    let quick = report::flag("--quick");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut rows = runtime.block_on(searched(if quick { 10_000 } else { 100_000 }));
    if report::flag("--search") {
        report::print("search", &rows);
        return;
    }
    let (more, before, after) = runtime.block_on(a_year(if quick { 10 } else { 365 }));
    rows.extend(more);
    report::print("year", &rows);
    if report::flag("--json") {
        println!("{}", json!({"bench": "year", "before": before, "after": after}));
        return;
    }
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!("\n{:<14} {:>10} {:>10}   {:>10} {:>10}", "table", "rows", "MB", "pruned", "MB");
    for table in &before.tables {
        let left = after.tables.iter().find(|left| left.table == table.table);
        let (rows, bytes) = left.map_or((0, 0), |left| (left.rows, left.bytes));
        println!(
            "{:<14} {:>10} {:>10.1}   {rows:>10} {:>10.1}",
            table.table,
            table.rows,
            mb(table.bytes),
            mb(bytes)
        );
    }
    println!("{:<14} {:>10} {:>10.1}   {:>10} {:>10.1}", "the file", "", mb(before.file), "", mb(after.file));
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

/// The middle of several tries, after one that does not count.
async fn median(mut work: impl AsyncFnMut()) -> f64 {
    work().await;
    let mut times = Vec::new();
    for _ in 0..9 {
        let begun = Instant::now();
        work().await;
        times.push(ms(begun));
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// S1: a page of 50 threads by a word that few have, and by one that all have; the next page costs the same.
async fn searched(threads: usize) -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    tokio::task::spawn_blocking(move || seed::fill(&path, threads, threads / 10)).await.unwrap();
    let inbox = seed::open(folder.path());
    let find = async |words: &str, after| {
        let query = ThreadQuery {
            filter: sayso::inbox::Query { words: vec![words.to_owned()], ..Default::default() },
            after,
            limit: 50,
            ..ThreadQuery::default()
        };
        inbox.threads().list(query).await.unwrap()
    };
    let begun = Instant::now();
    find("figures", None).await;
    let indexed = ms(begun);
    let listed = median(async || {
        inbox.threads().list(ThreadQuery { limit: 50, ..ThreadQuery::default() }).await.unwrap();
    })
    .await;
    let rare = format!("note {}", threads / 2);
    let few = median(async || assert!(!find(&rare, None).await.rows.is_empty())).await;
    let all = median(async || assert_eq!(find("figures week", None).await.rows.len(), 50)).await;
    let next = find("figures week", None).await.next;
    let further = median(async || assert_eq!(find("figures week", next).await.rows.len(), 50)).await;
    let of_workflow = median(async || {
        let query = ThreadQuery {
            filter: sayso::inbox::Query { workflow: Some("note".to_owned()), ..Default::default() },
            limit: 50,
            ..ThreadQuery::default()
        };
        assert_eq!(inbox.threads().list(query).await.unwrap().rows.len(), 50);
    })
    .await;
    let facets =
        median(async || assert_eq!(inbox.threads().facets().await.unwrap().workflows, ["note"])).await;
    let row = |what, value: f64| {
        Row::new("S1", what, value, "a page without a search, ms", listed, value / listed, "< 50 ms")
    };
    vec![
        row("search, a word few threads have, ms", few),
        row("search, words all threads have, ms", all),
        row("its next page, ms", further),
        row("a page of one workflow, ms", of_workflow),
        row("what threads can be narrowed to, ms", facets),
        Row::new(
            "S1",
            "indexing at the first search, ms",
            indexed,
            "threads",
            threads as f64,
            indexed / threads as f64,
            "–",
        ),
    ]
}

async fn a_year(days: usize) -> (Vec<Row>, Storage, Storage) {
    let home = tempfile::tempdir().unwrap();
    let today = Arc::new(AtomicI64::new(0));
    let (inbox, setup) = open(home.path(), days, today.clone());
    let intake = setup.intake(inbox.engine());
    intake.sync(&|_| ()).await;
    let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    let (mut first, mut last, mut decided) = (Vec::new(), Vec::new(), 0);
    for day in 0..days {
        today.store(day as i64, Ordering::SeqCst);
        for n in 0..MAILS {
            let n = day * MAILS + n;
            fs::write(home.path().join(format!("mail/new/{n:07}.host")), letter(n)).unwrap();
        }
        let begun = Instant::now();
        assert_eq!(intake.sync(&|_| ()).await.remove(0).error, None);
        driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        let items = inbox
            .decisions()
            .questions(ItemQuery { limit: 10_000, ..ItemQuery::default() })
            .await
            .unwrap()
            .rows;
        for (n, item) in items.iter().enumerate() {
            let interrupt = item.id.clone();
            let decision = match n % 6 {
                0 if item.allow.respond => Decision::Respond { text: "Shorter, please.".to_owned() },
                1 | 2 if item.allow.ignore => Decision::Ignore,
                _ => Decision::Accept,
            };
            // Taught on for a year, the built-in rules would be measured reading an ever longer profile.
            let decide = DecisionRequest {
                interrupt,
                decision,
                shown: None,
                learn: day < 5 && n % 3 == 0,
                by: DecidedBy::Cli,
            };
            decided += usize::from(inbox.decisions().decide(decide).await.is_ok());
        }
        driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        let took = MAILS as f64 / begun.elapsed().as_secs_f64();
        let tenth = (days / 10).max(1);
        if day < tenth {
            first.push(took);
        } else if day >= days - tenth {
            last.push(took);
        }
        if day % 20 == 19 {
            eprintln!("day {} of {days}: {took:.0} mails a second", day + 1);
        }
    }
    drop(driver);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (first, last) = (mean(&first), mean(&last));
    let mails = (days * MAILS) as f64;
    let now = Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let counted = median(async || {
        inbox.statistics().activity(ActivityQuery::last(30, &now)).await.unwrap();
    })
    .await;
    let begun = Instant::now();
    let before = inbox.statistics().storage().await.unwrap();
    let sized = ms(begun);
    let query = PruneQuery {
        before: Timestamp::now().checked_add(SignedDuration::from_hours(1)).unwrap(),
        statuses: vec![Status::Done, Status::Abandoned],
    };
    let begun = Instant::now();
    let plan = inbox.prune().plan(query.clone()).await.unwrap();
    let planned = ms(begun);
    let begun = Instant::now();
    let pruned = inbox.prune().run(query).await.unwrap();
    let took = ms(begun);
    assert_eq!((pruned.taken.threads, pruned.left), (plan.threads, Vec::new()));
    let after = inbox.statistics().storage().await.unwrap();
    assert!(inbox.engine().store().audit().verify().unwrap().damaged.is_empty());
    let kb = |bytes: u64| bytes as f64 / 1000.0 / mails;
    let rows = vec![
        Row::new(
            "Y1",
            "mails a second, the last tenth",
            last,
            "the first tenth",
            first,
            last / first,
            "≥ 0.9",
        ),
        Row::new("Y2", "kB in the file a mail", kb(before.file), "decisions", decided as f64, 0.0, "–"),
        Row::new(
            "Y3",
            "kB a mail, all of it pruned",
            kb(after.file),
            "before",
            kb(before.file),
            after.file as f64 / before.file as f64,
            "–",
        ),
        Row::new("Y4", "charts of 30 days, ms", counted, "sizes by table, ms", sized, 0.0, "–"),
        Row::new("Y5", "prune and vacuum, ms", took, "its preview, ms", planned, took / planned, "–"),
    ];
    (rows, before, after)
}

/// A data folder whose clock shows one day of the year after the other.
fn open(home: &Path, days: usize, today: Arc<AtomicI64>) -> (Inbox, Setup) {
    for part in ["mail/cur", "mail/new", "mail/tmp", "sent/cur", "sent/new", "sent/tmp"] {
        fs::create_dir_all(home.join(part)).unwrap();
    }
    let text = format!(
        "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n[approvals]\nhold_seconds = 0\n[learning]\ndelay_seconds = 0\n[engine]\nconcurrency = 8\n\
         [intake]\nfirst_days = 3650\n[[mail]]\nname = \"home\"\nkind = \"maildir\"\npath = \"{0}/mail\"\n\
         address = \"ada@example.org\"\n[mail.outgoing]\nkind = \"maildir\"\npath = \"{0}/sent\"\n",
        home.display()
    );
    let day = move || SignedDuration::from_hours(24 * (today.load(Ordering::SeqCst) - days as i64));
    setup::open(home.join("data"), &text, Arc::new(move || Timestamp::now() + day()))
}

/// A mail: most are newsletters and notices, some ask something, a few want a meeting. About 2.5 kB.
fn letter(n: usize) -> Vec<u8> {
    let words: String = (0..180).map(|word| setup::word((n * 31 + word * 7) % 20_000)).collect();
    let lines: String =
        words.as_bytes().chunks(70).map(|line| format!("{}\r\n", String::from_utf8_lossy(line))).collect();
    let (from, subject, more, body) = match n % 10 {
        0 => (
            format!("Person {0} <p{0}@house.example>", n % 300),
            format!("A question about item {n}"),
            "",
            format!(
                "Hello Ada,\r\n\r\ncould you please tell me when item {n} will be ready?\r\n\r\n{lines}\r\nThanks, P\r\n"
            ),
        ),
        1 => (
            format!("Person {0} <p{0}@house.example>", n % 300),
            format!("Meeting about item {n}"),
            "",
            format!(
                "Hello Ada,\r\n\r\ncan we schedule a meeting for 30 minutes next week?\r\n\r\n{lines}\r\n"
            ),
        ),
        2 => (
            format!("Build <ci{}@builds.example>", n % 9),
            format!("Build {n} failed"),
            "",
            format!("The build {n} failed on main.\r\n\r\n{lines}\r\n"),
        ),
        _ => (
            format!("News {0} <news{0}@letters.example>", n % 40),
            format!("Offer {n} of the week"),
            "List-Id: <letters.example>\r\nList-Unsubscribe: <https://letters.example/u>\r\nPrecedence: bulk\r\n",
            format!("{lines}\r\nUnsubscribe at https://letters.example/u\r\n"),
        ),
    };
    format!(
        "Message-ID: <{n}@year.example>\r\nFrom: {from}\r\nTo: Ada <ada@example.org>\r\nSubject: {subject}\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n{more}\
         Content-Type: text/plain; charset=utf-8\r\n\r\n{body}"
    )
    .into_bytes()
}
