//! Asked here, answered there: the four shapes, several at once, again and again, here and elsewhere.

use crate::room::Room;
use sayso::graph::{Decision, Kind};
use sayso::inbox::{InboxError, Item, ItemKind, Status};
use serde_json::{Value, json};
use std::time::Duration;

fn agent_inbox() -> Value {
    json!({
        "action_request": {"action": "send_mail", "args": {"to": "bo", "amount": 1.0, "big": 9007199254740993_i64}},
        "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true},
        "description": "Send it?",
    })
}

fn named<'i>(items: &'i [Item], action: &str) -> &'i Item {
    items.iter().find(|item| item.action == action).unwrap_or_else(|| panic!("no {action}: {items:#?}"))
}

const ACCEPTED: &str = r#"{"type":"accept","args":{"action":"send_mail","args":{"amount":1.0,"big":9007199254740993,"to":"bo"}}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn agent_inbox_listed_and_bare_is_answered_with_a_list() {
    for value in [json!([agent_inbox()]), agent_inbox()] {
        let room = Room::new().await;
        room.house().asks("agent", &value);
        let items = room.open(1).await;
        let item = &items[0];
        assert_eq!((item.source.as_deref(), item.workflow.as_str()), (Some("lab"), "lab/agent"));
        assert!(item.irreversible);
        room.decide(item, Decision::Accept).await.unwrap();
        room.stands(item, Status::Done).await;
        assert_eq!(room.house().resume(), format!("{{\"int1\":[{ACCEPTED}]}}"));
        let headers = room.house().lock().headers.clone();
        assert_eq!(headers["x-api-key"], "canary-key-7f3a");
        assert_eq!(headers["x-tenant"], "acme");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_waits_for_its_last_answer_and_can_be_undone_till_then() {
    let room = Room::new().await;
    room.house().asks("agent", &json!({
        "action_requests": [{"name": "send", "args": {"n": 2.0}}, {"name": "delete", "args": {"path": "/x"}}],
        "review_configs": [
            {"action_name": "send", "allowed_decisions": ["approve", "edit", "reject"]},
            {"action_name": "delete", "allowed_decisions": ["approve", "reject"]},
        ],
    }));
    let items = room.open(2).await;
    let send = named(&items, "send");
    assert_eq!(room.decide(send, Decision::Accept).await.unwrap().status, Status::Waiting);
    assert!(room.house().resumes().is_empty());
    room.inbox.decisions().undo(send.interrupt().unwrap()).await.unwrap();
    assert_eq!(room.items().await.len(), 2);
    room.decide(send, Decision::Edit { args: json!({"n": 3}) }).await.unwrap();
    let delete = named(&items, "delete");
    assert!(matches!(
        room.decide(delete, Decision::Edit { args: json!({"path": "/y"}) }).await,
        Err(InboxError::Refused { .. })
    ));
    room.decide(delete, Decision::Respond { text: "too risky".into() }).await.unwrap();
    room.stands(send, Status::Done).await;
    let edited = r#"{"type":"edit","edited_action":{"name":"send","args":{"n":3.0}}}"#;
    let rejected = r#"{"message":"too risky","type":"reject"}"#;
    assert_eq!(room.house().resume(), format!("{{\"int1\":{{\"decisions\":[{edited},{rejected}]}}}}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_interrupts_are_resumed_at_once_by_their_ids() {
    let room = Room::new().await;
    let call =
        json!({"type": "tool_approval", "tool_call_id": "c", "name": "send", "args": {}, "description": ""});
    let asks = vec![
        ("b".to_owned(), call.to_string(), None),
        (
            "a".to_owned(),
            "{\"question\":\"Which colour?\"}".to_owned(),
            Some(json!({"enum": ["red"]}).to_string()),
        ),
    ];
    room.house().thread("agent", asks, Vec::new());
    let items = room.open(2).await;
    let colour = named(&items, "question");
    assert_eq!((colour.kind, colour.title.as_str()), (ItemKind::Interrupt(Kind::Question), "Which colour?"));
    assert!(!colour.allow.respond && !colour.allow.ignore);
    room.decide(named(&items, "send"), Decision::Ignore).await.unwrap();
    room.decide(colour, Decision::Edit { args: json!({"answer": "red"}) }).await.unwrap();
    room.stands(colour, Status::Done).await;
    assert_eq!(room.house().resume(), r#"{"a":"red","b":{"type":"reject"}}"#);
}

/// The words of the cards, by title.
async fn cards(room: &Room, items: &[Item]) -> Vec<(String, String)> {
    let mut cards = Vec::new();
    for item in items {
        let text = room.inbox.decisions().card(item.interrupt().unwrap()).await.unwrap().0.text;
        cards.push((item.gist.clone(), text));
    }
    cards.sort();
    cards
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_that_differ_only_in_their_words_each_have_a_card_of_their_own() {
    let room = Room::new().await;
    // Two free questions have the same action and the same arguments, and so may two calls of one tool.
    let free = |id: &str, words: &str| (id.to_owned(), json!({"question": words}).to_string(), None);
    room.house().thread("agent", vec![free("a", "Which colour?"), free("b", "Which size?")], Vec::new());
    let items = room.open(2).await;
    let of_free = cards(&room, &items).await;
    for item in &items {
        room.decide(item, Decision::Respond { text: "7".into() }).await.unwrap();
    }
    room.stands(&items[0], Status::Done).await;
    assert_eq!(cards(&room, &items).await, of_free, "also when they are answered");

    let call = |words: &str| json!({"name": "send", "args": {"n": 1}, "description": words});
    let configs = json!([{"action_name": "send", "allowed_decisions": ["approve", "reject"]}]);
    let calls = json!([call("To the first."), call("To the second.")]);
    room.house().asks("agent", &json!({"action_requests": calls, "review_configs": configs}));
    let of_calls = cards(&room, &room.open(2).await).await;
    for shown in [of_free, of_calls] {
        let [(one, its_card), (other, others_card)] = shown.as_slice() else { panic!("{shown:?}") };
        assert!(its_card.contains(one) && !its_card.contains(other), "{its_card}");
        assert!(others_card.contains(other) && !others_card.contains(one), "{others_card}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_asks_again_and_can_be_ended() {
    let room = Room::new().await;
    // The same id and the same words, as when a person is asked until the answer fits.
    let ask = || vec![("same".to_owned(), "\"How old are you?\"".to_owned(), None)];
    let id =
        room.house().thread("agent", ask(), vec![vec![("next".into(), "\"How old are you?\"".into(), None)]]);
    let first = room.open(1).await.remove(0);
    room.decide(&first, Decision::Respond { text: "old".into() }).await.unwrap();
    let second = room.until(async || room.items().await.into_iter().find(|item| item.id != first.id)).await;
    assert_eq!(second.thread, first.thread);
    assert_eq!(room.house().resume(), r#"{"same":"old"}"#);
    room.decide(&second, Decision::Ignore).await.unwrap();
    room.stands(&second, Status::Done).await;
    assert!(room.house().lock().threads.iter().any(|thread| thread.id == id && thread.ended));
    assert_eq!(room.house().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_answered_elsewhere_closes_and_refuses_whoever_is_late() {
    let room = Room::new().await;
    let id = room.house().asks("agent", &agent_inbox());
    let item = room.open(1).await.remove(0);
    room.house().settle(&id);
    let late = room.decide(&item, Decision::Accept).await;
    assert!(
        matches!(&late, Err(InboxError::NotOpen { why, .. }) if why == "it was answered elsewhere"),
        "{late:?}"
    );
    room.open(0).await;
    assert!(room.house().resumes().is_empty());
    room.stands(&item, Status::Done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_answer_is_not_sent_when_the_question_is_settled_elsewhere() {
    let room = Room::with(Duration::from_secs(3600)).await;
    let id = room.house().asks("agent", &agent_inbox());
    let item = room.open(1).await.remove(0);
    assert_eq!(room.decide(&item, Decision::Accept).await.unwrap().status, Status::Held);
    room.house().settle(&id);
    room.stands(&item, Status::Done).await;
    assert!(room.house().resumes().is_empty());
    let closed = room.inbox.decisions().card(item.interrupt().unwrap()).await.unwrap().0.closed;
    assert_eq!(closed.as_deref(), Some("it was answered elsewhere"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_changes_is_asked_anew() {
    let room = Room::new().await;
    let later = vec![("int1".to_owned(), json!("Are you sure?").to_string(), None)];
    let id =
        room.house().thread("agent", vec![("int1".into(), agent_inbox().to_string(), None)], vec![later]);
    let item = room.open(1).await.remove(0);
    room.house().settle(&id);
    let now =
        room.until(async || room.items().await.into_iter().find(|now| now.title == "Are you sure?")).await;
    assert_ne!(now.id, item.id);
    assert!(room.decide(&item, Decision::Accept).await.is_err());
}
