//! Children and joins.

use crate::support::TestInbox;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{NextView, Status, ThreadQuery};
use serde_json::{Value, json};

/// Everything a thread started, oldest first.
async fn children(inbox: &TestInbox, parent: &ThreadId) -> Vec<ThreadId> {
    let all = inbox.threads().list(ThreadQuery { limit: 99, ..Default::default() }).await.unwrap().rows;
    let mut found: Vec<_> =
        all.into_iter().filter(|line| line.parent.as_ref() == Some(parent)).map(|line| line.id).collect();
    found.reverse();
    found
}

fn kid(key: &str, program: Value) -> Value {
    json!({"key": key, "program": program})
}

#[tokio::test]
async fn results_are_in_the_order_spawned_whoever_ends_first() {
    let inbox = TestInbox::new();
    let kids =
        [kid("slow", json!([[{"ask": [{"key": "x"}]}]])), kid("quick", json!([])), kid("mid", json!([[]]))];
    let thread = inbox.run_program(json!([[{"spawn": kids}], [{"note": "after"}]])).await;
    assert_eq!(inbox.status(&thread).await, Status::Joining);
    let started = children(&inbox, &thread).await;
    match &inbox.view(&thread).await.steps[1].next {
        NextView::Spawn { spawn, then } => assert_eq!((spawn, then.as_str()), (&started, "play")),
        other => panic!("{other:?}"),
    }
    inbox.accept_and_drive(&started[0]).await;
    let expected = json!([{"joined": [["slow", true], ["quick", true], ["mid", true]]}, "after"]);
    assert_eq!(inbox.log(&thread).await, expected);
    assert_eq!(inbox.nodes(&thread).await, ["START", "play", "JOIN", "play", "play"]);
}

#[tokio::test]
async fn an_abandoned_child_is_a_result_too() {
    let inbox = TestInbox::new();
    let thread = inbox
        .run_program(
            json!([[{"spawn": [kid("bad", json!([[{"fail": "no paper"}]])), kid("good", json!([]))]}]]),
        )
        .await;
    let bad = children(&inbox, &thread).await[0].clone();
    assert_eq!(inbox.trouble(&bad).await, ("failed".to_owned(), "no paper".to_owned()));
    assert_eq!(inbox.answer(&bad, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(inbox.status(&thread).await, Status::Done);
    let joined = &inbox.view(&thread).await.steps[2].updates[0]["joined"];
    assert_eq!(joined[0]["done"], json!(false));
    assert_eq!(joined[0]["error"], json!("no paper"));
    assert_eq!(joined[1]["done"], json!(true));
}

#[tokio::test]
async fn an_abandoned_parent_takes_its_children_with_it() {
    let inbox = TestInbox::new();
    let inner = kid("inner", json!([[{"ask": [{"key": "x"}]}]]));
    let thread = inbox.run_program(json!([[{"spawn": [kid("outer", json!([[{"spawn": [inner]}]]))]}]])).await;
    let outer = children(&inbox, &thread).await[0].clone();
    let inner = children(&inbox, &outer).await[0].clone();
    let question = inbox.open_question(&inner).await;
    inbox.stop(&thread).await;
    inbox.answer(&thread, Decision::Ignore).await;
    for id in [&thread, &outer, &inner] {
        assert_eq!(inbox.status(id).await, Status::Abandoned);
    }
    let error = inbox.decide(&question, Decision::Accept).await.unwrap_err().to_string();
    assert!(error.contains("its thread was ended"), "{error}");
}

#[tokio::test]
async fn children_have_children() {
    let inbox = TestInbox::new();
    let leaf = |key| kid(key, json!([[{"note": key}]]));
    let branch = |key| kid(key, json!([[{"spawn": [leaf("l1"), leaf("l2")]}], [{"spawn": [leaf("l3")]}]]));
    let thread = inbox.run_program(json!([[{"spawn": [branch("b1"), branch("b2")]}]])).await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.log(&thread).await, json!([{"joined": [["b1", true], ["b2", true]]}]));
    let branch = children(&inbox, &thread).await[1].clone();
    let expected = json!([{"joined": [["l1", true], ["l2", true]]}, {"joined": [["l3", true]]}]);
    assert_eq!(inbox.log(&branch).await, expected, "each join sees its own children");
    assert_eq!(inbox.store().threads().family(&thread).unwrap().len(), 1 + 2 + 2 * 3);
}

#[tokio::test]
async fn a_join_without_children_is_empty() {
    let inbox = TestInbox::new();
    let thread = inbox
        .run_program(json!([[{"spawn": []}], [{"spawn": [kid("a", json!([]))]}], [{"spawn": []}]]))
        .await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    let expected = json!([{"joined": []}, {"joined": [["a", true]]}, {"joined": []}]);
    assert_eq!(inbox.log(&thread).await, expected);
}

#[tokio::test]
async fn a_child_that_goes_on_does_not_wake_its_parent() {
    let inbox = TestInbox::new();
    let waits = kid("waits", json!([[{"ask": [{"key": "x"}]}]]));
    let thread =
        inbox.run_program(json!([[{"spawn": [kid("ended", json!([]))]}], [{"spawn": [waits]}]])).await;
    let [ended, waiting] = children(&inbox, &thread).await.try_into().unwrap();
    inbox.threads().proceed(ended.clone(), "more".to_owned()).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&ended).await, Status::Done);
    assert_eq!(inbox.status(&thread).await, Status::Joining);
    inbox.accept_and_drive(&waiting).await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    let expected = json!([{"joined": [["ended", true]]}, {"joined": [["waits", true]]}]);
    assert_eq!(inbox.log(&thread).await, expected);
}

#[tokio::test]
async fn a_child_that_cannot_be_started_is_trouble_and_starts_none() {
    let inbox = TestInbox::new();
    let good = kid("good", json!([]));
    let astray = json!({"key": "bad", "program": [[{"spawn": [{"key": "x"}]}]]});
    let error =
        inbox.threads().start("player".to_owned(), json!({"program": [[{"spawn": [good, astray]}]]})).await;
    assert!(error.unwrap_err().to_string().contains("program[0][0].spawn[1]"));
    assert_eq!(
        inbox.threads().list(ThreadQuery { limit: 9, ..Default::default() }).await.unwrap().rows.len(),
        0
    );
}

/// Whether its child ends before it goes on, or after.
#[tokio::test]
async fn a_stopped_parent_joins_when_it_may_go_on() {
    let waits = kid("a", json!([[{"ask": [{"key": "x"}]}]]));
    for child_first in [true, false] {
        let (inbox, thread) = TestInbox::new().playing(json!([[{"spawn": [waits]}]])).await;
        inbox.stop(&thread).await;
        let child = children(&inbox, &thread).await[0].clone();
        if child_first {
            assert_eq!(inbox.accept_and_drive(&child).await, Status::Done);
            assert_eq!(inbox.status(&thread).await, Status::Trouble);
            inbox.accept_and_drive(&thread).await;
        } else {
            assert_eq!(inbox.accept_and_drive(&thread).await, Status::Joining, "it goes on waiting");
            inbox.accept_and_drive(&child).await;
        }
        assert_eq!(inbox.log(&thread).await, json!([{"joined": [["a", true]]}]));
    }
}
