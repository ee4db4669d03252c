//! Everything that can go wrong on the way: an answer is sent at most once, and nobody is left believing otherwise.

use crate::room::Room;
use crate::server::Wrong;
use sayso::graph::Decision;
use sayso::inbox::{InboxError, Item, ItemKind, Status};
use serde_json::json;

async fn asked(room: &Room) -> Item {
    room.house().asks("agent", &json!("How old are you?"));
    room.open(1).await.remove(0)
}

fn answer() -> Decision {
    Decision::Respond { text: "42".into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrived_is_found_and_what_did_not_is_sent_again() {
    for (wrong, sent) in [
        (Wrong::CutAfter, 1),
        (Wrong::GatewayAfter, 1),
        (Wrong::PageAfter, 1),
        (Wrong::CutBefore, 2),
        (Wrong::ErrorBefore, 2),
        (Wrong::Busy, 2),
    ] {
        let room = Room::new().await;
        let item = asked(&room).await;
        room.house().lock().wrong.push_back(wrong);
        room.decide(&item, answer()).await.unwrap();
        room.stands(&item, Status::Done).await;
        assert_eq!(room.house().resume(), r#"{"int1":"42"}"#, "{wrong:?}");
        assert_eq!(room.house().lock().asked_for, sent, "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_trouble_in_plain_words() {
    let room = Room::new().await;
    let item = asked(&room).await;
    room.house().lock().wrong.push_back(Wrong::Refused);
    room.decide(&item, answer()).await.unwrap();
    let error = room.stands(&item, Status::Trouble).await.error.unwrap();
    assert_eq!(error.code, "failed");
    assert!(error.text.contains("lab: it answered 422: no such ⟨U+001B⟩[2Jassistant"), "{}", error.text);
    assert!(room.house().resumes().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_with_the_answer_leaves_it_in_doubt_and_nothing_is_sent_twice() {
    let mut room = Room::new().await;
    let item = asked(&room).await;
    room.house().lock().wrong.push_back(Wrong::GoneAfter);
    room.decide(&item, answer()).await.unwrap();
    let error = room.stands(&item, Status::Trouble).await.error.unwrap();
    assert_eq!(error.code, "in_doubt");
    room.server.go().await;
    room.server.come_back().await;
    // A person who does not know says that it was not done; it is looked for, not sent on their word.
    let doubt = room.open(1).await.remove(0);
    assert_eq!(doubt.kind, ItemKind::Interrupt(sayso::graph::Kind::Trouble));
    room.decide(&doubt, Decision::Accept).await.unwrap();
    room.stands(&item, Status::Done).await;
    assert_eq!(room.house().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_server_is_away_nothing_is_decided() {
    let mut room = Room::new().await;
    let item = asked(&room).await;
    room.server.go().await;
    let away = room.decide(&item, answer()).await;
    assert!(
        matches!(&away, Err(InboxError::Conflict(why)) if why.starts_with("lab cannot be reached (")),
        "{away:?}"
    );
    assert_eq!(room.items().await.len(), 1);
    let failing = room
        .until(async || {
            room.inbox.mail().sources().await.unwrap().into_iter().find(|line| line.error.is_some())
        })
        .await;
    assert_eq!(failing.source, "server lab");
    room.server.come_back().await;
    room.until(async || room.inbox.mail().sources().await.unwrap()[0].error.is_none().then_some(())).await;
    assert!(room.house().resumes().is_empty());
    room.decide(&item, answer()).await.unwrap();
    room.stands(&item, Status::Done).await;
    assert_eq!(room.house().resume(), r#"{"int1":"42"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_settled_elsewhere_on_its_way_is_not_sent() {
    let room = Room::new().await;
    let item = asked(&room).await;
    let id = room.house().lock().threads[0].id.clone();
    // Busy, because somebody else was quicker by a moment.
    room.house().lock().wrong.push_back(Wrong::Busy);
    let house = room.house().clone();
    room.decide(&item, answer()).await.unwrap();
    room.until(async || (house.lock().asked_for > 0).then_some(())).await;
    house.settle(&id);
    let outcome = room.stands(&item, Status::Done).await;
    let sent = room.house().resumes().len();
    assert!(sent == 1 || outcome.output.unwrap()["not_sent"].is_string(), "{sent}");
}
