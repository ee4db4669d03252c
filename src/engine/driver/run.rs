//! The driver: runs every thread that can continue, several at once, until told to stop.
//!
//! It is told which threads its own process changes, and looks at all of them when another one wrote. It decides again
//! from what it finds, so it does not matter who changed it. It keeps only clocks to itself: holds and backoffs run on
//! its monotonic clock and start over when another driver takes over. A wall clock that jumps fires nothing twice.

use super::engine::Engine;
use super::scheduler::{BLOCKED_WAIT, LOOK_EVERY, Scheduler};
use super::to_do::ToDo;
use super::unreachable::CardChanges;
use crate::engine::graph::ThreadId;
use crate::engine::store::{DriverLock, LockAttempt, Mode, Runnable, StoreError};
use crate::inbox::Status;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Holds older than this when the driver starts are not trusted any more.
const STALE_HOLD_MS: i64 = 15 * 60 * 1000;

/// How long running effects may take to record their outcome when the driver is told to stop.
const GRACE: Duration = Duration::from_secs(30);

/// Which threads are driven.
#[derive(Clone, Debug)]
pub enum Scope {
    All,
    /// This thread and everything it starts.
    WithChildren(ThreadId),
    /// These threads, but nothing they start.
    Only(HashSet<ThreadId>),
}

/// When the driver stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Only when told.
    Stopped,
    /// When nothing is ready, running, held, backing off or waiting to be learned.
    Idle,
}

/// Why the driver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Stopped,
    /// There is nothing left to do.
    Idle,
    /// Somebody paused all driving, and the driver was to stop when idle.
    Paused,
}

/// The driver of a data folder. An OS lock ensures there is only one at a time.
pub struct Driver {
    engine: Engine,
    /// Held until this driver is done; effects that are still running hold it even longer.
    _lock: Arc<DriverLock>,
    touched: HashSet<ThreadId>,
    failed: HashMap<ThreadId, StoreError>,
}

/// The result of one look.
struct Look {
    /// Something is running or will be.
    active: bool,
    /// Some thread waits only for an earlier attempt's effect to end, or for what it begins with.
    waits_for_release: bool,
    /// When to look again even if nothing changes.
    wake: Option<Instant>,
}

impl Look {
    fn wake_at(&mut self, at: Instant) {
        self.wake = Some(self.wake.map_or(at, |soonest| soonest.min(at)));
    }
}

impl Driver {
    /// Becomes the driver, or returns the pid of the process that is.
    pub async fn take(engine: Engine) -> Result<Result<Self, Option<u32>>, StoreError> {
        match DriverLock::take(engine.store().folder())? {
            LockAttempt::Theirs(pid) => Ok(Err(pid)),
            LockAttempt::Ours(lock) => {
                engine.store().audit().check_end()?;
                engine.store().audit().check_open_questions()?;
                let recovered = engine.store().threads().recover().await?;
                if recovered > 0 {
                    tracing::info!(recovered, "threads were running when the last driver ended");
                }
                let lock = Arc::new(lock);
                engine.set_lock(&lock);
                Ok(Ok(Self { engine, _lock: lock, touched: HashSet::new(), failed: HashMap::new() }))
            }
        }
    }

    /// The threads it has driven until it was idle.
    pub fn touched(&self) -> impl Iterator<Item = &ThreadId> {
        self.touched.iter()
    }

    /// The threads it could not drive because their rows cannot be trusted, each with the reason.
    pub fn failed(&self) -> &HashMap<ThreadId, StoreError> {
        &self.failed
    }

    /// Drives until `until` is reached, `stop` resolves, or the disk fails.
    pub async fn run(
        &mut self,
        scope: &Scope,
        until: Until,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, StoreError> {
        let mut scheduler = Scheduler::new();
        let ended = self.work(scope, until, stop, &mut scheduler).await;
        self.failed.extend(std::mem::take(&mut scheduler.failed));
        self.shut_down_driver(scheduler).await;
        ended
    }

    async fn work(
        &mut self,
        scope: &Scope,
        until: Until,
        stop: impl Future<Output = ()>,
        scheduler: &mut Scheduler,
    ) -> Result<Ended, StoreError> {
        let store = self.engine.store().clone();
        let mut moved = store.moved_threads();
        let _watcher = store.watch_others();
        let mut to_do = ToDo::default();
        tokio::pin!(stop);
        loop {
            // Let everything that belongs to the same moment happen first, so that one look sees all of it.
            tokio::task::yield_now().await;
            while let Some(ended) = scheduler.tasks.try_join_next_with_id() {
                scheduler.task_ended(ended);
            }
            if let Mode::ViewOnly(why) = store.mode() {
                return Err(StoreError::Disk(why));
            }
            to_do.take_in_all(&mut moved);
            scheduler.ended.drain(..).for_each(|thread| to_do.doubt_if_listed(&thread));
            let looked_at_all = to_do.look_at_all_if_due(&store)?;
            if looked_at_all {
                scheduler.lessons.doubt();
            }
            let look = match self.look(scope, until, scheduler, &to_do).await {
                Ok(look) => look,
                Err(error @ (StoreError::Full | StoreError::Busy)) => {
                    scheduler.blocked = Some(error);
                    Look { active: true, waits_for_release: false, wake: Some(Instant::now() + BLOCKED_WAIT) }
                }
                Err(error) => return Err(error),
            };
            let may_end = until == Until::Idle && scheduler.running.is_empty();
            if may_end && !looked_at_all && (to_do.paused || !look.active) {
                to_do.doubt();
                continue;
            }
            if may_end {
                if to_do.paused {
                    return Ok(Ended::Paused);
                }
                if let Some(error) = scheduler.blocked.take() {
                    return Err(error);
                }
                if !look.active {
                    return Ok(Ended::Idle);
                }
            }
            // An abort can be missed for one look at most; after that, the store has the last word.
            let look_again =
                if scheduler.running.is_empty() { None } else { Some(Instant::now() + LOOK_EVERY * 4) };
            let wake = [look.wake, look_again].into_iter().flatten().min();
            tokio::select! {
                biased;
                () = &mut stop => return Ok(Ended::Stopped),
                Some(ended) = scheduler.tasks.join_next_with_id() => scheduler.task_ended(ended),
                news = moved.recv() => to_do.take_in(news),
                () = self.engine.released().notified(), if look.waits_for_release => {}
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
    }

    /// Starts every thread that can be started.
    async fn look(
        &mut self,
        scope: &Scope,
        until: Until,
        scheduler: &mut Scheduler,
        to_do: &ToDo,
    ) -> Result<Look, StoreError> {
        let store = self.engine.store().clone();
        scheduler.drop_moved(&self.engine);
        let chosen: Option<HashSet<ThreadId>> = match scope {
            Scope::All => None,
            Scope::WithChildren(root) => {
                Some(store.threads().family(root)?.into_iter().map(|(id, _)| id).collect())
            }
            Scope::Only(threads) => Some(threads.clone()),
        };
        let mut look = Look { active: !scheduler.running.is_empty(), waits_for_release: false, wake: None };
        scheduler.forget(to_do);
        for thread in to_do.threads.values() {
            let in_scope = chosen.as_ref().is_none_or(|chosen| chosen.contains(&thread.thread))
                || scheduler.unreachable.is_card(&thread.thread);
            if !in_scope || scheduler.running.contains_key(&thread.thread) {
                continue;
            }
            if scheduler.is_broken(thread) {
                continue;
            }
            // Running until idle does not wait for servers that cannot be reached.
            if until == Until::Idle && scheduler.unreachable.is_waiting(&thread.thread) {
                continue;
            }
            // Asking again drives nothing, so it happens even while paused.
            if scheduler.first && is_stale_hold(thread, store.now().as_millisecond()) {
                match store.inbox().ask_again(thread.thread.clone(), thread.version).await {
                    // If somebody else moved it meanwhile, they had their say.
                    Ok(()) | Err(StoreError::Moved) => look.active = true,
                    Err(error @ (StoreError::Full | StoreError::Busy)) => return Err(error),
                    Err(error) => scheduler.give_up(thread.thread.clone(), error),
                }
                continue;
            }
            look.active = true;
            if to_do.paused {
                continue;
            }
            if self.engine.is_at_work(&thread.thread) || self.engine.is_gathering(&thread.thread) {
                look.waits_for_release = true;
                continue;
            }
            if let Some(wake) = scheduler.wait_until(thread) {
                look.wake_at(wake);
            } else if scheduler.has_room(thread, self.engine.settings().concurrency.max(1)) {
                if until == Until::Idle {
                    self.touched.insert(thread.thread.clone());
                }
                scheduler.start(&self.engine, thread, matches!(scope, Scope::WithChildren(_)));
            }
        }
        scheduler.first = false;
        if !to_do.paused {
            self.look_beyond_threads(scope, scheduler, &mut look).await?;
        }
        Ok(look)
    }

    /// Updates the cards of servers that cannot be reached and starts learning from lessons that are due.
    async fn look_beyond_threads(
        &self,
        scope: &Scope,
        scheduler: &mut Scheduler,
        look: &mut Look,
    ) -> Result<(), StoreError> {
        if !matches!(scope, Scope::WithChildren(_)) {
            let CardChanges { at_once, changed } =
                scheduler.unreachable.update_cards(&self.engine, !look.active).await?;
            look.active |= changed || !at_once.is_empty();
            if !at_once.is_empty() {
                look.wake = Some(Instant::now());
            }
            scheduler.try_at_once(at_once);
        }
        if matches!(scope, Scope::All) {
            let delay = self.engine.settings().learning_delay;
            if let Some(wake) = scheduler.lessons.look(&self.engine, delay).await? {
                look.active = true;
                look.wake_at(wake);
            }
        }
        Ok(())
    }

    /// Lets running effects record their outcome; nodes without effects are simply dropped.
    async fn shut_down_driver(&self, mut scheduler: Scheduler) {
        scheduler.tasks.abort_all();
        while scheduler.tasks.join_next().await.is_some() {}
        let deadline = Instant::now() + GRACE;
        while self.engine.anything_at_work() && Instant::now() < deadline {
            let _ = tokio::time::timeout_at(deadline, self.engine.released().notified()).await;
        }
    }
}

fn is_stale_hold(thread: &Runnable, now: i64) -> bool {
    thread.status == Status::Held
        && thread.held_at.is_some_and(|since| now.abs_diff(since) > STALE_HOLD_MS.unsigned_abs())
}
