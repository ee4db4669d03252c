//! Commits a node's result in one transaction, all or nothing.

use crate::engine::graph::{Decision, Interrupt, ThreadId};
use crate::engine::store::log::{Asked, Decided, Entry, Parent, Step, Stepped, Tx};
use crate::engine::store::record::append::raw;
use crate::engine::store::record::listed::Listed;
use crate::engine::store::record::project::save;
use crate::engine::store::record::questions::schema;
use crate::engine::store::record::since_step::SinceStep;
use crate::engine::store::record::{calls, forks, snapshots};
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::threads::load::{FoldedUpTo, Repeated};
use crate::engine::store::threads::start::{NewThread, start, start_child};
use crate::engine::store::{StoreError, Threads, grants};
use crate::inbox::{DecidedBy, NextView, Status};
use rusqlite::Connection;

/// One step to add to a thread.
#[derive(Clone, Debug)]
pub struct NewStep {
    /// A node's full name, or ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// A JSON array of updates.
    pub updates: String,
    /// How long its node ran, in milliseconds, if one did.
    pub took_ms: Option<i64>,
}

/// Where a thread goes after a step.
#[derive(Clone, Debug)]
pub enum NextStep {
    Goto(String),
    /// Ask a person, then go to this node.
    Ask(Vec<Interrupt>, String),
    /// Start children, wait for them, then go to this node.
    Spawn(Vec<NewThread>, String),
    End,
    /// Give up.
    Abandon,
}

/// Everything one turn of a thread writes.
#[derive(Clone, Debug)]
pub struct Commit {
    pub thread: ThreadId,
    /// The version it was read at; the commit is refused if it has changed.
    pub version: i64,
    /// What the thread took in before the node (answers, results, events), then the node's own step.
    pub steps: Vec<NewStep>,
    pub next: NextStep,
    pub title: String,
    /// As JSON.
    pub output: Option<String>,
    /// The current fingerprint of its workflow.
    pub fingerprint: String,
    /// Its folded state as JSON, if a new snapshot is due.
    pub snapshot: Option<String>,
    /// The size of the last one.
    pub snapshot_bytes: usize,
    /// What it was loaded with and its steps repeat.
    pub repeats: Repeated,
    /// Whether call results may be recorded for its step.
    pub has_calls: bool,
    /// The last event among the steps.
    pub last_event: Option<i64>,
    /// Whether the thread ends with a result to read.
    pub has_result: bool,
    /// How long an irreversible effect that a grant allows is held.
    pub hold_ms: i64,
    /// The step limit of the threads it starts.
    pub step_limit: i64,
}

/// A thread after a commit.
#[derive(Clone, Debug)]
pub struct Committed {
    pub status: Status,
    /// Whether events are still waiting to be taken in.
    pub has_events: bool,
    /// How much of it a state that includes the commit has folded.
    pub at: FoldedUpTo,
}

/// The result of beginning a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartResult {
    /// It was started.
    New(ThreadId),
    /// There already was one with this key.
    Earlier(ThreadId),
}

impl Threads<'_> {
    /// Starts a thread together with its first turn, unless one with its key exists. If several callers use the same
    /// key at once, one starts the thread and the others get it as [`StartResult::Earlier`].
    pub async fn begin(self, new: NewThread, first: Commit) -> Result<StartResult, StoreError> {
        self.0
            .write(move |tx| {
                if let Some(earlier) = find_by_key(tx, &new)? {
                    return Ok(StartResult::Earlier(earlier.id));
                }
                let started = start(tx, &new, first.step_limit)?;
                let (thread, version) = (started.id.clone(), started.version);
                run(tx, &Commit { thread, version, ..first })?;
                Ok(StartResult::New(started.id))
            })
            .await
    }

    /// Commits a turn.
    pub async fn commit(self, commit: Commit) -> Result<Committed, StoreError> {
        self.0.write(move |tx| run(tx, &commit)).await
    }
}

pub fn run(tx: &Tx<'_>, commit: &Commit) -> Result<Committed, StoreError> {
    let mut listed = Listed::find(tx, &commit.thread)?;
    if listed.row.version != commit.version {
        return Err(StoreError::Moved);
    }
    if commit.has_calls {
        calls::forget(tx, &listed.row)?;
    }
    let first = listed.row.steps;
    let last = first + commit.steps.len() as i64 - 1;
    let (takes, waiting_events) = taken_in(tx, &listed, commit.last_event)?;
    let (next, asked) = write_next(tx, &mut listed, commit, last)?;
    let step =
        |step: &NewStep| Ok(Step { node: step.node.clone(), updates: raw(&step.updates)?, ms: step.took_ms });
    let steps: Vec<Step> = commit.steps.iter().map(step).collect::<Result<_, StoreError>>()?;
    let row = &listed.row;
    let changed = commit.output.as_deref().filter(|_| row.output != commit.output);
    let stepped = Stepped {
        abandoned: matches!(commit.next, NextStep::Abandon),
        result: commit.has_result,
        no_output: row.output.is_some() && commit.output.is_none(),
        title: (row.title != commit.title).then(|| commit.title.clone()),
        output: changed.map(raw).transpose()?,
        fingerprint: (row.fingerprint != commit.fingerprint).then(|| commit.fingerprint.clone()),
        open: asked.iter().map(|(entry, _)| entry.seq).collect(),
        waiting_events,
        takes,
        ..Stepped::new(first, &steps, next)
    };
    let similar: Vec<&Entry> = commit.repeats.0.iter().chain(asked.iter().map(|(entry, _)| entry)).collect();
    let entry = listed.step(tx, &stepped, &steps, &similar)?;
    if let NextStep::Ask(questions, _) = &commit.next {
        let granted = granted(tx, &listed.row.id, &asked, questions)?;
        answer_by_grant(tx, &mut listed, &asked, granted, commit.hold_ms)?;
    }
    let row = &listed.row;
    if let Some(state) = &commit.snapshot {
        snapshots::write(tx, row.seq, row.step, row.steps, state)?;
    }
    let snapshot_bytes = commit.snapshot.as_ref().map_or(commit.snapshot_bytes, String::len);
    let at = FoldedUpTo { step: row.step, steps: row.steps, snapshot_bytes };
    let committed = Committed { status: row.status, has_events: row.waiting_events > 0, at };
    save(tx, listed, &entry)?;
    Ok(committed)
}

/// Asks the turn's questions and starts its threads. Returns where the thread goes next, and the questions.
fn write_next(
    tx: &Tx<'_>,
    listed: &mut Listed,
    commit: &Commit,
    step: i64,
) -> Result<(NextView, Vec<(Entry, Asked)>), StoreError> {
    let mut asked = Vec::new();
    let next = match &commit.next {
        NextStep::Goto(node) => NextView::Goto { goto: node.clone() },
        NextStep::End | NextStep::Abandon => NextView::End { end: true },
        NextStep::Ask(questions, then) => {
            for question in questions {
                let mut new = Asked::new(step, schema(tx, &question.schema)?, None, question);
                forks::warn_if_done(tx, &listed.row, &mut new)?;
                asked.push((listed.ask(tx, &new)?, new));
            }
            let ask = asked.iter().map(|(_, asked)| asked.id.clone()).collect();
            NextView::Ask { ask, then: then.clone() }
        }
        NextStep::Spawn(children, then) => {
            let parent = Parent { thread: listed.row.seq, step };
            let (by_person, limit) = (listed.row.by_person, commit.step_limit);
            let spawn = children
                .iter()
                .map(|new| Ok(start_child(tx, new, parent, by_person, limit)?.id))
                .collect::<Result<_, StoreError>>()?;
            NextView::Spawn { spawn, then: then.clone() }
        }
    };
    Ok((next, asked))
}

/// The entries a step takes in, and the events left after it.
fn taken_in(
    db: &Connection,
    listed: &Listed,
    last_event: Option<i64>,
) -> Result<(Vec<i64>, Vec<i64>), StoreError> {
    let answers = listed.live().filter(|question| !question.trouble).filter_map(|question| question.answer);
    let mut takes: Vec<i64> = answers.collect();
    let mut left = Vec::new();
    if listed.row.waiting_events > 0 {
        for (seq, _) in SinceStep::read(db, &listed.row)?.waiting_events {
            let heard = last_event.is_some_and(|last| seq <= last);
            if heard { takes.push(seq) } else { left.push(seq) }
        }
    }
    Ok((takes, left))
}

/// The questions that grants cover, each by its index and grant.
fn granted(
    tx: &Tx<'_>,
    thread: &ThreadId,
    asked: &[(Entry, Asked)],
    questions: &[Interrupt],
) -> Result<Vec<(usize, String)>, StoreError> {
    let mut granted = Vec::new();
    for (at, ((_, asked), question)) in asked.iter().zip(questions).enumerate() {
        if let Some(grant) = &question.granted
            && grants::covers(tx, grant, asked, thread, tx.now())?
        {
            granted.push((at, grant.clone()));
        }
    }
    Ok(granted)
}

/// Answers the questions that grants cover. The thread is held if grants answered all of them and any is irreversible.
fn answer_by_grant(
    tx: &Tx<'_>,
    listed: &mut Listed,
    asked: &[(Entry, Asked)],
    granted: Vec<(usize, String)>,
    hold_ms: i64,
) -> Result<(), StoreError> {
    let all = granted.len() == asked.len();
    let held = granted.iter().any(|(at, _)| asked[*at].1.interrupt.irreversible);
    let last = granted.len().saturating_sub(1);
    for (n, (at, grant)) in granted.into_iter().enumerate() {
        let (entry, asked) = &asked[at];
        let decided = Decided {
            decision: Decision::Accept,
            by: DecidedBy::Grant(grant),
            shown: asked.hash(),
            unlearned: false,
            remember: None,
            batch: None,
            hold_ms: if all && held && n == last { hold_ms } else { 0 },
            title: None,
            done: None,
            from: tx.opened()?,
        };
        listed.decide(tx, entry.seq, &decided)?;
    }
    Ok(())
}

/// The thread that was started with this key.
fn find_by_key(db: &Connection, new: &NewThread) -> Result<Option<ThreadRow>, StoreError> {
    if new.key.is_empty() {
        return Ok(None);
    }
    Ok(ThreadRow::select(
        db,
        "WHERE parent IS NULL AND workflow = ? AND child_key = ?",
        [&new.workflow, &new.key],
    )?
    .pop())
}
