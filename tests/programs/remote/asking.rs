//! Questions and their answers: the four shapes, several at once, repeated, and answered elsewhere.

use super::remote_inbox::RemoteInbox;
use sayso::engine::graph::{Decision, Kind};
use sayso::inbox::{InboxError, Question, Status};
use serde_json::{Value, json};
use std::time::Duration;

fn agent_inbox() -> Value {
    json!({
        "action_request": {"action": "send_mail", "args": {"to": "bo", "amount": 1.0, "big": 9007199254740993_i64}},
        "config": {"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true},
        "description": "Send it?",
    })
}

fn named<'i>(items: &'i [Question], action: &str) -> &'i Question {
    items.iter().find(|item| item.action == action).unwrap_or_else(|| panic!("no {action}: {items:#?}"))
}

const ACCEPTED: &str = r#"{"type":"accept","args":{"action":"send_mail","args":{"amount":1.0,"big":9007199254740993,"to":"bo"}}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn agent_inbox_requests_are_answered_with_a_list() {
    for value in [json!([agent_inbox()]), agent_inbox()] {
        let remote = RemoteInbox::new().await;
        remote.langgraph().ask("agent", &value);
        let items = remote.wait_for_items(1).await;
        let item = &items[0];
        assert_eq!((item.source.as_deref(), item.workflow.as_str()), (Some("lab"), "lab/agent"));
        assert!(item.irreversible);
        remote.decide(item, Decision::Accept).await.unwrap();
        remote.wait_for_status(item, Status::Done).await;
        assert_eq!(remote.langgraph().resume(), format!("{{\"int1\":[{ACCEPTED}]}}"));
        let headers = remote.langgraph().lock().headers.clone();
        assert_eq!(headers["x-api-key"], "canary-key-7f3a");
        assert_eq!(headers["x-tenant"], "acme");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_waits_for_its_last_answer_and_can_be_undone_until_then() {
    let remote = RemoteInbox::new().await;
    remote.langgraph().ask("agent", &json!({
        "action_requests": [{"name": "send", "args": {"n": 2.0}}, {"name": "delete", "args": {"path": "/x"}}],
        "review_configs": [
            {"action_name": "send", "allowed_decisions": ["approve", "edit", "reject"]},
            {"action_name": "delete", "allowed_decisions": ["approve", "reject"]},
        ],
    }));
    let items = remote.wait_for_items(2).await;
    let send = named(&items, "send");
    assert_eq!(remote.decide(send, Decision::Accept).await.unwrap().status, Status::Waiting);
    assert!(remote.langgraph().resumes().is_empty());
    remote.inbox.decisions().undo(send.id.clone()).await.unwrap();
    assert_eq!(remote.items().await.len(), 2);
    remote.decide(send, Decision::Edit { args: json!({"n": 3}) }).await.unwrap();
    let delete = named(&items, "delete");
    assert!(matches!(
        remote.decide(delete, Decision::Edit { args: json!({"path": "/y"}) }).await,
        Err(InboxError::Refused { .. })
    ));
    remote.decide(delete, Decision::Respond { text: "too risky".into() }).await.unwrap();
    remote.wait_for_status(send, Status::Done).await;
    let edited = r#"{"type":"edit","edited_action":{"name":"send","args":{"n":3.0}}}"#;
    let rejected = r#"{"message":"too risky","type":"reject"}"#;
    assert_eq!(remote.langgraph().resume(), format!("{{\"int1\":{{\"decisions\":[{edited},{rejected}]}}}}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_interrupts_are_resumed_at_once_by_their_ids() {
    let remote = RemoteInbox::new().await;
    let call =
        json!({"type": "tool_approval", "tool_call_id": "c", "name": "send", "args": {}, "description": ""});
    let colour = json!({"question": "Which colour?"}).to_string();
    let colour = ("a".to_owned(), colour, Some(json!({"enum": ["red"]}).to_string()));
    let asks = vec![("b".to_owned(), call.to_string(), None), colour];
    remote.langgraph().thread("agent", asks, Vec::new());
    let items = remote.wait_for_items(2).await;
    let colour = named(&items, "question");
    assert_eq!((colour.kind, colour.title.as_str()), (Kind::Question, "Which colour?"));
    assert!(!colour.allow.respond && !colour.allow.ignore);
    remote.decide(named(&items, "send"), Decision::Ignore).await.unwrap();
    remote.decide(colour, Decision::Edit { args: json!({"answer": "red"}) }).await.unwrap();
    remote.wait_for_status(colour, Status::Done).await;
    assert_eq!(remote.langgraph().resume(), r#"{"a":"red","b":{"type":"reject"}}"#);
}

/// The words of the cards, by title.
async fn cards(remote: &RemoteInbox, items: &[Question]) -> Vec<(String, String)> {
    let mut cards = Vec::new();
    for item in items {
        let text = remote.inbox.decisions().card(item.id.clone()).await.unwrap().0.text;
        cards.push((item.gist.clone(), text));
    }
    cards.sort();
    cards
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_that_differ_only_in_wording_have_their_own_cards() {
    let remote = RemoteInbox::new().await;
    // Two free questions have the same action and the same arguments, and so may two calls of one tool.
    let free = |id: &str, words: &str| (id.to_owned(), json!({"question": words}).to_string(), None);
    remote.langgraph().thread(
        "agent",
        vec![free("a", "Which colour?"), free("b", "Which size?")],
        Vec::new(),
    );
    let items = remote.wait_for_items(2).await;
    let free_cards = cards(&remote, &items).await;
    for item in &items {
        remote.decide(item, Decision::Respond { text: "7".into() }).await.unwrap();
    }
    remote.wait_for_status(&items[0], Status::Done).await;
    assert_eq!(cards(&remote, &items).await, free_cards, "also when they are answered");

    let call = |words: &str| json!({"name": "send", "args": {"n": 1}, "description": words});
    let configs = json!([{"action_name": "send", "allowed_decisions": ["approve", "reject"]}]);
    let calls = json!([call("To the first."), call("To the second.")]);
    remote.langgraph().ask("agent", &json!({"action_requests": calls, "review_configs": configs}));
    let call_cards = cards(&remote, &remote.wait_for_items(2).await).await;
    for shown in [free_cards, call_cards] {
        let [(one, its_card), (other, others_card)] = shown.as_slice() else { panic!("{shown:?}") };
        assert!(its_card.contains(one) && !its_card.contains(other), "{its_card}");
        assert!(others_card.contains(other) && !others_card.contains(one), "{others_card}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_asks_again_and_can_be_ended() {
    let remote = RemoteInbox::new().await;
    // The same words again, as when a person is asked until the answer is valid.
    let ask = || vec![("same".to_owned(), "\"How old are you?\"".to_owned(), None)];
    let id = remote.langgraph().thread(
        "agent",
        ask(),
        vec![vec![("next".into(), "\"How old are you?\"".into(), None)]],
    );
    let first = remote.wait_for_items(1).await.remove(0);
    remote.decide(&first, Decision::Respond { text: "old".into() }).await.unwrap();
    let second =
        remote.wait_until(async || remote.items().await.into_iter().find(|item| item.id != first.id)).await;
    assert_eq!(second.thread, first.thread);
    assert_eq!(remote.langgraph().resume(), r#"{"same":"old"}"#);
    remote.decide(&second, Decision::Ignore).await.unwrap();
    remote.wait_for_status(&second, Status::Done).await;
    assert!(remote.langgraph().lock().threads.iter().any(|thread| thread.id == id && thread.ended));
    assert_eq!(remote.langgraph().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_answered_elsewhere_closes_and_refuses_late_answers() {
    let remote = RemoteInbox::new().await;
    let id = remote.langgraph().ask("agent", &agent_inbox());
    let item = remote.wait_for_items(1).await.remove(0);
    remote.langgraph().settle(&id);
    let Err(InboxError::NotOpen { why, .. }) = remote.decide(&item, Decision::Accept).await else {
        panic!("it was decided")
    };
    assert_eq!(why, "it was answered elsewhere");
    remote.wait_for_items(0).await;
    assert!(remote.langgraph().resumes().is_empty());
    remote.wait_for_status(&item, Status::Done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_answer_is_not_sent_when_the_question_is_settled_elsewhere() {
    let remote = RemoteInbox::with_hold(Duration::from_secs(3600)).await;
    let id = remote.langgraph().ask("agent", &agent_inbox());
    let item = remote.wait_for_items(1).await.remove(0);
    assert_eq!(remote.decide(&item, Decision::Accept).await.unwrap().status, Status::Held);
    remote.langgraph().settle(&id);
    remote.wait_for_status(&item, Status::Done).await;
    assert!(remote.langgraph().resumes().is_empty());
    let closed = remote.inbox.decisions().card(item.id.clone()).await.unwrap().0.closed;
    assert_eq!(closed.as_deref(), Some("it was answered elsewhere"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_question_is_asked_again() {
    let remote = RemoteInbox::new().await;
    let later = vec![("int1".to_owned(), json!("Are you sure?").to_string(), None)];
    let id = remote.langgraph().thread(
        "agent",
        vec![("int1".into(), agent_inbox().to_string(), None)],
        vec![later],
    );
    let item = remote.wait_for_items(1).await.remove(0);
    remote.langgraph().settle(&id);
    let now = remote
        .wait_until(async || remote.items().await.into_iter().find(|now| now.title == "Are you sure?"))
        .await;
    assert_ne!(now.id, item.id);
    assert!(remote.decide(&item, Decision::Accept).await.is_err());
}
