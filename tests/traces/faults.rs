//! Servers that are busy, broken, picky or gone.

use crate::room::{Room, all, named, spans, taken, told_to};
use crate::server::{End, Play, Server};
use sayso::inbox::Status;
use serde_json::{Value, json};

/// Whatever keeps a server from taking spans, they are kept and told again, the same ones.
#[tokio::test]
async fn what_is_not_taken_is_told_again() {
    let busy = |status| Play::json(status, &json!({ "error": "busy" })).header("retry-after", "0");
    let server = Server::play([
        busy(429),
        busy(500),
        busy(503),
        Play::json(404, &json!({})),
        Play::json(401, &json!({})),
        taken().end(End::Broken),
        taken(),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut room = Room::open(folder.path(), &told_to(&server)).tend().await;
    let thread = room.play(json!([[{ "note": "one" }], [{ "note": "two" }]])).await;
    // Seen is not taken: the last of what is played has to be reached.
    room.until("all is told", async || {
        let seen = named(&all(&server), "player").len() == 1;
        seen && server.count() >= 7 && room.trouble().await.is_empty()
    })
    .await;
    assert_eq!(room.inbox.threads().outcome(thread).await.unwrap().status, Status::Done);
    room.stop().await;
    let told: Vec<Vec<Value>> = server.seen().iter().map(|seen| spans(&seen.body)).collect();
    assert!(told.len() >= 7, "{}", told.len());
    for again in &told[1..7] {
        let known = told[0].iter().all(|span| again.iter().any(|other| other["spanId"] == span["spanId"]));
        assert!(known, "what was told first is told again: {again:?}");
    }
    assert_eq!(named(&all(&server), "play").len(), 3);
}

#[tokio::test]
async fn threads_go_on_while_nobody_takes_anything() {
    let server = Server::play([taken().end(End::Silent)]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut room = Room::open(folder.path(), &told_to(&server)).tend().await;
    for _ in 0..5 {
        let thread = room.play(json!([[{ "note": "one" }]])).await;
        let done =
            async || room.inbox.threads().outcome(thread.clone()).await.unwrap().status == Status::Done;
        room.until("it is done", done).await;
    }
    room.stop().await;
}

#[tokio::test]
async fn what_is_refused_for_good_is_let_go_and_said() {
    let refusal = Play::json(400, &json!({ "message": "odd spans" }));
    let server = Server::play([refusal, taken()]).await;
    let folder = tempfile::tempdir().unwrap();
    let room = Room::open(folder.path(), &told_to(&server));
    room.tell().await;
    room.play(json!([[{ "note": "one" }]])).await;
    room.drive().await;
    room.tell().await;
    assert_eq!(server.count(), 1);
    let trouble = room.trouble().await;
    assert!(
        trouble.contains("refused 3 spans (400); they are dropped: {\"message\":\"odd spans\"}"),
        "{trouble}"
    );
    let refused = spans(&server.seen()[0].body);
    room.play(json!([[{ "note": "two" }]])).await;
    room.settle().await;
    let later: Vec<Value> = server.seen()[1..].iter().flat_map(|seen| spans(&seen.body)).collect();
    assert!(!later.is_empty() && refused.iter().all(|span| !later.contains(span)), "{later:?}");
    assert_eq!(room.trouble().await, "");
}

#[tokio::test]
async fn what_is_left_out_of_what_was_taken_is_said_and_not_told_again() {
    let partial = json!({ "partialSuccess": { "rejectedSpans": "1", "errorMessage": "too old" } });
    let server = Server::play([Play::json(200, &partial)]).await;
    let folder = tempfile::tempdir().unwrap();
    let room = Room::open(folder.path(), &told_to(&server));
    room.play(json!([[{ "note": "one" }]])).await;
    room.settle().await;
    let trouble = room.trouble().await;
    assert!(trouble.contains("left out 1 of ") && trouble.ends_with("spans: too old"), "{trouble}");
    let count = server.count();
    room.settle().await;
    assert_eq!(server.count(), count);
}

#[tokio::test]
async fn less_is_told_at_once_where_that_is_too_much() {
    let large = Play::json(413, &json!({}));
    let server = Server::play([large.clone(), large, taken()]).await;
    let folder = tempfile::tempdir().unwrap();
    let silent = Server::play([Play::json(503, &json!({}))]).await;
    let room = Room::open(folder.path(), &told_to(&silent));
    room.play(json!([[{ "note": "one" }], [{ "note": "two" }], [{ "note": "three" }], [{ "note": "four" }]]))
        .await;
    room.settle().await;
    drop(room);
    Room::open(folder.path(), &told_to(&server)).settle().await;
    let sizes: Vec<usize> = server.seen().iter().map(|seen| spans(&seen.body).len()).collect();
    assert!(sizes[1] < sizes[0] && sizes[2] < sizes[1] && sizes.len() > 3, "{sizes:?}");
    assert_eq!(named(&all(&server), "play").len(), 5);
    assert_eq!(named(&all(&server), "player").len(), 1);
}
