//! A data folder whose threads are told of to a server.

use crate::server::{Play, Server};
use crate::support::player;
use crate::support::test_inbox::eager;
use sayso::app::{App, Driver, Engine, Scope, Setup, Traces, Until};
use sayso::config::{Config, Env};
use sayso::graph::ThreadId;
use sayso::inbox::SourceLine;
use sayso::service::{Inbox, attend};
use sayso::web::Wait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Pauses too short to notice.
const WAIT: Wait = Wait {
    connect: Duration::from_secs(20),
    reply: Duration::from_secs(20),
    again: Duration::from_millis(1),
    longest: Duration::from_millis(5),
};

pub fn taken() -> Play {
    Play::json(200, &json!({}))
}

pub struct Room {
    pub app: App,
    pub inbox: Inbox,
    stop: Option<(tokio::sync::oneshot::Sender<()>, tokio::task::JoinHandle<()>)>,
}

/// The config that tells traces to `server`.
pub fn told_to(server: &Server) -> String {
    format!("[traces]\nendpoint = \"{}/api/otel\"\n", server.address)
}

pub fn config(folder: &Path, text: &str, env: &Env) -> Arc<Config> {
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("config.toml"), text).unwrap();
    crate::support::config::load(&data, env)
}

impl Room {
    pub fn open(folder: &Path, text: &str) -> Self {
        Self::with(folder, text, Env::default())
    }

    pub fn with(folder: &Path, text: &str, env: Env) -> Self {
        let config = config(folder, text, &env);
        let setup = Setup::open((*config).clone(), env.clone()).unwrap();
        let world = Arc::default();
        let registry = setup.workflows().unwrap();
        let registry = registry.with(player::spec("player", Arc::clone(&world)));
        let registry = registry.with(player::spec("kid", world).hidden());
        let engine = Engine::new(setup.store.clone(), registry, eager());
        let traces = Traces::task(&engine, &config, &env, WAIT);
        let inbox = setup.inbox(engine);
        Self { app: App::new(inbox.clone()).with(traces), inbox, stop: None }
    }

    /// Starts a player.
    pub async fn play(&self, program: Value) -> ThreadId {
        self.start("player", json!({ "program": program })).await
    }

    pub async fn start(&self, workflow: &str, input: Value) -> ThreadId {
        self.inbox.threads().start(workflow.to_owned(), input).await.unwrap().thread
    }

    /// Drives until nothing is left to do.
    pub async fn drive(&self) {
        let never = std::future::pending();
        attend(self.inbox.engine(), &Scope::All, Until::Idle, never, |_| {}).await.unwrap();
    }

    /// Drives until nothing is left to do, and tells what that took.
    pub async fn settle(&self) {
        self.app.beside(self.drive()).await;
    }

    /// Begins to tell, or tells what there is.
    pub async fn tell(&self) {
        self.app.beside(async {}).await;
    }

    /// Drives and tells in the background.
    pub async fn tend(mut self) -> Self {
        let (stop, told) = tokio::sync::oneshot::channel::<()>();
        let app = self.app.clone();
        let mut driver = Driver::take(app.engine().clone()).await.unwrap().expect("the lock is free");
        let task = tokio::spawn(async move {
            let told = async {
                let _ = told.await;
            };
            app.drive(&mut driver, told).await.unwrap();
        });
        self.stop = Some((stop, task));
        self
    }

    pub async fn stop(&mut self) {
        let (stop, task) = self.stop.take().expect("it drives");
        stop.send(()).unwrap();
        task.await.unwrap();
    }

    /// Waits for something; a look now and then finds what no write brought about.
    pub async fn until(&self, what: &str, so: impl AsyncFn() -> bool) {
        let mut changes = self.inbox.changes();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while !so().await {
            let again = tokio::time::Instant::now() + Duration::from_millis(20);
            assert!(again < deadline, "{what}: {:?}", self.line().await);
            let _ = tokio::time::timeout_at(again, changes.changed()).await;
        }
    }

    /// What Activity says of the server.
    pub async fn line(&self) -> Option<SourceLine> {
        let lines = self.inbox.mail().sources().await.unwrap();
        lines.into_iter().find(|line| line.source == SourceLine::TRACES)
    }

    pub async fn trouble(&self) -> String {
        self.line().await.and_then(|line| line.error).unwrap_or_default()
    }
}

/// The spans of a request.
pub fn spans(body: &Value) -> Vec<Value> {
    let resources = body["resourceSpans"].as_array().unwrap();
    let scopes = resources.iter().flat_map(|resource| resource["scopeSpans"].as_array().unwrap());
    scopes.flat_map(|scope| scope["spans"].as_array().unwrap().clone()).collect()
}

/// Every span a server was sent, by its id, the last one told of each.
pub fn all(server: &Server) -> BTreeMap<String, Value> {
    let seen = server.seen();
    let spans = seen.iter().flat_map(|seen| spans(&seen.body));
    spans.map(|span| (span["spanId"].as_str().unwrap().to_owned(), span)).collect()
}

/// An attribute of a span.
pub fn attribute(span: &Value, key: &str) -> Option<Value> {
    let found = span["attributes"].as_array()?.iter().find(|pair| pair["key"] == key)?;
    found["value"].as_object()?.values().next().cloned()
}

pub fn named(spans: &BTreeMap<String, Value>, name: &str) -> Vec<Value> {
    spans.values().filter(|span| span["name"] == name).cloned().collect()
}
