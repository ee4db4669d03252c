//! D01 during a prune: killed at any instant, it leaves an intact file, and the next prune finishes the work.

use crate::child::{errand, has_strace, run, say, traced};
use crate::home::Home;
use crate::{report, skipped};
use jiff::{SignedDuration, Timestamp};
use sayso::inbox::door::Inbox;
use sayso::inbox::{ItemQuery, PruneQuery, Status};
use serde_json::json;
use std::process::Command;

fn old() -> PruneQuery {
    let before = Timestamp::now().checked_add(SignedDuration::from_hours(1)).unwrap();
    PruneQuery { before, statuses: vec![Status::Done] }
}

/// The errand.
pub async fn prune(inbox: &Inbox) {
    match inbox.prune().run(old()).await {
        Ok(_) => say("done"),
        Err(error) => say(error),
    }
}

/// Threads that go altogether, threads that leave a record, a fork with its origin, bytes, and one that waits.
async fn filled_home() -> (Home, usize) {
    let home = Home::new();
    let inbox = home.inbox();
    for n in 0..6 {
        let digest =
            inbox.engine().store().put_blob(format!("bytes {n}").repeat(400).into_bytes()).await.unwrap();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        inbox.start_program(json!([[{"note": hex}], [{"note": "more"}]])).await;
        inbox.start_program(json!([[{"ask": [{"key": "a"}]}], []])).await;
    }
    inbox.drive().await;
    for item in crate::child::open_items(&inbox).await.into_iter().skip(1) {
        let accept = sayso::engine::graph::Decision::Accept;
        inbox.decide(&item.id, accept).await.unwrap();
    }
    inbox.drive().await;
    let threads = inbox.lines().await;
    let waits = threads.iter().find(|line| line.status == Status::Waiting).unwrap();
    inbox.threads().fork(waits.id.clone(), 0).await.unwrap();
    inbox.drive().await;
    let results = ItemQuery { limit: 99, ..Default::default() };
    for item in inbox.decisions().results(results).await.unwrap().rows {
        inbox.decisions().file_away(item.thread).await.unwrap();
    }
    let records = 5 + 2;
    (home, records)
}

async fn is_whole_and_is_finished(home: &Home, records: usize, what: &str) {
    let inbox = home.inbox();
    inbox.assert_intact(what);
    inbox.views().await;
    drop(inbox);
    assert_eq!(run(errand(home, "prune")), ["done"], "{what}");
    let inbox = home.inbox();
    inbox.assert_intact(&format!("{what}: afterwards"));
    assert_eq!(inbox.lines().await.len(), records, "{what}");
    let blobs = inbox
        .statistics()
        .storage()
        .await
        .unwrap()
        .tables
        .into_iter()
        .find(|table| table.table == "letting_go");
    assert_eq!(blobs.map_or(0, |table| table.rows), 0, "{what}: nothing is left to let go of");
    assert_eq!(crate::child::open_items(&inbox).await.len(), 2, "{what}: what waits still waits");
}

async fn dies(home: &Home, records: usize, what: &str, doomed: Command) -> bool {
    let died = run(doomed).last().is_none_or(|last| last != "done");
    is_whole_and_is_finished(home, records, what).await;
    died
}

#[tokio::test]
async fn d01_prune_killed_at_every_named_point() {
    let points = ["before_prune_batch", "after_prune_batch", "after_prune_mails", "after_sweep"];
    for point in points {
        let (home, records) = filled_home().await;
        let mut doomed = errand(&home, "prune");
        doomed.env("SAYSO_FAIL_POINT", point);
        assert!(dies(&home, records, point, doomed).await, "{point}: it was to die");
    }
    report("D01", "a prune, SIGKILL at each named point", points.len());
}

#[tokio::test]
async fn d01_prune_killed_at_every_sync() {
    if !has_strace() {
        return skipped("D01", "no strace, so no SIGKILL at each sync of a prune");
    }
    let mut trials = 0;
    for n in 1.. {
        let (home, records) = filled_home().await;
        let doomed = traced(&home, "prune", &format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        trials += 1;
        if !dies(&home, records, &format!("sync {n}"), doomed).await {
            break;
        }
    }
    assert!(trials > 3, "a prune has more than {trials} syncs");
    report("D01", "a prune, SIGKILL at each fsync and fdatasync", trials);
}
