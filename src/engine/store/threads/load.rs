//! Everything a driver needs to drive a thread by one step, read at one moment.

use crate::engine::graph::{Answer, ChildResult, Event, InterruptId, ThreadId};
use crate::engine::store::log::{self, Asked, Decided, Entry};
use crate::engine::store::record::listed::Listed;
use crate::engine::store::record::questions::asked_of;
use crate::engine::store::record::since_step::{SinceStep, check_beginning, is_news};
use crate::engine::store::record::steps::steps_since;
use crate::engine::store::record::{calls, snapshots};
use crate::engine::store::rows::{self, Awaits, InterruptRow, Runnable, Stage, ThreadRow, damaged};
use crate::engine::store::{StoreError, Threads, grants, settings};
use crate::inbox::{DecidedBy, PROGRAM_ACTIONS, PROGRAM_WORKFLOW, Status};
use rusqlite::{Connection, Row};
use serde_json::Value;
use std::collections::HashMap;

/// All threads that may need the driver, and whether it may drive.
#[derive(Clone, Debug)]
pub struct RunnableThreads {
    pub threads: Vec<Runnable>,
    /// Whether all driving is paused.
    pub paused: bool,
    /// The last entry of the log then.
    pub last: i64,
}

/// How much of a thread's state the driver has already folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedUpTo {
    /// The entry of the last step folded into it.
    pub(in crate::engine::store) step: i64,
    /// How many steps are folded into it.
    pub steps: i64,
    /// The size of the stored snapshot, or 0 if there is none.
    pub snapshot_bytes: usize,
}

/// Entries that steps repeat, for compression.
#[derive(Clone, Debug, Default)]
pub struct Repeated(pub Vec<Entry>);

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
    /// Its row; of one whose answers leave, status and hold are those of the log.
    pub row: ThreadRow,
    /// Its last step, and the size of its snapshot.
    pub at: FoldedUpTo,
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
    /// What its next steps will repeat.
    pub repeats: Repeated,
}

/// One query per status follows the index order; with a list of statuses, SQLite would build a table first each time.
/// Left to itself, it would look for waiting events among all threads that are done.
const RUNNABLE: &str = "
    SELECT seq, id, status, version, hold_ms, held_at, waiting_events, workflow FROM threads WHERE status = 'held'
    UNION ALL SELECT seq, id, status, version, hold_ms, held_at, waiting_events, workflow FROM threads WHERE status = 'ready'
    UNION ALL SELECT seq, id, status, version, hold_ms, held_at, waiting_events, workflow FROM threads WHERE status = 'running'
    UNION ALL SELECT seq, id, status, version, hold_ms, held_at, waiting_events, workflow FROM threads INDEXED BY threads_waiting_events
        WHERE waiting_events > 0 AND status IN ('waiting', 'done')";

impl Threads<'_> {
    pub fn runnable(self) -> Result<RunnableThreads, StoreError> {
        self.0.read(|db| {
            let read = |row: &Row<'_>| -> Result<Runnable, StoreError> {
                let (seq, thread, status, version) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                let (hold_ms, held_at, waiting_events) = (row.get(4)?, row.get(5)?, row.get(6)?);
                let by_program = row.get::<_, String>(7)? == PROGRAM_WORKFLOW;
                Ok(Runnable { seq, thread, status, version, hold_ms, held_at, waiting_events, by_program })
            };
            let threads = rows::query(db, RUNNABLE, [], |row| {
                let seq: i64 = row.get(0)?;
                Ok(rows::readable("a thread", seq, read(row)))
            })?;
            let threads = threads.into_iter().flatten().collect();
            Ok(RunnableThreads { threads, paused: settings::is_paused(db)?, last: log::last_seq(db)? })
        })
    }

    /// A thread's version, to notice that it moved.
    pub fn version(self, thread: &ThreadId) -> Result<i64, StoreError> {
        self.0.read(|db| rows::one(db, "SELECT version FROM threads WHERE id = ?", [thread]))
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
            tx.memory().take(|(row, _)| row.id == thread);
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
                tx.memory().forget_threads();
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
    let (row, paused) = thread_and_pause(db, thread)?;
    let Listed { mut row, questions, .. } = Listed::of(db, row)?;
    row.refuse_pruned()?;
    // A program is told what was answered, and does it: that leaves.
    let programs = |question: &InterruptRow| question.action.starts_with(PROGRAM_ACTIONS);
    let leaves = row.workflow == PROGRAM_WORKFLOW || questions.iter().any(programs);
    let recent = match (leaves, row.waiting_events) {
        (true, _) => Some(SinceStep::verified(db, &row)?),
        (false, 0) => None,
        (false, _) => Some(SinceStep::read(db, &row)?),
    };
    let events = recent.as_ref().map_or_else(Vec::new, |recent| recent.waiting_events.clone());
    let news = events.iter().any(|(_, event)| is_news(event));
    let unstarted = recent.as_ref().is_some_and(SinceStep::has_unstarted_approval);
    let (status, hold_ms, answered) = match &recent {
        Some(recent) if leaves => (recent.status(db, &row)?, recent.hold_ms(), answered_on_record(recent)?),
        _ => (row.status, row.hold_ms, answered(db, &row, &questions)?),
    };
    // A driver would look at it for ever.
    if row.waiting_events != events.len() as i64 || row.status.active() != status.active() {
        return damaged(format!("thread {} is not listed as the log has it", row.id));
    }
    let (answers, granted) = answers(db, &row, &answered, now)?;
    let repeats = answered.into_iter().flat_map(|answered| answered.entries).collect();
    let tail = match folded {
        Some(folded) if folded.step == row.step => {
            Tail { continues: true, snapshot_bytes: folded.snapshot_bytes, ..Tail::default() }
        }
        folded => tail(db, &row, folded, None)?,
    };
    (row.status, row.hold_ms) = (status, hold_ms);
    let trouble = questions.iter().any(|question| question.trouble);
    // A decision about trouble comes first, and its children may still be running then.
    let joins_children = row.awaits == Awaits::Children && status.active() && !trouble;
    Ok(Loaded {
        paused,
        trouble_decided: questions.iter().any(|q| q.trouble && q.status == Stage::Decided),
        has_unseen_news: status.active() && news && unstarted,
        answers,
        granted,
        children: if joins_children { children(db, &row)? } else { Vec::new() },
        events,
        calls: calls::read(db, row.seq, row.steps)?,
        at: FoldedUpTo { step: row.step, steps: row.steps, snapshot_bytes: tail.snapshot_bytes },
        tail,
        repeats: Repeated(repeats),
        row,
    })
}

/// A thread, and whether all driving is paused.
fn thread_and_pause(db: &Connection, id: &ThreadId) -> Result<(ThreadRow, bool), StoreError> {
    let sql = format!("SELECT {}, {} FROM threads WHERE id = ?", ThreadRow::COLUMNS, settings::PAUSED);
    let found = rows::query(db, &sql, [id.as_str()], |cells| {
        let paused = cells.get(cells.as_ref().column_count() - 1)?;
        Ok((ThreadRow::read(cells)?, paused))
    })?;
    found.into_iter().next().ok_or_else(|| StoreError::unknown("thread", id.to_string()))
}

/// A question and its answer.
struct Answered {
    asked: Asked,
    decided: Decided,
    acted: bool,
    /// The entries they were read from.
    entries: Vec<Entry>,
}

/// What was answered to the questions of a thread, in the order they were asked.
fn answered(
    db: &Connection,
    row: &ThreadRow,
    questions: &[InterruptRow],
) -> Result<Vec<Answered>, StoreError> {
    let mut all = Vec::new();
    if row.awaits != Awaits::Answers {
        return Ok(all);
    }
    for question in questions.iter().filter(|question| !question.trouble) {
        let Some(answer) = question.answer else { continue };
        let entries = log::pair(db, question.seq, answer)?;
        let asked = if question.amended { asked_of(db, question)?.0 } else { entries[0].parse_body()? };
        let decided = entries[1].parse_body()?;
        all.push(Answered { asked, decided, acted: question.acted, entries: entries.into() });
    }
    Ok(all)
}

/// The same, from what was read and checked.
fn answered_on_record(recent: &SinceStep) -> Result<Vec<Answered>, StoreError> {
    let mut all = Vec::new();
    if recent.step.awaits != Awaits::Answers {
        return Ok(all);
    }
    for (question, answer) in recent.node_questions().filter_map(|q| Some((q, q.current_answer()?))) {
        let asked = question.asked.clone();
        if answer.body.shown != asked.hash() || !asked.interrupt.allow.permits(&answer.body.decision) {
            return damaged(format!("the answer to {} is not one to what was asked", asked.id));
        }
        let (decided, acted, entries) = (answer.body.clone(), answer.acted, Vec::new());
        all.push(Answered { asked, decided, acted, entries });
    }
    Ok(all)
}

/// The answers as its workflow takes them in, and those among them that a grant gave and that have not been acted on.
fn answers(
    db: &Connection,
    row: &ThreadRow,
    answered: &[Answered],
    now: i64,
) -> Result<(Vec<Answer>, Vec<GrantedAnswer>), StoreError> {
    let (mut answers, mut granted) = (Vec::new(), Vec::new());
    for Answered { asked, decided, acted, .. } in answered {
        if let DecidedBy::Grant(grant) = &decided.by
            && !acted
        {
            granted.push(GrantedAnswer {
                interrupt: asked.id.clone(),
                grant: grant.clone(),
                covered: grants::covers(db, grant, asked, &row.id, now)?,
            });
        }
        answers.push(Answer {
            key: asked.interrupt.key.clone(),
            interrupt: asked.id.clone(),
            proposed: asked.interrupt.args.clone(),
            decision: decided.decision.clone(),
            learn: !decided.unlearned,
            expired: decided.by == DecidedBy::Expiry,
            remember: decided.remember,
        });
    }
    Ok((answers, granted))
}

/// The results of the children a thread waits for, in the order it started them.
fn children(db: &Connection, row: &ThreadRow) -> Result<Vec<ChildResult>, StoreError> {
    let started = "WHERE parent = ? AND parent_step = ? ORDER BY seq";
    let mut results = Vec::new();
    for child in ThreadRow::select(db, started, [row.seq, row.steps - 1])? {
        results.push(ChildResult {
            done: child.status == Status::Done,
            output: child.output()?,
            key: child.child_key.unwrap_or_default(),
            thread: child.id,
            error: child.error_text,
        });
    }
    Ok(results)
}

/// Reads what `sayso doctor` checks of a thread's state: its snapshot and the steps after it.
pub fn check_tail(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
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
    let snapshot_bytes = stored.as_ref().map_or(0, |stored| stored.state.len());
    if let Some(folded) = folded {
        let steps = steps_since(db, row, folded.step, folded.steps)?;
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
