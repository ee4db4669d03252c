//! Servers that mean harm, or are none.

use crate::room::Room;
use sayso::graph::Decision;
use sayso::inbox::Status;
use serde_json::{Value, json};

/// What no terminal may be handed.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}\u{200b}\r";

fn clean(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{200b}'))
}

/// Every name and text of a JSON value.
fn all_clean(value: &Value) -> bool {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter().all(all_clean),
        Value::Object(fields) => fields.iter().all(|(key, value)| clean(key) && all_clean(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_in_every_field_are_seen_and_the_answer_is_sent_as_it_came() {
    let room = Room::new().await;
    let evil = |word: &str| format!("{word}{EVIL}");
    let mut args = serde_json::Map::new();
    args.insert(evil("key"), json!({evil("in"): [evil("deep")]}));
    let value = json!({
        "action_request": {"action": evil("act"), "args": args},
        "config": {"allow_accept": true, "allow_edit": true},
        "description": evil("words"),
    });
    room.house().thread(&evil("graph"), vec![(evil("id"), value.to_string(), None)], Vec::new());
    room.house().lock().threads[0].title = evil("title");
    let item = room.open(1).await.remove(0);
    let (shown, card) = room.inbox.decisions().card(item.interrupt().unwrap()).await.unwrap();
    for text in
        [card.text(), shown.text.clone(), shown.title.clone(), shown.gist.clone(), shown.workflow.clone()]
    {
        assert!(clean(&text), "{text:?}");
    }
    assert!(all_clean(&serde_json::to_value(&shown).unwrap()), "{shown:?}");
    assert!(shown.warnings.iter().any(|warning| warning.code == "hidden_characters"));
    for line in room.threads().await {
        assert!(clean(&line.title) && clean(&line.workflow), "{line:?}");
    }
    room.decide(&item, Decision::Accept).await.unwrap();
    room.stands(&item, Status::Done).await;
    let sent: Value = serde_json::from_str(&room.house().resume()).unwrap();
    assert_eq!(sent[evil("id")][0]["args"]["args"], value["action_request"]["args"]);
    let view = room.inbox.threads().view(item.thread.clone()).await.unwrap();
    assert!(all_clean(&view.state), "{}", view.state);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_deep_too_long_or_too_many_is_one_item_that_says_so() {
    let room = Room::new().await;
    let one = |value: String| vec![("int1".to_owned(), value, None)];
    room.house().thread("agent", one(format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000))), Vec::new());
    room.house().thread("agent", one(json!("x".repeat(1 << 20)).to_string()), Vec::new());
    let many = (0..80).map(|n| (format!("int{n:03}"), "1".to_owned(), None)).collect();
    room.house().thread("agent", many, Vec::new());
    room.house().thread("agent", one(json!("And you?").to_string()), Vec::new());
    let items = room.open(4).await;
    let unreadable: Vec<_> = items.iter().filter(|item| item.action == "unreadable").collect();
    assert_eq!(unreadable.len(), 3);
    for item in &unreadable {
        assert!(!item.allow.accept && !item.allow.edit && !item.allow.respond && item.allow.ignore);
    }
    room.decide(unreadable[0], Decision::Ignore).await.unwrap();
    room.stands(unreadable[0], Status::Done).await;
    assert!(room.house().resumes().is_empty());
    assert_eq!(room.house().lock().threads.iter().filter(|thread| thread.ended).count(), 1);
    let good = items.iter().find(|item| item.title == "And you?").unwrap();
    room.decide(good, Decision::Respond { text: "well".into() }).await.unwrap();
    room.stands(good, Status::Done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_langgraph_server_is_named_and_hides_nothing() {
    let room = Room::new().await;
    room.house().asks("agent", &json!("?"));
    room.open(1).await;
    for page in ["<html>hello</html>", "{}", "[[[[", "\"canary\"", "null"] {
        room.house().lock().page = Some(page.to_owned());
        room.inbox.mail().fetch().await.unwrap();
        let line = room
            .until(async || {
                room.inbox.mail().sources().await.unwrap().into_iter().find(|line| line.error.is_some())
            })
            .await;
        let error = line.error.unwrap();
        assert!(error.contains("not as a LangGraph server does") && !error.contains("canary"), "{error}");
        // What was asked stays asked.
        assert_eq!(room.items().await.len(), 1);
        room.house().lock().page = None;
        room.inbox.mail().fetch().await.unwrap();
        room.until(async || room.inbox.mail().sources().await.unwrap()[0].error.is_none().then_some(()))
            .await;
    }
    // Threads that are none, among one that is.
    room.house().lock().page = Some(r#"[{"thread_id": 7}, null, {"thread_id": "../../x", "status": "interrupted", "interrupts": {"t": [{"id": "i", "value": 1}]}}]"#.to_owned());
    let listed = room.threads().await;
    assert!(listed.iter().any(|line| line.workflow == "lab/agent"), "{listed:?}");
}
