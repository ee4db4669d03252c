//! An inbox in a folder of its own, driven and answered as a test says.

use super::delivery::{self, DeliveryLog};
use super::fake_model::FakeModel;
use super::fake_world::FakeWorld;
use super::{chat, player};
use jiff::{SignedDuration, Timestamp};
use sayso::agent::{Accounts, Services};
use sayso::app::{App, Driver, Ended, Engine, Scope, Settings, Setup, Until};
use sayso::config::Env;
use sayso::engine::graph::{Decision, EffectError, EffectTrace, Event, EventKind, InterruptId, ThreadId};
use sayso::engine::store::{Arrival, Clock, KeptMail, Store, StoreError};
use sayso::inbox::door::Inbox;
use sayso::inbox::{
    DecidedBy, DecisionQuery, DecisionRequest, GrantRequest, GrantScope, InboxError, ItemQuery, Outcome,
    Question, Registry, Spec, Status, ThreadLine, ThreadQuery, ThreadView,
};
use sayso::workflows;
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Settings under which nothing waits for a clock.
pub fn eager() -> Settings {
    Settings {
        hold: Duration::ZERO,
        soft_hold: Duration::ZERO,
        agents_hold: Duration::ZERO,
        concurrency: 8,
        node_timeout: Duration::from_secs(60),
        step_limit: 20,
        retries: 2,
        retry_wait: Duration::ZERO,
        learning_delay: Duration::ZERO,
        ..Settings::default()
    }
}

/// Eager, but accepted irreversible effects are held for longer than any test takes.
pub fn holding() -> Settings {
    Settings { hold: Duration::from_secs(3600), ..eager() }
}

pub fn respond(text: &str) -> Decision {
    Decision::Respond { text: text.to_owned() }
}

/// The workflows made for tests, and `more`.
pub fn test_workflows(
    delivery_log: &Arc<DeliveryLog>,
    world: &Arc<FakeWorld>,
    more: impl IntoIterator<Item = Spec>,
) -> Registry {
    let specs = [
        chat::spec(),
        delivery::spec(delivery_log.clone()),
        player::spec("player", world.clone()),
        player::spec("kid", world.clone()).hidden(),
    ];
    Registry::new(specs.into_iter().chain(more))
}

/// The workflows of an inbox in a folder.
type SpecsIn = dyn FnOnce(&Path) -> Vec<Spec>;

/// A workflow that uses what those of the program use.
type MakeSpec = dyn FnOnce(Arc<Services>) -> Spec;

/// How a test inbox is set up; eager and with the workflows made for tests unless told otherwise.
pub struct Builder {
    folder: Option<Folder>,
    only: Option<Box<SpecsIn>>,
    settings: Settings,
    clock: Clock,
    delivery_log: Option<Arc<DeliveryLog>>,
    workflows: Vec<Spec>,
    agents: Vec<Box<MakeSpec>>,
    env: Env,
    home_zone: Option<jiff::tz::TimeZone>,
    model: Option<Arc<FakeModel>>,
    files: Vec<(&'static str, String)>,
    services: Box<dyn FnOnce(&mut Services)>,
}

impl Builder {
    pub fn in_folder(self, folder: impl Into<Folder>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// These workflows in place of those made for tests; `specs` is told where the inbox is.
    pub fn only(self, specs: impl FnOnce(&Path) -> Vec<Spec> + 'static) -> Self {
        Self { only: Some(Box::new(specs)), ..self }
    }

    pub fn settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Parcels of the courier end up here.
    pub fn delivery_log(self, delivery_log: Arc<DeliveryLog>) -> Self {
        Self { delivery_log: Some(delivery_log), ..self }
    }

    pub fn with_workflow(mut self, spec: Spec) -> Self {
        self.workflows.push(spec);
        self
    }

    /// One more workflow beside those of the program, with the same services.
    pub fn with_agent(mut self, make: impl FnOnce(Arc<Services>) -> Spec + 'static) -> Self {
        self.agents.push(Box::new(make));
        self
    }

    pub fn config(self, text: impl Into<String>) -> Self {
        self.with_file("config.toml", text)
    }

    pub fn env(self, env: Env) -> Self {
        Self { env, ..self }
    }

    /// The folder is the person's home, in this time zone.
    pub fn home_in(self, zone: &str) -> Self {
        Self { home_zone: Some(jiff::tz::TimeZone::get(zone).unwrap()), ..self }
    }

    /// The workflows of the program in place of those made for tests, asking this model.
    pub fn with_model(self, model: FakeModel) -> Self {
        Self { model: Some(Arc::new(model)), ..self }
    }

    /// A file in the data folder.
    pub fn with_file(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.files.push((name, text.into()));
        self
    }

    /// Changes what nodes of the program's workflows may use.
    pub fn with_services(self, change: impl FnOnce(&mut Services) + 'static) -> Self {
        Self { services: Box::new(change), ..self }
    }

    pub fn open(self) -> TestInbox {
        let folder = self.folder.unwrap_or_else(|| tempfile::tempdir().unwrap().into());
        let data = folder.path.join("data");
        let store = Store::open_with(&data, self.clock.clone()).unwrap();
        for (name, text) in self.files {
            let path = data.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let delivery_log = self.delivery_log.unwrap_or_else(|| DeliveryLog::new(folder.path.join("street")));
        let world = Arc::<FakeWorld>::default();
        let registry = match (&self.model, self.only) {
            (None, None) => test_workflows(&delivery_log, &world, []),
            (None, Some(specs)) => Registry::new(specs(&folder.path)),
            (Some(model), _) => {
                let home = self.home_zone.as_ref().map(|_| folder.path.clone());
                let zone = self.home_zone.unwrap_or(jiff::tz::TimeZone::UTC);
                let config = super::config::load_at(&data, &self.env, home, zone);
                let mut services = Setup::over((*config).clone(), self.env, store.clone()).services();
                services.models = model.clone();
                // The program itself answers to the reader's hidden verb; a test does not.
                services.reader = super::python::reader();
                // Tests that want the machine's own Python say so.
                services.python = Arc::new(super::python::ScriptedPython);
                (self.services)(&mut services);
                let services = Arc::new(services);
                let program = workflows::all(&services).unwrap();
                self.agents.into_iter().fold(program, |registry, make| registry.with(make(services.clone())))
            }
        };
        let registry = self.workflows.into_iter().fold(registry, Registry::with);
        let model = self.model.unwrap_or_default();
        let inbox = Inbox::new(Engine::new(store, registry, self.settings)).with_models(model.clone());
        TestInbox { inbox, folder, delivery_log, world, model, clock: self.clock }
    }
}

/// Where an inbox is; a temporary folder is deleted with the last inbox in it.
#[derive(Clone)]
pub struct Folder {
    path: PathBuf,
    _temporary: Option<Arc<TempDir>>,
}

impl Folder {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl From<&Path> for Folder {
    fn from(path: &Path) -> Self {
        Self { path: path.to_owned(), _temporary: None }
    }
}

impl From<TempDir> for Folder {
    fn from(folder: TempDir) -> Self {
        Self { path: folder.path().to_owned(), _temporary: Some(Arc::new(folder)) }
    }
}

/// An [`Inbox`] with what tests need besides.
#[derive(Clone)]
pub struct TestInbox {
    inbox: Inbox,
    folder: Folder,
    pub delivery_log: Arc<DeliveryLog>,
    pub world: Arc<FakeWorld>,
    pub model: Arc<FakeModel>,
    clock: Clock,
}

impl Deref for TestInbox {
    type Target = Inbox;

    fn deref(&self) -> &Inbox {
        &self.inbox
    }
}

impl TestInbox {
    pub fn with_accounts(self, accounts: Arc<dyn Accounts>) -> Self {
        Self { inbox: self.inbox.with_accounts(accounts), ..self }
    }

    /// Lets the policy look after so many days and once more when the grace period is over; returns how many ended.
    pub async fn expire_after(&self, days: i64) -> usize {
        let then = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
        self.expire_now(then).await.unwrap();
        self.expire_now(then + jiff::SignedDuration::from_hours(1)).await.unwrap()
    }

    pub fn new() -> Self {
        Self::builder().open()
    }

    pub fn holding() -> Self {
        Self::with_settings(holding())
    }

    pub fn with_settings(settings: Settings) -> Self {
        Self::builder().settings(settings).open()
    }

    pub fn builder() -> Builder {
        Builder {
            folder: None,
            only: None,
            settings: eager(),
            clock: Arc::new(Timestamp::now),
            delivery_log: None,
            workflows: Vec::new(),
            agents: Vec::new(),
            env: Env::default(),
            home_zone: None,
            model: None,
            files: Vec::new(),
            services: Box::new(|_| ()),
        }
    }

    /// Wraps an inbox that was built elsewhere over the data folder in `folder`.
    pub fn of(inbox: Inbox, folder: impl Into<Folder>, clock: Clock) -> Self {
        let folder = folder.into();
        let delivery_log = DeliveryLog::new(folder.path.join("street"));
        Self { inbox, folder, delivery_log, world: Arc::default(), model: Arc::default(), clock }
    }

    /// The same folder opened by another engine, as another process would.
    pub fn other_process(&self, settings: Settings) -> Self {
        self.other_process_at(settings, self.clock.clone())
    }

    /// The same with another clock.
    pub fn other_process_at(&self, settings: Settings, clock: Clock) -> Self {
        let store = Store::open_with(&self.data(), clock.clone()).unwrap();
        let (delivery_log, world, model) =
            (self.delivery_log.clone(), self.world.clone(), self.model.clone());
        let engine = Engine::new(store, self.engine().registry().clone(), settings);
        let inbox = Inbox::new(engine).with_models(model.clone());
        Self { inbox, folder: self.folder.clone(), delivery_log, world, model, clock }
    }

    /// Closes the folder and opens it again.
    pub fn restart(self, settings: Settings) -> Self {
        let registry = self.engine().registry().clone();
        self.restart_over(settings, registry, |_| ())
    }

    /// The same with the workflows made for tests and these.
    pub fn restart_with(self, settings: Settings, more: impl IntoIterator<Item = Spec>) -> Self {
        let registry = test_workflows(&self.delivery_log, &self.world, more);
        self.restart_over(settings, registry, |_| ())
    }

    /// The same, with something done to the data folder while it is closed.
    pub fn restart_after(self, settings: Settings, meanwhile: impl FnOnce(&Path)) -> Self {
        let registry = self.engine().registry().clone();
        self.restart_over(settings, registry, meanwhile)
    }

    fn restart_over(self, settings: Settings, registry: Registry, meanwhile: impl FnOnce(&Path)) -> Self {
        let Self { inbox, folder, delivery_log, world, model, clock } = self;
        drop(inbox);
        let data = folder.path.join("data");
        meanwhile(&data);
        let store = Store::open_with(&data, clock.clone()).unwrap();
        let inbox = Inbox::new(Engine::new(store, registry, settings)).with_models(model.clone());
        Self { inbox, folder, delivery_log, world, model, clock }
    }

    /// The folder that holds the data folder and what tests put beside it.
    pub fn folder(&self) -> &Path {
        &self.folder.path
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path.join("data")
    }

    pub fn store(&self) -> &Store {
        self.engine().store()
    }

    /// Another connection to the database.
    pub fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.data().join("sayso.db")).unwrap()
    }

    /// A folder for the files a workflow reads.
    pub fn inputs(&self) -> PathBuf {
        self.folder.path.join("inputs")
    }

    pub fn write_input(&self, name: &str, text: &str) {
        let path = self.inputs().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read_input(&self, name: &str) -> String {
        std::fs::read_to_string(self.inputs().join(name)).unwrap()
    }

    pub fn input_files(&self) -> Vec<String> {
        super::file_names(&self.inputs())
    }

    pub async fn start(&self, workflow: &str, input: Value) -> ThreadId {
        self.threads().start(workflow.to_owned(), input).await.unwrap().thread
    }

    /// Starts a thread and drives it as far as it goes.
    pub async fn run(&self, workflow: &str, input: Value) -> ThreadId {
        let thread = self.start(workflow, input).await;
        self.drive().await;
        thread
    }

    /// Starts a player with this program.
    pub async fn start_program(&self, program: Value) -> ThreadId {
        self.start("player", json!({ "program": program })).await
    }

    /// Starts a player and drives it as far as it goes.
    pub async fn run_program(&self, program: Value) -> ThreadId {
        self.run("player", json!({ "program": program })).await
    }

    /// Drives until nothing is left to do.
    pub async fn drive(&self) {
        drive(self).await;
    }

    pub async fn drive_in_background(&self) -> BackgroundDriver {
        BackgroundDriver::start(App::new(self.inbox.clone())).await
    }

    pub async fn outcome(&self, thread: &ThreadId) -> Outcome {
        self.threads().outcome(thread.clone()).await.unwrap()
    }

    pub async fn status(&self, thread: &ThreadId) -> Status {
        self.outcome(thread).await.status
    }

    pub async fn view(&self, thread: &ThreadId) -> ThreadView {
        self.threads().view(thread.clone()).await.unwrap()
    }

    pub async fn state(&self, thread: &ThreadId) -> Value {
        self.view(thread).await.state
    }

    /// The log of a player.
    pub async fn log(&self, thread: &ThreadId) -> Value {
        self.state(thread).await["log"].clone()
    }

    /// The steps of a thread by their nodes.
    pub async fn nodes(&self, thread: &ThreadId) -> Vec<String> {
        self.view(thread).await.steps.into_iter().map(|step| step.node).collect()
    }

    /// The one question a thread asks.
    pub async fn open_question(&self, thread: &ThreadId) -> InterruptId {
        let open = self.outcome(thread).await.interrupts;
        assert_eq!(open.len(), 1, "one open question, not {open:?}");
        open[0].clone()
    }

    pub async fn item(&self, id: &InterruptId) -> Question {
        self.decisions().card(id.clone()).await.unwrap().0
    }

    /// The one question a thread asks, as a person sees it.
    pub async fn open_item(&self, thread: &ThreadId) -> Question {
        self.item(&self.open_question(thread).await).await
    }

    /// All questions a thread asks, as a person sees them, in the order asked.
    pub async fn open_items(&self, thread: &ThreadId) -> Vec<Question> {
        let mut items = Vec::new();
        for id in self.outcome(thread).await.interrupts {
            items.push(self.item(&id).await);
        }
        items
    }

    /// The whole list of the inbox.
    pub async fn items(&self) -> Vec<Question> {
        let query = ItemQuery { limit: 9999, ..ItemQuery::default() };
        self.decisions().questions(query).await.unwrap().rows
    }

    /// The code and text of the trouble a thread is in.
    pub async fn trouble(&self, thread: &ThreadId) -> (String, String) {
        let outcome = self.outcome(thread).await;
        assert_eq!(outcome.status, Status::Trouble, "{outcome:?}");
        let error = outcome.error.unwrap();
        (error.code, error.text)
    }

    pub async fn decide(&self, question: &InterruptId, decision: Decision) -> Result<Outcome, InboxError> {
        decide(self, question, decision).await
    }

    /// Accepts everything a thread asks.
    pub async fn accept(&self, thread: &ThreadId) {
        for id in self.outcome(thread).await.interrupts {
            self.decide(&id, Decision::Accept).await.unwrap();
        }
    }

    pub async fn respond(&self, thread: &ThreadId, text: &str) -> Outcome {
        let id = self.open_question(thread).await;
        self.decide(&id, respond(text)).await.unwrap()
    }

    /// Decides the one question a thread asks, and drives on.
    pub async fn answer(&self, thread: &ThreadId, decision: Decision) -> Outcome {
        let id = self.open_question(thread).await;
        self.decide(&id, decision).await.unwrap();
        self.drive().await;
        self.outcome(thread).await
    }

    /// Waits until a thread has this status.
    pub async fn wait_for(&self, thread: &ThreadId, status: Status) -> Outcome {
        let _watcher = self.store().watch_others();
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

    /// Waits for a condition that only a write can make true.
    pub async fn wait_until(&self, condition: impl Fn() -> bool) {
        let _watcher = self.store().watch_others();
        let mut changes = self.store().changes();
        while !condition() {
            let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
            changed.expect("the condition came true").unwrap();
        }
    }

    /// Sends an event to a thread.
    pub async fn arrive(&self, thread: &ThreadId, id: &str, what: EventKind) -> Result<ThreadId, StoreError> {
        let workflow = self.store().threads().line(thread).unwrap().workflow;
        let spec = self.engine().registry().get(&workflow).unwrap();
        let event = Event { id: id.to_owned(), what };
        let updates = spec.workflow.arrived(event.clone()).unwrap().unwrap_or_else(|| "[]".to_owned());
        let entry = spec.workflow.shape().entry.clone();
        self.store()
            .threads()
            .deliver(Arrival { thread: thread.clone(), event, updates, entry, queued: None })
            .await
    }

    /// Every thread there is, newest first.
    pub async fn lines(&self) -> Vec<ThreadLine> {
        let query = ThreadQuery { limit: 9999, ..ThreadQuery::default() };
        self.threads().list(query).await.unwrap().rows
    }

    /// The same as whole threads, oldest first.
    pub async fn views(&self) -> Vec<ThreadView> {
        let mut views = Vec::new();
        for line in self.lines().await.into_iter().rev() {
            views.push(self.view(&line.id).await);
        }
        views
    }

    /// Nothing in the database is damaged.
    #[track_caller]
    pub fn assert_intact(&self, what: &str) {
        let problems = self.store().audit().verify().unwrap().problems();
        assert!(problems.is_empty(), "{what}: {problems:?}");
    }

    /// News with the warning `new_mail`.
    pub async fn news(&self, thread: &ThreadId, id: &str) {
        let warning = super::warning("new_mail");
        let what = EventKind::News { topic: "mail".to_owned(), payload: json!(id), warning };
        self.arrive(thread, id, what).await.unwrap();
    }
}

/// A clock that stands still until it is advanced.
pub struct TestClock {
    seconds: Arc<AtomicI64>,
}

impl TestClock {
    pub fn new() -> Self {
        Self { seconds: Arc::default() }
    }

    pub fn clock(&self) -> Clock {
        let noon: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let seconds = self.seconds.clone();
        Arc::new(move || noon + SignedDuration::from_secs(seconds.load(Ordering::SeqCst)))
    }

    pub fn advance(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }
}

/// Drives until nothing is left to do.
pub async fn drive(inbox: &Inbox) {
    let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().expect("the lock is free");
    let ended = driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    assert_eq!(ended, Ended::Idle);
}

pub async fn decide(inbox: &Inbox, id: &InterruptId, decision: Decision) -> Result<Outcome, InboxError> {
    let interrupt = id.clone();
    inbox
        .decisions()
        .decide(DecisionRequest { interrupt, decision, shown: None, learn: true, by: DecidedBy::Cli })
        .await
}

/// A driver that runs until it is told to stop.
pub struct BackgroundDriver {
    stop: tokio::sync::oneshot::Sender<()>,
    task: tokio::task::JoinHandle<Result<Ended, StoreError>>,
}

impl BackgroundDriver {
    /// Drives an app, with its background tasks.
    pub async fn start(app: App) -> Self {
        let mut driver = Driver::take(app.engine().clone()).await.unwrap().expect("the lock is free");
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            app.drive(&mut driver, stopped).await
        });
        Self { stop, task }
    }

    /// Drops the driver in the middle of whatever it does.
    pub async fn abort(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    pub async fn stop(self) {
        self.stop.send(()).expect("the driver still runs");
        self.task.await.unwrap().unwrap();
    }
}

impl TestInbox {
    /// The text of the one question a thread asks.
    pub async fn text(&self, thread: &ThreadId) -> String {
        self.open_item(thread).await.text
    }

    /// What the one question a thread asks is about.
    pub async fn action(&self, thread: &ThreadId) -> String {
        self.open_item(thread).await.action
    }

    /// The codes of what is unusual about the one question a thread asks.
    pub async fn warnings(&self, thread: &ThreadId) -> Vec<String> {
        self.open_item(thread).await.warnings.into_iter().map(|warning| warning.code).collect()
    }

    pub async fn why(&self, what: impl ToString) -> String {
        self.decisions().why(what.to_string()).await.unwrap().text()
    }

    /// Goes on after a result, and drives.
    pub async fn proceed(&self, thread: &ThreadId, words: &str) -> Outcome {
        self.threads().proceed(thread.clone(), words.to_owned()).await.unwrap();
        self.drive().await;
        self.outcome(thread).await
    }

    /// Asks the thread's question no more.
    pub async fn grant(&self, thread: &ThreadId, scope: GrantScope) {
        let interrupt = self.open_question(thread).await;
        let request = GrantRequest { interrupt, scope, ends_at: None, session: false };
        self.grants().give(request).await.unwrap();
    }

    /// Why a thread cannot be started like this.
    pub async fn refused_start(&self, workflow: &str, input: Value) -> String {
        self.threads().start(workflow.to_owned(), input).await.unwrap_err().to_string()
    }

    /// How past decisions ended, newest first.
    pub async fn past_outcomes(&self) -> Vec<String> {
        let query = DecisionQuery { limit: 99, ..DecisionQuery::default() };
        let past = self.decisions().history(query).await.unwrap().rows;
        past.into_iter().map(|line| line.outcome).collect()
    }
}

/// What many tests do, in one word.
impl TestInbox {
    /// Accepts everything a thread asks, drives on, and says where the thread stands then.
    pub async fn accept_and_drive(&self, thread: &ThreadId) -> Status {
        self.accept(thread).await;
        self.drive().await;
        self.status(thread).await
    }

    /// Starts a player, drives it as far as it goes, and says where it stands then.
    pub async fn comes_to(&self, program: Value) -> Status {
        let thread = self.run_program(program).await;
        self.status(&thread).await
    }

    /// Starts a player and accepts what it asks first, driving it as far as it goes.
    pub async fn run_accepted(&self, program: Value) -> ThreadId {
        let thread = self.run_program(program).await;
        self.accept_and_drive(&thread).await;
        thread
    }

    /// This inbox, and a player that has run as far as it goes.
    pub async fn playing(self, program: Value) -> (Self, ThreadId) {
        let thread = self.run_program(program).await;
        (self, thread)
    }

    /// This inbox, a player, and the one question it asks.
    pub async fn asking(self, program: Value) -> (Self, ThreadId, InterruptId) {
        let thread = self.run_program(program).await;
        let question = self.open_question(&thread).await;
        (self, thread, question)
    }

    /// Drives in the background, up to where a node waits at this gate.
    pub async fn drive_to(&self, gate: &str) -> BackgroundDriver {
        let driver = self.drive_in_background().await;
        self.world.reached(gate).await;
        driver
    }

    pub async fn undo(&self, question: &InterruptId) -> Result<Outcome, InboxError> {
        self.decisions().undo(question.clone()).await
    }

    pub async fn stop(&self, thread: &ThreadId) -> Outcome {
        self.threads().stop(thread.clone()).await.unwrap()
    }

    pub async fn fork(&self, thread: &ThreadId, step: u64) -> ThreadId {
        self.threads().fork(thread.clone(), step).await.unwrap().thread
    }

    /// The threads that these words find.
    pub async fn found(&self, words: &str) -> Vec<ThreadId> {
        let filter = sayso::inbox::Query { words: vec![words.to_owned()], ..Default::default() };
        let query = ThreadQuery { filter, limit: 9, ..Default::default() };
        self.threads().list(query).await.unwrap().rows.into_iter().map(|line| line.id).collect()
    }

    /// Checks that every row is as it was written, and every list what the log says.
    #[track_caller]
    pub fn assert_whole(&self) {
        assert_eq!(self.store().audit().verify().unwrap().problems(), Vec::<String>::new());
    }

    /// The next effect breaks off, and nobody can find out whether it happened.
    pub fn leave_in_doubt(&self) {
        *self.world.found.lock().unwrap() = Some(EffectTrace::Unknown("dark".to_owned()));
        self.world.fault(EffectError::Unknown("cut off".to_owned()));
    }
}

/// A program that asks for what cannot be undone, and does it once it is approved.
pub fn deed() -> Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"once": {"name": "go", "key": "a"}}]])
}

pub fn edit(args: Value) -> Decision {
    Decision::Edit { args }
}

/// A decision about whatever stands on the card.
pub fn decision(question: &InterruptId, decision: Decision, by: DecidedBy) -> DecisionRequest {
    DecisionRequest { interrupt: question.clone(), decision, shown: None, learn: true, by }
}

/// Hands a mail of this subject in to a thread; `change` says what is particular about it.
pub async fn hand_in(
    inbox: &Inbox,
    thread: &ThreadId,
    subject: &str,
    change: impl FnOnce(&mut KeptMail),
) -> [u8; 32] {
    hand_in_text(inbox, thread, subject, String::new(), change).await
}

/// The same, with a text to search for.
pub async fn hand_in_text(
    inbox: &Inbox,
    thread: &ThreadId,
    subject: &str,
    text: String,
    change: impl FnOnce(&mut KeptMail),
) -> [u8; 32] {
    let store = inbox.engine().store();
    let mut mail = KeptMail {
        identity: subject.to_owned(),
        account: String::new(),
        message_id: None,
        conversation: subject.to_owned(),
        sender: "eve@x.test".to_owned(),
        subject: subject.to_owned(),
        sent_at: None,
        raw: store.put_blob(subject.as_bytes().to_vec()).await.unwrap(),
    };
    change(&mut mail);
    let raw = mail.raw;
    store.mail().hand_in(thread.clone(), mail, text).await.unwrap();
    raw
}
