//! How far was told: over restarts, pruning, and people who change their mind.

use crate::room::{Room, all, attribute, named, taken, told_to};
use crate::server::{Play, Server};
use sayso::graph::Decision;
use sayso::inbox::{By, DecisionRequest, PruneQuery, Status};
use sayso::store::{Prompt, Span};
use serde_json::json;
use std::path::Path;

fn one_step() -> serde_json::Value {
    json!([[{ "once": { "name": "parcel:1" } }]])
}

fn sql(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join("data/sayso.db")).unwrap()
}

/// Whoever drives next tells what the last one could not, and nothing twice; what a crash tells twice has the same ids.
#[tokio::test]
async fn nothing_is_lost_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nowhere = format!("[traces]\nendpoint = \"http://{gone}\"\n");
    let room = Room::open(folder.path(), &nowhere);
    room.play(one_step()).await;
    room.settle().await;
    let trouble = room.trouble().await;
    assert!(trouble.contains("cannot be reached"), "{trouble}");
    drop(room);

    let server = Server::play([taken()]).await;
    let room = Room::open(folder.path(), &told_to(&server));
    room.settle().await;
    let told = all(&server);
    assert_eq!((named(&told, "player").len(), named(&told, "execute_tool parcel").len()), (1, 1));
    let count = server.count();
    room.settle().await;
    assert_eq!(server.count(), count, "what was taken is not told again");
    drop(room);

    // As after a crash between the answer and the mark.
    sql(folder.path()).execute("UPDATE settings SET value = '0 0' WHERE name = 'traces'", []).unwrap();
    let again = Server::play([taken()]).await;
    Room::open(folder.path(), &told_to(&again)).settle().await;
    assert_eq!(all(&again), told);
}

/// Somebody drives who tells nothing.
async fn quiet(folder: &Path) {
    let mut room = Room::open(folder, "").tend().await;
    let thread = room.play(one_step()).await;
    let done = async || room.inbox.threads().outcome(thread.clone()).await.unwrap().status == Status::Done;
    room.until("it is done", done).await;
    assert_eq!(room.line().await, None);
    room.stop().await;
}

#[tokio::test]
async fn only_what_happens_while_traces_are_wanted_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([taken()]).await;
    quiet(folder.path()).await;
    let room = Room::open(folder.path(), &told_to(&server));
    room.settle().await;
    assert_eq!(server.count(), 0);
    room.play(one_step()).await;
    room.settle().await;
    assert_eq!(named(&all(&server), "player").len(), 1);
    drop(room);
    quiet(folder.path()).await;
    Room::open(folder.path(), &told_to(&server)).settle().await;
    assert_eq!(named(&all(&server), "player").len(), 1);
}

#[tokio::test]
async fn a_thread_that_was_abandoned_is_told_whole() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([taken()]).await;
    let room = Room::open(folder.path(), &told_to(&server));
    let thread = room.play(json!([[{ "note": "one" }], [{ "fail": "no" }]])).await;
    room.settle().await;
    let outcome = room.inbox.threads().outcome(thread.clone()).await.unwrap();
    assert_eq!(outcome.status, Status::Trouble);
    // The model it called in vain.
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
    room.inbox.engine().store().figures().record_span(span, Prompt::default());
    let interrupt = outcome.interrupts[0].clone();
    let decide =
        DecisionRequest { interrupt, decision: Decision::Ignore, shown: None, learn: true, by: By::Cli };
    room.inbox.decisions().decide(decide).await.unwrap();
    room.settle().await;
    let told = all(&server);
    let call = &named(&told, "player.try")[0];
    assert_eq!((&call["status"]["code"], attribute(call, "error.type")), (&json!(2), Some(json!("cut"))));
    assert_eq!(attribute(call, "gen_ai.usage.cost"), Some(json!(0.5)));
    assert_eq!(attribute(call, "gen_ai.provider.name"), Some(json!("_OTHER")));
    let node = &told[call["parentSpanId"].as_str().unwrap()];
    assert_eq!((&node["name"], &node["status"]["message"]), (&json!("play"), &json!("not_taken")));
    let root = &told[node["parentSpanId"].as_str().unwrap()];
    assert_eq!((&root["name"], &root["status"]["code"]), (&json!("player"), &json!(2)));
    assert_eq!(attribute(root, "sayso.status"), Some(json!("abandoned")));
    let count = server.count();
    room.settle().await;
    assert_eq!(server.count(), count);
}

/// Numbers are given anew after pruning, and what comes under them is told all the same.
#[tokio::test]
async fn pruning_hides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([taken()]).await;
    let room = Room::open(folder.path(), &told_to(&server));
    for _ in 0..3 {
        let thread = room.play(json!([[{ "note": "one" }], [{ "note": "two" }]])).await;
        room.settle().await;
        room.inbox.decisions().file_away(thread).await.unwrap();
    }
    let before = jiff::Timestamp::now().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let query = PruneQuery { before, statuses: vec![Status::Done] };
    room.inbox.prune().run(query).await.unwrap();
    let left = "SELECT count(*) FROM log WHERE kind = 'stepped' AND body IS NOT NULL";
    let steps: i64 = sql(folder.path()).query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(steps, 0);
    let count = named(&all(&server), "player").len();
    room.play(one_step()).await;
    room.settle().await;
    assert_eq!(named(&all(&server), "player").len(), count + 1);
}

#[tokio::test]
async fn the_demo_tells_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/.sayso-demo"), "").unwrap();
    let server = Server::play([Play::json(200, &json!({}))]).await;
    let room = Room::open(folder.path(), &told_to(&server));
    room.play(one_step()).await;
    room.settle().await;
    assert_eq!(server.count(), 0);
}
