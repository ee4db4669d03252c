//! A data folder with a LangGraph server, driven and polled as `sayso watch` does.

use crate::support::langgraph::{LangGraph, Server};
use crate::support::test_inbox::BackgroundDriver;
use sayso::app::{App, Engine, Settings};
use sayso::config::{self, Env, Header, Secret};
use sayso::connect::langgraph::{Remote, Servers, spec};
use sayso::engine::graph::Decision;
use sayso::engine::store::Store;
use sayso::inbox::door::Inbox;
use sayso::inbox::{
    DecidedBy, DecisionRequest, InboxError, ItemQuery, Outcome, Question, Registry, SeenHash, Status,
    ThreadLine, ThreadQuery,
};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct RemoteInbox {
    _folder: TempDir,
    pub server: Server,
    app: App,
    pub inbox: Inbox,
    driver: Option<BackgroundDriver>,
}

fn server_config(url: String) -> config::Server {
    config::Server {
        name: "lab".to_owned(),
        url,
        headers: vec![
            ("x-tenant".to_owned(), Header::Text("acme".to_owned())),
            ("x-api-key".to_owned(), Header::Secret(Secret::Env("LAB_KEY".to_owned()))),
        ],
        graphs: Vec::new(),
        every: Duration::from_millis(20),
    }
}

impl RemoteInbox {
    /// Nothing is held.
    pub async fn new() -> Self {
        Self::with_hold(Duration::ZERO).await
    }

    pub async fn with_hold(hold: Duration) -> Self {
        let remote = Self::undriven(hold).await;
        let driver = BackgroundDriver::start(remote.app.clone()).await;
        Self { driver: Some(driver), ..remote }
    }

    pub async fn undriven(hold: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::open().await;
        let env = Env::from_iter([("LAB_KEY", "canary-key-7f3a")]);
        let remote = Arc::new(Remote::new(server_config(server.url()), env));
        let registry = Registry::new([spec(&remote).unwrap()]);
        let settings = Settings {
            hold,
            soft_hold: Duration::ZERO,
            retry_wait: Duration::from_millis(1),
            ..Settings::default()
        };
        let engine = Engine::new(Store::open(&folder.path().join("data")).unwrap(), registry, settings);
        let servers = Servers::new(engine.clone(), vec![remote]);
        let inbox = Inbox::new(engine).with_remote(Arc::new(servers.clone()));
        let app = App::new(inbox.clone()).with(Arc::new(servers));
        Self { _folder: folder, server, app, inbox, driver: None }
    }

    pub async fn stop_driving(&mut self) {
        self.driver.take().expect("it is driven").stop().await;
    }

    /// Checks the servers as `sayso list` does first, and gives the warnings it would print.
    pub async fn look_once(&self) -> Vec<String> {
        self.inbox.threads().look_at_servers().await.unwrap()
    }

    pub fn langgraph(&self) -> &LangGraph {
        &self.server.langgraph
    }

    pub async fn items(&self) -> Vec<Question> {
        items(&self.inbox).await
    }

    /// The open items once there are `count` of them.
    pub async fn wait_for_items(&self, count: usize) -> Vec<Question> {
        wait_for_items(&self.inbox, count).await
    }

    pub async fn wait_until<T>(&self, condition: impl AsyncFn() -> Option<T>) -> T {
        wait_until(&self.inbox, condition).await
    }

    /// Waits until its server is said to fail, and gives the error.
    pub async fn wait_for_error(&self) -> String {
        self.wait_until(async || self.inbox.mail().sources().await.unwrap().remove(0).error).await
    }

    /// Waits until its server is said to be well.
    pub async fn wait_for_no_error(&self) {
        let error = async || self.inbox.mail().sources().await.unwrap().remove(0).error;
        self.wait_until(async || error().await.is_none().then_some(())).await;
    }

    /// A question of the server's that is listed.
    pub async fn question(&self, value: &Value) -> Question {
        self.langgraph().ask("agent", value);
        self.wait_for_items(1).await.remove(0)
    }

    pub async fn decide(&self, item: &Question, decision: Decision) -> Result<Outcome, InboxError> {
        decide(&self.inbox, item, decision, DecidedBy::Cli).await
    }

    pub async fn threads(&self) -> Vec<ThreadLine> {
        self.inbox.threads().list(ThreadQuery { limit: 100, ..ThreadQuery::default() }).await.unwrap().rows
    }

    /// Waits until an item's thread has this status.
    pub async fn wait_for_status(&self, item: &Question, status: Status) -> Outcome {
        self.wait_until(async || {
            let outcome = self.inbox.threads().outcome(item.thread.clone()).await.unwrap();
            (outcome.status == status).then_some(outcome)
        })
        .await
    }
}

/// Waits for the value of `condition`. It is checked after every write, and now and then in case one was missed.
pub async fn wait_until<T>(inbox: &Inbox, condition: impl AsyncFn() -> Option<T>) -> T {
    let mut changes = inbox.changes();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        changes.borrow_and_update();
        if let Some(value) = condition().await {
            return value;
        }
        let next_check = tokio::time::Instant::now() + Duration::from_millis(250);
        assert!(next_check < deadline, "it did not happen: {:#?}", items(inbox).await);
        let _ = tokio::time::timeout_at(next_check, changes.changed()).await;
    }
}

async fn items(inbox: &Inbox) -> Vec<Question> {
    let query = ItemQuery { limit: 100, ..ItemQuery::default() };
    inbox.decisions().questions(query).await.unwrap().rows
}

pub async fn wait_for_items(inbox: &Inbox, count: usize) -> Vec<Question> {
    wait_until(inbox, async || Some(items(inbox).await).filter(|items| items.len() == count)).await
}

/// Decides on an item as it was shown.
pub async fn decide(
    inbox: &Inbox,
    item: &Question,
    decision: Decision,
    by: DecidedBy,
) -> Result<Outcome, InboxError> {
    let interrupt = item.id.clone();
    let shown = Some(SeenHash::Whole(item.args_hash));
    inbox.decisions().decide(DecisionRequest { interrupt, decision, shown, learn: false, by }).await
}
