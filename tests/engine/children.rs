//! Children and joins.

use crate::support::House;
use sayso::graph::{Decision, ThreadId};
use sayso::inbox::{NextView, Status, ThreadQuery};
use serde_json::{Value, json};

/// Everything a thread started, oldest first.
async fn children(house: &House, parent: &ThreadId) -> Vec<ThreadId> {
    let all =
        house.inbox.threads().list(ThreadQuery { limit: 99, ..Default::default() }).await.unwrap().threads;
    let mut found: Vec<_> =
        all.into_iter().filter(|line| line.parent.as_ref() == Some(parent)).map(|line| line.id).collect();
    found.reverse();
    found
}

fn kid(key: &str, program: Value) -> Value {
    json!({"key": key, "program": program})
}

#[tokio::test]
async fn results_stand_in_the_order_spawned_whoever_ends_first() {
    let house = House::new();
    let kids =
        [kid("slow", json!([[{"ask": [{"key": "x"}]}]])), kid("quick", json!([])), kid("mid", json!([[]]))];
    let thread = house.played(json!([[{"spawn": kids}], [{"note": "after"}]])).await;
    assert_eq!(house.status(&thread).await, Status::Joining);
    let started = children(&house, &thread).await;
    match &house.view(&thread).await.steps[1].next {
        NextView::Spawn { spawn, then } => assert_eq!((spawn, then.as_str()), (&started, "play")),
        other => panic!("{other:?}"),
    }
    house.accept(&started[0]).await;
    house.settle().await;
    let expected = json!([{"joined": [["slow", true], ["quick", true], ["mid", true]]}, "after"]);
    assert_eq!(house.log(&thread).await, expected);
    assert_eq!(house.nodes(&thread).await, ["START", "play", "JOIN", "play", "play"]);
}

#[tokio::test]
async fn an_abandoned_child_is_a_result_too() {
    let house = House::new();
    let thread = house
        .played(json!([[{"spawn": [kid("bad", json!([[{"fail": "no paper"}]])), kid("good", json!([]))]}]]))
        .await;
    let bad = children(&house, &thread).await[0].clone();
    assert_eq!(house.trouble(&bad).await, ("failed".to_owned(), "no paper".to_owned()));
    let trouble = house.asked(&bad).await;
    house.decide(&trouble, Decision::Ignore).await.unwrap();
    house.settle().await;
    assert_eq!(house.status(&bad).await, Status::Abandoned);
    assert_eq!(house.status(&thread).await, Status::Done);
    let joined = &house.view(&thread).await.steps[2].updates[0]["joined"];
    assert_eq!(joined[0]["done"], json!(false));
    assert_eq!(joined[0]["error"], json!("no paper"));
    assert_eq!(joined[1]["done"], json!(true));
}

#[tokio::test]
async fn an_abandoned_parent_takes_its_children_with_it() {
    let house = House::new();
    let inner = kid("inner", json!([[{"ask": [{"key": "x"}]}]]));
    let thread = house.played(json!([[{"spawn": [kid("outer", json!([[{"spawn": [inner]}]]))]}]])).await;
    let outer = children(&house, &thread).await[0].clone();
    let inner = children(&house, &outer).await[0].clone();
    let question = house.asked(&inner).await;
    house.inbox.threads().stop(thread.clone()).await.unwrap();
    let trouble = house.asked(&thread).await;
    house.decide(&trouble, Decision::Ignore).await.unwrap();
    house.settle().await;
    for id in [&thread, &outer, &inner] {
        assert_eq!(house.status(id).await, Status::Abandoned);
    }
    let error = house.decide(&question, Decision::Accept).await.unwrap_err().to_string();
    assert!(error.contains("its thread was ended"), "{error}");
}

#[tokio::test]
async fn children_have_children() {
    let house = House::new();
    let leaf = |key| kid(key, json!([[{"note": key}]]));
    let branch = |key| kid(key, json!([[{"spawn": [leaf("l1"), leaf("l2")]}], [{"spawn": [leaf("l3")]}]]));
    let thread = house.played(json!([[{"spawn": [branch("b1"), branch("b2")]}]])).await;
    assert_eq!(house.status(&thread).await, Status::Done);
    assert_eq!(house.log(&thread).await, json!([{"joined": [["b1", true], ["b2", true]]}]));
    let branch = children(&house, &thread).await[1].clone();
    let expected = json!([{"joined": [["l1", true], ["l2", true]]}, {"joined": [["l3", true]]}]);
    assert_eq!(house.log(&branch).await, expected, "each join sees its own children");
    assert_eq!(house.store().threads().family(&thread).unwrap().len(), 1 + 2 + 2 * 3);
}

#[tokio::test]
async fn a_join_of_nobody_sees_nobody() {
    let house = House::new();
    let thread =
        house.played(json!([[{"spawn": []}], [{"spawn": [kid("a", json!([]))]}], [{"spawn": []}]])).await;
    assert_eq!(house.status(&thread).await, Status::Done);
    let expected = json!([{"joined": []}, {"joined": [["a", true]]}, {"joined": []}]);
    assert_eq!(house.log(&thread).await, expected);
}

#[tokio::test]
async fn nobody_waits_for_what_was_only_started() {
    let house = House::new();
    let thread = house.played(json!([[{"start": kid("loose", json!([[{"ask": [{"key": "x"}]}]]))}]])).await;
    assert_eq!(house.status(&thread).await, Status::Done);
    let loose = children(&house, &thread).await[0].clone();
    assert_eq!(house.status(&loose).await, Status::Waiting);
    house.accept(&loose).await;
    house.settle().await;
    assert_eq!(house.status(&loose).await, Status::Done);
    assert_eq!(house.nodes(&thread).await, ["START", "play", "play"], "the parent hears nothing of it");
}

#[tokio::test]
async fn a_child_that_cannot_be_started_is_trouble_and_starts_none() {
    let house = House::new();
    let good = kid("good", json!([]));
    let astray = json!({"key": "bad", "program": [[{"spawn": [{"key": "x"}]}]]});
    let error = house
        .inbox
        .threads()
        .start("player".to_owned(), json!({"program": [[{"spawn": [good, astray]}]]}))
        .await;
    assert!(error.unwrap_err().to_string().contains("program[0][0].spawn[1]"));
    assert_eq!(
        house
            .inbox
            .threads()
            .list(ThreadQuery { limit: 9, ..Default::default() })
            .await
            .unwrap()
            .threads
            .len(),
        0
    );
}

#[tokio::test]
async fn a_stopped_parent_joins_when_it_may_go_on() {
    let house = House::new();
    let thread = house.played(json!([[{"spawn": [kid("a", json!([[{"ask": [{"key": "x"}]}]]))]}]])).await;
    house.inbox.threads().stop(thread.clone()).await.unwrap();
    let child = children(&house, &thread).await[0].clone();
    house.accept(&child).await;
    house.settle().await;
    assert_eq!((house.status(&child).await, house.status(&thread).await), (Status::Done, Status::Trouble));
    house.accept(&thread).await;
    house.settle().await;
    assert_eq!(house.log(&thread).await, json!([{"joined": [["a", true]]}]));
}

#[tokio::test]
async fn a_child_that_goes_on_after_its_parent_stopped_waits_for_it_no_longer() {
    let house = House::new();
    let thread = house.played(json!([[{"spawn": [kid("a", json!([[{"ask": [{"key": "x"}]}]]))]}]])).await;
    house.inbox.threads().stop(thread.clone()).await.unwrap();
    house.accept(&thread).await;
    house.settle().await;
    assert_eq!(house.status(&thread).await, Status::Joining, "it goes on waiting");
}
