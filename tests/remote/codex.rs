//! Codex's app-server over the wire: what it asks, what is sent back, and what is answered elsewhere.

use futures_util::{SinkExt, StreamExt};
use sayso::app::{App, Driver, Setup};
use sayso::config::{Config, Env, Flags, Host, Inputs};
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{
    By, DecisionQuery, DecisionRequest, GrantRequest, GrantScope, Item, ItemQuery, STOP_WORDS, SeenHash,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server with one thread, `t1`, whose turn is `u1`.
struct Server {
    /// What it asks and nobody has answered.
    pending: Arc<Mutex<Vec<Value>>>,
    says: broadcast::Sender<Option<Value>>,
    hears: mpsc::UnboundedReceiver<Value>,
    /// How often somebody came.
    visits: Arc<AtomicUsize>,
}

impl Server {
    fn open(socket: &Path) -> Self {
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(socket).unwrap();
        let pending: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (says, _) = broadcast::channel(64);
        let (heard, hears) = mpsc::unbounded_channel();
        let (asked, saying) = (pending.clone(), says.clone());
        let visits: Arc<AtomicUsize> = Arc::default();
        let counted = visits.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (asked, heard, mut said) = (asked.clone(), heard.clone(), saying.subscribe());
                tokio::spawn(async move {
                    let mut frames = accept_async(stream).await.unwrap();
                    loop {
                        let replies = tokio::select! {
                            frame = frames.next() => match frame {
                                Some(Ok(Message::Text(text))) => {
                                    let message: Value = serde_json::from_str(&text).unwrap();
                                    let replies = replies(&asked, &message);
                                    let _ = heard.send(message);
                                    replies
                                }
                                _ => return,
                            },
                            message = said.recv() => match message.unwrap() {
                                Some(message) => vec![message],
                                // It hangs up.
                                None => return,
                            },
                        };
                        for reply in replies {
                            frames.send(Message::text(reply.to_string())).await.unwrap();
                        }
                    }
                });
            }
        });
        Self { pending, says, hears, visits }
    }

    /// Asks everybody who has joined, and says to all that it waits.
    fn asks(&self, id: u64, method: &str, mut params: Value) {
        params["threadId"] = json!("t1");
        params["turnId"] = json!("u1");
        let request = json!({"id": id, "method": method, "params": params});
        self.pending.lock().unwrap().push(request.clone());
        self.tells("thread/status/changed", json!({"status": status(true)}));
        let _ = self.says.send(Some(request));
    }

    fn asks_command(&self, id: u64, command: &str) {
        let params = json!({"itemId": format!("call_{id}"), "command": format!("/bin/bash -lc '{command}'"), "cwd": "/nowhere"});
        self.asks(id, "item/commandExecution/requestApproval", params);
    }

    fn tells(&self, method: &str, mut params: Value) {
        params["threadId"] = json!("t1");
        let _ = self.says.send(Some(json!({"method": method, "params": params})));
    }

    /// Somebody in its own window answered, and nobody was told yet.
    fn forgets(&self, id: u64) {
        self.pending.lock().unwrap().retain(|asked| asked["id"] != id);
    }

    /// Somebody in its own window answered.
    fn is_answered(&self, id: u64) {
        self.forgets(id);
        self.tells("serverRequest/resolved", json!({"requestId": id}));
    }

    /// The next message for which this holds.
    async fn hears(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let next = async {
            loop {
                let message = self.hears.recv().await.unwrap();
                if is_it(&message) {
                    return message;
                }
            }
        };
        tokio::time::timeout(PATIENCE, next).await.expect("it never said so")
    }

    /// The next answer to something it asked.
    async fn answer(&mut self) -> (Value, Value) {
        let message = self.hears(|message| message.get("result").is_some()).await;
        (message["id"].clone(), message["result"].clone())
    }

    async fn called(&mut self, method: &str) -> Value {
        self.hears(|message| message["method"] == method).await["params"].clone()
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
        let is_answered = |asked: &Value| asked["id"] == message["id"];
        let answered = pending.iter().any(is_answered);
        pending.retain(|asked| !is_answered(asked));
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

struct Room {
    folder: tempfile::TempDir,
    app: App,
    _stop: oneshot::Sender<()>,
}

impl Room {
    /// A data folder beside a Codex that is connected, driven as `sayso watch` does.
    async fn open(config: &str) -> (Self, Server) {
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
        let setup = Setup::open(config, env).unwrap();
        let app = App::open(&setup, setup.workflows().unwrap());
        let (stop, told) = oneshot::channel();
        let mut worker = Driver::take(app.engine().clone()).await.unwrap().expect("the lock is free");
        let driven = app.clone();
        tokio::spawn(async move {
            let told = async {
                let _: Result<(), _> = told.await;
            };
            driven.drive(&mut worker, told).await.unwrap();
        });
        (Self { folder, app, _stop: stop }, server)
    }

    /// The open items, once there are so many.
    async fn items(&self, count: usize) -> Vec<Item> {
        let inbox = self.app.inbox();
        let mut changes = inbox.changes();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            changes.borrow_and_update();
            let query = ItemQuery { limit: 100, ..ItemQuery::default() };
            let items = inbox.decisions().items(query).await.unwrap().items;
            if items.len() == count {
                return items;
            }
            assert!(tokio::time::Instant::now() < deadline, "there are {items:#?}");
            let _ = tokio::time::timeout(Duration::from_millis(250), changes.changed()).await;
        }
    }

    async fn decide(&self, item: &Item, decision: Decision) {
        let interrupt = InterruptId::parse(&item.id).unwrap();
        let shown = item.args_hash.map(SeenHash::Whole);
        let decide = DecisionRequest { interrupt, decision, shown, learn: false, by: By::Tui };
        self.app.inbox().decisions().decide(decide).await.unwrap();
    }

    /// What the list of decisions says came of it so far.
    async fn told_of(&self, item: &Item) -> String {
        let query = DecisionQuery { limit: 10, ..DecisionQuery::default() };
        let past = self.app.inbox().decisions().history(query).await.unwrap().decisions;
        past.iter().find(|past| past.thread == item.thread).unwrap().outcome.clone()
    }

    /// The same, once it is known.
    async fn outcome(&self, item: &Item) -> String {
        let mut changes = self.app.inbox().changes();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            changes.borrow_and_update();
            let query = DecisionQuery { limit: 10, ..DecisionQuery::default() };
            let past = self.app.inbox().decisions().history(query).await.unwrap().decisions;
            let found = past.iter().find(|past| past.thread == item.thread);
            if let Some(found) = found.filter(|found| found.outcome.contains(", ")) {
                return found.outcome.clone();
            }
            assert!(tokio::time::Instant::now() < deadline, "nothing was kept: {past:#?}");
            let _ = tokio::time::timeout(Duration::from_millis(250), changes.changed()).await;
        }
    }
}

/// Long enough to be overtaken.
const HELD: &str = "[approvals]\nhold_seconds = 10\nhold_agents = 10\n";

const AT_ONCE: &str = "[approvals]\nhold_seconds = 0\nhold_agents = 0\n";

fn named<'i>(items: &'i [Item], title: &str) -> &'i Item {
    items.iter().find(|item| item.title == title).unwrap_or_else(|| panic!("no {title}: {items:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_gets_the_decision_on_its_own_card() {
    let (room, mut server) = Room::open(AT_ONCE).await;
    server.asks_command(7, "touch a");
    server.asks_command(8, "touch b");
    server.asks_command(9, "touch c");
    let items = room.items(3).await;
    assert_eq!(items[0].source.as_deref(), Some("request: codex"));
    assert!(items.iter().all(|item| item.waiting), "somebody waits");
    room.decide(named(&items, "$ touch b"), Decision::Accept).await;
    assert_eq!(server.answer().await, (json!(8), json!({"decision": "accept"})));
    let words = Decision::Respond { text: "not on a Friday".to_owned() };
    room.decide(named(&items, "$ touch a"), words).await;
    assert_eq!(server.answer().await, (json!(7), json!({"decision": "decline"})));
    let steered = server.called("turn/steer").await;
    assert_eq!((&steered["threadId"], &steered["expectedTurnId"]), (&json!("t1"), &json!("u1")));
    assert!(steered["input"][0]["text"].as_str().unwrap().contains("not on a Friday"), "{steered}");
    let stop = Decision::Respond { text: STOP_WORDS.to_owned() };
    room.decide(named(&items, "$ touch c"), stop).await;
    assert_eq!(server.answer().await, (json!(9), json!({"decision": "cancel"})));
    assert_eq!(server.called("turn/interrupt").await, json!({"threadId": "t1", "turnId": "u1"}));
    // It is left alone when its turn is over.
    server.tells("thread/status/changed", json!({"status": {"type": "idle"}}));
    assert_eq!(server.called("thread/unsubscribe").await["threadId"], "t1");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_answered_there_is_taken_back_here() {
    let (room, mut server) = Room::open(HELD).await;
    server.asks_command(1, "touch a");
    server.asks_command(2, "touch b");
    room.items(2).await;
    server.is_answered(1);
    let left = room.items(1).await;
    assert_eq!(left[0].title, "$ touch b");
    // While the decision is held, somebody there is faster.
    room.decide(&left[0], Decision::Accept).await;
    server.is_answered(2);
    let outcome = room.outcome(&left[0]).await;
    assert_eq!(outcome.matches("answered there before").count(), 1, "{outcome}");
    // Neither was told anything.
    server.asks_command(3, "touch c");
    let third = room.items(1).await;
    room.decide(&third[0], Decision::Ignore).await;
    assert_eq!(server.answer().await, (json!(3), json!({"decision": "decline"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_loses_no_card_and_asks_none_twice() {
    let (room, mut server) = Room::open(AT_ONCE).await;
    server.asks_command(1, "touch a");
    server.asks_command(2, "touch b");
    server.asks_command(3, "touch c");
    let items = room.items(3).await;
    server.says.send(None).unwrap();
    // Meanwhile one is decided here, and one there.
    server.forgets(3);
    room.decide(named(&items, "$ touch a"), Decision::Accept).await;
    assert_eq!(server.answer().await, (json!(1), json!({"decision": "accept"})));
    let left = room.items(1).await;
    assert_eq!(left[0].id, named(&items, "$ touch b").id);
    room.decide(&left[0], Decision::Ignore).await;
    assert_eq!(server.answer().await, (json!(2), json!({"decision": "decline"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_nobody_heard_is_not_shown_as_heard() {
    let (room, mut server) = Room::open(AT_ONCE).await;
    server.asks_command(1, "touch a");
    server.asks_command(2, "touch b");
    server.asks_command(3, "touch c");
    let items = room.items(3).await;
    // Somebody there was faster, and said no; that is told only after the answer from here has come.
    server.forgets(1);
    room.decide(named(&items, "$ touch a"), Decision::Accept).await;
    assert_eq!(server.answer().await, (json!(1), json!({"decision": "accept"})));
    server.tells("serverRequest/resolved", json!({"requestId": 1}));
    let item = json!({"type": "commandExecution", "id": "call_1", "status": "declined"});
    server.tells("item/completed", json!({ "item": item }));
    let outcome = room.outcome(named(&items, "$ touch a")).await;
    assert_eq!(outcome.matches("answered there before").count(), 1, "{outcome}");
    // What it heard first counts.
    room.decide(named(&items, "$ touch b"), Decision::Accept).await;
    assert_eq!(server.answer().await, (json!(2), json!({"decision": "accept"})));
    let item = json!({"type": "commandExecution", "id": "call_2", "status": "completed"});
    server.tells("item/completed", json!({ "item": item }));
    // The connection breaks, and it does not ask again.
    server.says.send(None).unwrap();
    server.forgets(3);
    room.decide(named(&items, "$ touch c"), Decision::Accept).await;
    let outcome = room.outcome(named(&items, "$ touch c")).await;
    assert!(outcome.contains("may have been answered there"), "{outcome}");
    assert_eq!(room.told_of(named(&items, "$ touch b")).await, "allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_is_held_is_waited_for() {
    let (room, mut server) = Room::open(HELD).await;
    server.asks_command(1, "touch a");
    server.asks_command(2, "touch b");
    let items = room.items(2).await;
    room.decide(named(&items, "$ touch a"), Decision::Accept).await;
    room.decide(named(&items, "$ touch b"), Decision::Accept).await;
    server.forgets(2);
    server.says.send(None).unwrap();
    assert_eq!(server.answer().await, (json!(1), json!({"decision": "accept"})));
    let outcome = room.outcome(named(&items, "$ touch b")).await;
    assert!(outcome.contains("may have been answered there"), "{outcome}");
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_and_large_messages_end_no_connection() {
    let (room, mut server) = Room::open(AT_ONCE).await;
    server.asks_command(1, "touch a");
    room.items(1).await;
    let method = "item/commandExecution/requestApproval";
    let command = json!({"threadId": "t1", "turnId": "u1", "itemId": "call_2", "command": "ls"});
    let large = json!([{"path": "/x", "kind": {"type": "add"}, "diff": "x".repeat(20 * 1024 * 1024)}]);
    let large = json!({"threadId": "t1", "item": {"type": "fileChange", "id": "call_3", "changes": large}});
    for odd in [
        json!([]),
        json!([{"id": 1, "method": method}]),
        json!(3),
        json!("x"),
        json!({}),
        json!({"id": {}, "method": method, "params": command}),
        json!({"id": "x".repeat(100_000), "method": method, "params": command}),
        json!({"id": 5, "method": method, "params": []}),
        json!({"id": 5, "method": method, "params": {"threadId": "t1"}}),
        json!({"id": u64::MAX, "result": 3}),
        json!({"method": "item/started", "params": {"threadId": "t1", "item": 3}}),
        json!({"method": "item/completed", "params": {"threadId": "t1", "item": []}}),
        json!({"method": "item/fileChange/patchUpdated", "params": {"threadId": "t1", "itemId": "x"}}),
        json!({"method": "serverRequest/resolved", "params": {"threadId": "t1"}}),
        json!({"method": "item/started", "params": large}),
    ] {
        server.says.send(Some(odd)).unwrap();
    }
    server.asks_command(9, "touch b");
    let items = room.items(2).await;
    room.decide(named(&items, "$ touch b"), Decision::Ignore).await;
    assert_eq!(server.answer().await, (json!(9), json!({"decision": "decline"})));
    assert_eq!(server.visits.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reaches_further_is_covered_by_no_grant() {
    let (room, mut server) = Room::open(AT_ONCE).await;
    let method = "item/commandExecution/requestApproval";
    let asks = |id: u64, more: Value| {
        let mut params = json!({"itemId": format!("call_{id}"), "command": "/bin/bash -lc 'cargo test'", "cwd": "/nowhere"});
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        server.asks(id, method, params);
    };
    asks(1, json!({}));
    let first = room.items(1).await;
    let call = first[0].grantable.call.clone();
    assert!(call.is_some());
    let interrupt = InterruptId::parse(&first[0].id).unwrap();
    let grant = GrantRequest { interrupt, scope: GrantScope::CommandSort, lasts: None, session: false };
    room.app.inbox().grants().give(grant).await.unwrap();
    room.decide(&first[0], Decision::Accept).await;
    asks(2, json!({}));
    asks(3, json!({"additionalPermissions": {"network": {"enabled": true}}}));
    asks(4, json!({"networkApprovalContext": {"host": "x.test", "protocol": "https"}}));
    asks(5, json!({"command": "/tmp/evil/bash -lc 'cargo test'"}));
    let left = room.items(3).await;
    assert!(left[..2].iter().all(|item| item.grantable.call.is_none()), "{left:#?}");
    let mut told = [server.answer().await, server.answer().await];
    told.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(told, [1, 2].map(|id| (json!(id), json!({"decision": "accept"}))));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_kept_while_the_store_is_busy_is_kept_later() {
    let (room, server) = Room::open(AT_ONCE).await;
    server.asks_command(1, "touch a");
    room.items(1).await;
    let other = rusqlite::Connection::open(room.folder.path().join("data/sayso.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    server.is_answered(1);
    // Another write tells when the store is no longer waited for.
    let draft = room.app.inbox().decisions().keep_draft("draft".to_owned(), Some("text".to_owned()));
    assert!(draft.await.is_err());
    assert_eq!(room.items(1).await.len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    room.items(0).await;
    assert_eq!(server.visits.load(Ordering::SeqCst), 1);
}
