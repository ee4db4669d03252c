//! A data folder with an engine over it.

use super::courier::Street;
use super::{chat, courier};
use sayso::app::{Ended, Engine, Local, Scope, Settings, Until, Worker};
use sayso::graph::{Decision, InterruptId, ThreadId};
use sayso::inbox::{Backend, BackendError, By, Decide, Outcome, Registry, Spec};
use sayso::store::Store;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

pub struct House {
    pub folder: TempDir,
    pub local: Local,
    pub street: Arc<Street>,
}

/// Settings under which nothing waits for a clock.
pub fn eager() -> Settings {
    Settings {
        hold: Duration::ZERO,
        soft_hold: Duration::ZERO,
        concurrency: 8,
        node_timeout: Duration::from_secs(60),
        step_limit: 20,
        retries: 2,
        patience: Duration::ZERO,
    }
}

pub fn registry(street: &Arc<Street>, more: Vec<Spec>) -> Registry {
    Registry::new([chat::spec(), courier::spec(street.clone())].into_iter().chain(more))
}

impl House {
    pub fn new() -> Self {
        Self::with(eager(), Vec::new())
    }

    pub fn with(settings: Settings, more: Vec<Spec>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let street = Street::new(folder.path().join("street"));
        let local = open(&folder.path().join("data"), settings, &street, more);
        Self { folder, local, street }
    }

    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    pub fn engine(&self) -> &Engine {
        self.local.engine()
    }

    pub fn store(&self) -> &Store {
        self.local.engine().store()
    }

    pub async fn start(&self, workflow: &str, input: Value) -> ThreadId {
        self.local.start(workflow.to_owned(), input).await.unwrap().thread
    }

    /// Drives until nothing is left to do.
    pub async fn settle(&self) {
        let mut worker = Worker::take(self.engine().clone()).await.unwrap().expect("the lock is free");
        let ended = worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        assert_eq!(ended, Ended::Idle);
    }

    pub async fn outcome(&self, thread: &ThreadId) -> Outcome {
        self.local.outcome(thread.clone()).await.unwrap()
    }

    /// The one open interrupt of a thread.
    pub async fn asked(&self, thread: &ThreadId) -> InterruptId {
        let open = self.outcome(thread).await.interrupts;
        assert_eq!(open.len(), 1, "one open interrupt, not {open:?}");
        open[0].clone()
    }

    pub async fn decide(&self, interrupt: &InterruptId, decision: Decision) -> Result<Outcome, BackendError> {
        let interrupt = interrupt.clone();
        self.local.decide(Decide { interrupt, decision, shown: None, learn: true, by: By::Cli }).await
    }

    pub async fn respond(&self, thread: &ThreadId, text: &str) -> Outcome {
        let id = self.asked(thread).await;
        self.decide(&id, Decision::Respond { text: text.to_owned() }).await.unwrap()
    }
}

pub fn open(data: &Path, settings: Settings, street: &Arc<Street>, more: Vec<Spec>) -> Local {
    let store = Store::open(data).unwrap();
    Local::new(Engine::new(store, registry(street, more), settings))
}
