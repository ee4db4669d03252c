//! D10, D11 and D13: databases, graphs and clocks that are not what they were.

use crate::report;
use crate::support::TestInbox;
use crate::support::table_workflow::{self, Next};
use crate::support::test_inbox::eager;
use jiff::{SignedDuration, Timestamp};
use sayso::app::Settings;
use sayso::engine::graph::Decision;
use sayso::engine::store::{Store, StoreError, VERSION};
use sayso::inbox::Status;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Every file of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let named = entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()));
    // The index of the log is scratch space: any reader makes it anew.
    named.filter(|(name, _)| !name.ends_with("-shm")).collect()
}

#[tokio::test]
async fn d10_a_newer_database_is_refused_and_left_as_it_is() {
    let mut trials = 0;
    // In the main file, and in a log that was not folded into it yet.
    for in_log in [false, true] {
        for newer in [VERSION + 1, 999, i64::from(i32::MAX)] {
            let folder = tempfile::tempdir().unwrap();
            let inbox = TestInbox::builder().in_folder(folder.path()).open();
            inbox.run_program(json!([])).await;
            let data = inbox.data();
            drop(inbox);
            let db = rusqlite::Connection::open(data.join("sayso.db")).unwrap();
            db.execute_batch(&format!("PRAGMA user_version = {newer}; CREATE TABLE later (x)")).unwrap();
            let refused = folder.path().join("refused");
            std::fs::create_dir(&refused).unwrap();
            let copy = |name: &str| std::fs::copy(data.join(name), refused.join(name)).unwrap();
            if in_log {
                copy("sayso.db-wal");
                copy("sayso.db");
            }
            drop(db);
            if !in_log {
                copy("sayso.db");
            }
            let before = files(&refused);
            for _ in 0..2 {
                match Store::open(&refused).err().unwrap() {
                    StoreError::Newer { found, known, .. } => assert_eq!((found, known), (newer, VERSION)),
                    other => panic!("{other}"),
                }
                assert!(files(&refused) == before, "in the log: {in_log}: not a byte has changed");
            }
            trials += 1;
        }
    }
    report("D10", "a database from a newer version", trials);
}

#[tokio::test]
async fn d11_a_graph_that_changed_never_leads_to_the_wrong_node() {
    use Next::{Ask, End, Goto};
    let before: &[(&str, Next)] = &[("a", Ask("b")), ("b", Goto("c")), ("c", End)];
    type Changed<'a> = (&'a str, &'a [(&'a str, Next)], Option<&'a [&'a str]>);
    let table: [Changed<'_>; 7] = [
        ("as it was", before, Some(&["b", "c"])),
        ("an edge moved", &[("a", Ask("b")), ("b", End)], Some(&["b"])),
        (
            "a node put in",
            &[("a", Ask("b")), ("b", Goto("x")), ("x", Goto("c")), ("c", End)],
            Some(&["b", "x", "c"]),
        ),
        (
            "another entry",
            &[("z", Goto("a")), ("a", Ask("b")), ("b", Goto("c")), ("c", End)],
            Some(&["b", "c"]),
        ),
        ("the node renamed", &[("a", Ask("b2")), ("b2", Goto("c")), ("c", End)], None),
        ("the node taken out", &[("a", Ask("c")), ("c", End)], None),
        ("the workflow taken out", &[], None),
    ];
    for (what, after, expected) in table {
        let inbox = TestInbox::builder().with_workflow(table_workflow::spec("walk", before)).open();
        let thread = inbox.start("walk", json!({})).await;
        inbox.drive().await;
        let now = if after.is_empty() { Vec::new() } else { vec![table_workflow::spec("walk", after)] };
        let inbox = inbox.restart_with(eager(), now);
        inbox.accept(&thread).await;
        inbox.drive().await;
        let nodes = inbox.nodes(&thread).await;
        match expected {
            Some(expected) => {
                assert_eq!(nodes[..3], ["START", "a", "ANSWERS"], "{what}");
                assert_eq!(nodes[3..], *expected, "{what}");
                assert_eq!(inbox.status(&thread).await, Status::Done, "{what}");
            }
            None => {
                assert_eq!(inbox.trouble(&thread).await.0, "lost_node", "{what}");
                assert_eq!(nodes, ["START", "a"], "{what}");
                // Nothing is lost: with the graph it knew, it goes on.
                let inbox = inbox.restart_with(eager(), vec![table_workflow::spec("walk", before)]);
                inbox.accept(&thread).await;
                inbox.drive().await;
                assert_eq!(inbox.nodes(&thread).await[3..], ["b", "c"], "{what}");
            }
        }
    }
    report("D11", "a graph changed while a thread waits", table.len());
}

/// A clock that somebody keeps setting ten years forth and back.
fn wild() -> (sayso::engine::store::Clock, Arc<AtomicI64>) {
    let years = Arc::new(AtomicI64::new(0));
    let set = years.clone();
    let clock = move || Timestamp::now() + SignedDuration::from_hours(24 * 365 * set.load(Ordering::SeqCst));
    (Arc::new(clock), years)
}

#[tokio::test]
async fn d13_a_wild_clock_orders_nothing_and_fires_nothing() {
    let hold = Duration::from_millis(60);
    let settings = Settings { hold, retry_wait: Duration::from_millis(10), ..eager() };
    let mut trials = 0;
    for jumps in [[10, -10, 0], [-10, 10, -10], [0, -10, 10]] {
        let (clock, years) = wild();
        let wild = TestInbox::builder().settings(settings.clone()).clock(clock).open();
        let mut threads = Vec::new();
        for jump in jumps {
            years.store(jump, Ordering::SeqCst);
            let program = json!([
                [{"flaky": 1}, {"ask": [{"key": "a", "irreversible": true}]}],
                [{"once": {"name": format!("go {jump}"), "key": "a"}}]
            ]);
            threads.push(wild.run_program(program).await);
        }
        // Order comes from numbers, not from clocks.
        let asked: Vec<_> = wild.items().await.into_iter().map(|item| item.thread).collect();
        assert_eq!(asked, threads, "oldest first");
        let listed: Vec<_> = wild.lines().await.into_iter().map(|line| line.id).collect();
        assert_eq!(listed, threads.iter().rev().cloned().collect::<Vec<_>>(), "newest first");
        // A hold under way is neither shortened nor prolonged by a jump, nor acted on twice.
        let driver = wild.drive_in_background().await;
        // What it finds at its first look is another matter, below; so let that be over.
        let first = wild.start_program(json!([[]])).await;
        wild.wait_for(&first, Status::Done).await;
        for (thread, jump) in threads.iter().zip(jumps) {
            let id = wild.open_question(thread).await;
            let began = Instant::now();
            wild.decide(&id, Decision::Accept).await.unwrap();
            years.store(-jump, Ordering::SeqCst);
            wild.wait_for(thread, Status::Done).await;
            assert!(began.elapsed() >= hold, "fired after {:?}", began.elapsed());
            trials += 1;
        }
        driver.stop().await;
        assert_eq!(wild.world.performed().len(), threads.len(), "each once");
        // A hold found at start by another clock is not trusted, and asked again.
        let late = wild.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
        wild.accept(&late).await;
        years.fetch_add(10, Ordering::SeqCst);
        wild.drive().await;
        assert_eq!(wild.status(&late).await, Status::Waiting);
        wild.assert_intact("a wild clock");
        trials += 1;
    }
    report("D13", "clocks set ten years forth and back", trials);
}
