//! The mark of how far traces were sent: over restarts, pruning, and changes of the config.

use crate::server::{Play, Server};
use crate::traced_inbox::{TracedInbox, accepted, all_spans, attribute, endpoint, named};
use sayso::graph::Decision;
use sayso::inbox::{DecidedBy, DecisionRequest, PruneQuery, Status};
use sayso::store::{Prompt, Span};
use serde_json::json;
use std::path::Path;

fn one_step() -> serde_json::Value {
    json!([[{ "once": { "name": "parcel:1" } }]])
}

fn sql(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join("data/sayso.db")).unwrap()
}

/// The next driver sends what the last one could not, and nothing twice. What is sent twice after a crash has the same ids.
#[tokio::test]
async fn no_span_is_lost_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nowhere = format!("[traces]\nendpoint = \"http://{gone}\"\n");
    let traced = TracedInbox::open(folder.path(), &nowhere);
    traced.play(one_step()).await;
    traced.settle().await;
    let trouble = traced.trouble().await;
    assert!(trouble.contains("cannot be reached"), "{trouble}");
    drop(traced);

    let server = Server::play([accepted()]).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    traced.settle().await;
    let sent = all_spans(&server);
    assert_eq!((named(&sent, "player").len(), named(&sent, "execute_tool parcel").len()), (1, 1));
    let count = server.count();
    traced.settle().await;
    assert_eq!(server.count(), count, "what was accepted is not sent again");
    drop(traced);

    // As after a crash between the reply and the mark.
    sql(folder.path()).execute("UPDATE settings SET value = '0 0' WHERE name = 'traces'", []).unwrap();
    let again = Server::play([accepted()]).await;
    TracedInbox::open(folder.path(), &endpoint(&again)).settle().await;
    assert_eq!(all_spans(&again), sent);
}

/// Drives a thread without tracing it.
async fn drive_untraced(folder: &Path) {
    let mut traced = TracedInbox::open(folder, "").drive_in_background().await;
    let thread = traced.play(one_step()).await;
    let done = async || traced.inbox.threads().outcome(thread.clone()).await.unwrap().status == Status::Done;
    traced.wait_until("it is done", done).await;
    assert_eq!(traced.line().await, None);
    traced.stop().await;
}

#[tokio::test]
async fn only_what_happens_while_traces_are_on_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([accepted()]).await;
    drive_untraced(folder.path()).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    traced.settle().await;
    assert_eq!(server.count(), 0);
    traced.play(one_step()).await;
    traced.settle().await;
    assert_eq!(named(&all_spans(&server), "player").len(), 1);
    drop(traced);
    drive_untraced(folder.path()).await;
    TracedInbox::open(folder.path(), &endpoint(&server)).settle().await;
    assert_eq!(named(&all_spans(&server), "player").len(), 1);
}

#[tokio::test]
async fn an_abandoned_thread_is_traced_completely() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([accepted()]).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    let thread = traced.play(json!([[{ "note": "one" }], [{ "fail": "no" }]])).await;
    traced.settle().await;
    let outcome = traced.inbox.threads().outcome(thread.clone()).await.unwrap();
    assert_eq!(outcome.status, Status::Trouble);
    // A model call that failed.
    let span = Span {
        thread: thread.clone(),
        step: 2,
        task: "player.try".to_owned(),
        model: "tiny".to_owned(),
        ms: 5,
        input: 7,
        output: 0,
        cached: 0,
        cost: Some(0.5),
        error: Some("cut".to_owned()),
        counts: true,
    };
    traced.inbox.engine().store().figures().record_span(span, Prompt::default());
    let interrupt = outcome.interrupts[0].clone();
    let decide = DecisionRequest {
        interrupt,
        decision: Decision::Ignore,
        shown: None,
        learn: true,
        by: DecidedBy::Cli,
    };
    traced.inbox.decisions().decide(decide).await.unwrap();
    traced.settle().await;
    let sent = all_spans(&server);
    let call = &named(&sent, "player.try")[0];
    assert_eq!((&call["status"]["code"], attribute(call, "error.type")), (&json!(2), Some(json!("cut"))));
    assert_eq!(attribute(call, "gen_ai.usage.cost"), Some(json!(0.5)));
    assert_eq!(attribute(call, "gen_ai.provider.name"), Some(json!("_OTHER")));
    let node = &sent[call["parentSpanId"].as_str().unwrap()];
    assert_eq!((&node["name"], &node["status"]["message"]), (&json!("play"), &json!("not_taken")));
    let root = &sent[node["parentSpanId"].as_str().unwrap()];
    assert_eq!((&root["name"], &root["status"]["code"]), (&json!("player"), &json!(2)));
    assert_eq!(attribute(root, "sayso.status"), Some(json!("abandoned")));
    let count = server.count();
    traced.settle().await;
    assert_eq!(server.count(), count);
}

/// Sequence numbers are reused after pruning, and what comes under them is sent too.
#[tokio::test]
async fn pruning_hides_no_later_spans() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([accepted()]).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    for _ in 0..3 {
        let thread = traced.play(json!([[{ "note": "one" }], [{ "note": "two" }]])).await;
        traced.settle().await;
        traced.inbox.decisions().file_away(thread).await.unwrap();
    }
    let before = jiff::Timestamp::now().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let query = PruneQuery { before, statuses: vec![Status::Done] };
    traced.inbox.prune().run(query).await.unwrap();
    let left = "SELECT count(*) FROM log WHERE kind = 'stepped' AND body IS NOT NULL";
    let steps: i64 = sql(folder.path()).query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(steps, 0);
    let count = named(&all_spans(&server), "player").len();
    traced.play(one_step()).await;
    traced.settle().await;
    assert_eq!(named(&all_spans(&server), "player").len(), count + 1);
}

#[tokio::test]
async fn the_demo_sends_no_traces() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/.sayso-demo"), "").unwrap();
    let server = Server::play([Play::json(200, &json!({}))]).await;
    let traced = TracedInbox::open(folder.path(), &endpoint(&server));
    traced.play(one_step()).await;
    traced.settle().await;
    assert_eq!(server.count(), 0);
}
