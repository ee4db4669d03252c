//! A data folder whose threads are traced to a server.

use crate::server::{Play, Server};
use crate::support::player;
use crate::support::test_inbox::{BackgroundDriver, eager};
use sayso::app::{App, Engine, Scope, Setup, Traces, Until};
use sayso::config::{Config, Env};
use sayso::graph::ThreadId;
use sayso::inbox::SourceLine;
use sayso::service::{Inbox, drive_or_wait};
use sayso::web::WebTimeouts;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Pauses too short to notice.
const WAIT: WebTimeouts = WebTimeouts {
    connect: Duration::from_secs(20),
    reply: Duration::from_secs(20),
    again: Duration::from_millis(1),
    longest: Duration::from_millis(5),
};

/// The reply of a server that accepts everything.
pub fn accepted() -> Play {
    Play::json(200, &json!({}))
}

pub struct TracedInbox {
    pub app: App,
    pub inbox: Inbox,
    driver: Option<BackgroundDriver>,
}

/// The config that sends traces to `server`.
pub fn endpoint(server: &Server) -> String {
    format!("[traces]\nendpoint = \"{}/api/otel\"\n", server.address)
}

pub fn config(folder: &Path, text: &str, env: &Env) -> Arc<Config> {
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("config.toml"), text).unwrap();
    crate::support::config::load(&data, env)
}

impl TracedInbox {
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
        Self { app: App::new(inbox.clone()).with(traces), inbox, driver: None }
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
        drive_or_wait(self.inbox.engine(), &Scope::All, Until::Idle, never, |_| {}).await.unwrap();
    }

    /// Drives until nothing is left to do, and sends the traces.
    pub async fn settle(&self) {
        self.app.run_with_background(self.drive()).await;
    }

    /// Sends the traces there are, or starts to trace.
    pub async fn send(&self) {
        self.app.run_with_background(async {}).await;
    }

    /// Drives and sends traces in the background.
    pub async fn drive_in_background(mut self) -> Self {
        self.driver = Some(BackgroundDriver::start(self.app.clone()).await);
        self
    }

    pub async fn stop(&mut self) {
        self.driver.take().expect("it is driven").stop().await;
    }

    /// Waits for a condition, which may come true without a write.
    pub async fn wait_until(&self, what: &str, condition: impl AsyncFn() -> bool) {
        let mut changes = self.inbox.changes();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while !condition().await {
            let next_check = tokio::time::Instant::now() + Duration::from_millis(20);
            assert!(next_check < deadline, "{what}: {:?}", self.line().await);
            let _ = tokio::time::timeout_at(next_check, changes.changed()).await;
        }
    }

    /// The line about the server in Activity.
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

/// Every span a server was sent, by its id; the last version of each.
pub fn all_spans(server: &Server) -> BTreeMap<String, Value> {
    let seen = server.seen();
    let spans = seen.iter().flat_map(|seen| spans(&seen.body));
    spans.map(|span| (span["spanId"].as_str().unwrap().to_owned(), span)).collect()
}

pub fn attribute(span: &Value, key: &str) -> Option<Value> {
    let pair = span["attributes"].as_array()?.iter().find(|pair| pair["key"] == key)?;
    pair["value"].as_object()?.values().next().cloned()
}

pub fn named(spans: &BTreeMap<String, Value>, name: &str) -> Vec<Value> {
    spans.values().filter(|span| span["name"] == name).cloned().collect()
}
