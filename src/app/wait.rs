//! Waiting for a thread: driving it where nobody else does, else watching whoever does.

use super::engine::Engine;
use super::worker::{Ended, Scope, Until, Worker};
use crate::graph::ThreadId;
use crate::inbox::Outcome;
use crate::store::{DriverLock, StoreError};
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
    tokio::select! {
        settled = settle(engine, thread) => settled?,
        () = patience => {
            let driver = DriverLock::holder(engine.store().folder()).filter(|pid| *pid != std::process::id());
            return Err(WaitError::TimedOut { waited: timeout.unwrap_or_default(), driver });
        }
    }
    let store = engine.store();
    let mut outcome = store.outcome(thread)?;
    for (member, _) in store.family(thread)?.into_iter().filter(|(member, _)| *member != outcome.thread) {
        outcome.interrupts.extend(store.outcome(&member)?.interrupts);
    }
    Ok(outcome)
}

async fn settle(engine: &Engine, thread: &ThreadId) -> Result<(), StoreError> {
    let store = engine.store();
    let _watcher = store.watch_others()?;
    let mut changes = store.changes();
    loop {
        changes.borrow_and_update();
        if !store.family(thread)?.iter().any(|(_, status)| status.active()) {
            return Ok(());
        }
        match Worker::take(engine.clone()).await? {
            Ok(mut worker) => {
                let scope = Scope::Family(thread.clone());
                return match worker.run(&scope, Until::Idle, std::future::pending()).await? {
                    Ended::Told | Ended::Idle | Ended::Paused => {
                        worker.failed().values().next().cloned().map_or(Ok(()), Err)
                    }
                };
            }
            Err(_) if store.paused()? => return Ok(()),
            Err(_) => {
                let again = tokio::time::sleep_until(Instant::now() + TRY_EVERY);
                tokio::select! { _ = changes.changed() => {} () = again => {} }
            }
        }
    }
}
