//! Hostile servers, and addresses with no LangGraph server behind them.

use super::remote_inbox::RemoteInbox;
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use serde_json::{Value, json};

/// Characters that must never reach a terminal.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}\u{200b}\r";

fn clean(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{200b}'))
}

/// Whether every name and text of a JSON value is clean.
fn all_clean(value: &Value) -> bool {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter().all(all_clean),
        Value::Object(fields) => fields.iter().all(|(key, value)| clean(key) && all_clean(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_are_shown_and_the_answer_is_sent_unchanged() {
    let remote = RemoteInbox::new().await;
    let evil = |word: &str| format!("{word}{EVIL}");
    let mut args = serde_json::Map::new();
    args.insert(evil("key"), json!({evil("in"): [evil("deep")]}));
    let value = json!({
        "action_request": {"action": evil("act"), "args": args},
        "config": {"allow_accept": true, "allow_edit": true},
        "description": evil("words"),
    });
    remote.langgraph().thread(&evil("graph"), vec![(evil("id"), value.to_string(), None)], Vec::new());
    remote.langgraph().lock().threads[0].title = evil("title");
    let item = remote.wait_for_items(1).await.remove(0);
    let (shown, card) = remote.inbox.decisions().card(item.id.clone()).await.unwrap();
    for text in
        [card.text(), shown.text.clone(), shown.title.clone(), shown.gist.clone(), shown.workflow.clone()]
    {
        assert!(clean(&text), "{text:?}");
    }
    assert!(all_clean(&serde_json::to_value(&shown).unwrap()), "{shown:?}");
    assert!(shown.warnings.iter().any(|warning| warning.code == "hidden_characters"));
    for line in remote.threads().await {
        assert!(clean(&line.title) && clean(&line.workflow), "{line:?}");
    }
    remote.decide(&item, Decision::Accept).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    let sent: Value = serde_json::from_str(&remote.langgraph().resume()).unwrap();
    assert_eq!(sent[evil("id")][0]["args"]["args"], value["action_request"]["args"]);
    let view = remote.inbox.threads().view(item.thread.clone()).await.unwrap();
    assert!(all_clean(&view.state), "{}", view.state);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_deep_too_long_and_too_many_interrupts_are_one_unreadable_item() {
    let remote = RemoteInbox::new().await;
    let one = |value: String| vec![("int1".to_owned(), value, None)];
    remote.langgraph().thread(
        "agent",
        one(format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000))),
        Vec::new(),
    );
    remote.langgraph().thread("agent", one(json!("x".repeat(1 << 20)).to_string()), Vec::new());
    let many = (0..80).map(|n| (format!("int{n:03}"), "1".to_owned(), None)).collect();
    remote.langgraph().thread("agent", many, Vec::new());
    remote.langgraph().thread("agent", one(json!("And you?").to_string()), Vec::new());
    let items = remote.wait_for_items(4).await;
    let unreadable: Vec<_> = items.iter().filter(|item| item.action == "unreadable").collect();
    assert_eq!(unreadable.len(), 3);
    for item in &unreadable {
        assert!(!item.allow.accept && !item.allow.edit && !item.allow.respond && item.allow.ignore);
    }
    remote.decide(unreadable[0], Decision::Ignore).await.unwrap();
    remote.wait_for_status(unreadable[0], Status::Done).await;
    assert!(remote.langgraph().resumes().is_empty());
    assert_eq!(remote.langgraph().lock().threads.iter().filter(|thread| thread.ended).count(), 1);
    let good = items.iter().find(|item| item.title == "And you?").unwrap();
    remote.decide(good, Decision::Respond { text: "well".into() }).await.unwrap();
    remote.wait_for_status(good, Status::Done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_langgraph_is_reported_and_hides_nothing() {
    let remote = RemoteInbox::new().await;
    remote.question(&json!("?")).await;
    for page in ["<html>hello</html>", "{}", "[[[[", "\"canary\"", "null"] {
        remote.langgraph().lock().page = Some(page.to_owned());
        remote.inbox.mail().fetch().await.unwrap();
        let error = remote.wait_for_error().await;
        assert!(error.contains("not as a LangGraph server does") && !error.contains("canary"), "{error}");
        // What was asked stays asked.
        assert_eq!(remote.items().await.len(), 1);
        remote.langgraph().lock().page = None;
        remote.inbox.mail().fetch().await.unwrap();
        remote.wait_for_no_error().await;
    }
    // Malformed threads among a good one.
    remote.langgraph().lock().page = Some(r#"[{"thread_id": 7}, null, {"thread_id": "../../x", "status": "interrupted", "interrupts": {"t": [{"id": "i", "value": 1}]}}]"#.to_owned());
    let listed = remote.threads().await;
    assert!(listed.iter().any(|line| line.workflow == "lab/agent"), "{listed:?}");
}
