//! Waiting for threads: driving them where nobody else does, else watching whoever does.

use super::engine::Engine;
use super::worker::{Ended, Scope, Until, Worker};
use crate::graph::{InterruptId, ThreadId};
use crate::inbox::Outcome;
use crate::store::{DriverLock, Store, StoreError};
use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// How often a process that waits for another driver tries for its lock.
const TRY_EVERY: Duration = Duration::from_millis(200);

/// Why waiting ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The time is up.
    #[error("gave up after {} s{}; the thread goes on without us", waited.as_secs_f32(), driving(*driver))]
    TimedOut {
        /// How long it was.
        waited: Duration,
        /// Who drives.
        driver: Option<u32>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn driving(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid} is driving)")).unwrap_or_default()
}

/// What came of attending to threads.
#[derive(Clone, Debug)]
pub struct Attended {
    /// Why it ended.
    pub ended: Ended,
    /// The threads that were taken further, or that another driver had under way meanwhile.
    pub threads: BTreeSet<ThreadId>,
    /// The other driver, if one was there at the end.
    pub driver: Option<u32>,
}

/// Drives the threads of `scope` where nobody else does, else waits for whoever does, until `until` or `stop`.
/// `theirs` is called whenever another driver is found.
pub async fn attend(
    engine: &Engine,
    scope: &Scope,
    until: Until,
    stop: impl Future<Output = ()>,
    mut theirs: impl FnMut(Option<u32>),
) -> Result<Attended, StoreError> {
    let store = engine.store();
    let _watcher = store.watch_others()?;
    let mut changes = store.changes();
    let mut threads = BTreeSet::new();
    tokio::pin!(stop);
    loop {
        changes.borrow_and_update();
        let active = active(store, scope)?;
        if until == Until::Idle && active.is_empty() {
            return Ok(Attended { ended: Ended::Idle, threads, driver: None });
        }
        let driver = match Worker::take(engine.clone()).await? {
            Ok(mut worker) => {
                let ended = worker.run(scope, until, stop.as_mut()).await?;
                threads.extend(worker.touched().cloned());
                return Ok(Attended { ended, threads, driver: None });
            }
            Err(driver) => driver,
        };
        if until == Until::Idle && store.paused()? {
            return Ok(Attended { ended: Ended::Paused, threads, driver });
        }
        threads.extend(active);
        theirs(driver);
        tokio::select! {
            biased;
            () = &mut stop => {
                let driver = DriverLock::holder(store.folder());
                return Ok(Attended { ended: Ended::Told, threads, driver });
            }
            _ = changes.changed() => {}
            () = tokio::time::sleep_until(Instant::now() + TRY_EVERY) => {}
        }
    }
}

/// The threads of `scope` that a driver has, or will soon have, something to do for.
fn active(store: &Store, scope: &Scope) -> Result<Vec<ThreadId>, StoreError> {
    let all = match scope {
        Scope::All => {
            store.to_do()?.threads.into_iter().map(|thread| (thread.thread, thread.status)).collect()
        }
        Scope::Family(root) => store.family(root)?,
    };
    Ok(all.into_iter().filter(|(_, status)| status.active()).map(|(thread, _)| thread).collect())
}

/// Where a thread stands, with everything that it and the threads it started ask.
pub fn family_outcome(engine: &Engine, thread: &ThreadId) -> Result<Outcome, StoreError> {
    let store = engine.store();
    let mut outcome = store.outcome(thread)?;
    for (member, _) in store.family(thread)?.into_iter().filter(|(member, _)| *member != outcome.thread) {
        outcome.interrupts.extend(store.outcome(&member)?.interrupts);
    }
    Ok(outcome)
}

/// Waits until an interrupt of this thread is no longer open, whoever decides it.
pub async fn closed(engine: &Engine, thread: &ThreadId, id: &InterruptId) -> Result<(), StoreError> {
    let store = engine.store();
    let _watcher = store.watch_others()?;
    let mut changes = store.changes();
    loop {
        changes.borrow_and_update();
        if !store.outcome(thread)?.interrupts.contains(id) {
            return Ok(());
        }
        if changes.changed().await.is_err() {
            // Nobody can change anything any more.
            return std::future::pending().await;
        }
    }
}

/// Waits until neither the thread nor anything it started is ready, running, held or backing off, and reports
/// everything they ask.
pub async fn wait(
    engine: &Engine,
    thread: &ThreadId,
    timeout: Option<Duration>,
) -> Result<Outcome, WaitError> {
    let patience = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    let scope = Scope::Family(thread.clone());
    let attended = attend(engine, &scope, Until::Idle, patience, |_| {}).await?;
    match attended.ended {
        Ended::Idle | Ended::Paused => Ok(family_outcome(engine, thread)?),
        Ended::Told => {
            Err(WaitError::TimedOut { waited: timeout.unwrap_or_default(), driver: attended.driver })
        }
    }
}
