//! Everything that can go wrong on the way: an answer is sent at most once, and nobody is told otherwise.

use super::remote_inbox::RemoteInbox;
use crate::support::langgraph::Fault;
use sayso::engine::graph::Decision;
use sayso::inbox::{InboxError, Question, Status};
use serde_json::json;

async fn open_question(remote: &RemoteInbox) -> Question {
    remote.question(&json!("How old are you?")).await
}

fn answer() -> Decision {
    Decision::Respond { text: "42".into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_sent_again_only_if_it_did_not_arrive() {
    let cases = [
        (Fault::CutAfter, 1),
        (Fault::GatewayAfter, 1),
        (Fault::PageAfter, 1),
        (Fault::CutBefore, 2),
        (Fault::ErrorBefore, 2),
        (Fault::Busy, 2),
        // The key is read once more, in case it has changed.
        (Fault::Unauthorized, 2),
    ];
    // All at once, because a request that was lost is waited for.
    let trial = async |(fault, sent)| {
        let remote = RemoteInbox::new().await;
        let item = open_question(&remote).await;
        remote.langgraph().lock().faults.push_back(fault);
        remote.decide(&item, answer()).await.unwrap();
        remote.wait_for_status(&item, Status::Done).await;
        assert_eq!(remote.langgraph().resume(), r#"{"int1":"42"}"#, "{fault:?}");
        assert_eq!(remote.langgraph().lock().run_requests, sent, "{fault:?}");
    };
    futures_util::future::join_all(cases.map(trial)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_trouble_with_its_text_and_without_our_key() {
    let refused = "lab: it answered 422: no such ⟨U+001B⟩[2Jassistant for [secret]";
    let unauthorized = "it answered 401: Invalid API key [secret]";
    let broke = "the run on lab failed there: the tool⟨U+001B⟩[2J broke";
    for (faults, fails, resumes, expected) in [
        (&[Fault::Refused][..], None, 0, refused),
        (&[Fault::Unauthorized, Fault::Unauthorized], None, 0, unauthorized),
        // The answer arrived, and the run failed afterwards.
        (&[], Some("the tool\u{1b}[2J broke".to_owned()), 1, broke),
    ] {
        let remote = RemoteInbox::new().await;
        let item = open_question(&remote).await;
        remote.langgraph().lock().faults.extend(faults);
        remote.langgraph().lock().threads[0].error = fails;
        remote.decide(&item, answer()).await.unwrap();
        let error = remote.wait_for_status(&item, Status::Trouble).await.error.unwrap();
        assert!(error.code == "failed" && error.text.contains(expected), "{error:?}");
        assert_eq!(remote.langgraph().resumes().len(), resumes, "{expected}");
    }
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
    assert_eq!(doubt.kind, sayso::engine::graph::Kind::Trouble);
    remote.decide(&doubt, Decision::Accept).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(remote.langgraph().resumes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_decided_while_the_server_is_down() {
    let mut remote = RemoteInbox::new().await;
    let item = open_question(&remote).await;
    remote.server.shut_down().await;
    // A connection that outlived its server may have to break first.
    let Err(InboxError::Conflict(why)) = remote.decide(&item, answer()).await else {
        panic!("it was decided")
    };
    assert!(why.starts_with("lab: ") && why.contains("127.0.0.1:"), "{why}");
    assert!(why.ends_with("; nothing was decided"), "{why}");
    assert_eq!(remote.items().await.len(), 1);
    remote.wait_for_error().await;
    assert_eq!(remote.inbox.mail().sources().await.unwrap()[0].source, "server lab");
    remote.server.restart().await;
    remote.wait_for_no_error().await;
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
