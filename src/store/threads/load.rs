//! Everything a driver needs to drive a thread by one step, read at one moment.

use crate::graph::{Answer, ChildResult, Event, InterruptId, ThreadId};
use crate::inbox::{DecidedBy, NextView, PROGRAM_ACTIONS, PROGRAM_WORKFLOW, Status};
use crate::store::log::{self, EntryKind, Stepped};
use crate::store::record::recent::{LastStep, Question, Recent, check_beginning, is_news};
use crate::store::record::steps::steps_since;
use crate::store::record::{calls, snapshots};
use crate::store::rows::{Awaits, ThreadRow, damaged};
use crate::store::{StoreError, Threads, grants, settings};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::HashMap;

/// A thread that may need the driver.
#[derive(Clone, Debug)]
pub struct Runnable {
    pub thread: ThreadId,
    pub status: Status,
    pub version: i64,
    /// How long it is held.
    pub hold_ms: i64,
    /// Since when it is held, by the wall clock.
    pub held_at: Option<i64>,
}

/// All threads that may need the driver, and whether it may drive.
#[derive(Clone, Debug)]
pub struct RunnableThreads {
    pub threads: Vec<Runnable>,
    /// Whether all driving is paused.
    pub paused: bool,
}

/// How much of a thread's state the driver has already folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedUpTo {
    /// The last step folded into it.
    pub step: LastStep,
    /// The size of the stored snapshot, or 0 if there is none.
    pub snapshot_bytes: usize,
}

impl FoldedUpTo {
    /// How many steps are folded into it.
    pub fn steps(&self) -> i64 {
        self.step.steps
    }
}

/// The updates left to fold.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    /// A snapshot to start from, as JSON. `None` starts from nothing, or from the driver's state.
    pub snapshot: Option<String>,
    /// The updates of each later step, as JSON arrays.
    pub updates: Vec<String>,
    /// Whether they continue the driver's cached state.
    pub continues: bool,
    /// The size of the stored snapshot, or 0 if there is none.
    snapshot_bytes: usize,
}

/// An answer that a grant gave.
#[derive(Clone, Debug)]
pub struct GrantedAnswer {
    pub interrupt: InterruptId,
    /// The id of the grant.
    pub grant: String,
    /// Whether the grant still covers the question. Only the driver knows what the config allows.
    pub covered: bool,
}

/// A thread, ready to be driven.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub thread: ThreadId,
    pub workflow: String,
    pub status: Status,
    /// The next node.
    pub node: String,
    /// What it takes in before the next node.
    pub awaits: Awaits,
    pub version: i64,
    /// Its last step, and the size of its snapshot.
    pub at: FoldedUpTo,
    /// How long it is held.
    pub hold_ms: i64,
    /// Steps since it last heard from a person.
    pub steps_since_person: i64,
    /// How many such steps it may take.
    pub step_limit: i64,
    /// How often its budget was granted.
    pub allowance: i64,
    pub forked: bool,
    /// Whether all driving is paused.
    pub paused: bool,
    /// Whether a decision about trouble has to be carried out first.
    pub trouble_decided: bool,
    /// Its answers, in the order the questions were asked.
    pub answers: Vec<Answer>,
    /// The answers that grants gave and that have not been acted on.
    pub granted: Vec<GrantedAnswer>,
    /// How its children ended, in the order spawned.
    pub children: Vec<ChildResult>,
    /// Events not taken in yet.
    pub events: Vec<(i64, Event)>,
    /// Whether these events have to be shown to a person before the approved effect is carried out.
    pub has_unseen_news: bool,
    /// Call results left by an earlier attempt at its next step.
    pub calls: HashMap<String, Value>,
    /// The updates left to fold.
    pub tail: Tail,
}

/// One query per status follows the index order; with a list of statuses, SQLite would build a table first each time.
/// Left to itself, it would look for unheard news among all threads that are done.
const RUNNABLE: &str = "
    SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'held'
    UNION ALL SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'ready'
    UNION ALL SELECT id, status, version, hold_ms, held_at FROM threads WHERE status = 'running'
    UNION ALL SELECT id, status, version, hold_ms, held_at FROM threads INDEXED BY threads_unheard
        WHERE unheard > 0 AND status IN ('waiting', 'done')";

impl Threads<'_> {
    pub fn runnable(self) -> Result<RunnableThreads, StoreError> {
        self.0.read(|db| {
            let mut statement = db.prepare_cached(RUNNABLE)?;
            let rows = statement.query_map([], |row| {
                let (thread, status, version) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (hold_ms, held_at) = (row.get(3)?, row.get(4)?);
                Ok(Runnable { thread, status, version, hold_ms, held_at })
            })?;
            let threads = rows.collect::<Result<_, _>>()?;
            Ok(RunnableThreads { threads, paused: settings::is_paused(db)? })
        })
    }

    /// A thread's version, to notice that it moved.
    pub fn version(self, thread: &ThreadId) -> Result<i64, StoreError> {
        self.0.read(|db| {
            Ok(db
                .prepare_cached("SELECT version FROM threads WHERE id = ?")?
                .query_row([thread.as_str()], |row| row.get(0))?)
        })
    }

    /// Everything needed to drive a thread; `folded` is what the driver has already folded.
    pub fn load(self, thread: &ThreadId, folded: Option<&FoldedUpTo>) -> Result<Loaded, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| run(db, thread, folded, now))
    }

    /// Everything needed to fold a thread's state after its first `steps` steps, or its current state; `None` if it was
    /// pruned.
    pub fn fold(self, thread: &ThreadId, steps: Option<u64>) -> Result<Option<(String, Tail)>, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, thread)?;
            if row.pruned_at.is_some() {
                return Ok(None);
            }
            let step_count = steps.and_then(|n| i64::try_from(n).ok()).filter(|n| *n < row.steps);
            let tail = tail(db, &row, None, step_count)?;
            Ok(Some((row.workflow, tail)))
        })
    }

    /// Checks everything that happened to a thread, for whoever is told how it ended.
    pub fn verify(self, thread: &ThreadId) -> Result<(), StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, thread)?;
            check_beginning(db, &row)?;
            log::verified_stream(db, row.seq, row.seq).map(|_| ())
        })
    }

    /// Shows a thread as running because its node takes a while. It does not change the version that a running node
    /// depends on.
    pub fn mark_running(self, thread: ThreadId, version: i64) {
        self.0.write_later(move |tx| {
            tx.prepare_cached(
                "UPDATE threads SET status = 'running' WHERE id = ? AND version = ? AND status IN ('ready', 'held')",
            )?
            .execute((thread.as_str(), version))?;
            Ok(())
        });
    }

    /// Makes threads ready again that were running when the last driver ended.
    pub async fn recover(self) -> Result<usize, StoreError> {
        self.0
            .write(|tx| {
                let running = "UPDATE threads SET status = 'ready' WHERE status = 'running'";
                Ok(tx.prepare_cached(running)?.execute([])?)
            })
            .await
    }
}

fn run(
    db: &Connection,
    thread: &ThreadId,
    folded: Option<&FoldedUpTo>,
    now: i64,
) -> Result<Loaded, StoreError> {
    let row = ThreadRow::find(db, thread)?;
    row.refuse_pruned()?;
    let recent = Recent::read(db, &row)?;
    // A program is told what was answered, and does it: that leaves.
    let programs = |question: &Question| question.asked.action.starts_with(PROGRAM_ACTIONS);
    if row.workflow == PROGRAM_WORKFLOW || recent.questions.iter().any(programs) {
        recent.verify(db, &row)?;
    }
    let (answers, granted) = answers(db, &row, &recent, now)?;
    let tail = match folded {
        Some(folded) if folded.step == recent.step => {
            Tail { continues: true, snapshot_bytes: folded.snapshot_bytes, ..Tail::default() }
        }
        folded => tail(db, &row, folded, None)?,
    };
    let status = recent.status(db, &row)?;
    check_listed(&row, status, recent.unheard.len() as i64)?;
    // A decision about trouble comes first, and its children may still be running then.
    let joins_children =
        recent.step.awaits == Awaits::Children && status.active() && recent.troubles().next().is_none();
    let children = if joins_children { children(db, &row, &recent)? } else { Vec::new() };
    let news = recent.unheard.iter().any(|(_, event)| is_news(event));
    let has_unseen_news = status.active() && news && recent.has_unstarted_approval();
    let (trouble_decided, hold_ms) = (recent.troubles().any(|trouble| !trouble.is_open()), recent.hold_ms());
    Ok(Loaded {
        thread: row.id.clone(),
        status,
        awaits: recent.step.awaits,
        version: row.version,
        steps_since_person: row.steps_since_person,
        step_limit: row.step_limit,
        allowance: row.allowance,
        forked: row.origin.is_some(),
        paused: settings::is_paused(db)?,
        trouble_decided,
        has_unseen_news,
        hold_ms,
        answers,
        granted,
        children,
        events: recent.unheard,
        calls: calls::read(db, row.seq, recent.step.steps)?,
        node: recent.step.node.clone(),
        at: FoldedUpTo { step: recent.step, snapshot_bytes: tail.snapshot_bytes },
        tail,
        workflow: row.workflow,
    })
}

/// The answers to a thread's questions, and those among them that a grant gave and that have not been acted on.
fn answers(
    db: &Connection,
    row: &ThreadRow,
    recent: &Recent,
    now: i64,
) -> Result<(Vec<Answer>, Vec<GrantedAnswer>), StoreError> {
    let (mut answers, mut granted) = (Vec::new(), Vec::new());
    if recent.step.awaits != Awaits::Answers {
        return Ok((answers, granted));
    }
    for (question, answer) in recent.node_questions().filter_map(|q| Some((q, q.current_answer()?))) {
        let asked = &question.asked;
        if answer.body.shown != question.hash() {
            return damaged(format!("interrupt {} no longer has the arguments that were shown", asked.id));
        }
        if let DecidedBy::Grant(grant) = &answer.body.by
            && !answer.acted
        {
            granted.push(GrantedAnswer {
                interrupt: asked.id.clone(),
                grant: grant.clone(),
                covered: grants::covers(db, grant, asked, &row.id, now)?,
            });
        }
        answers.push(Answer {
            key: asked.key.clone(),
            interrupt: asked.id.clone(),
            proposed: asked.args.clone(),
            decision: answer.body.decision.clone(),
            learn: !answer.body.unlearned,
            expired: answer.body.by == DecidedBy::Expiry,
            remember: answer.body.remember,
        });
    }
    Ok((answers, granted))
}

/// Checks that the row agrees with the log on status and events: a driver would look at a wrong one for ever.
fn check_listed(row: &ThreadRow, status: Status, unheard: i64) -> Result<(), StoreError> {
    if row.unheard != unheard {
        return damaged(format!(
            "thread {} is listed with {} arrivals, and has {unheard}",
            row.id, row.unheard
        ));
    }
    // The log does not record whether a thread is at work.
    let normalized = |status: Status| if status.active() { Status::Ready } else { status };
    if normalized(row.status) != normalized(status) {
        return damaged(format!("thread {} is listed as {}, and is {status} by the log", row.id, row.status));
    }
    Ok(())
}

/// The results of the children a thread waits for, in the order it started them, each read from the child's log.
fn children(db: &Connection, row: &ThreadRow, recent: &Recent) -> Result<Vec<ChildResult>, StoreError> {
    let spawned = match recent.entries.iter().find(|entry| entry.seq == recent.step.seq) {
        Some(entry) => entry.parse_body::<Stepped>()?.next,
        None => NextView::End { end: true },
    };
    let NextView::Spawn { spawn, .. } = spawned else {
        return damaged(format!("thread {} waits for children it has not started", row.id));
    };
    let mut results = Vec::new();
    for id in spawn {
        let child = ThreadRow::find(db, &id)?;
        let recent = Recent::read(db, &child)?;
        let status = recent.status(db, &child)?;
        if !status.ended() {
            return damaged(format!("thread {} is listed as ended, and is {status} by the log", child.id));
        }
        // The output is in the log with the step that produced it.
        let output = output_of(db, &child)?;
        results.push(ChildResult {
            key: child.child_key.unwrap_or_default(),
            thread: child.id,
            done: status == Status::Done,
            output,
            error: child.error_text,
        });
    }
    Ok(results)
}

/// A thread's output, read from the log.
fn output_of(db: &Connection, row: &ThreadRow) -> Result<Option<Value>, StoreError> {
    let mut output = None;
    for entry in log::stream(db, row.seq, row.seq)?.iter().filter(|entry| entry.kind == EntryKind::Stepped) {
        let body: Stepped = entry.parse_body()?;
        if body.no_output {
            output = None;
        }
        if let Some(written) = body.output {
            let read: Result<Value, _> = serde_json::from_str(written.get());
            output =
                Some(read.or_else(|_| damaged(format!("the output of thread {} is not readable", row.id)))?);
        }
    }
    Ok(output)
}

/// Reads what `sayso doctor` checks of a thread's state: its snapshot and the steps after it.
pub(in crate::store) fn check_tail(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    tail(db, row, None, None).map(|_| ())
}

/// The updates left to fold, up to the first `step_count` steps.
fn tail(
    db: &Connection,
    row: &ThreadRow,
    folded: Option<&FoldedUpTo>,
    step_count: Option<i64>,
) -> Result<Tail, StoreError> {
    let limit = step_count.unwrap_or(i64::MAX);
    let stored = snapshots::read(db, row)?;
    let snapshot_bytes = stored.as_ref().map_or(0, |stored| stored.bytes);
    // The driver's state may come from before a failed write; then its entry does not exist.
    if let Some(folded) = folded
        && let Ok(entry) = log::entry(db, folded.step.seq)
        && entry.chain == folded.step.chain
        && entry.stream == row.seq
    {
        let steps = steps_since(db, row, folded.step.seq, folded.step.steps)?;
        let updates = steps.into_iter().map(|step| step.updates).collect();
        return Ok(Tail { snapshot: None, updates, continues: true, snapshot_bytes });
    }
    if let Some(stored) = stored.filter(|stored| stored.steps <= limit) {
        let steps = steps_since(db, row, stored.entry, stored.steps)?;
        let updates = steps.into_iter().filter(|step| step.n < limit).map(|step| step.updates).collect();
        return Ok(Tail { snapshot: Some(stored.state), updates, continues: false, snapshot_bytes });
    }
    let steps = steps_since(db, row, row.seq, 0)?;
    let updates = steps.into_iter().filter(|step| step.n < limit).map(|step| step.updates).collect();
    Ok(Tail { snapshot: None, updates, continues: false, snapshot_bytes })
}
