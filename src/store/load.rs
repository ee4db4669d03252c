//! What a driver needs to know of a thread to take it one step further, read at one moment.

use super::commit::seal_snapshot;
use super::rows::{Awaits, DecisionRow, InterruptRow, Stage, StepRow, ThreadRow, damaged, json};
use super::seal::Digest;
use super::{Store, StoreError, arrive, effects, grants, prune, settings};
use crate::graph::{Answer, ChildResult, Event, InterruptId, ThreadId};
use crate::inbox::{By, NextView, Status};
use rusqlite::{Connection, OptionalExtension, Rows};
use serde_json::Value;
use std::collections::HashMap;

/// A thread a driver may have something to do for.
#[derive(Clone, Debug)]
pub struct Runnable {
    /// The thread.
    pub thread: ThreadId,
    /// Where it stands.
    pub status: Status,
    /// Its version.
    pub version: i64,
    /// How long it is held.
    pub hold_ms: i64,
    /// Since when, by the wall clock.
    pub held_at: Option<i64>,
}

/// Everything a driver may have something to do for, and whether it may.
#[derive(Clone, Debug)]
pub struct ToDo {
    /// The threads.
    pub threads: Vec<Runnable>,
    /// Whether all driving is paused.
    pub paused: bool,
}

/// The part of a thread's state that the driver has folded already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Have {
    /// How many steps are folded into it.
    pub steps: i64,
    /// The digest of the last of them.
    pub head: Digest,
    /// How many questions that one asked.
    pub asked: usize,
    /// The size of the stored snapshot, or 0 where there is none.
    pub snapshot_bytes: usize,
}

impl Have {
    /// Whether nothing was added to the thread since; the chain of digests tells.
    fn is_all_of(&self, row: &ThreadRow) -> bool {
        self.steps == row.steps && self.head == row.head
    }
}

/// What is left to fold.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    /// A snapshot to begin from, as JSON; `None` begins from nothing, or from what the driver has.
    pub snapshot: Option<String>,
    /// The updates of each further step, JSON arrays.
    pub updates: Vec<String>,
    /// How many steps the snapshot (or what the driver has) stands for.
    pub from: i64,
    /// The size of the stored snapshot, or 0 where there is none.
    snapshot_bytes: usize,
}

/// An answer that a grant gave.
#[derive(Clone, Debug)]
pub struct Granted {
    /// The question.
    pub interrupt: InterruptId,
    /// The grant, by its id.
    pub grant: String,
    /// Whether the grant still covers the question. What the config allows is the driver's to know.
    pub covered: bool,
}

/// A thread, ready to be driven.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The thread.
    pub thread: ThreadId,
    /// Its workflow.
    pub workflow: String,
    /// The fingerprint its workflow had.
    pub fingerprint: String,
    /// Where it stands.
    pub status: Status,
    /// Where it goes on.
    pub node: String,
    /// What has to become an update first.
    pub awaits: Awaits,
    /// Its version.
    pub version: i64,
    /// How many steps it has, and the digest of the last.
    pub at: Have,
    /// Steps since a person last said something.
    pub alone: i64,
    /// How many of those it may take.
    pub step_limit: i64,
    /// How often its budget was granted.
    pub allowance: i64,
    /// Whether it is a fork.
    pub forked: bool,
    /// Whether all driving is paused.
    pub paused: bool,
    /// Whether trouble was decided and is to be carried out first.
    pub trouble_decided: bool,
    /// The answers it was given, in the order asked.
    pub answers: Vec<Answer>,
    /// The answers among them that rest on a grant and have not been acted on.
    pub granted: Vec<Granted>,
    /// How its children ended, in the order spawned.
    pub children: Vec<ChildResult>,
    /// What has reached it meanwhile.
    pub events: Vec<(i64, Event)>,
    /// Whether that has to be shown before what was approved is done.
    pub overtaken: bool,
    /// Results an earlier attempt at its next step left.
    pub calls: HashMap<String, Value>,
    /// What is left to fold.
    pub tail: Tail,
}

impl Store {
    /// What there is to do for a driver.
    pub fn to_do(&self) -> Result<ToDo, StoreError> {
        self.read(|db| {
            let mut threads = Vec::new();
            // By one status each, in the order of its index; a list of them would be made a table first, each time.
            let mut active = db.prepare_cached(
                "SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'held'
                 UNION ALL SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'ready'
                 UNION ALL SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'running'",
            )?;
            collect(active.query([])?, &mut threads)?;
            if db.prepare_cached("SELECT 1 FROM events LIMIT 1")?.exists([])? {
                let mut addressed = db.prepare_cached(
                    "SELECT id, status, version, hold_ms, held_at FROM threads
                     WHERE status IN ('waiting', 'done') AND seq IN (SELECT thread FROM events) ORDER BY seq",
                )?;
                collect(addressed.query([])?, &mut threads)?;
            }
            Ok(ToDo { threads, paused: settings::is_paused(db)? })
        })
    }

    /// A thread's version, to notice that it moved.
    pub fn version(&self, thread: &ThreadId) -> Result<i64, StoreError> {
        self.read(|db| {
            Ok(db
                .prepare_cached("SELECT version FROM threads WHERE id = ?")?
                .query_row([thread.as_str()], |row| row.get(0))?)
        })
    }

    /// Everything needed to drive a thread; `have` is what the driver has folded already.
    pub fn load(&self, thread: &ThreadId, have: Option<Have>) -> Result<Loaded, StoreError> {
        let now = self.now_ms();
        self.read(|db| run(db, thread, have, now))
    }

    /// What is needed to fold a thread's state as it was after its first `steps` steps, or as it is now; nothing of a
    /// pruned one.
    pub fn fold(&self, thread: &ThreadId, steps: Option<u64>) -> Result<Option<(String, Tail)>, StoreError> {
        self.read(|db| {
            let mut row = ThreadRow::find(db, thread)?;
            if row.pruned_at.is_some() {
                return Ok(None);
            }
            let (workflow, whole) = (row.workflow.clone(), row.steps);
            if let Some(wanted) = steps.and_then(|n| i64::try_from(n).ok()).filter(|n| *n < whole) {
                row.steps = wanted;
            }
            let tail = tail(db, &row, None, row.steps == whole)?;
            Ok(Some((workflow, tail)))
        })
    }

    /// The driver says that a node takes a while. It changes nothing a running node rests on.
    pub fn mark_running(&self, thread: ThreadId, version: i64) {
        self.write_later(move |db| {
            let mut row = ThreadRow::find(db, &thread)?;
            if row.version != version || !row.status.active() {
                return Err(StoreError::Moved);
            }
            row.status = Status::Running;
            row.update(db)
        });
    }

    /// A new driver takes over: what ran when the last one ended is ready again.
    pub async fn recover(&self) -> Result<usize, StoreError> {
        self.write(|db| {
            let mut found = db.prepare_cached("SELECT seq FROM threads WHERE status = 'running'")?;
            let running: Vec<i64> = found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            for seq in &running {
                let mut row = match ThreadRow::by_seq(db, *seq) {
                    Ok(row) => row,
                    // One row that cannot be trusted does not keep the others from being driven.
                    Err(StoreError::Damaged(what)) => {
                        tracing::error!(%what, "a running thread is left alone");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                row.status = Status::Ready;
                row.update(db)?;
            }
            Ok(running.len())
        })
        .await
    }
}

fn collect(mut rows: Rows<'_>, threads: &mut Vec<Runnable>) -> Result<(), StoreError> {
    while let Some(row) = rows.next()? {
        let (id, status): (String, String) = (row.get(0)?, row.get(1)?);
        let (Ok(thread), Some(status)) = (ThreadId::parse(&id), Status::from_word(&status)) else {
            return damaged(format!("thread {id} has no valid id or status"));
        };
        let (version, hold_ms, held_at) = (row.get(2)?, row.get(3)?, row.get(4)?);
        threads.push(Runnable { thread, status, version, hold_ms, held_at });
    }
    Ok(())
}

fn run(db: &Connection, thread: &ThreadId, have: Option<Have>, now: i64) -> Result<Loaded, StoreError> {
    let row = ThreadRow::find(db, thread)?;
    let pending = InterruptRow::pending(db, row.seq)?;
    check_effects(db, &row)?;
    let (mut answers, mut granted, mut asked) = (Vec::new(), Vec::new(), 0);
    if row.awaits == Awaits::Answers {
        asked = check_asked(db, &row, &pending, have)?;
        for interrupt in pending.iter().filter(|p| !p.engine && p.stage == Stage::Decided) {
            interrupt.check_hash()?;
            let decision = DecisionRow::in_force(db, interrupt)?;
            if let By::Grant(grant) = &decision.by
                && !decision.consumed
            {
                granted.push(Granted {
                    interrupt: interrupt.id.clone(),
                    grant: grant.clone(),
                    covered: grants::covers(db, grant, interrupt, &row.id, now)?,
                });
            }
            answers.push(Answer {
                key: interrupt.key.clone(),
                interrupt: interrupt.id.clone(),
                proposed: interrupt.args()?,
                decision: decision.decision,
                learn: decision.learn,
                expired: decision.by == By::Expiry,
            });
        }
    }
    let tail = tail(db, &row, have, true)?;
    let events = arrive::queued(db, row.seq)?;
    Ok(Loaded {
        thread: row.id.clone(),
        status: row.status,
        node: row.node.clone(),
        awaits: row.awaits,
        version: row.version,
        at: Have { steps: row.steps, head: row.head, asked, snapshot_bytes: tail.snapshot_bytes },
        alone: row.alone,
        step_limit: row.step_limit,
        allowance: row.allowance,
        forked: row.origin.is_some(),
        paused: settings::is_paused(db)?,
        trouble_decided: pending.iter().any(|p| p.engine && p.stage == Stage::Decided),
        answers,
        granted,
        children: if row.awaits == Awaits::Children { children(db, &row)? } else { Vec::new() },
        overtaken: arrive::overtaken(db, &row, &events)?,
        events,
        calls: effects::calls(db, row.seq, row.steps)?,
        tail,
        workflow: row.workflow,
        fingerprint: row.fingerprint,
    })
}

/// A missing effect row would mean doing it again, so the thread counts them.
fn check_effects(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM effects WHERE thread = ?")?
        .query_row([row.seq], |found| found.get(0))?;
    if count == row.effects {
        Ok(())
    } else {
        damaged(format!("thread {} has {} effects, and {count} are on record", row.id, row.effects))
    }
}

/// A question that went missing would let the thread go on without its answer, so its last step counts them.
fn check_asked(
    db: &Connection,
    row: &ThreadRow,
    pending: &[InterruptRow],
    have: Option<Have>,
) -> Result<usize, StoreError> {
    let asked = match have.filter(|have| have.is_all_of(row)) {
        Some(have) => have.asked,
        None => {
            let last = steps(db, row, row.steps - 1)?;
            last.iter().map(|step| Ok(asked(step)?.len())).sum::<Result<_, StoreError>>()?
        }
    };
    let found = pending.iter().filter(|pending| !pending.engine).count();
    if asked == found {
        Ok(asked)
    } else {
        damaged(format!("thread {} waits for {asked} answers, and {found} questions are on record", row.id))
    }
}

/// What `sayso doctor` reads of a thread's state: its snapshot, and the chain from there to its head.
pub(super) fn check_tail(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    let own: i64 = db
        .prepare_cached("SELECT count(*) FROM steps WHERE thread = ?")?
        .query_row([row.seq], |found| found.get(0))?;
    if own != row.steps - row.origin_step.map_or(0, |last| last + 1) {
        return damaged(format!(
            "thread {} has {} steps, and {own} of its own are on record",
            row.id, row.steps
        ));
    }
    tail(db, row, None, true).map(|_| ())
}

fn children(db: &Connection, row: &ThreadRow) -> Result<Vec<ChildResult>, StoreError> {
    // Nothing is appended to a thread that waits for children, so the step that started them is its last.
    let mut found = db.prepare_cached(
        "SELECT seq FROM threads WHERE parent = ? AND parent_step = ? AND joined = 1 ORDER BY seq",
    )?;
    let seqs: Vec<i64> =
        found.query_map([row.seq, row.steps - 1], |found| found.get(0))?.collect::<Result<_, _>>()?;
    let mut results = Vec::new();
    for seq in seqs {
        let child = ThreadRow::by_seq(db, seq)?;
        results.push(ChildResult {
            key: child.child_key.unwrap_or_default(),
            thread: child.id,
            done: child.status == Status::Done,
            output: child.output.as_deref().map(|text| json("an output", text)).transpose()?,
            error: child.error_text,
        });
    }
    Ok(results)
}

/// The steps of a thread from number `from` on, through the threads it was forked from, chain checked.
///
/// `from` 0 checks the chain from its very beginning.
pub(super) fn steps(db: &Connection, row: &ThreadRow, from: i64) -> Result<Vec<StepRow>, StoreError> {
    let before = if from == 0 { Digest::default() } else { digest_at(db, row, from - 1)? };
    chain(db, row, from, before)
}

fn chain(db: &Connection, row: &ThreadRow, from: i64, before: Digest) -> Result<Vec<StepRow>, StoreError> {
    let mut steps = Vec::new();
    let mut before = before;
    for (thread, low, high) in segments(db, row, from)? {
        let mut found =
            db.prepare_cached("SELECT * FROM steps WHERE thread = ? AND n >= ? AND n < ? ORDER BY n")?;
        let mut rows = found.query([thread, low, high])?;
        let mut n = low;
        while let Some(found) = rows.next()? {
            let step = StepRow::read(found, before)?;
            if step.n != n {
                break;
            }
            before = step.digest;
            n += 1;
            steps.push(step);
        }
        if n != high {
            return damaged(format!("step {n} of thread {} is missing", row.id));
        }
    }
    Ok(steps)
}

/// Which rows hold steps `from..row.steps`: those of its origins first.
fn segments(db: &Connection, row: &ThreadRow, from: i64) -> Result<Vec<(i64, i64, i64)>, StoreError> {
    prune::refuse_pruned(row)?;
    let mut parts = Vec::new();
    let (mut seq, mut high, mut origin, mut shared) = (row.seq, row.steps, row.origin, row.origin_step);
    loop {
        let low = shared.map_or(0, |last| last + 1);
        if high > low.max(from) {
            parts.push((seq, low.max(from), high));
        }
        match origin {
            Some(further) if low > from => {
                let original = ThreadRow::by_seq(db, further)?;
                high = high.min(low);
                (seq, origin, shared) = (original.seq, original.origin, original.origin_step);
            }
            _ => break,
        }
    }
    parts.reverse();
    Ok(parts)
}

fn digest_at(db: &Connection, row: &ThreadRow, n: i64) -> Result<Digest, StoreError> {
    let Some((thread, ..)) = segments(db, row, n)?.into_iter().next() else { return Ok(row.head) };
    let found: Option<Vec<u8>> = db
        .prepare_cached("SELECT digest FROM steps WHERE thread = ? AND n = ?")?
        .query_row([thread, n], |found| found.get(0))
        .optional()?;
    found
        .and_then(|bytes| Digest::from_bytes(&bytes))
        .map_or_else(|| damaged(format!("step {n} of thread {} is missing", row.id)), Ok)
}

/// What is left to fold; `newest` says that the chain must end at the thread's head.
fn tail(db: &Connection, row: &ThreadRow, have: Option<Have>, newest: bool) -> Result<Tail, StoreError> {
    if let Some(have) = have.filter(|have| have.is_all_of(row)) {
        return Ok(Tail { from: have.steps, snapshot_bytes: have.snapshot_bytes, ..Tail::default() });
    }
    if let Some(have) = have.filter(|have| have.steps <= row.steps) {
        let steps = chain(db, row, have.steps, have.head);
        // What the driver has may come from before a failed write; then the whole is folded anew.
        if let Ok(steps) = steps
            && ends_at_head(row, steps.last().map_or(have.head, |step| step.digest), newest)
        {
            let bytes: Option<i64> = db
                .prepare_cached("SELECT length(state) FROM snapshots WHERE thread = ?")?
                .query_row([row.seq], |found| found.get(0))
                .optional()?;
            let updates = steps.into_iter().map(|step| step.updates).collect();
            return Ok(Tail {
                snapshot: None,
                updates,
                from: have.steps,
                snapshot_bytes: bytes.and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
            });
        }
        return tail(db, row, None, newest);
    }
    let found = snapshot(db, row)?;
    let (from, head) = found.as_ref().map_or((0, Digest::default()), |(from, head, ..)| (*from, *head));
    let steps = chain(db, row, from, head)?;
    if !ends_at_head(row, steps.last().map_or(head, |step| step.digest), newest) {
        return damaged(format!("the steps of thread {} do not lead to where it stands", row.id));
    }
    let snapshot_bytes = found.as_ref().map_or(0, |(.., bytes)| *bytes);
    Ok(Tail {
        snapshot: found.map(|(_, _, state, _)| state),
        updates: steps.into_iter().map(|step| step.updates).collect(),
        from,
        snapshot_bytes,
    })
}

fn ends_at_head(row: &ThreadRow, last: Digest, newest: bool) -> bool {
    !newest || last == row.head
}

type Snapshot = (i64, Digest, String, usize);

/// The newest snapshot, where it is not newer than what is wanted.
fn snapshot(db: &Connection, row: &ThreadRow) -> Result<Option<Snapshot>, StoreError> {
    let mut found = db.prepare_cached("SELECT steps, head, state, digest FROM snapshots WHERE thread = ?")?;
    let mut rows = found.query([row.seq])?;
    let Some(found) = rows.next()? else { return Ok(None) };
    let what = || format!("the snapshot of thread {}", row.id);
    let (steps, head, packed, digest): (i64, Vec<u8>, Vec<u8>, Vec<u8>) =
        (found.get(0)?, found.get(1)?, found.get(2)?, found.get(3)?);
    if steps > row.steps {
        return Ok(None);
    }
    let head = Digest::from_bytes(&head).map_or_else(|| damaged(what()), Ok)?;
    if seal_snapshot(row.seq, steps, head, &packed).bytes() != digest {
        return damaged(format!("{} is not as it was written", what()));
    }
    let state = lz4_flex::decompress_size_prepended(&packed)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or_else(|| damaged(format!("{} cannot be unpacked", what())), Ok)?;
    Ok(Some((steps, head, state, packed.len())))
}

/// The interrupts a step asked, by the ids it names.
pub(super) fn asked(step: &StepRow) -> Result<Vec<crate::graph::InterruptId>, StoreError> {
    match step.next()? {
        NextView::Ask { ask, .. } => Ok(ask),
        NextView::Goto { .. } | NextView::Spawn { .. } | NextView::End { .. } => Ok(Vec::new()),
    }
}
