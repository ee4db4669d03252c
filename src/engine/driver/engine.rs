//! The engine: the store, the workflows and the limits it works with.

use super::cache::Cache;
use super::journal::StepJournal;
use crate::config::{Expiry, Policy};
use crate::engine::graph::{AnyState, Event, EventKind, InputError, Progress, ProgressSink, State, ThreadId};
use crate::engine::store::{DriverLock, Holds, NewThread, Store, StoreError, Tail};
use crate::inbox::{Registry, Spec};
use crate::text::suggest;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, broadcast};

/// Limits and waiting times of the engine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long an accepted irreversible effect can be taken back.
    pub hold: Duration,
    /// The same for other decisions made at the screen.
    pub soft_hold: Duration,
    /// The same for answers to programs made at the screen.
    pub agents_hold: Duration,
    /// How many threads run at once, not counting answers to programs.
    pub concurrency: usize,
    /// How long a node may take.
    pub node_timeout: Duration,
    /// How many steps a thread may take without hearing from a person.
    pub step_limit: u32,
    /// How often a node is retried after transient failures.
    pub retries: u32,
    /// The wait before the first retry.
    pub retry_wait: Duration,
    /// How long after the last answer we start learning from them.
    pub learning_delay: Duration,
    /// Tools that the config allows to act without asking, and whom they may reach.
    pub policies: BTreeMap<String, Policy>,
    /// When unanswered questions expire.
    pub expiry: Expiry,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hold: Duration::from_secs(10),
            soft_hold: Duration::from_secs(5),
            agents_hold: Duration::from_secs(2),
            concurrency: 8,
            node_timeout: Duration::from_secs(1800),
            step_limit: 100,
            retries: 3,
            retry_wait: Duration::from_secs(1),
            learning_delay: Duration::from_secs(20),
            policies: BTreeMap::new(),
            expiry: Expiry::default(),
        }
    }
}

/// Drives threads one node at a time. Cloning it is cheap.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    store: Store,
    registry: Registry,
    settings: Settings,
    sink: ProgressSink,
    released: Arc<Notify>,
    events: broadcast::Sender<Progress>,
    cache: Mutex<Cache>,
    at_work: Mutex<HashMap<ThreadId, Weak<StepJournal>>>,
    /// Threads that do not begin yet, because what they begin with is still being gathered.
    gathering: Mutex<HashSet<ThreadId>>,
    lock: Mutex<Weak<DriverLock>>,
}

impl Engine {
    pub fn new(store: Store, registry: Registry, settings: Settings) -> Self {
        let (events, _) = broadcast::channel(1024);
        let sink = events.clone();
        let progress: ProgressSink = Arc::new(move |progress| {
            // It is fine if nobody listens.
            let _ = sink.send(progress);
        });
        Self(Arc::new(Inner {
            store,
            registry,
            settings,
            sink: progress,
            released: Arc::new(Notify::new()),
            events,
            cache: Mutex::default(),
            at_work: Mutex::default(),
            gathering: Mutex::default(),
            lock: Mutex::default(),
        }))
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Progress of the nodes that this process runs.
    pub fn progress(&self) -> broadcast::Receiver<Progress> {
        self.0.events.subscribe()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn sink(&self) -> &ProgressSink {
        &self.0.sink
    }

    /// Notified when an attempt at a step and everything it began are over.
    pub(crate) fn released(&self) -> &Arc<Notify> {
        &self.0.released
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn step_limit(&self) -> i64 {
        i64::from(self.settings().step_limit)
    }

    pub(crate) fn holds(&self, at_the_screen: bool) -> Holds {
        let ms = |wait: Duration| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let if_at_screen = |wait: Duration| if at_the_screen { ms(wait) } else { 0 };
        Holds {
            irreversible_ms: ms(self.settings().hold),
            other_ms: if_at_screen(self.settings().soft_hold),
            agents_ms: if_at_screen(self.settings().agents_hold),
            warned_agents_ms: if_at_screen(self.settings().hold),
        }
    }

    /// Whether anything that an earlier attempt at this thread began is still running in this process.
    pub(crate) fn is_at_work(&self, thread: &ThreadId) -> bool {
        self.at_work().contains_key(thread)
    }

    pub(crate) fn anything_at_work(&self) -> bool {
        !self.at_work().is_empty()
    }

    pub(crate) fn register_journal(&self, thread: &ThreadId, journal: &Arc<StepJournal>) {
        self.at_work().insert(thread.clone(), Arc::downgrade(journal));
    }

    /// The journals that are still in use.
    fn at_work(&self) -> MutexGuard<'_, HashMap<ThreadId, Weak<StepJournal>>> {
        let mut at_work = self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        at_work.retain(|_, journal| journal.strong_count() > 0);
        at_work
    }

    /// Lets threads wait for everything they begin with, until this is dropped.
    pub(crate) fn gather(&self) -> Gathering {
        Gathering { engine: self.clone(), threads: Mutex::default() }
    }

    pub(crate) fn is_gathering(&self, thread: &ThreadId) -> bool {
        self.gathering().contains(thread)
    }

    fn gathering(&self) -> MutexGuard<'_, HashSet<ThreadId>> {
        self.0.gathering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the lock this engine drives under.
    pub(crate) fn set_lock(&self, lock: &Arc<DriverLock>) {
        *self.0.lock.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(lock);
    }

    /// The lock this engine drives under.
    pub(crate) fn lock(&self) -> Option<Arc<DriverLock>> {
        self.0.lock.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// The workflow with this name.
    pub(crate) fn spec(&self, workflow: &str) -> Result<&Spec, StoreError> {
        self.registry().get(workflow).ok_or_else(|| self.unknown_workflow(workflow))
    }

    /// The error for an unknown workflow, with a suggestion if a known name is close.
    pub(crate) fn unknown_workflow(&self, name: &str) -> StoreError {
        let hint = suggest(name, &self.registry().names(), "none is built in");
        StoreError::NotFound { what: "workflow", id: name.to_owned(), hint }
    }

    /// Prepares a thread to be started, with its first update and its title.
    pub(crate) fn new_thread(
        &self,
        workflow: &str,
        input: Value,
        key: &str,
    ) -> Result<NewThread, StoreError> {
        let name = workflow;
        let workflow = &self.spec(name)?.workflow;
        let wrong = |error| StoreError::Input { workflow: name.to_owned(), error };
        let updates = workflow.started(input).map_err(wrong)?;
        let state = workflow
            .apply(workflow.empty(), &updates)
            .map_err(|error| wrong(InputError::Whole(error.to_string())))?;
        Ok(NewThread {
            id: ThreadId::random(),
            workflow: name.to_owned(),
            fingerprint: workflow.fingerprint().to_owned(),
            entry: workflow.shape().entry.clone(),
            updates,
            title: workflow.title(&state),
            key: key.to_owned(),
        })
    }

    /// A thread's state after its first `steps` steps, or its current state. `None` if its workflow is unknown or it
    /// was pruned.
    pub fn state_at(&self, thread: &ThreadId, steps: Option<u64>) -> Result<Option<AnyState>, StoreError> {
        let Some((workflow, tail)) = self.store().threads().fold(thread, steps)? else { return Ok(None) };
        let Some(spec) = self.registry().get(&workflow) else { return Ok(None) };
        fold(spec, None, &tail).map(Some).map_err(|e| StoreError::Conflict(e.to_string()))
    }

    /// The same for a workflow with states of type `S`; `None` also if the thread is of another one.
    pub fn state_of<S: State>(
        &self,
        thread: &ThreadId,
        steps: Option<u64>,
    ) -> Result<Option<Arc<S>>, StoreError> {
        Ok(self.state_at(thread, steps)?.and_then(AnyState::take))
    }

    /// Whether threads of this workflow accept a hint on a retry.
    pub(crate) fn takes_hints(spec: &Spec) -> bool {
        let hint = Event { id: String::new(), what: EventKind::Hint { text: String::new() } };
        matches!(spec.workflow.arrived(hint), Ok(Some(_)))
    }
}

/// Threads about to be started that do not begin before this is dropped.
pub(crate) struct Gathering {
    engine: Engine,
    threads: Mutex<Vec<ThreadId>>,
}

impl Gathering {
    /// To be told before the thread is stored: the driver may see it at once.
    pub fn add(&self, thread: &ThreadId) {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread.clone());
        self.engine.gathering().insert(thread.clone());
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut gathering = self.engine.gathering();
        for thread in threads.iter() {
            gathering.remove(thread);
        }
        drop(gathering);
        self.engine.released().notify_one();
    }
}

/// Folds the remaining updates onto a state or snapshot.
pub(crate) fn fold(
    spec: &Spec,
    cached: Option<AnyState>,
    tail: &Tail,
) -> Result<AnyState, crate::engine::graph::FoldError> {
    let workflow = &spec.workflow;
    let start = match (&tail.snapshot, cached) {
        (Some(snapshot), _) => workflow.read(snapshot)?,
        (None, Some(state)) => state,
        (None, None) => workflow.empty(),
    };
    tail.updates.iter().try_fold(start, |state, updates| workflow.apply(state, updates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn what_is_no_longer_at_work_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let engine = Engine::new(store, Registry::new([]), Settings::default());
        let begin = || {
            let thread = ThreadId::random();
            let journal = Arc::new(StepJournal {
                store: engine.store().clone(),
                thread: thread.clone(),
                version: 1,
                step: 1,
                heard: 0,
                policies: Vec::new(),
                calls: HashMap::new(),
                has_calls: AtomicBool::new(false),
                released: engine.released().clone(),
                _lock: None,
            });
            engine.register_journal(&thread, &journal);
            (thread, journal)
        };
        let (first, journal) = begin();
        assert!(engine.is_at_work(&first));
        drop(journal);
        let (second, journal) = begin();
        assert!(engine.is_at_work(&second) && !engine.is_at_work(&first));
        assert_eq!(engine.0.at_work.lock().unwrap().len(), 1, "nobody asked about the first one");
        drop(journal);
        assert!(!engine.anything_at_work());
    }
}
