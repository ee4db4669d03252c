//! A data folder with an engine over it.

use super::courier::Street;
use super::world::World;
use super::{chat, courier, player};
use sayso::app::{Driver, Ended, Engine, Scope, Settings, Until};
use sayso::graph::{Decision, Event, InterruptId, ThreadId, What};
use sayso::inbox::{By, Decide, InboxError, Item, Outcome, Registry, Spec, Status, ThreadView};
use sayso::service::Inbox;
use sayso::store::{Arrival, Store, StoreError};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

pub struct House {
    pub folder: TempDir,
    pub inbox: Inbox,
    pub street: Arc<Street>,
    pub world: Arc<World>,
}

/// A driver at work in the background.
pub struct Driving {
    stop: tokio::sync::oneshot::Sender<()>,
    task: tokio::task::JoinHandle<Result<Ended, StoreError>>,
}

impl Driving {
    /// Drops the driver in the middle of whatever it does.
    pub async fn drop_it(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    pub async fn stop(self) {
        let _ = self.stop.send(());
        self.task.await.unwrap().unwrap();
    }
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
        learning_delay: Duration::ZERO,
        ..Settings::default()
    }
}

pub fn registry(street: &Arc<Street>, world: &Arc<World>, more: Vec<Spec>) -> Registry {
    let specs = [
        chat::spec(),
        courier::spec(street.clone()),
        player::spec("player", world.clone()),
        player::spec("kid", world.clone()).hidden(),
    ];
    Registry::new(specs.into_iter().chain(more))
}

/// Eager, but accepted irreversible effects are held for longer than any test takes.
pub fn holding() -> Settings {
    Settings { hold: Duration::from_secs(3600), ..eager() }
}

pub fn respond(text: &str) -> Decision {
    Decision::Respond { text: text.to_owned() }
}

impl House {
    pub fn new() -> Self {
        Self::with(eager(), Vec::new())
    }

    pub fn with(settings: Settings, more: Vec<Spec>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let street = Street::new(folder.path().join("street"));
        let world = Arc::<World>::default();
        let inbox = open(&folder.path().join("data"), settings, &street, &world, more);
        Self { folder, inbox, street, world }
    }

    /// Another engine over the same folder, as another process would have it.
    pub fn other(&self, settings: Settings) -> Inbox {
        open(&self.data(), settings, &self.street, &self.world, Vec::new())
    }

    /// Closes the folder and opens it again, as after a restart.
    pub fn reopen(self, settings: Settings, more: Vec<Spec>) -> Self {
        let Self { folder, inbox, street, world } = self;
        drop(inbox);
        let inbox = open(&folder.path().join("data"), settings, &street, &world, more);
        Self { folder, inbox, street, world }
    }

    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    pub fn engine(&self) -> &Engine {
        self.inbox.engine()
    }

    pub fn store(&self) -> &Store {
        self.inbox.engine().store()
    }

    pub async fn start(&self, workflow: &str, input: Value) -> ThreadId {
        self.inbox.threads().start(workflow.to_owned(), input).await.unwrap().thread
    }

    /// Starts a player with this program.
    pub async fn play(&self, program: Value) -> ThreadId {
        self.start("player", json!({ "program": program })).await
    }

    /// Starts a player and drives it as far as it goes.
    pub async fn played(&self, program: Value) -> ThreadId {
        let thread = self.play(program).await;
        self.settle().await;
        thread
    }

    /// Drives until nothing is left to do.
    pub async fn settle(&self) {
        let mut worker = Driver::take(self.engine().clone()).await.unwrap().expect("the lock is free");
        let ended = worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        assert_eq!(ended, Ended::Idle);
    }

    /// Drives in the background until told to stop.
    pub async fn driver(&self) -> Driving {
        drive(self.engine()).await
    }

    /// Waits until a thread stands like this.
    pub async fn until(&self, thread: &ThreadId, status: Status) -> Outcome {
        let _watcher = self.store().watch_others().unwrap();
        let mut changes = self.store().changes();
        loop {
            changes.borrow_and_update();
            let outcome = self.outcome(thread).await;
            if outcome.status == status {
                return outcome;
            }
            let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
            changed.unwrap_or_else(|_| panic!("it still is {}, not {status}", outcome.status)).unwrap();
        }
    }

    /// Waits until something holds that only writes can bring about.
    pub async fn until_so(&self, so: impl Fn() -> bool) {
        let _watcher = self.store().watch_others().unwrap();
        let mut changes = self.store().changes();
        while !so() {
            let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
            changed.expect("it came about").unwrap();
        }
    }

    pub async fn outcome(&self, thread: &ThreadId) -> Outcome {
        self.inbox.threads().outcome(thread.clone()).await.unwrap()
    }

    pub async fn status(&self, thread: &ThreadId) -> Status {
        self.outcome(thread).await.status
    }

    pub async fn view(&self, thread: &ThreadId) -> ThreadView {
        self.inbox.threads().view(thread.clone()).await.unwrap()
    }

    /// The log of a player.
    pub async fn log(&self, thread: &ThreadId) -> Value {
        self.view(thread).await.state["log"].clone()
    }

    /// The steps of a thread by their nodes.
    pub async fn nodes(&self, thread: &ThreadId) -> Vec<String> {
        self.view(thread).await.steps.into_iter().map(|step| step.node).collect()
    }

    /// The one open interrupt of a thread.
    pub async fn asked(&self, thread: &ThreadId) -> InterruptId {
        let open = self.outcome(thread).await.interrupts;
        assert_eq!(open.len(), 1, "one open interrupt, not {open:?}");
        open[0].clone()
    }

    pub async fn item(&self, id: &InterruptId) -> Item {
        self.inbox.decisions().card(id.clone()).await.unwrap().0
    }

    /// The code and text of the trouble a thread is in.
    pub async fn trouble(&self, thread: &ThreadId) -> (String, String) {
        let outcome = self.outcome(thread).await;
        assert_eq!(outcome.status, Status::Trouble, "{outcome:?}");
        let error = outcome.error.unwrap();
        (error.code, error.text)
    }

    pub async fn decide(&self, interrupt: &InterruptId, decision: Decision) -> Result<Outcome, InboxError> {
        decide(&self.inbox, interrupt, decision).await
    }

    /// Accepts everything a thread asks.
    pub async fn accept(&self, thread: &ThreadId) {
        for id in self.outcome(thread).await.interrupts {
            self.decide(&id, Decision::Accept).await.unwrap();
        }
    }

    pub async fn respond(&self, thread: &ThreadId, text: &str) -> Outcome {
        let id = self.asked(thread).await;
        self.decide(&id, respond(text)).await.unwrap()
    }

    /// Lets something reach a thread.
    pub async fn arrive(&self, thread: &ThreadId, id: &str, what: What) -> Result<ThreadId, StoreError> {
        let workflow = self.store().threads().line(thread).unwrap().workflow;
        let spec = self.engine().registry().get(&workflow).unwrap();
        let event = Event { id: id.to_owned(), what };
        let updates = spec.workflow.arrived(event.clone()).unwrap().unwrap_or_else(|| "[]".to_owned());
        let entry = spec.workflow.shape().entry.clone();
        self.store()
            .threads()
            .arrive(Arrival { thread: thread.clone(), event, updates, entry, queued: None })
            .await
    }

    /// News with the warning `new_mail`.
    pub async fn news(&self, thread: &ThreadId, id: &str) {
        let warning = super::warning("new_mail");
        let what = What::News { topic: "mail".to_owned(), payload: json!(id), warning };
        self.arrive(thread, id, what).await.unwrap();
    }

    /// The database by another door.
    pub fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.data().join("sayso.db")).unwrap()
    }
}

pub async fn drive(engine: &Engine) -> Driving {
    let mut worker = Driver::take(engine.clone()).await.unwrap().expect("the lock is free");
    let (stop, told) = tokio::sync::oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let told = async {
            let _ = told.await;
        };
        worker.run(&Scope::All, Until::Told, told).await
    });
    Driving { stop, task }
}

pub async fn decide(inbox: &Inbox, id: &InterruptId, decision: Decision) -> Result<Outcome, InboxError> {
    let interrupt = id.clone();
    inbox.decisions().decide(Decide { interrupt, decision, shown: None, learn: true, by: By::Cli }).await
}

pub fn open(
    data: &Path,
    settings: Settings,
    street: &Arc<Street>,
    world: &Arc<World>,
    more: Vec<Spec>,
) -> Inbox {
    let store = Store::open(data).unwrap();
    Inbox::new(Engine::new(store, registry(street, world, more), settings))
}
