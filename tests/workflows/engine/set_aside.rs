//! Threads that are set aside and reopened, at every moment of their lives.

use crate::support::TestInbox;
use sayso::engine::graph::Decision;
use sayso::inbox::{SetAside, Status};
use serde_json::{Value, json};

async fn set_aside(inbox: &TestInbox, thread: &sayso::engine::graph::ThreadId) {
    inbox.store().threads().set_aside(thread.clone(), SetAside::Archived).await.unwrap();
    assert_eq!(inbox.status(thread).await, Status::Done);
    assert!(inbox.open_items(thread).await.is_empty());
    assert!(inbox.store().threads().is_set_aside(thread).unwrap());
    inbox.assert_whole();
    inbox.drive().await;
    assert_eq!(inbox.status(thread).await, Status::Done, "a driver leaves it alone");
}

async fn reopen(inbox: &TestInbox, thread: &sayso::engine::graph::ThreadId) {
    // The second time there is nothing to reopen.
    for _ in 0..2 {
        inbox.store().threads().reopen(thread.clone()).await.unwrap();
    }
    assert!(!inbox.store().threads().is_set_aside(thread).unwrap());
    inbox.assert_whole();
}

fn asks() -> Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}], [{"note": "on"}]])
}

#[tokio::test]
async fn questions_come_back_with_their_ids_and_a_held_answer_is_taken_back() {
    let (inbox, thread) = TestInbox::holding().playing(asks()).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    let before = inbox.open_items(&thread).await;
    for id in &asked {
        inbox.decide(id, Decision::Accept).await.unwrap();
    }
    assert_eq!(inbox.status(&thread).await, Status::Held);
    set_aside(&inbox, &thread).await;
    let why = inbox.decide(&asked[0], Decision::Accept).await.unwrap_err().to_string();
    assert!(why.contains("you have archived it"), "{why}");
    reopen(&inbox, &thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert_eq!(inbox.open_items(&thread).await, before);
    let nodes = inbox.nodes(&thread).await;
    assert_eq!(nodes, ["START", "play"], "it took no step meanwhile");
    inbox.accept(&thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Held);
}

#[tokio::test]
async fn a_thread_that_was_at_work_goes_on() {
    let inbox = TestInbox::new();
    let thread = inbox.start_program(json!([[{"note": "one"}], [{"note": "two"}]])).await;
    set_aside(&inbox, &thread).await;
    reopen(&inbox, &thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Ready);
    inbox.drive().await;
    assert_eq!(inbox.log(&thread).await, json!(["one", "two"]));
}

#[tokio::test]
async fn trouble_comes_back_too() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"fail": "no"}]])).await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    let before = inbox.trouble(&thread).await;
    set_aside(&inbox, &thread).await;
    reopen(&inbox, &thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    assert_eq!(inbox.trouble(&thread).await, before);
}

#[tokio::test]
async fn a_correction_of_a_thread_that_was_set_aside_starts_it_over() {
    let inbox = TestInbox::new();
    let thread = inbox.run("chat", json!({"topic": "tea"})).await;
    set_aside(&inbox, &thread).await;
    inbox.threads().proceed(thread.clone(), "and coffee".to_owned()).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert!(!inbox.store().threads().is_set_aside(&thread).unwrap());
    inbox.assert_whole();
}
