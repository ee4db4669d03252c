//! Waits for threads: drives them if nobody else does, otherwise watches the other driver.

use crate::engine::driver::{Driver, Ended, Engine, Scope, Until};
use crate::engine::graph::ThreadId;
use crate::engine::store::{DriverLock, Store};
use crate::inbox::{InboxError, Outcome, Status};
use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// How often a process that waits for another driver tries to take its lock.
const TRY_EVERY: Duration = Duration::from_millis(200);

/// The result of [`drive_or_wait`].
#[derive(Clone, Debug)]
pub struct DriveReport {
    pub ended: Ended,
    /// The threads that we drove until idle, or that another driver was working on meanwhile.
    pub threads: BTreeSet<ThreadId>,
    /// The other driver, if there was one at the end.
    pub driver: Option<u32>,
    /// Threads that could not be driven, and why.
    pub failed: Vec<(ThreadId, String)>,
}

impl DriveReport {
    fn new(ended: Ended, threads: BTreeSet<ThreadId>, driver: Option<u32>) -> Self {
        Self { ended, threads, driver, failed: Vec::new() }
    }
}

/// Drives the threads of `scope` if nobody else does, otherwise waits for the other driver, until `until` or `stop`.
/// Calls `on_other_driver` whenever another driver is found.
pub async fn drive_or_wait(
    engine: &Engine,
    scope: &Scope,
    until: Until,
    stop: impl Future<Output = ()>,
    mut on_other_driver: impl FnMut(Option<u32>),
) -> Result<DriveReport, InboxError> {
    let store = engine.store();
    let _watcher = store.watch_others();
    let mut changes = store.changes();
    let mut threads = BTreeSet::new();
    tokio::pin!(stop);
    loop {
        changes.borrow_and_update();
        let active = active(store, scope)?;
        // Learning is work too, but callers that asked for one family do not wait for it.
        let learns = matches!(scope, Scope::All) && store.memory().has_work()? && !store.paused()?;
        if until == Until::Idle && active.is_empty() && !learns {
            return Ok(DriveReport::new(Ended::Idle, threads, None));
        }
        let driver = match Driver::take(engine.clone()).await? {
            Ok(mut worker) => {
                let ended = worker.run(scope, until, stop.as_mut()).await?;
                threads.extend(worker.touched().cloned());
                let failed = worker.failed().iter().map(|(thread, why)| (thread.clone(), why.to_string()));
                return Ok(DriveReport {
                    failed: failed.collect(),
                    ..DriveReport::new(ended, threads, None)
                });
            }
            Err(driver) => driver,
        };
        // A pause lets the nodes that are running finish.
        let running = active.iter().any(|(_, status)| *status == Status::Running);
        if until == Until::Idle && !running && store.paused()? {
            return Ok(DriveReport::new(Ended::Paused, threads, driver));
        }
        if until == Until::Idle {
            threads.extend(active.into_iter().map(|(thread, _)| thread));
        }
        on_other_driver(driver);
        tokio::select! {
            biased;
            () = &mut stop => {
                let driver = DriverLock::holder(store.folder());
                return Ok(DriveReport::new(Ended::Stopped, threads, driver));
            }
            _ = changes.changed() => {}
            () = tokio::time::sleep_until(Instant::now() + TRY_EVERY) => {}
        }
    }
}

/// The threads of `scope` that a driver has work to do for, now or soon.
fn active(store: &Store, scope: &Scope) -> Result<Vec<(ThreadId, Status)>, InboxError> {
    let mut all: Vec<_> = match scope {
        Scope::All | Scope::Only(_) => store
            .threads()
            .runnable()?
            .threads
            .into_iter()
            .map(|thread| (thread.thread, thread.status))
            .collect(),
        Scope::WithChildren(root) => store.threads().family(root)?,
    };
    if let Scope::Only(threads) = scope {
        all.retain(|(thread, _)| threads.contains(thread));
    }
    all.retain(|(_, status)| status.active());
    Ok(all)
}

/// A thread's outcome, with all open questions of the thread and the threads it started.
pub fn family_outcome(engine: &Engine, thread: &ThreadId) -> Result<Outcome, InboxError> {
    let store = engine.store();
    let mut outcome = store.threads().outcome(thread)?;
    for (member, _) in
        store.threads().family(thread)?.into_iter().filter(|(member, _)| *member != outcome.thread)
    {
        outcome.interrupts.extend(store.threads().outcome(&member)?.interrupts);
    }
    Ok(outcome)
}
