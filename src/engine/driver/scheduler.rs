//! What the driver remembers between looks: which threads run, are held, back off, or cannot be driven.

use super::drive::{COMMITTING, DriveResult, Turn, drive_while_possible};
use super::engine::Engine;
use super::learning::PendingLessons;
use super::to_do::ToDo;
use super::unreachable::UnreachableServers;
use crate::engine::graph::ThreadId;
use crate::engine::store::{Runnable, StoreError};
use crate::inbox::Status;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// How often, at most, running threads are compared with the store.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a thread waits after a failed write.
pub(super) const BLOCKED_WAIT: Duration = Duration::from_secs(2);
pub(super) struct Running {
    /// As it was listed when it began.
    listed: Runnable,
    abort: AbortHandle,
    working_on: Arc<AtomicI64>,
}

/// What the driver remembers between looks.
pub(super) struct Scheduler {
    pub running: HashMap<ThreadId, Running>,
    pub tasks: JoinSet<(ThreadId, DriveResult, u32)>,
    /// The version at which a thread was held, and since when.
    held: HashMap<ThreadId, (i64, Instant)>,
    /// Until when a thread backs off, how often it has failed, and the version at which it did.
    backoffs: HashMap<ThreadId, (Instant, u32, i64)>,
    /// Threads that had nothing to do, as they were listed.
    idle: HashMap<ThreadId, Runnable>,
    /// Threads whose rows cannot be trusted, with the version at which we noticed.
    broken: HashMap<ThreadId, i64>,
    /// What is wrong with them.
    pub failed: HashMap<ThreadId, StoreError>,
    /// Why a recent write failed.
    pub blocked: Option<StoreError>,
    /// Threads that wait for servers that cannot be reached.
    pub unreachable: UnreachableServers,
    /// Answers waiting to be learned from.
    pub lessons: PendingLessons,
    last_look: Instant,
    pub first: bool,
    /// Threads whose tasks have ended since the last look.
    pub ended: Vec<ThreadId>,
}

impl Scheduler {
    pub fn new() -> Self {
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

    pub fn try_at_once(&mut self, threads: Vec<ThreadId>) {
        for thread in threads {
            self.backoffs.remove(&thread);
        }
    }

    pub fn start(&mut self, engine: &Engine, thread: &Runnable, alone: bool) {
        let id = thread.thread.clone();
        let attempt = self.backoffs.remove(&id).map_or(0, |(_, attempt, _)| attempt);
        let (version, now) = (thread.version, Instant::now());
        let held = self.held.entry(id.clone()).or_insert((version, now));
        if held.0 != version {
            *held = (version, now);
        }
        let waited = held.1.elapsed();
        let working_on = Arc::new(AtomicI64::new(version));
        let turn = Turn { attempt, waited, alone, working_on: working_on.clone() };
        let abort = self.tasks.spawn(drive_while_possible(engine.clone(), id.clone(), turn));
        self.running.insert(id, Running { listed: thread.clone(), abort, working_on });
    }

    /// Whether a thread may run beside those that do. What a program asked takes a moment, and the program waits, so it
    /// neither waits for others nor takes their place.
    pub fn has_room(&self, thread: &Runnable, limit: usize) -> bool {
        thread.by_program
            || self.running.values().filter(|running| !running.listed.by_program).count() < limit
    }

    /// Whether a thread's row cannot be trusted. If it is listed as it was when it had nothing to do, it would be driven
    /// for ever.
    pub fn is_broken(&mut self, thread: &Runnable) -> bool {
        if self.idle.get(&thread.thread) == Some(thread) {
            let text = format!("thread {} is not listed as the log has it", thread.thread);
            self.give_up(thread.thread.clone(), StoreError::Damaged(text));
        }
        self.broken.get(&thread.thread).is_some_and(|version| [i64::MIN, thread.version].contains(version))
    }

    /// Leaves a thread alone until it changes.
    pub fn give_up(&mut self, thread: ThreadId, error: StoreError) {
        tracing::error!(%thread, %error, "cannot be driven");
        self.idle.remove(&thread);
        self.failed.insert(thread.clone(), error);
        self.broken.insert(thread, i64::MIN);
    }

    /// Until when a thread must wait, because it is held or backs off after a failure.
    pub fn wait_until(&mut self, thread: &Runnable) -> Option<Instant> {
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
    pub fn drop_moved(&mut self, engine: &Engine) {
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

    pub fn task_ended(
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
    pub fn forget(&mut self, to_do: &ToDo) {
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
