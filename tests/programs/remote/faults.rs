//! Everything that can go wrong on the way: an answer is sent at most once, and nobody is told otherwise.

use super::remote_inbox::RemoteInbox;
use crate::support::langgraph::Fault;
use sayso::graph::Decision;
use sayso::inbox::{InboxError, Item, ItemKind, Status};
use serde_json::json;

async fn open_question(remote: &RemoteInbox) -> Item {
    remote.langgraph().ask("agent", &json!("How old are you?"));
    remote.wait_for_items(1).await.remove(0)
}

fn answer() -> Decision {
    Decision::Respond { text: "42".into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_sent_again_only_if_it_did_not_arrive() {
    for (fault, sent) in [
        (Fault::CutAfter, 1),
        (Fault::GatewayAfter, 1),
        (Fault::PageAfter, 1),
        (Fault::CutBefore, 2),
        (Fault::ErrorBefore, 2),
        (Fault::Busy, 2),
    ] {
        let remote = RemoteInbox::new().await;
        let item = open_question(&remote).await;
        remote.langgraph().lock().faults.push_back(fault);
        remote.decide(&item, answer()).await.unwrap();
        remote.wait_for_status(&item, Status::Done).await;
        assert_eq!(remote.langgraph().resume(), r#"{"int1":"42"}"#, "{fault:?}");
        assert_eq!(remote.langgraph().lock().run_requests, sent, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_trouble_with_its_text_and_without_our_key() {
    let remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.langgraph().lock().faults.push_back(Fault::Refused);
    remote.decide(&item, answer()).await.unwrap();
    let error = remote.wait_for_status(&item, Status::Trouble).await.error.unwrap();
    assert_eq!(error.code, "failed");
    assert!(
        error.text.contains("lab: it answered 422: no such ⟨U+001B⟩[2Jassistant for [secret]"),
        "{}",
        error.text
    );
    assert!(remote.langgraph().resumes().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_a_server_refuses_and_repeats_is_not_shown() {
    let remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    // The key is read once more, in case it has changed.
    remote.langgraph().lock().faults.extend([Fault::Unauthorized, Fault::Unauthorized]);
    remote.decide(&item, answer()).await.unwrap();
    let error = remote.wait_for_status(&item, Status::Trouble).await.error.unwrap();
    assert!(error.text.contains("it answered 401: Invalid API key [secret]"), "{}", error.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_vanishes_after_the_answer_leaves_it_in_doubt() {
    let mut remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.langgraph().lock().faults.push_back(Fault::GoneAfter);
    remote.decide(&item, answer()).await.unwrap();
    let error = remote.wait_for_status(&item, Status::Trouble).await.error.unwrap();
    assert_eq!(error.code, "in_doubt");
    remote.server.shut_down().await;
    remote.server.restart().await;
    // The person says that it was not done. sayso still looks for it before it sends anything.
    let doubt = remote.wait_for_items(1).await.remove(0);
    assert_eq!(doubt.kind, ItemKind::Interrupt(sayso::graph::Kind::Trouble));
    remote.decide(&doubt, Decision::Accept).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(remote.langgraph().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_decided_while_the_server_is_down() {
    let mut remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.server.shut_down().await;
    let away = remote.decide(&item, answer()).await;
    assert!(
        matches!(&away, Err(InboxError::Conflict(why)) if why.starts_with("lab: 127.0.0.1:") && why.ends_with("; nothing was decided")),
        "{away:?}"
    );
    assert_eq!(remote.items().await.len(), 1);
    let failing = remote
        .wait_until(async || {
            remote.inbox.mail().sources().await.unwrap().into_iter().find(|line| line.error.is_some())
        })
        .await;
    assert_eq!(failing.source, "server lab");
    remote.server.restart().await;
    remote
        .wait_until(async || remote.inbox.mail().sources().await.unwrap()[0].error.is_none().then_some(()))
        .await;
    assert!(remote.langgraph().resumes().is_empty());
    remote.decide(&item, answer()).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(remote.langgraph().resume(), r#"{"int1":"42"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_overtaken_by_another_is_not_sent() {
    let remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    let id = remote.langgraph().lock().threads[0].id.clone();
    // Busy, because somebody else answered a moment earlier.
    remote.langgraph().lock().faults.push_back(Fault::Busy);
    let langgraph = remote.langgraph().clone();
    remote.decide(&item, answer()).await.unwrap();
    remote.wait_until(async || (langgraph.lock().run_requests > 0).then_some(())).await;
    langgraph.settle(&id);
    let outcome = remote.wait_for_status(&item, Status::Done).await;
    let sent = remote.langgraph().resumes().len();
    assert!(sent == 1 || outcome.output.unwrap()["not_sent"].is_string(), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_fails_after_the_answer_is_trouble() {
    let remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.langgraph().lock().threads[0].error = Some("the tool\u{1b}[2J broke".to_owned());
    remote.decide(&item, answer()).await.unwrap();
    let error = remote.wait_for_status(&item, Status::Trouble).await.error.unwrap();
    assert!(error.text.contains("the run on lab failed there: the tool⟨U+001B⟩[2J broke"), "{}", error.text);
    assert_eq!(remote.langgraph().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_key_is_read_again() {
    let remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.langgraph().lock().faults.push_back(Fault::Unauthorized);
    remote.decide(&item, answer()).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(remote.langgraph().resume(), r#"{"int1":"42"}"#);
}
