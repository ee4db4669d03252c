//! What reaches a thread from outside, at every moment of its life.

use crate::support::House;
use crate::support::house::{eager, holding, respond};
use sayso::app::Settings;
use sayso::graph::{Decision, EffectError, Found, ThreadId, What};
use sayso::inbox::{By, Decide, InboxError, Status};
use sayso::store::StoreError;
use serde_json::{Value, json};
use std::time::Duration;

fn asks() -> Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}], [{"note": "on"}]])
}

fn settled(reason: &str) -> What {
    What::Settled { reason: reason.to_owned(), payload: Value::Null }
}

async fn undone(house: &House, thread: &ThreadId) -> Vec<bool> {
    house.view(thread).await.decisions.iter().map(|decision| decision.undone_at.is_some()).collect()
}

#[tokio::test]
async fn news_marks_open_questions_and_makes_the_card_stale() {
    let house = House::new();
    let thread = house.played(asks()).await;
    let asked = house.outcome(&thread).await.interrupts;
    let before = house.item(&asked[0]).await;
    house.news(&thread, "mail1").await;
    assert_eq!(house.outcome(&thread).await.interrupts, asked, "the same ids");
    let after = house.item(&asked[0]).await;
    assert_eq!((&after.args, after.warnings[0].code.as_str()), (&before.args, "new_mail"));
    assert_ne!(after.args_hash, before.args_hash);
    assert!(after.text.contains("mail1"), "the card is drawn with the news: {}", after.text);
    let shown = before.args_hash.map(|hash| hash.to_string());
    let stale =
        Decide { interrupt: asked[0].clone(), decision: Decision::Accept, shown, learn: true, by: By::Tui };
    assert!(matches!(house.inbox.decisions().decide(stale).await.unwrap_err(), InboxError::Stale { .. }));
    house.news(&thread, "mail2").await;
    let again = house.item(&asked[0]).await;
    assert_eq!(again.warnings.len(), 1, "one warning of a kind");
    assert_ne!(again.args_hash, after.args_hash);
    house.accept(&thread).await;
    house.settle().await;
    let nodes = ["START", "play", "ARRIVED", "ARRIVED", "ANSWERS", "play", "play"];
    assert_eq!(house.nodes(&thread).await, nodes);
}

#[tokio::test]
async fn news_takes_held_and_half_given_answers_back() {
    let house = House::with(holding(), Vec::new());
    let thread = house.played(asks()).await;
    let asked = house.outcome(&thread).await.interrupts;
    house.decide(&asked[0], Decision::Accept).await.unwrap();
    house.news(&thread, "mail1").await;
    assert_eq!(house.outcome(&thread).await.interrupts, asked, "the half given answer");
    for id in &asked {
        house.decide(id, Decision::Accept).await.unwrap();
    }
    assert_eq!(house.status(&thread).await, Status::Held);
    house.news(&thread, "mail2").await;
    let outcome = house.outcome(&thread).await;
    assert_eq!((outcome.status, outcome.interrupts), (Status::Waiting, asked));
    assert_eq!(undone(&house, &thread).await, [true, true, true]);
}

#[tokio::test]
async fn news_while_a_node_runs_is_heard_before_the_next() {
    let house = House::new();
    let thread = house.play(json!([[{"gate": "g"}], [{"note": "second"}]])).await;
    let driver = house.driver().await;
    house.world.reached("g").await;
    house.news(&thread, "mail1").await;
    house.world.open("g");
    house.until(&thread, Status::Done).await;
    driver.stop().await;
    assert_eq!(house.nodes(&thread).await, ["START", "play", "ARRIVED", "play", "play"]);
    assert_eq!(house.log(&thread).await, json!([{"arrived": "mail1"}, "second"]));
}

#[tokio::test]
async fn news_while_a_node_runs_marks_what_that_node_asks() {
    let house = House::new();
    let thread = house.play(json!([[{"gate": "g"}, {"ask": [{"key": "a"}]}]])).await;
    let driver = house.driver().await;
    house.world.reached("g").await;
    house.news(&thread, "mail1").await;
    house.world.open("g");
    house.until(&thread, Status::Waiting).await;
    driver.stop().await;
    house.settle().await;
    let id = house.asked(&thread).await;
    assert_eq!(house.item(&id).await.warnings[0].code, "new_mail");
    assert_eq!(house.nodes(&thread).await, ["START", "play", "ARRIVED"]);
}

#[tokio::test]
async fn news_after_the_answers_stands_before_the_node_that_acts() {
    let house = House::new();
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}]])).await;
    house.accept(&thread).await;
    house.news(&thread, "mail1").await;
    house.settle().await;
    assert_eq!(house.nodes(&thread).await, ["START", "play", "ANSWERS", "ARRIVED", "play"]);
}

/// A thread that asks what cannot be undone, and does it once it is approved.
fn deed() -> Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"once": {"name": "go", "key": "a"}}]])
}

#[tokio::test]
async fn news_after_an_approval_that_nothing_was_done_about_asks_again() {
    for decision in [Decision::Accept, Decision::Edit { args: json!({"key": "a", "n": 2}) }] {
        let house = House::new();
        let thread = house.played(deed()).await;
        let id = house.asked(&thread).await;
        assert_eq!(house.decide(&id, decision.clone()).await.unwrap().status, Status::Ready);
        house.news(&thread, "mail1").await;
        assert_eq!(house.asked(&thread).await, id, "asked again before anybody drives");
        house.settle().await;
        assert_eq!(house.world.performed().len(), 0);
        assert_eq!(undone(&house, &thread).await, [true]);
        assert_eq!(house.item(&id).await.warnings[0].code, "new_mail");
        house.decide(&id, decision).await.unwrap();
        house.settle().await;
        assert_eq!(house.world.performed().len(), 1);
        assert_eq!(house.status(&thread).await, Status::Done);
        assert_eq!(house.nodes(&thread).await, ["START", "play", "ARRIVED", "ANSWERS", "play", "play"]);
    }
}

#[tokio::test]
async fn news_after_a_no_is_heard_without_asking_again() {
    let house = House::new();
    let thread = house.played(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
    let id = house.asked(&thread).await;
    house.decide(&id, Decision::Ignore).await.unwrap();
    house.news(&thread, "mail1").await;
    house.settle().await;
    assert_eq!(house.nodes(&thread).await, ["START", "play", "ANSWERS", "ARRIVED", "play"]);
}

/// The news waits for the node that asks, and somebody approves before it is taken in: what they saw did not show it.
#[tokio::test]
async fn news_that_an_approval_overtook_is_shown_before_anything_is_done() {
    for hold in [0, 1] {
        let house = House::with(Settings { hold: Duration::from_millis(hold), ..eager() }, Vec::new());
        let mut program = deed();
        program[0].as_array_mut().unwrap().insert(0, json!({"gate": "g"}));
        let thread = house.play(program).await;
        let driver = house.driver().await;
        house.world.reached("g").await;
        house.news(&thread, "mail1").await;
        // Whoever drives is told to rest, and the node under way still asks.
        house.inbox.pause(true).await.unwrap();
        house.world.open("g");
        house.until(&thread, Status::Waiting).await;
        driver.stop().await;
        let id = house.asked(&thread).await;
        assert!(house.item(&id).await.warnings.is_empty(), "nobody has taken the news in yet");
        house.decide(&id, Decision::Accept).await.unwrap();
        house.inbox.pause(false).await.unwrap();
        house.settle().await;
        assert_eq!(house.status(&thread).await, Status::Waiting);
        assert_eq!(house.world.performed().len(), 0);
        assert_eq!(house.item(&id).await.warnings[0].code, "new_mail");
        house.accept(&thread).await;
        house.settle().await;
        assert_eq!(house.world.performed().len(), 1);
        assert_eq!(house.log(&thread).await[0], json!({"arrived": "mail1"}));
    }
}

/// News at the node that acts: before the intent it asks again, and after it waits for the next node.
#[tokio::test]
async fn news_while_what_was_approved_is_under_way_neither_stops_nor_doubles_it() {
    for (gate, begun) in [("before", false), ("during", true)] {
        let house = House::new();
        let act = json!([{"gate": "before"}, {"once": {"name": "go", "key": "a", "gate": "during"}}]);
        let thread = house.played(json!([[{"ask": [{"key": "a", "irreversible": true}]}], act])).await;
        let id = house.asked(&thread).await;
        house.decide(&id, Decision::Accept).await.unwrap();
        let driver = house.driver().await;
        house.world.reached("before").await;
        if begun {
            house.world.open("before");
            house.world.reached("during").await;
        }
        house.news(&thread, "mail1").await;
        house.world.open(gate);
        let stands = if begun { Status::Done } else { Status::Waiting };
        house.until(&thread, stands).await;
        assert_eq!(house.world.performed().len(), usize::from(begun), "{gate}");
        if !begun {
            // Whatever the dropped node still meant to do is refused.
            house.world.open("before");
            house.decide(&id, Decision::Accept).await.unwrap();
            house.world.open("before");
            house.world.reached("during").await;
            house.world.open("during");
            house.until(&thread, Status::Done).await;
        }
        driver.stop().await;
        assert_eq!(house.world.performed().len(), 1, "{gate}");
        assert!(
            house.log(&thread).await.as_array().unwrap().contains(&json!({"arrived": "mail1"})),
            "{gate}"
        );
    }
}

#[tokio::test]
async fn news_that_came_while_the_last_node_ran_is_not_lost() {
    let house = House::new();
    let thread = house.play(json!([[{"gate": "g"}, "end"]])).await;
    let driver = house.driver().await;
    house.world.reached("g").await;
    house.news(&thread, "mail1").await;
    house.news(&thread, "mail2").await;
    house.world.open("g");
    house.until(&thread, Status::Done).await;
    driver.stop().await;
    house.settle().await;
    assert_eq!(house.log(&thread).await, json!([{"arrived": "mail1"}, {"arrived": "mail2"}]));
    assert_eq!(house.nodes(&thread).await, ["START", "play", "ARRIVED", "ARRIVED", "play"]);
    assert_eq!(house.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn news_for_an_ended_thread_is_refused() {
    let house = House::new();
    let thread = house.played(json!([])).await;
    let what = What::News {
        topic: String::new(),
        payload: Value::Null,
        warning: crate::support::warning("new_mail"),
    };
    assert!(matches!(house.arrive(&thread, "mail1", what).await, Err(StoreError::NotOpen { .. })));
}

#[tokio::test]
async fn what_was_settled_elsewhere_closes_with_the_reason() {
    let house = House::with(holding(), Vec::new());
    let thread = house.played(asks()).await;
    let asked = house.outcome(&thread).await.interrupts;
    house.decide(&asked[1], Decision::Ignore).await.unwrap();
    house.arrive(&thread, "reply", settled("You have answered this mail yourself.")).await.unwrap();
    for id in &asked {
        match house.decide(id, Decision::Accept).await.unwrap_err() {
            InboxError::NotOpen { why, .. } => assert_eq!(why, "You have answered this mail yourself."),
            other => panic!("{other:?}"),
        }
        assert!(house.inbox.decisions().undo(id.clone()).await.is_err());
    }
    house.settle().await;
    assert_eq!(house.log(&thread).await, json!([{"arrived": "reply"}, "on"]));
    assert_eq!(house.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn what_was_settled_while_a_node_ran_closes_what_that_node_asks() {
    let house = House::new();
    let thread = house.play(json!([[{"gate": "g"}, {"ask": [{"key": "a"}]}], [{"note": "on"}]])).await;
    let driver = house.driver().await;
    house.world.reached("g").await;
    house.arrive(&thread, "reply", settled("Done elsewhere.")).await.unwrap();
    house.world.open("g");
    house.until(&thread, Status::Done).await;
    driver.stop().await;
    assert_eq!(house.log(&thread).await, json!([{"arrived": "reply"}, "on"]));
}

#[tokio::test]
async fn words_after_a_result_run_the_thread_again_from_its_entry() {
    let house = House::new();
    let thread = house.start("chat", json!({"topic": "tea"})).await;
    house.settle().await;
    house.respond(&thread, "done").await;
    house.settle().await;
    let results = house.inbox.figures().overview().await.unwrap().open;
    assert_eq!(results.last(), Some(&("result".to_owned(), 1)));
    assert!(house.inbox.threads().proceed(thread.clone(), " \n".to_owned()).await.is_err(), "no words");
    let outcome = house.inbox.threads().proceed(thread.clone(), "now by quarter".to_owned()).await.unwrap();
    assert_eq!(outcome.status, Status::Ready);
    let busy = house.inbox.threads().proceed(thread.clone(), "and again".to_owned()).await.unwrap_err();
    assert!(matches!(busy, InboxError::Conflict(_)), "{busy:?}");
    house.settle().await;
    assert_eq!(house.status(&thread).await, Status::Waiting);
    assert_eq!(house.nodes(&thread).await, ["START", "think", "ANSWERS", "think", "ARRIVED", "think"]);
    assert_eq!(house.inbox.figures().overview().await.unwrap().open.last(), Some(&("result".to_owned(), 0)));
}

#[tokio::test]
async fn a_hint_enters_before_the_retry() {
    let house = House::new();
    let thread = house.played(json!([[{"flaky": 3}, {"note": "made it"}]])).await;
    let trouble = house.asked(&thread).await;
    house.decide(&trouble, respond("use the back door")).await.unwrap();
    house.settle().await;
    let view = house.view(&thread).await;
    assert_eq!(view.steps[1].node, "ARRIVED");
    assert_eq!(
        view.steps[1].updates[0]["arrived"]["what"],
        json!({"kind": "hint", "text": "use the back door"})
    );
    assert_eq!(view.status, Status::Done);
}

/// An effect in doubt, decided and held, when news comes: the decision is taken back, and the effect keeps its
/// place in the journal, so that it is not done a second time.
#[tokio::test]
async fn news_during_a_held_trouble_doubles_nothing() {
    for key in [json!("a"), Value::Null] {
        let house = House::new();
        *house.world.found.lock().unwrap() = Some(Found::Unknown("dark".to_owned()));
        house.world.fault(EffectError::Unknown("cut off".to_owned()));
        let program = json!([[{"ask": [{"key": "a"}]}], [{"once": {"name": "go", "key": key}}]]);
        let thread = house.played(program).await;
        house.accept(&thread).await;
        house.settle().await;
        let house = house.reopen(holding(), Vec::new());
        let trouble = house.asked(&thread).await;
        assert_eq!(house.decide(&trouble, Decision::Accept).await.unwrap().status, Status::Held);
        house.news(&thread, "mail1").await;
        assert_eq!(house.status(&thread).await, Status::Trouble, "asked again");
        assert_eq!(house.asked(&thread).await, trouble);
        assert_eq!(undone(&house, &thread).await, [false, true]);
        let house = house.reopen(eager(), Vec::new());
        house.decide(&trouble, Decision::Accept).await.unwrap();
        house.settle().await;
        assert_eq!(house.status(&thread).await, Status::Done);
        assert_eq!(house.world.performed().len(), 0, "it was settled as done");
        assert_eq!(house.view(&thread).await.effects.len(), 1);
        assert!(house.nodes(&thread).await.contains(&"ARRIVED".to_owned()), "and the news was heard");
    }
}

/// A stopped thread still has its questions open; news makes them stale like any other.
#[tokio::test]
async fn news_for_a_stopped_thread_marks_its_open_questions() {
    let house = House::new();
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}], [{"note": "on"}]])).await;
    let id = house.asked(&thread).await;
    let before = house.item(&id).await.args_hash;
    house.inbox.threads().stop(thread.clone()).await.unwrap();
    house.news(&thread, "mail1").await;
    assert_eq!(house.status(&thread).await, Status::Trouble);
    assert_ne!(house.item(&id).await.args_hash, before);
    house.accept(&thread).await;
    house.settle().await;
    assert_eq!(house.status(&thread).await, Status::Done);
    assert_eq!(house.log(&thread).await, json!([{"arrived": "mail1"}, {"answers": [["a", "accept"]]}, "on"]));
}

#[tokio::test]
async fn news_for_a_joining_thread_waits_for_its_children() {
    let house = House::new();
    let kid = json!({"key": "k", "program": [[{"ask": [{"key": "x"}]}]]});
    let thread = house.played(json!([[{"spawn": [kid]}], [{"note": "on"}]])).await;
    house.news(&thread, "mail1").await;
    house.settle().await;
    assert_eq!(house.status(&thread).await, Status::Joining);
    let child = house.store().threads().family(&thread).unwrap()[1].0.clone();
    house.accept(&child).await;
    house.settle().await;
    assert_eq!(house.log(&thread).await, json!([{"joined": [["k", true]]}, {"arrived": "mail1"}, "on"]));
}

/// A hold that has passed is over: what comes while the node is at work waits for the next one and takes nothing back.
#[tokio::test]
async fn news_after_the_hold_do_not_take_an_answer_back() {
    let house = House::with(Settings { soft_hold: Duration::from_millis(20), ..eager() }, Vec::new());
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}], [{"gate": "g"}, {"note": "x"}]])).await;
    let interrupt = house.asked(&thread).await;
    let answer = Decide { interrupt, decision: respond("go on"), shown: None, learn: true, by: By::Tui };
    assert_eq!(house.inbox.decisions().decide(answer).await.unwrap().status, Status::Held);
    let driver = house.driver().await;
    house.world.reached("g").await;
    house.until(&thread, Status::Running).await;
    house.news(&thread, "mail").await;
    let decisions = house.view(&thread).await.decisions;
    assert!(decisions.len() == 1 && decisions[0].undone_at.is_none(), "{decisions:?}");
    house.world.open("g");
    house.until(&thread, Status::Done).await;
    driver.stop().await;
    assert_eq!(house.store().audit().verify().unwrap().problems(), Vec::<String>::new());
}
