//! Batches of decisions: each counts by itself, and a batch is undone as a whole, from any process.

use crate::support::TestInbox;
use crate::support::test_inbox::{decision, deed, eager, holding};
use sayso::app::Settings;
use sayso::engine::graph::{Decision, InterruptId};
use sayso::engine::store::MemoryCause;
use sayso::inbox::{DecidedBy, DecisionRequest, InboxError, SeenHash, Status};
use serde_json::json;
use std::time::Duration;

async fn open_questions(inbox: &TestInbox, count: usize) -> Vec<InterruptId> {
    let mut all = Vec::new();
    for _ in 0..count {
        let thread = inbox.run_program(deed()).await;
        all.push(inbox.open_question(&thread).await);
    }
    all
}

fn accept(id: &InterruptId) -> DecisionRequest {
    decision(id, Decision::Accept, DecidedBy::Tui)
}

#[tokio::test]
async fn a_batch_is_taken_back_as_a_whole_by_another_process() {
    let inbox = TestInbox::holding();
    let ids = open_questions(&inbox, 4).await;
    let stale = DecisionRequest { shown: Some(SeenHash::Typed("00000000".to_owned())), ..accept(&ids[3]) };
    let results = inbox
        .decisions()
        .decide_together(vec![accept(&ids[0]), accept(&ids[1]), accept(&ids[2]), stale])
        .await;
    let held: Vec<bool> = results
        .iter()
        .map(|(_, result)| result.as_ref().is_ok_and(|outcome| outcome.status == Status::Held))
        .collect();
    assert_eq!(held, [true, true, true, false]);
    assert!(matches!(results[3].1, Err(InboxError::Stale { .. })));
    let other = inbox.other_process(holding());
    let last = other.decisions().last_decided().await.unwrap().unwrap();
    assert_eq!((last.interrupts.as_slice(), last.decision.as_str()), (&ids[..3], "accept"));
    // One taken back by itself leaves the others as they are.
    other.decisions().undo(ids[1].clone()).await.unwrap();
    let undone = other.decisions().undo_batch(ids[2].clone()).await.unwrap();
    let undone: Vec<(InterruptId, Status)> =
        undone.into_iter().map(|(id, result)| (id, result.unwrap().status)).collect();
    assert_eq!(undone, [(ids[0].clone(), Status::Waiting), (ids[2].clone(), Status::Waiting)]);
    assert_eq!(other.decisions().last_decided().await.unwrap(), None);
    let again = other.decisions().undo_batch(ids[0].clone()).await.unwrap_err().to_string();
    assert!(again.contains("nothing to undo"), "{again}");
    assert_eq!(inbox.world.performed().len(), 0);
}

#[tokio::test]
async fn what_was_acted_on_is_named_and_the_rest_is_taken_back() {
    let inbox = TestInbox::new();
    let ids = open_questions(&inbox, 2).await;
    inbox.decisions().decide_together(ids.iter().map(accept).collect()).await;
    let first = inbox.decisions().card(ids[0].clone()).await.unwrap().0.thread;
    let scope = sayso::app::Scope::WithChildren(first);
    let mut driver = sayso::app::Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    driver.run(&scope, sayso::app::Until::Idle, std::future::pending()).await.unwrap();
    drop(driver);
    for from in &ids {
        let results = inbox.decisions().undo_batch(from.clone()).await;
        if from == &ids[0] {
            let results = results.unwrap();
            assert!(matches!(results[0].1, Err(InboxError::NotOpen { .. })), "{results:?}");
            assert_eq!(results[1].1.as_ref().unwrap().status, Status::Waiting);
        } else {
            assert!(results.is_err(), "it is open again");
        }
    }
    assert_eq!(inbox.world.performed().len(), 1);
}

#[tokio::test]
async fn a_decision_taken_alone_is_taken_back_alone() {
    let settings = Settings { soft_hold: Duration::from_secs(3600), ..eager() };
    let inbox = TestInbox::with_settings(settings);
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}]])).await;
    let ids = inbox.outcome(&thread).await.interrupts;
    for id in &ids {
        inbox.decisions().decide(accept(id)).await.unwrap();
    }
    let last = inbox.decisions().last_decided().await.unwrap().unwrap();
    assert_eq!(last.interrupts, [ids[1].clone()]);
    let undone = inbox.decisions().undo_batch(ids[1].clone()).await.unwrap();
    assert_eq!(undone.len(), 1);
    assert_eq!(inbox.decisions().last_decided().await.unwrap().unwrap().interrupts, [ids[0].clone()]);
}

/// A full disk may make SQLite roll back on its own, in the midst of a job.
#[tokio::test]
async fn nothing_is_written_after_sqlite_has_rolled_back() {
    let inbox = TestInbox::holding();
    let ids = open_questions(&inbox, 2).await;
    inbox.decisions().decide_together(ids.iter().map(accept).collect()).await;
    let sql = inbox.sql();
    sql.execute_batch(
        "CREATE TRIGGER full BEFORE INSERT ON log
         WHEN new.kind = 'undone' AND new.ref = (SELECT min(seq) FROM interrupts)
         BEGIN SELECT RAISE(ROLLBACK, 'full'); END;
         BEGIN IMMEDIATE",
    )
    .unwrap();
    // Both wait for the lock, so they share a transaction.
    let cause = MemoryCause { kind: "edit".to_owned(), thread: None, interrupt: None };
    let (learned, undone, ()) = tokio::join!(
        inbox.store().memory().remember("tone".to_owned(), 0, "kind".to_owned(), cause),
        inbox.decisions().undo_batch(ids[1].clone()),
        async { sql.execute_batch("COMMIT").unwrap() },
    );
    assert!(learned.is_err() && undone.is_err(), "{learned:?}, {undone:?}");
    sql.execute_batch("DROP TRIGGER full").unwrap();
    inbox.assert_whole();
    let undone = inbox.decisions().undo_batch(ids[1].clone()).await.unwrap();
    assert!(undone.iter().all(|(_, result)| result.is_ok()), "{undone:?}");
    inbox.assert_whole();
}
