//! Codex's app-server over the wire: what it asks, what is sent back, and what is answered elsewhere.

use super::remote_inbox::{decide, wait_for_items, wait_until};
use crate::support::merged;
use crate::support::test_inbox::BackgroundDriver;
use futures_util::{SinkExt, StreamExt};
use sayso::app::{App, LOCK_WAIT, Setup};
use sayso::config::{Config, Env, Flags, Host, Inputs};
use sayso::engine::graph::Decision;
use sayso::inbox::{DecidedBy, DecisionQuery, GrantRequest, GrantScope, Question, STOP_WORDS};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{broadcast, mpsc};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

const REQUEST: &str = "item/commandExecution/requestApproval";

const PATIENCE: Duration = Duration::from_secs(60);

/// A server with one thread, `t1`, whose turn is `u1`.
struct Server {
    /// Requests that nobody has answered.
    pending: Arc<Mutex<Vec<Value>>>,
    /// Messages to all clients; `None` hangs up.
    outgoing: broadcast::Sender<Option<Value>>,
    incoming: mpsc::UnboundedReceiver<Value>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    fn open(socket: &Path) -> Self {
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(socket).unwrap();
        let (received, incoming) = mpsc::unbounded_channel();
        let outgoing = broadcast::channel(64).0;
        let (pending, connections) = (Arc::default(), Arc::default());
        let server = Self { pending, outgoing, incoming, connections };
        let (pending, outgoing, connections) =
            (server.pending.clone(), server.outgoing.clone(), server.connections.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, pending.clone(), received.clone(), outgoing.subscribe()));
            }
        });
        server
    }

    /// Sends a request to every client, and the status that it waits.
    fn ask_command(&self, id: u64, command: &str) {
        self.ask_for_more(id, command, json!({}));
    }

    /// The same with more, or something else, in its parameters.
    fn ask_for_more(&self, id: u64, command: &str, more: Value) {
        let params = json!({
            "threadId": "t1", "turnId": "u1", "itemId": format!("call_{id}"), "cwd": "/nowhere",
            "command": format!("/bin/bash -lc '{command}'"),
        });
        let request = json!({"id": id, "method": REQUEST, "params": merged(params, more)});
        self.pending.lock().unwrap().push(request.clone());
        self.notify("thread/status/changed", json!({"status": status(true)}));
        let _ = self.outgoing.send(Some(request));
    }

    fn notify(&self, method: &str, mut params: Value) {
        params["threadId"] = json!("t1");
        let _ = self.outgoing.send(Some(json!({"method": method, "params": params})));
    }

    /// Somebody answered in Codex's own window, and clients were not told yet.
    fn forget(&self, id: u64) {
        self.pending.lock().unwrap().retain(|request| request["id"] != id);
    }

    /// Somebody answered in Codex's own window.
    fn answer_there(&self, id: u64) {
        self.forget(id);
        self.notify("serverRequest/resolved", json!({"requestId": id}));
    }

    /// The next message that matches.
    async fn next_message(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        let next = async {
            loop {
                let message = self.incoming.recv().await.unwrap();
                if matches(&message) {
                    return message;
                }
            }
        };
        tokio::time::timeout(PATIENCE, next).await.expect("no such message came")
    }

    /// The next answer to a request, with the id of the request.
    async fn next_answer(&mut self) -> (Value, Value) {
        let message = self.next_message(|message| message.get("result").is_some()).await;
        (message["id"].clone(), message["result"].clone())
    }

    /// The parameters of the next call of this method.
    async fn next_call(&mut self, method: &str) -> Value {
        self.next_message(|message| message["method"] == method).await["params"].clone()
    }
}

/// Answers one client until either side hangs up.
async fn serve(
    stream: UnixStream,
    pending: Arc<Mutex<Vec<Value>>>,
    received: mpsc::UnboundedSender<Value>,
    mut outgoing: broadcast::Receiver<Option<Value>>,
) {
    let mut frames = accept_async(stream).await.unwrap();
    loop {
        let replies = tokio::select! {
            frame = frames.next() => {
                let Some(Ok(Message::Text(text))) = frame else { return };
                let message: Value = serde_json::from_str(&text).unwrap();
                let replies = replies(&pending, &message);
                let _ = received.send(message);
                replies
            }
            message = outgoing.recv() => {
                let Some(message) = message.unwrap() else { return };
                vec![message]
            }
        };
        for reply in replies {
            frames.send(Message::text(reply.to_string())).await.unwrap();
        }
    }
}

fn status(waits: bool) -> Value {
    let flags = if waits { json!(["waitingOnApproval"]) } else { json!([]) };
    json!({"type": "active", "activeFlags": flags})
}

fn replies(pending: &Mutex<Vec<Value>>, message: &Value) -> Vec<Value> {
    let mut pending = pending.lock().unwrap();
    let thread =
        json!({"id": "t1", "sessionId": "t1", "cwd": "/nowhere", "status": status(!pending.is_empty())});
    let Some(method) = message["method"].as_str() else {
        let is_answered = |request: &Value| request["id"] == message["id"];
        let answered = pending.iter().any(is_answered);
        pending.retain(|request| !is_answered(request));
        let params = json!({"threadId": "t1", "requestId": message["id"]});
        let resolved = json!({"method": "serverRequest/resolved", "params": params});
        return if answered { vec![resolved] } else { Vec::new() };
    };
    let result = match method {
        "initialized" => return Vec::new(),
        "thread/loaded/list" => json!({"data": ["t1"], "nextCursor": null}),
        "thread/read" | "thread/resume" => json!({"thread": thread}),
        _ => json!({}),
    };
    let reply = json!({"id": message["id"], "result": result});
    let again = if method == "thread/resume" { pending.clone() } else { Vec::new() };
    std::iter::once(reply).chain(again).collect()
}

struct CodexInbox {
    folder: tempfile::TempDir,
    app: App,
    _driver: BackgroundDriver,
}

impl CodexInbox {
    /// A data folder that is connected to Codex, driven as `sayso watch` does.
    async fn open(config: &str) -> (Self, Server) {
        Self::open_waiting(config, LOCK_WAIT).await
    }

    /// The same, with writes that wait at most so long for another process.
    async fn open_waiting(config: &str, lock_wait: Duration) -> (Self, Server) {
        let folder = tempfile::tempdir().unwrap();
        let (data, home) = (folder.path().join("data"), folder.path().join("codex"));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(data.join("config.toml"), config).unwrap();
        let hook = json!({"command": "sayso request --hook codex"});
        let hooks = json!({"hooks": {"PermissionRequest": [{"matcher": ".*", "hooks": [hook]}]}});
        std::fs::write(home.join("hooks.json"), hooks.to_string()).unwrap();
        let server = Server::open(&home.join("app-server-control/app-server-control.sock"));
        let env = Env::from_iter([("CODEX_HOME", home.to_str().unwrap())]);
        let flags = Flags { data: Some(data), ..Flags::default() };
        let config = Config::load(&Inputs { flags, env: env.clone(), host: Host::system() }).unwrap();
        let setup = Setup::open_waiting(config, env, lock_wait).unwrap();
        let app = App::open(&setup, setup.workflows().unwrap());
        let driver = BackgroundDriver::start(app.clone()).await;
        (Self { folder, app, _driver: driver }, server)
    }

    async fn wait_for_items(&self, count: usize) -> Vec<Question> {
        wait_for_items(self.app.inbox(), count).await
    }

    async fn pause(&self, on: bool) {
        self.app.inbox().pause(on).await.unwrap();
    }

    async fn decide(&self, item: &Question, decision: Decision) {
        decide(self.app.inbox(), item, decision, DecidedBy::Tui).await.unwrap();
    }

    /// The outcome that the list of decisions shows so far.
    async fn shown_outcome(&self, item: &Question) -> String {
        let query = DecisionQuery { limit: 10, ..DecisionQuery::default() };
        let past = self.app.inbox().decisions().history(query).await.unwrap().rows;
        past.iter().find(|past| past.thread == item.thread).unwrap().outcome.clone()
    }

    /// The same once it is final.
    async fn final_outcome(&self, item: &Question) -> String {
        wait_until(self.app.inbox(), async || {
            Some(self.shown_outcome(item).await).filter(|outcome| outcome.contains(", "))
        })
        .await
    }
}

/// What is decided waits for a moment, and for as long as everything is paused.
const HELD: &str = "[approvals]\nhold_seconds = 1\nhold_agents = 1\n";

const AT_ONCE: &str = "[approvals]\nhold_seconds = 0\nhold_agents = 0\n";

fn named<'i>(items: &'i [Question], title: &str) -> &'i Question {
    items.iter().find(|item| item.title == title).unwrap_or_else(|| panic!("no {title}: {items:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_gets_the_decision_on_its_own_card() {
    let (inbox, mut server) = CodexInbox::open(AT_ONCE).await;
    server.ask_command(7, "touch a");
    server.ask_command(8, "touch b");
    server.ask_command(9, "touch c");
    let items = inbox.wait_for_items(3).await;
    assert_eq!(items[0].source.as_deref(), Some("request: codex"));
    assert!(items.iter().all(|item| item.waiting), "somebody waits");
    inbox.decide(named(&items, "$ touch b"), Decision::Accept).await;
    assert_eq!(server.next_answer().await, (json!(8), json!({"decision": "accept"})));
    let words = Decision::Respond { text: "not on a Friday".to_owned() };
    inbox.decide(named(&items, "$ touch a"), words).await;
    assert_eq!(server.next_answer().await, (json!(7), json!({"decision": "decline"})));
    let steered = server.next_call("turn/steer").await;
    assert_eq!((&steered["threadId"], &steered["expectedTurnId"]), (&json!("t1"), &json!("u1")));
    assert!(steered["input"][0]["text"].as_str().unwrap().contains("not on a Friday"), "{steered}");
    let stop = Decision::Respond { text: STOP_WORDS.to_owned() };
    inbox.decide(named(&items, "$ touch c"), stop).await;
    assert_eq!(server.next_answer().await, (json!(9), json!({"decision": "cancel"})));
    assert_eq!(server.next_call("turn/interrupt").await, json!({"threadId": "t1", "turnId": "u1"}));
    // When its turn is over, sayso unsubscribes.
    server.notify("thread/status/changed", json!({"status": {"type": "idle"}}));
    assert_eq!(server.next_call("thread/unsubscribe").await["threadId"], "t1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_answered_in_codex_closes_its_card() {
    let (inbox, mut server) = CodexInbox::open(HELD).await;
    server.ask_command(1, "touch a");
    server.ask_command(2, "touch b");
    inbox.wait_for_items(2).await;
    server.answer_there(1);
    let left = inbox.wait_for_items(1).await;
    assert_eq!(left[0].title, "$ touch b");
    // Somebody there answers while the decision is held.
    inbox.pause(true).await;
    inbox.decide(&left[0], Decision::Accept).await;
    server.answer_there(2);
    server.ask_command(3, "touch c");
    let third = inbox.wait_for_items(1).await;
    inbox.pause(false).await;
    let outcome = inbox.final_outcome(&left[0]).await;
    assert_eq!(outcome.matches("answered there before").count(), 1, "{outcome}");
    // No answer was sent for either.
    inbox.decide(&third[0], Decision::Ignore).await;
    assert_eq!(server.next_answer().await, (json!(3), json!({"decision": "decline"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_loses_no_card_and_no_decision_and_asks_nothing_twice() {
    let (inbox, mut server) = CodexInbox::open(HELD).await;
    for (id, name) in (1..).zip(["a", "b", "c", "d", "e"]) {
        server.ask_command(id, &format!("touch {name}"));
    }
    let items = inbox.wait_for_items(5).await;
    server.next_call("thread/resume").await;
    // Two decisions are held when it breaks.
    inbox.pause(true).await;
    inbox.decide(named(&items, "$ touch a"), Decision::Accept).await;
    inbox.decide(named(&items, "$ touch c"), Decision::Accept).await;
    server.outgoing.send(None).unwrap();
    // Meanwhile one more is decided here, and three are answered there.
    (3..=5).for_each(|id| server.forget(id));
    inbox.decide(named(&items, "$ touch d"), Decision::Accept).await;
    server.next_call("thread/resume").await;
    inbox.pause(false).await;
    assert_eq!(server.next_answer().await, (json!(1), json!({"decision": "accept"})));
    for title in ["$ touch c", "$ touch d"] {
        let outcome = inbox.final_outcome(named(&items, title)).await;
        assert!(outcome.contains("may have been answered there"), "{title}: {outcome}");
    }
    let left = inbox.wait_for_items(1).await;
    assert_eq!(left[0].id, named(&items, "$ touch b").id);
    inbox.decide(&left[0], Decision::Ignore).await;
    assert_eq!(server.next_answer().await, (json!(2), json!({"decision": "decline"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_came_too_late_is_not_shown_as_given() {
    let (inbox, mut server) = CodexInbox::open(AT_ONCE).await;
    server.ask_command(1, "touch a");
    server.ask_command(2, "touch b");
    let items = inbox.wait_for_items(2).await;
    let completed = |id: &str, status: &str| {
        let item = json!({"type": "commandExecution", "id": id, "status": status});
        json!({ "item": item })
    };
    // Here the answer came first, so it counts.
    inbox.decide(named(&items, "$ touch b"), Decision::Accept).await;
    assert_eq!(server.next_answer().await, (json!(2), json!({"decision": "accept"})));
    server.notify("item/completed", completed("call_2", "completed"));
    // Somebody there declined first, and the notice comes only after the answer from here.
    server.forget(1);
    inbox.decide(named(&items, "$ touch a"), Decision::Accept).await;
    assert_eq!(server.next_answer().await, (json!(1), json!({"decision": "accept"})));
    server.notify("serverRequest/resolved", json!({"requestId": 1}));
    server.notify("item/completed", completed("call_1", "declined"));
    let outcome = inbox.final_outcome(named(&items, "$ touch a")).await;
    assert_eq!(outcome.matches("answered there before").count(), 1, "{outcome}");
    assert_eq!(inbox.shown_outcome(named(&items, "$ touch b")).await, "allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_and_large_messages_do_not_end_the_connection() {
    let (inbox, mut server) = CodexInbox::open(AT_ONCE).await;
    server.ask_command(1, "touch a");
    inbox.wait_for_items(1).await;
    let command = json!({"threadId": "t1", "turnId": "u1", "itemId": "call_2", "command": "ls"});
    let large = json!([{"path": "/x", "kind": {"type": "add"}, "diff": "x".repeat(20 * 1024 * 1024)}]);
    let large = json!({"threadId": "t1", "item": {"type": "fileChange", "id": "call_3", "changes": large}});
    for odd in [
        json!([]),
        json!([{"id": 1, "method": REQUEST}]),
        json!(3),
        json!("x"),
        json!({}),
        json!({"id": {}, "method": REQUEST, "params": command}),
        json!({"id": "x".repeat(100_000), "method": REQUEST, "params": command}),
        json!({"id": 5, "method": REQUEST, "params": []}),
        json!({"id": 5, "method": REQUEST, "params": {"threadId": "t1"}}),
        json!({"id": u64::MAX, "result": 3}),
        json!({"method": "item/started", "params": {"threadId": "t1", "item": 3}}),
        json!({"method": "item/completed", "params": {"threadId": "t1", "item": []}}),
        json!({"method": "item/fileChange/patchUpdated", "params": {"threadId": "t1", "itemId": "x"}}),
        json!({"method": "serverRequest/resolved", "params": {"threadId": "t1"}}),
        json!({"method": "item/started", "params": large}),
    ] {
        server.outgoing.send(Some(odd)).unwrap();
    }
    server.ask_command(9, "touch b");
    let items = inbox.wait_for_items(2).await;
    inbox.decide(named(&items, "$ touch b"), Decision::Ignore).await;
    assert_eq!(server.next_answer().await, (json!(9), json!({"decision": "decline"})));
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_grant_covers_a_request_that_asks_for_more() {
    let (inbox, mut server) = CodexInbox::open(AT_ONCE).await;
    server.ask_command(1, "cargo test");
    let first = inbox.wait_for_items(1).await;
    let call = first[0].grantable.call.clone();
    let interrupt = first[0].id.clone();
    let scope = GrantScope::Call(call.unwrap().exactly());
    let grant = GrantRequest { interrupt, scope, ends_at: None, session: false };
    inbox.app.inbox().grants().give(grant).await.unwrap();
    inbox.decide(&first[0], Decision::Accept).await;
    server.ask_command(2, "cargo test");
    for (id, more) in (3..).zip([
        json!({"additionalPermissions": {"network": {"enabled": true}}}),
        json!({"networkApprovalContext": {"host": "x.test", "protocol": "https"}}),
        json!({"command": "/tmp/evil/bash -lc 'cargo test'"}),
    ]) {
        server.ask_for_more(id, "cargo test", more);
    }
    let left = inbox.wait_for_items(3).await;
    assert!(left[..2].iter().all(|item| item.grantable.call.is_none()), "{left:#?}");
    let mut answers = [server.next_answer().await, server.next_answer().await];
    answers.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(answers, [1, 2].map(|id| (json!(id), json!({"decision": "accept"}))));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_stored_while_the_store_is_busy_is_stored_later() {
    let (inbox, server) = CodexInbox::open_waiting(AT_ONCE, Duration::from_secs(1)).await;
    server.ask_command(1, "touch a");
    inbox.wait_for_items(1).await;
    let other = rusqlite::Connection::open(inbox.folder.path().join("data/sayso.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    server.answer_there(1);
    // Another write fails when sayso gives up waiting for the store.
    let draft = inbox.app.inbox().decisions().keep_draft("draft".to_owned(), Some("text".to_owned()));
    assert!(draft.await.is_err());
    assert_eq!(inbox.wait_for_items(1).await.len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    inbox.wait_for_items(0).await;
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}
