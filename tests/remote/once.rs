//! A single look, where nobody drives: questions come and go with it, and nothing is sent.

use crate::room::Room;
use sayso::graph::Decision;
use sayso::inbox::Status;
use sayso::store::{DriverLock, Taken};
use serde_json::json;
use std::time::Duration;

const NOTHING: &[String] = &[];

#[tokio::test(flavor = "multi_thread")]
async fn a_look_brings_what_is_asked_and_closes_what_is_settled() {
    let room = Room::undriven(Duration::ZERO).await;
    let later = vec![("next".to_owned(), "\"Are you sure?\"".to_owned(), None)];
    let ask = vec![("int1".to_owned(), "\"How old are you?\"".to_owned(), None)];
    let id = room.house().thread("agent", ask, vec![later]);
    assert_eq!(room.items().await, []);
    for _ in 0..2 {
        assert_eq!(room.look_once().await, NOTHING);
        let titles: Vec<String> = room.items().await.into_iter().map(|item| item.title).collect();
        assert_eq!(titles, ["How old are you?"]);
    }
    room.house().settle(&id);
    assert_eq!(room.look_once().await, NOTHING);
    assert_eq!(room.items().await[0].title, "Are you sure?");
    room.house().settle(&id);
    assert_eq!(room.look_once().await, NOTHING);
    assert_eq!(room.items().await, []);
    assert_eq!(room.threads().await[0].status, Status::Done);
    let sources = room.inbox.mail().sources().await.unwrap();
    assert_eq!((sources[0].source.as_str(), &sources[0].error), ("server lab", &None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_sends_nothing_that_was_decided_started_or_ended() {
    let room = Room::undriven(Duration::ZERO).await;
    room.house().asks("agent", &json!("decided"));
    room.house().asks("agent", &json!("ended"));
    room.look_once().await;
    let items = room.items().await;
    let titled = |title: &str| items.iter().find(|item| item.title == title).unwrap();
    room.decide(titled("decided"), Decision::Respond { text: "42".into() }).await.unwrap();
    room.inbox.threads().stop(titled("ended").thread.clone()).await.unwrap();
    room.inbox.threads().start("lab/agent".to_owned(), json!({"task": "x"})).await.unwrap();
    assert_eq!(room.look_once().await, NOTHING);
    assert_eq!(room.house().resumes(), NOTHING);
    assert!(room.house().lock().threads.iter().all(|thread| !thread.ended));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_that_was_left_before_it_could_read_reads_with_the_next_look() {
    let mut room = Room::new().await;
    room.inbox.pause(true).await.unwrap();
    room.house().asks("agent", &json!("How old are you?"));
    let ready = async || room.inbox.figures().overview().await.unwrap().threads_in(Status::Ready);
    room.until(async || (ready().await == 1).then_some(())).await;
    room.rest().await;
    room.inbox.pause(false).await.unwrap();
    assert_eq!(room.look_once().await, NOTHING);
    assert_eq!(room.items().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_drives_looks_alone_and_a_pause_holds_everybody() {
    let room = Room::undriven(Duration::ZERO).await;
    room.house().asks("agent", &json!("How old are you?"));
    let Taken::Ours(lock) = DriverLock::take(room.inbox.engine().store().folder()).unwrap() else {
        panic!("the lock is free")
    };
    assert_eq!(room.look_once().await, NOTHING);
    drop(lock);
    room.inbox.pause(true).await.unwrap();
    let said = room.look_once().await;
    assert!(said[0].starts_with("everything is paused, so no server was checked"), "{said:?}");
    assert!(room.house().lock().headers.is_empty(), "the server was asked");
    room.inbox.pause(false).await.unwrap();
    assert_eq!(room.look_once().await, NOTHING);
    assert_eq!(room.items().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_costs_a_sentence() {
    let mut room = Room::undriven(Duration::ZERO).await;
    room.house().asks("agent", &json!("How old are you?"));
    room.look_once().await;
    room.server.go().await;
    let said = room.look_once().await;
    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("lab: ") && said[0].ends_with("; its new questions are not listed"),
        "{said:?}"
    );
    assert_eq!(room.items().await.len(), 1);
    assert!(room.inbox.mail().sources().await.unwrap()[0].error.is_some());
}
