//! A data folder beside a server, driven and polled as `sayso watch` does.

use crate::server::{LangGraph, Server};
use sayso::agents::langgraph::Servers;
use sayso::agents::langgraph::{Remote, spec};
use sayso::app::{App, Driver, Engine, Settings};
use sayso::config::{self, Env, Header, Secret};
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{
    By, DecisionRequest, InboxError, Item, ItemQuery, Outcome, Registry, SeenHash, Status, ThreadLine,
    ThreadQuery,
};
use sayso::service::Inbox;
use sayso::store::Store;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Room {
    _folder: TempDir,
    pub server: Server,
    app: App,
    pub inbox: Inbox,
    driver: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

pub fn of(url: String) -> config::Server {
    config::Server {
        name: "lab".to_owned(),
        url,
        api_key: Some(Secret::Env("LAB_KEY".to_owned())),
        token: None,
        headers: vec![("x-tenant".to_owned(), Header::Text("acme".to_owned()))],
        graphs: Vec::new(),
        assistants: Vec::new(),
        metadata: Vec::new(),
        every: Duration::from_millis(20),
    }
}

impl Room {
    /// Nothing is held, and a server that is away is waited for no longer than a moment.
    pub async fn new() -> Self {
        Self::with(Duration::ZERO).await
    }

    pub async fn with(hold: Duration) -> Self {
        let mut room = Self::undriven(hold).await;
        room.drive().await;
        room
    }

    /// Nobody drives it.
    pub async fn undriven(hold: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::open().await;
        let env = Env::from_iter([("LAB_KEY", "canary-key-7f3a")]);
        let remote = Remote::new(of(server.url()), env).with_patience(Duration::from_secs(2));
        let remote = Arc::new(remote);
        let registry = Registry::new([spec(&remote).unwrap()]);
        let settings = Settings {
            hold,
            soft_hold: Duration::ZERO,
            patience: Duration::from_millis(1),
            ..Settings::default()
        };
        let engine = Engine::new(Store::open(&folder.path().join("data")).unwrap(), registry, settings);
        let servers = Servers::new(engine.clone(), vec![remote]);
        let inbox = Inbox::new(engine).with_remote(Arc::new(servers.clone()));
        let app = App::new(inbox.clone()).with(Arc::new(servers));
        Self { _folder: folder, server, app, inbox, driver: None }
    }

    async fn drive(&mut self) {
        let (stop, told) = oneshot::channel::<()>();
        let app = self.app.clone();
        let mut worker = Driver::take(app.engine().clone()).await.unwrap().expect("the lock is free");
        let driving = tokio::spawn(async move {
            let told = async {
                let _ = told.await;
            };
            app.drive(&mut worker, told).await.unwrap();
        });
        self.driver = Some((stop, driving));
    }

    /// Nobody drives any more.
    pub async fn rest(&mut self) {
        let (stop, driving) = self.driver.take().expect("somebody drives");
        stop.send(()).unwrap();
        driving.await.unwrap();
    }

    /// What `sayso list` does first; gives what it would say besides the list.
    pub async fn look_once(&self) -> Vec<String> {
        self.inbox.threads().look_at_servers().await.unwrap()
    }

    pub fn house(&self) -> &LangGraph {
        &self.server.house
    }

    pub async fn items(&self) -> Vec<Item> {
        let query = ItemQuery { limit: 100, ..ItemQuery::default() };
        self.inbox.decisions().items(query).await.unwrap().items
    }

    /// The open items once there are so many.
    pub async fn open(&self, count: usize) -> Vec<Item> {
        self.until(async || {
            let items = self.items().await;
            (items.len() == count).then_some(items)
        })
        .await
    }

    /// Waits for something that only a write can bring about; a look a second finds what was missed.
    pub async fn until<T>(&self, so: impl AsyncFn() -> Option<T>) -> T {
        let mut changes = self.inbox.changes();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            changes.borrow_and_update();
            if let Some(found) = so().await {
                return found;
            }
            let again = tokio::time::Instant::now() + Duration::from_millis(250);
            assert!(again < deadline, "it did not come about: {:#?}", self.items().await);
            let _ = tokio::time::timeout_at(again, changes.changed()).await;
        }
    }

    pub async fn decide(&self, item: &Item, decision: Decision) -> Result<Outcome, InboxError> {
        let interrupt = InterruptId::parse(&item.id).unwrap();
        let shown = item.args_hash.map(SeenHash::Whole);
        self.inbox
            .decisions()
            .decide(DecisionRequest { interrupt, decision, shown, learn: true, by: By::Cli })
            .await
    }

    pub async fn threads(&self) -> Vec<ThreadLine> {
        self.inbox.threads().list(ThreadQuery { limit: 100, ..ThreadQuery::default() }).await.unwrap().threads
    }

    /// Waits until an item's thread stands like this.
    pub async fn stands(&self, item: &Item, status: Status) -> Outcome {
        self.until(async || {
            let outcome = self.inbox.threads().outcome(item.thread.clone()).await.unwrap();
            (outcome.status == status).then_some(outcome)
        })
        .await
    }
}
