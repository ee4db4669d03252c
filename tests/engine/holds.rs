//! Hold and undo: a decision can be taken back until the thread has acted on it.

use crate::support::house::{eager, holding, respond};
use crate::support::{House, house};
use sayso::app::Engine;
use sayso::graph::Decision;
use sayso::inbox::{By, Decide, InboxError, Status};
use sayso::service::Inbox;
use sayso::store::Store;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn deliver() -> serde_json::Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"once": {"name": "go", "key": "a"}}]])
}

#[tokio::test]
async fn only_what_cannot_be_taken_back_is_held() {
    let house = House::with(holding(), Vec::new());
    let edit = || Decision::Edit { args: json!({"key": "a", "n": 2}) };
    let table = [
        (true, Decision::Accept, By::Cli, Status::Held),
        (true, edit(), By::Cli, Status::Held),
        (true, Decision::Ignore, By::Cli, Status::Ready),
        (true, respond("no"), By::Cli, Status::Ready),
        (false, Decision::Accept, By::Cli, Status::Ready),
    ];
    for (irreversible, decision, by, status) in table {
        let thread = house.played(json!([[{"ask": [{"key": "a", "irreversible": irreversible}]}]])).await;
        let interrupt = house.asked(&thread).await;
        let text = format!("{irreversible} {decision:?}");
        let decide = Decide { interrupt, decision, shown: None, learn: true, by };
        assert_eq!(house.inbox.decisions().decide(decide).await.unwrap().status, status, "{text}");
        // So that the next `played` finds nothing held.
        if status == Status::Held {
            house.inbox.threads().stop(thread.clone()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn decisions_at_the_screen_are_softly_held() {
    let settings = sayso::app::Settings { soft_hold: Duration::from_secs(60), ..eager() };
    let house = House::with(settings, Vec::new());
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}]])).await;
    let interrupt = house.asked(&thread).await;
    let decide = Decide { interrupt, decision: Decision::Ignore, shown: None, learn: true, by: By::Tui };
    assert_eq!(house.inbox.decisions().decide(decide).await.unwrap().status, Status::Held);
}

#[tokio::test]
async fn the_hold_begins_with_the_last_answer() {
    let house = House::with(holding(), Vec::new());
    let thread = house.played(json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}]])).await;
    let asked = house.outcome(&thread).await.interrupts;
    assert_eq!(house.decide(&asked[0], Decision::Accept).await.unwrap().status, Status::Waiting);
    assert_eq!(house.decide(&asked[1], Decision::Ignore).await.unwrap().status, Status::Held);
}

#[tokio::test]
async fn undo_opens_the_same_question_again_and_stays_on_record() {
    let house = House::with(holding(), Vec::new());
    let thread = house.played(deliver()).await;
    let id = house.asked(&thread).await;
    let before = house.item(&id).await;
    house.decide(&id, Decision::Accept).await.unwrap();
    assert_eq!(house.inbox.decisions().undo(id.clone()).await.unwrap().status, Status::Waiting);
    assert_eq!(house.asked(&thread).await, id);
    assert_eq!(house.item(&id).await.args_hash, before.args_hash);
    let open = house.inbox.decisions().undo(id.clone()).await.unwrap_err();
    assert!(matches!(open, InboxError::Conflict(_)), "{open:?}");
    house.decide(&id, Decision::Ignore).await.unwrap();
    house.settle().await;
    let decisions = house.view(&thread).await.decisions;
    let record: Vec<_> = decisions.iter().map(|d| (d.r#type.as_str(), d.undone_at.is_some())).collect();
    assert_eq!(record, [("accept", true), ("ignore", false)]);
    assert_eq!(house.world.performed().len(), 0);
}

#[tokio::test]
async fn undo_comes_too_late_once_the_thread_has_acted() {
    let house = House::new();
    let thread = house.played(deliver()).await;
    let id = house.asked(&thread).await;
    house.decide(&id, Decision::Accept).await.unwrap();
    house.settle().await;
    match house.inbox.decisions().undo(id).await.unwrap_err() {
        InboxError::NotOpen { why, .. } => assert!(why.starts_with("it was accepted"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn undo_is_refused_while_the_effect_is_under_way() {
    let house = House::new();
    let once = json!({"name": "go", "key": "a", "gate": "out"});
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}], [{"once": once}]])).await;
    let id = house.asked(&thread).await;
    house.decide(&id, Decision::Accept).await.unwrap();
    let driver = house.driver().await;
    house.world.reached("out").await;
    match house.inbox.decisions().undo(id).await.unwrap_err() {
        InboxError::NotOpen { why, .. } => assert_eq!(why, "the thread has already acted on it"),
        other => panic!("{other:?}"),
    }
    house.world.open("out");
    house.until(&thread, Status::Done).await;
    driver.stop().await;
    assert_eq!(house.world.performed().len(), 1);
}

/// A node is under way when the decision it rests on is taken back: neither its result nor its effect counts.
#[tokio::test]
async fn a_node_that_rests_on_an_undone_decision_leaves_nothing() {
    for after in [json!({"note": "acted"}), json!({"once": {"name": "go", "key": "a"}})] {
        let house = House::new();
        let program = json!([[{"ask": [{"key": "a"}]}], [{"call": "think"}, {"gate": "g"}, after]]);
        let thread = house.played(program).await;
        let id = house.asked(&thread).await;
        house.decide(&id, Decision::Accept).await.unwrap();
        let driver = house.driver().await;
        house.world.reached("g").await;
        assert_eq!(house.inbox.decisions().undo(id.clone()).await.unwrap().status, Status::Waiting);
        house.world.open("g");
        house.world.open("g");
        assert_eq!(house.decide(&id, Decision::Ignore).await.unwrap().status, Status::Ready);
        house.world.open("g");
        house.world.open("g");
        if after.get("once").is_some() {
            house.until(&thread, Status::Trouble).await;
            let (code, text) = house.trouble(&thread).await;
            assert_eq!((code.as_str(), text), ("failed", format!("`{id}` was not approved")));
        } else {
            house.until(&thread, Status::Done).await;
            let log = house.log(&thread).await;
            assert_eq!(log, json!([{"answers": [["a", "ignore"]]}, {"think": 2}, "acted"]), "called anew");
        }
        driver.stop().await;
        assert_eq!(house.world.performed().len(), 0);
    }
}

#[tokio::test]
async fn a_hold_found_old_at_start_is_asked_again() {
    // By the wall clock, either way: a clock that was set back is no reason to act.
    for (away, paused) in [(16, false), (-16, false), (16, true)] {
        let house = House::with(holding(), Vec::new());
        let thread = house.played(deliver()).await;
        let id = house.asked(&thread).await;
        house.decide(&id, Decision::Accept).await.unwrap();
        if paused {
            house.inbox.pause(true).await.unwrap();
        }
        let clock = Arc::new(move || jiff::Timestamp::now() + jiff::SignedDuration::from_mins(away));
        let store = Store::open_with(&house.data(), clock).unwrap();
        let registry = house::registry(&house.street, &house.world, Vec::new());
        let later = Inbox::new(Engine::new(store, registry, eager()));
        let driver = house::drive(later.engine()).await;
        if paused {
            // It has looked once, and was not to do anything.
            house.until(&thread, Status::Waiting).await;
            later.pause(false).await.unwrap();
        }
        house.until(&thread, Status::Waiting).await;
        driver.stop().await;
        assert_eq!(house.asked(&thread).await, id, "{away} minutes, paused: {paused}");
        assert_eq!(house.world.performed().len(), 0);
        assert!(house.view(&thread).await.decisions[0].undone_at.is_some());
    }
}

#[tokio::test]
async fn a_younger_hold_begins_anew_and_is_then_acted_on() {
    let house = House::with(sayso::app::Settings { hold: Duration::from_millis(40), ..eager() }, Vec::new());
    let thread = house.played(deliver()).await;
    house.accept(&thread).await;
    assert_eq!(house.status(&thread).await, Status::Held);
    let began = std::time::Instant::now();
    house.settle().await;
    assert!(began.elapsed() >= Duration::from_millis(40));
    assert_eq!(house.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_retry_of_what_cannot_be_undone_any_more_is_not_held() {
    let house = House::with(holding(), Vec::new());
    let thread = house
        .played(json!([[{"ask": [{"key": "a", "irreversible": true, "granted": null}]}],
            [{"once": {"name": "go", "key": "a"}}, {"flaky": 9}]]))
        .await;
    let id = house.asked(&thread).await;
    house.decide(&id, Decision::Accept).await.unwrap();
    let house = house.reopen(eager(), Vec::new());
    // The hold was long; a driver with another hold waits it out anew, so it is taken away by hand.
    house.inbox.decisions().undo(id.clone()).await.unwrap();
    house.decide(&id, Decision::Accept).await.unwrap();
    house.settle().await;
    assert_eq!(house.trouble(&thread).await.0, "failed");
    let house = house.reopen(holding(), Vec::new());
    let trouble = house.asked(&thread).await;
    assert_eq!(house.decide(&trouble, Decision::Accept).await.unwrap().status, Status::Ready, "retry *now*");
}
