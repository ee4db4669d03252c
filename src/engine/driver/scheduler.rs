//! The driver: runs every thread that can continue, several at once, until told to stop.
//!
//! It is told which threads its own process changes, and looks at all of them when another one wrote. It decides again
//! from what it finds, so it does not matter who changed it. It keeps only clocks to itself: holds and backoffs run on
//! its monotonic clock and start over when another driver takes over. A wall clock that jumps fires nothing twice.

use super::drive::{COMMITTING, DriveResult, Turn, drive_while_possible};
use super::engine::Engine;
use super::learning::PendingLessons;
use super::to_do::ToDo;
use super::unreachable::{CardChanges, UnreachableServers};
use crate::engine::graph::ThreadId;
use crate::engine::store::{DriverLock, LockAttempt, Mode, Runnable, StoreError};
use crate::inbox::Status;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// Holds older than this when the driver starts are not trusted any more.
const STALE_HOLD_MS: i64 = 15 * 60 * 1000;

/// How often, at most, running threads are compared with the store.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a thread waits after a failed write.
const BLOCKED_WAIT: Duration = Duration::from_secs(2);

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

struct Running {
    /// As it was listed when it began.
    listed: Runnable,
    abort: AbortHandle,
    working_on: Arc<AtomicI64>,
}

/// What the driver remembers between looks.
struct Scheduler {
    running: HashMap<ThreadId, Running>,
    tasks: JoinSet<(ThreadId, DriveResult, u32)>,
    /// The version at which a thread was held, and since when.
    held: HashMap<ThreadId, (i64, Instant)>,
    /// Until when a thread backs off, how often it has failed, and the version at which it did.
    backoffs: HashMap<ThreadId, (Instant, u32, i64)>,
    /// Threads that had nothing to do, as they were listed.
    idle: HashMap<ThreadId, Runnable>,
    /// Threads whose rows cannot be trusted, with the version at which we noticed.
    broken: HashMap<ThreadId, i64>,
    /// What is wrong with them.
    failed: HashMap<ThreadId, StoreError>,
    /// Why a recent write failed.
    blocked: Option<StoreError>,
    /// Threads that wait for servers that cannot be reached.
    unreachable: UnreachableServers,
    /// Answers waiting to be learned from.
    lessons: PendingLessons,
    last_look: Instant,
    first: bool,
    /// Threads whose tasks have ended since the last look.
    ended: Vec<ThreadId>,
}

/// The result of one look.
struct Look {
    /// Something is running or will be.
    active: bool,
    /// Some thread waits only for an earlier attempt's effect to end.
    waits_for_effect: bool,
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
        let _watcher = store.watch_others()?;
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
                    Look { active: true, waits_for_effect: false, wake: Some(Instant::now() + BLOCKED_WAIT) }
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
                () = self.engine.released().notified(), if look.waits_for_effect => {}
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
        let mut look = Look { active: !scheduler.running.is_empty(), waits_for_effect: false, wake: None };
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
            look.active = true;
            // Asking again drives nothing, so it happens even while paused.
            if scheduler.first && is_stale_hold(thread, store.now().as_millisecond()) {
                match store.inbox().ask_again(thread.thread.clone(), thread.version).await {
                    // If somebody else moved it meanwhile, they had their say.
                    Ok(()) | Err(StoreError::Moved) => continue,
                    Err(error) => return Err(error),
                }
            }
            if to_do.paused {
                continue;
            }
            if self.engine.is_at_work(&thread.thread) {
                look.waits_for_effect = true;
                continue;
            }
            if let Some(wake) = scheduler.wait_until(thread) {
                look.wake_at(wake);
            } else if scheduler.has_room(thread, self.engine.settings().concurrency.max(1)) {
                if until == Until::Idle {
                    self.touched.insert(thread.thread.clone());
                }
                scheduler.start(&self.engine, thread, scope);
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

impl Scheduler {
    fn new() -> Self {
        Self {
            running: HashMap::new(),
            tasks: JoinSet::new(),
            held: HashMap::new(),
            backoffs: HashMap::new(),
            idle: HashMap::new(),
            broken: HashMap::new(),
            failed: HashMap::new(),
            blocked: None,
            unreachable: UnreachableServers::default(),
            lessons: PendingLessons::default(),
            last_look: Instant::now(),
            first: true,
            ended: Vec::new(),
        }
    }

    fn try_at_once(&mut self, threads: Vec<ThreadId>) {
        for thread in threads {
            self.backoffs.remove(&thread);
        }
    }

    fn start(&mut self, engine: &Engine, thread: &Runnable, scope: &Scope) {
        let id = thread.thread.clone();
        let attempt = self.backoffs.remove(&id).map_or(0, |(_, attempt, _)| attempt);
        let (version, now) = (thread.version, Instant::now());
        let held = self.held.entry(id.clone()).or_insert((version, now));
        if held.0 != version {
            *held = (version, now);
        }
        let waited = held.1.elapsed();
        let working_on = Arc::new(AtomicI64::new(version));
        let alone = matches!(scope, Scope::WithChildren(_));
        let turn = Turn { attempt, waited, alone, working_on: working_on.clone() };
        let abort = self.tasks.spawn(drive_while_possible(engine.clone(), id.clone(), turn));
        self.running.insert(id, Running { listed: thread.clone(), abort, working_on });
    }

    /// Whether a thread may run beside those that do. What a program asked takes a moment, and the program waits, so it
    /// neither waits for others nor takes their place.
    fn has_room(&self, thread: &Runnable, limit: usize) -> bool {
        thread.by_program
            || self.running.values().filter(|running| !running.listed.by_program).count() < limit
    }

    /// Whether a thread's row cannot be trusted. If it is listed as it was when it had nothing to do, it would be driven
    /// for ever.
    fn is_broken(&mut self, thread: &Runnable) -> bool {
        if self.idle.get(&thread.thread) == Some(thread) {
            let text = format!("thread {} is not listed as the log has it", thread.thread);
            self.give_up(thread.thread.clone(), StoreError::Damaged(text));
        }
        self.broken.get(&thread.thread).is_some_and(|version| [i64::MIN, thread.version].contains(version))
    }

    fn give_up(&mut self, thread: ThreadId, error: StoreError) {
        tracing::error!(%thread, %error, "cannot be driven");
        self.idle.remove(&thread);
        self.failed.insert(thread.clone(), error);
        self.broken.insert(thread, i64::MIN);
    }

    /// Until when a thread must wait, because it is held or backs off after a failure.
    fn wait_until(&mut self, thread: &Runnable) -> Option<Instant> {
        let now = Instant::now();
        let mut until = None;
        if thread.status == Status::Held {
            let since = match self.held.get(&thread.thread) {
                Some((version, since)) if *version == thread.version => *since,
                _ => {
                    self.held.insert(thread.thread.clone(), (thread.version, now));
                    now
                }
            };
            let hold = Duration::from_millis(thread.hold_ms.unsigned_abs());
            until = Some(since + hold).filter(|until| *until > now);
        }
        let backoff =
            self.backoffs.get(&thread.thread).map(|(until, ..)| *until).filter(|until| *until > now);
        until.max(backoff)
    }

    /// Drops nodes whose thread moved while they ran: a decision was undone, the thread was stopped, or its parent
    /// abandoned.
    fn drop_moved(&mut self, engine: &Engine) {
        if self.running.is_empty() || self.last_look.elapsed() < LOOK_EVERY {
            return;
        }
        self.last_look = Instant::now();
        for (thread, running) in &self.running {
            let before = running.working_on.load(Ordering::SeqCst);
            let now = engine.store().threads().version(thread).unwrap_or(before);
            if before != COMMITTING && now > before {
                running.abort.abort();
            }
        }
    }

    fn task_ended(
        &mut self,
        ended: Result<(tokio::task::Id, (ThreadId, DriveResult, u32)), tokio::task::JoinError>,
    ) {
        match ended {
            Ok((_, (thread, result, attempt))) => {
                // A thread that moved while its node failed is tried again at once.
                let running = self.running.remove(&thread);
                let tried = running.as_ref().map(|running| running.working_on.load(Ordering::SeqCst));
                let tried = tried.unwrap_or(i64::MIN);
                self.ended.push(thread.clone());
                if !matches!(
                    result,
                    DriveResult::Held(_)
                        | DriveResult::RetryAfter(_)
                        | DriveResult::ServerUnreachable(..)
                        | DriveResult::Blocked(_)
                ) {
                    self.held.remove(&thread);
                }
                if matches!(result, DriveResult::Continue | DriveResult::Idle) {
                    let others = self.unreachable.thread_got_through(&thread);
                    self.try_at_once(others);
                }
                match result {
                    DriveResult::Held(wait) => {
                        self.backoffs.insert(thread, (Instant::now() + wait, attempt, i64::MIN));
                    }
                    DriveResult::Idle if tried != COMMITTING => {
                        self.idle.extend(running.map(|running| (thread, running.listed)));
                    }
                    DriveResult::Continue | DriveResult::Idle => {}
                    DriveResult::RetryAfter(wait) => {
                        self.backoffs.insert(thread, (Instant::now() + wait, attempt + 1, tried));
                    }
                    DriveResult::ServerUnreachable(unreachable, wait) => {
                        self.backoffs.insert(thread.clone(), (Instant::now() + wait, attempt + 1, tried));
                        self.unreachable.add(thread, unreachable);
                    }
                    DriveResult::Blocked(error) => {
                        tracing::warn!(%thread, %error, "cannot be written down now");
                        self.backoffs.insert(thread, (Instant::now() + BLOCKED_WAIT, attempt, i64::MIN));
                        self.blocked = Some(error);
                    }
                    DriveResult::Broken(error) => self.give_up(thread, error),
                }
            }
            Err(error) => {
                let ended = self.running.extract_if(|_, running| running.abort.id() == error.id()).next();
                if let Some((thread, _)) = ended.filter(|_| error.is_panic()) {
                    self.give_up(thread, StoreError::Failed(error.to_string()));
                }
            }
        }
    }

    /// Forgets threads that are no longer runnable. What was found about a thread holds for the version it has at the
    /// next look, and no other.
    fn forget(&mut self, to_do: &ToDo) {
        if self.held.is_empty() && self.backoffs.is_empty() && self.idle.is_empty() && self.broken.is_empty()
        {
            return;
        }
        let versions: HashMap<&ThreadId, i64> =
            to_do.threads.values().map(|r| (&r.thread, r.version)).collect();
        let is_current = |thread: &ThreadId, seen_at: &mut i64| match versions.get(thread) {
            Some(version) if *seen_at == i64::MIN || seen_at == version => {
                *seen_at = *version;
                true
            }
            _ => false,
        };
        self.held.retain(|thread, _| versions.contains_key(thread));
        self.idle.retain(|thread, _| versions.contains_key(thread));
        self.unreachable.retain(|thread| versions.contains_key(thread));
        self.backoffs.retain(|thread, (.., seen_at)| is_current(thread, seen_at));
        self.broken.retain(is_current);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drives a thread as listed until its task ends.
    async fn drive(scheduler: &mut Scheduler, listed: &Runnable, drives: fn() -> DriveResult) {
        let thread = listed.thread.clone();
        let abort = scheduler.tasks.spawn({
            let thread = thread.clone();
            async move { (thread, drives(), 0) }
        });
        let working_on = Arc::new(AtomicI64::new(listed.version));
        scheduler.running.insert(thread, Running { listed: listed.clone(), abort, working_on });
        let ended = scheduler.tasks.join_next_with_id().await.unwrap();
        scheduler.task_ended(ended);
    }

    #[tokio::test]
    async fn what_never_moves_is_not_driven_for_ever() {
        let listed = Runnable {
            seq: 1,
            thread: ThreadId::random(),
            status: Status::Done,
            version: 5,
            hold_ms: 0,
            held_at: None,
            waiting_events: 1,
            by_program: false,
        };
        let mut scheduler = Scheduler::new();
        drive(&mut scheduler, &listed, || DriveResult::Continue).await;
        assert!(!scheduler.is_broken(&listed));
        drive(&mut scheduler, &listed, || DriveResult::Idle).await;
        assert!(!scheduler.is_broken(&Runnable { waiting_events: 2, ..listed.clone() }), "more came");
        assert!(scheduler.is_broken(&listed) && scheduler.failed.len() == 1);

        let mut scheduler = Scheduler::new();
        drive(&mut scheduler, &listed, || std::panic::panic_any("a fault")).await;
        assert!(scheduler.is_broken(&listed) && scheduler.failed.len() == 1);
    }
}
