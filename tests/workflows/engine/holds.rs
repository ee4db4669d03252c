//! Hold and undo: a decision can be taken back until the thread has acted on it.

use crate::support::TestInbox;
use crate::support::test_inbox::{decision, deed, eager, edit, holding, respond};
use sayso::app::Settings;
use sayso::engine::graph::Decision;
use sayso::inbox::{DecidedBy, InboxError, Status};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn only_what_cannot_be_taken_back_is_held() {
    let softly = Settings { soft_hold: Duration::from_secs(60), ..eager() };
    for (settings, irreversible, answer, by, status) in [
        (holding(), true, Decision::Accept, DecidedBy::Cli, Status::Held),
        (holding(), true, edit(json!({"key": "a", "n": 2})), DecidedBy::Cli, Status::Held),
        (holding(), true, Decision::Ignore, DecidedBy::Cli, Status::Ready),
        (holding(), true, respond("no"), DecidedBy::Cli, Status::Ready),
        (holding(), false, Decision::Accept, DecidedBy::Cli, Status::Ready),
        // Whatever is decided at the screen is held for a moment.
        (softly, false, Decision::Ignore, DecidedBy::Tui, Status::Held),
    ] {
        let inbox = TestInbox::with_settings(settings);
        let asked = json!({"key": "a", "irreversible": irreversible});
        let thread = inbox.run_program(json!([[{ "ask": [asked] }]])).await;
        let text = format!("{irreversible} {answer:?}");
        let request = decision(&inbox.open_question(&thread).await, answer, by);
        assert_eq!(inbox.decisions().decide(request).await.unwrap().status, status, "{text}");
    }
}

#[tokio::test]
async fn words_to_an_agent_are_held_for_a_second() {
    let inbox = TestInbox::with_settings(Settings::default());
    for (answer, hold_ms) in [(respond("no"), 1000), (Decision::Ignore, 5000)] {
        let thread = inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
        let request = decision(&inbox.open_question(&thread).await, answer, DecidedBy::Tui);
        inbox.decisions().decide(request).await.unwrap();
        let held = inbox.store().threads().runnable().unwrap().threads;
        let held = held.iter().find(|held| held.thread == thread).unwrap();
        assert_eq!(held.hold_ms, hold_ms);
        inbox.stop(&thread).await;
    }
}

#[tokio::test]
async fn the_hold_begins_with_the_last_answer() {
    let inbox = TestInbox::holding();
    let thread =
        inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}]])).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    assert_eq!(inbox.decide(&asked[0], Decision::Accept).await.unwrap().status, Status::Waiting);
    assert_eq!(inbox.decide(&asked[1], Decision::Ignore).await.unwrap().status, Status::Held);
}

#[tokio::test]
async fn undo_opens_the_same_question_again_and_stays_on_record() {
    let (inbox, thread, id) = TestInbox::holding().asking(deed()).await;
    let before = inbox.item(&id).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    assert_eq!(inbox.undo(&id).await.unwrap().status, Status::Waiting);
    assert_eq!(inbox.open_question(&thread).await, id);
    assert_eq!(inbox.item(&id).await.args_hash, before.args_hash);
    let open = inbox.undo(&id).await.unwrap_err();
    assert!(matches!(open, InboxError::Conflict(_)), "{open:?}");
    inbox.decide(&id, Decision::Ignore).await.unwrap();
    inbox.drive().await;
    let decisions = inbox.view(&thread).await.decisions;
    let record: Vec<_> = decisions.iter().map(|d| (d.r#type.as_str(), d.undone_at.is_some())).collect();
    assert_eq!(record, [("accept", true), ("ignore", false)]);
    assert_eq!(inbox.world.performed().len(), 0);
}

#[tokio::test]
async fn a_hold_that_ends_early_is_no_decision() {
    let (inbox, thread, id) = TestInbox::holding().asking(deed()).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    let act_now = async || inbox.decisions().act_now(id.clone(), DecidedBy::Tui).await;
    assert_eq!(act_now().await.unwrap().status, Status::Ready);
    let again = act_now().await.unwrap_err().to_string();
    assert!(again.contains("is not held"), "{again}");
    inbox.drive().await;
    assert_eq!(inbox.world.performed().len(), 1);
    assert_eq!(inbox.past_outcomes().await.len(), 1);
    let decisions = inbox.view(&thread).await.decisions;
    let record: Vec<_> = decisions.iter().map(|d| (d.by.to_string(), d.undone_at)).collect();
    assert_eq!(record, [("cli".to_owned(), None)]);
    let kinds = "SELECT group_concat(kind) FROM log WHERE kind IN ('decided', 'undone', 'released', 'begun')";
    let kinds: String = inbox.sql().query_row(kinds, [], |row| row.get(0)).unwrap();
    assert_eq!(kinds, "decided,released,begun");
    inbox.assert_whole();
    // Until something has begun, it can be taken back all the same.
    let (inbox, thread, id) = TestInbox::holding().asking(deed()).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.decisions().act_now(id.clone(), DecidedBy::Tui).await.unwrap();
    inbox.undo(&id).await.unwrap();
    assert_eq!(inbox.open_question(&thread).await, id);
    inbox.assert_whole();
}

#[tokio::test]
async fn undo_is_refused_while_the_effect_is_under_way_and_after_it() {
    let inbox = TestInbox::new();
    let once = json!({"name": "go", "key": "a", "gate": "out"});
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}], [{"once": once}]])).await;
    let id = inbox.open_question(&thread).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    let driver = inbox.drive_to("out").await;
    let refused = async || match inbox.undo(&id).await.unwrap_err() {
        InboxError::NotOpen { why, .. } => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused().await, "the thread has already acted on it");
    inbox.world.open("out");
    inbox.wait_for(&thread, Status::Done).await;
    driver.stop().await;
    assert!(refused().await.starts_with("it was accepted"));
    assert_eq!(inbox.world.performed().len(), 1);
}

/// A node is under way when the decision it rests on is taken back: neither its result nor its effect counts.
#[tokio::test]
async fn a_node_that_rests_on_an_undone_decision_leaves_nothing() {
    for after in [json!({"note": "acted"}), json!({"once": {"name": "go", "key": "a"}})] {
        let inbox = TestInbox::new();
        let program = json!([[{"ask": [{"key": "a"}]}], [{"call": "think"}, {"gate": "g"}, after]]);
        let thread = inbox.run_program(program).await;
        let id = inbox.open_question(&thread).await;
        inbox.decide(&id, Decision::Accept).await.unwrap();
        let driver = inbox.drive_to("g").await;
        assert_eq!(inbox.undo(&id).await.unwrap().status, Status::Waiting);
        inbox.world.open("g");
        inbox.world.open("g");
        assert_eq!(inbox.decide(&id, Decision::Ignore).await.unwrap().status, Status::Ready);
        inbox.world.open("g");
        inbox.world.open("g");
        if after.get("once").is_some() {
            inbox.wait_for(&thread, Status::Trouble).await;
            let (code, text) = inbox.trouble(&thread).await;
            assert_eq!((code.as_str(), text), ("failed", format!("`{id}` was not approved")));
        } else {
            inbox.wait_for(&thread, Status::Done).await;
            let log = inbox.log(&thread).await;
            assert_eq!(log, json!([{"answers": [["a", "ignore"]]}, {"think": 2}, "acted"]), "called anew");
        }
        driver.stop().await;
        assert_eq!(inbox.world.performed().len(), 0);
    }
}

#[tokio::test]
async fn a_hold_found_old_at_start_is_asked_again() {
    // By the wall clock, either way: a clock that was set back is no reason to act.
    for (away, paused) in [(16, false), (-16, false), (16, true)] {
        let (inbox, thread, id) = TestInbox::holding().asking(deed()).await;
        inbox.decide(&id, Decision::Accept).await.unwrap();
        if paused {
            inbox.pause(true).await.unwrap();
        }
        let clock = Arc::new(move || jiff::Timestamp::now() + jiff::SignedDuration::from_mins(away));
        let later = inbox.other_process_at(eager(), clock);
        let driver = later.drive_in_background().await;
        if paused {
            // It has looked once, and was not to do anything.
            inbox.wait_for(&thread, Status::Waiting).await;
            later.pause(false).await.unwrap();
        }
        inbox.wait_for(&thread, Status::Waiting).await;
        driver.stop().await;
        assert_eq!(inbox.open_question(&thread).await, id, "{away} minutes, paused: {paused}");
        assert_eq!(inbox.world.performed().len(), 0);
        assert!(inbox.view(&thread).await.decisions[0].undone_at.is_some());
    }
}

#[tokio::test]
async fn a_younger_hold_begins_anew_and_is_then_acted_on() {
    let inbox = TestInbox::with_settings(Settings { hold: Duration::from_millis(40), ..eager() });
    let thread = inbox.run_program(deed()).await;
    inbox.accept(&thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Held);
    let began = std::time::Instant::now();
    inbox.drive().await;
    assert!(began.elapsed() >= Duration::from_millis(40));
    assert_eq!(inbox.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_retry_of_what_cannot_be_undone_any_more_is_not_held() {
    let inbox = TestInbox::holding();
    let thread = inbox
        .run_program(json!([[{"ask": [{"key": "a", "irreversible": true, "granted": null}]}],
            [{"once": {"name": "go", "key": "a"}}, {"flaky": 9}]]))
        .await;
    let id = inbox.open_question(&thread).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    let inbox = inbox.restart(eager());
    // The hold was long; a driver with another hold waits it out anew, so it is taken away by hand.
    inbox.undo(&id).await.unwrap();
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.trouble(&thread).await.0, "failed");
    let inbox = inbox.restart(holding());
    let trouble = inbox.open_question(&thread).await;
    assert_eq!(inbox.decide(&trouble, Decision::Accept).await.unwrap().status, Status::Ready, "retry *now*");
}
