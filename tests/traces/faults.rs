//! Servers that are busy, broken, picky or gone.

use crate::server::{End, Play, Server};
use crate::traced_inbox::{TracedInbox, accepted, all_spans, endpoint, named, spans};
use sayso::inbox::Status;
use serde_json::{Value, json};

/// Whatever keeps a server from accepting spans, the same spans are sent again.
#[tokio::test]
async fn spans_that_are_not_accepted_are_sent_again() {
    let busy = |status| Play::json(status, &json!({ "error": "busy" })).header("retry-after", "0");
    let server = Server::play([
        busy(429),
        busy(500),
        busy(503),
        Play::json(404, &json!({})),
        Play::json(401, &json!({})),
        accepted().end(End::Broken),
        accepted(),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut traced = TracedInbox::open(folder.path(), &endpoint(&server)).drive_in_background().await;
    let thread = traced.play(json!([[{ "note": "one" }], [{ "note": "two" }]])).await;
    // Received is not accepted: the last scripted reply has to be reached.
    traced
        .wait_until("everything is sent", async || {
            let seen = named(&all_spans(&server), "player").len() == 1;
            seen && server.count() >= 7 && traced.trouble().await.is_empty()
        })
        .await;
    assert_eq!(traced.inbox.threads().outcome(thread).await.unwrap().status, Status::Done);
    traced.stop().await;
    let sent: Vec<Vec<Value>> = server.seen().iter().map(|seen| spans(&seen.body)).collect();
    assert!(sent.len() >= 7, "{}", sent.len());
    for again in &sent[1..7] {
        let known = sent[0].iter().all(|span| again.iter().any(|other| other["spanId"] == span["spanId"]));
        assert!(known, "what was sent first is sent again: {again:?}");
    }
    assert_eq!(named(&all_spans(&server), "play").len(), 3);
}

#[tokio::test]
async fn threads_go_on_while_the_server_is_silent() {
    let server = Server::play([accepted().end(End::Silent)]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut traced = TracedInbox::open(folder.path(), &endpoint(&server)).drive_in_background().await;
    for _ in 0..5 {
        let thread = traced.play(json!([[{ "note": "one" }]])).await;
        let done =
            async || traced.inbox.threads().outcome(thread.clone()).await.unwrap().status == Status::Done;
        traced.wait_until("it is done", done).await;
    }
    traced.stop().await;
}

#[tokio::test]
async fn refused_spans_are_dropped_and_reported() {
    let refusal = Play::json(400, &json!({ "message": "odd spans" }));
    let server = Server::play([refusal, accepted()]).await;
    let folder = tempfile::tempdir().unwrap();
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    traced.send().await;
    traced.play(json!([[{ "note": "one" }]])).await;
    traced.drive().await;
    traced.send().await;
    assert_eq!(server.count(), 1);
    let trouble = traced.trouble().await;
    assert!(
        trouble.contains("refused 3 spans (400); they are dropped: {\"message\":\"odd spans\"}"),
        "{trouble}"
    );
    let refused = spans(&server.seen()[0].body);
    traced.play(json!([[{ "note": "two" }]])).await;
    traced.settle().await;
    let later: Vec<Value> = server.seen()[1..].iter().flat_map(|seen| spans(&seen.body)).collect();
    assert!(!later.is_empty() && refused.iter().all(|span| !later.contains(span)), "{later:?}");
    assert_eq!(traced.trouble().await, "");
}

#[tokio::test]
async fn rejected_spans_are_reported_and_not_sent_again() {
    let partial = json!({ "partialSuccess": { "rejectedSpans": "1", "errorMessage": "too old" } });
    let server = Server::play([Play::json(200, &partial)]).await;
    let folder = tempfile::tempdir().unwrap();
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    traced.play(json!([[{ "note": "one" }]])).await;
    traced.settle().await;
    let trouble = traced.trouble().await;
    assert!(trouble.contains("left out 1 of ") && trouble.ends_with("spans: too old"), "{trouble}");
    let count = server.count();
    traced.settle().await;
    assert_eq!(server.count(), count);
}

#[tokio::test]
async fn batches_shrink_when_the_server_says_too_large() {
    let large = Play::json(413, &json!({}));
    let server = Server::play([large.clone(), large, accepted()]).await;
    let folder = tempfile::tempdir().unwrap();
    let silent = Server::play([Play::json(503, &json!({}))]).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&silent));
    traced
        .play(json!([[{ "note": "one" }], [{ "note": "two" }], [{ "note": "three" }], [{ "note": "four" }]]))
        .await;
    traced.settle().await;
    drop(traced);
    TracedInbox::open(folder.path(), &endpoint(&server)).settle().await;
    let sizes: Vec<usize> = server.seen().iter().map(|seen| spans(&seen.body).len()).collect();
    assert!(sizes[1] < sizes[0] && sizes[2] < sizes[1] && sizes.len() > 3, "{sizes:?}");
    assert_eq!(named(&all_spans(&server), "play").len(), 5);
    assert_eq!(named(&all_spans(&server), "player").len(), 1);
}
