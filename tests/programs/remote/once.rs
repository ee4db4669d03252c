//! A single check of the servers while nobody drives: questions appear and disappear, and nothing is sent.

use super::remote_inbox::RemoteInbox;
use sayso::engine::graph::Decision;
use sayso::engine::store::{DriverLock, LockAttempt};
use sayso::inbox::Status;
use serde_json::json;
use std::time::Duration;

const NOTHING: &[String] = &[];

#[tokio::test(flavor = "multi_thread")]
async fn a_check_brings_new_questions_and_closes_settled_ones() {
    let remote = RemoteInbox::undriven(Duration::ZERO).await;
    let later = vec![("next".to_owned(), "\"Are you sure?\"".to_owned(), None)];
    let ask = vec![("int1".to_owned(), "\"How old are you?\"".to_owned(), None)];
    let id = remote.langgraph().thread("agent", ask, vec![later]);
    assert_eq!(remote.items().await, []);
    for _ in 0..2 {
        assert_eq!(remote.look_once().await, NOTHING);
        let titles: Vec<String> = remote.items().await.into_iter().map(|item| item.title).collect();
        assert_eq!(titles, ["How old are you?"]);
    }
    remote.langgraph().settle(&id);
    assert_eq!(remote.look_once().await, NOTHING);
    assert_eq!(remote.items().await[0].title, "Are you sure?");
    remote.langgraph().settle(&id);
    assert_eq!(remote.look_once().await, NOTHING);
    assert_eq!(remote.items().await, []);
    assert_eq!(remote.threads().await[0].status, Status::Done);
    let sources = remote.inbox.mail().sources().await.unwrap();
    assert_eq!((sources[0].source.as_str(), &sources[0].error), ("server lab", &None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_sends_no_decision() {
    let remote = RemoteInbox::undriven(Duration::ZERO).await;
    remote.langgraph().ask("agent", &json!("answered"));
    remote.langgraph().ask("agent", &json!("ended"));
    remote.look_once().await;
    let items = remote.items().await;
    let titled = |title: &str| items.iter().find(|item| item.title == title).unwrap();
    remote.decide(titled("answered"), Decision::Respond { text: "42".into() }).await.unwrap();
    remote.decide(titled("ended"), Decision::Ignore).await.unwrap();
    assert_eq!(remote.look_once().await, NOTHING);
    assert_eq!(remote.langgraph().resumes(), NOTHING);
    assert!(remote.langgraph().lock().threads.iter().all(|thread| !thread.ended));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_that_has_not_read_yet_reads_with_the_next_check() {
    let mut remote = RemoteInbox::new().await;
    remote.inbox.pause(true).await.unwrap();
    remote.langgraph().ask("agent", &json!("How old are you?"));
    let ready = async || remote.inbox.statistics().overview().await.unwrap().threads_in(Status::Ready);
    remote.wait_until(async || (ready().await == 1).then_some(())).await;
    remote.stop_driving().await;
    remote.inbox.pause(false).await.unwrap();
    assert_eq!(remote.look_once().await, NOTHING);
    assert_eq!(remote.items().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_driver_checks_a_pause_stops_everyone_and_what_is_down_is_said() {
    let mut remote = RemoteInbox::undriven(Duration::ZERO).await;
    remote.langgraph().ask("agent", &json!("How old are you?"));
    let LockAttempt::Ours(lock) = DriverLock::take(remote.inbox.engine().store().folder()).unwrap() else {
        panic!("the lock is free")
    };
    assert_eq!(remote.look_once().await, NOTHING);
    drop(lock);
    remote.inbox.pause(true).await.unwrap();
    let warnings = remote.look_once().await;
    assert!(warnings[0].starts_with("everything is paused, so no server was checked"), "{warnings:?}");
    assert!(remote.langgraph().lock().headers.is_empty(), "the server was asked");
    remote.inbox.pause(false).await.unwrap();
    assert_eq!(remote.look_once().await, NOTHING);
    assert_eq!(remote.items().await.len(), 1);
    // A server that is down is one warning, and what it asked stays.
    remote.server.shut_down().await;
    let [warning] = &remote.look_once().await[..] else { panic!("one warning") };
    assert!(
        warning.starts_with("lab: ") && warning.ends_with("; its new questions are not listed"),
        "{warning}"
    );
    assert_eq!(remote.items().await.len(), 1);
    assert!(remote.inbox.mail().sources().await.unwrap()[0].error.is_some());
}
