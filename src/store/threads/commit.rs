//! Commits a node's result in one transaction, all or nothing.

use crate::graph::{Decision, Interrupt, ThreadId};
use crate::inbox::{DecidedBy, NextView, Status};
use crate::store::log::{Asked, Entry, EntryKind, Parent, Step, Stepped, Tx};
use crate::store::record::answers::{NewDecision, record};
use crate::store::record::append::{append, append_steps, raw};
use crate::store::record::questions::schema;
use crate::store::record::recent::{LastStep, Question, Recent};
use crate::store::record::{calls, forks, snapshots};
use crate::store::rows::ThreadRow;
use crate::store::threads::start::{NewThread, start};
use crate::store::{StoreError, Threads, grants};
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
    pub step: LastStep,
    pub status: Status,
    /// Whether events are still waiting to be taken in.
    pub has_events: bool,
    /// The size of its new snapshot, if there is one.
    pub snapshot_bytes: Option<usize>,
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
        let now = self.0.now_ms();
        self.0
            .write(move |tx| {
                if let Some(earlier) = find_by_key(tx, &new)? {
                    return Ok(StartResult::Earlier(earlier.id));
                }
                let started = start(tx, &new, None, first.step_limit, false, now)?;
                let (thread, version) = (started.id.clone(), started.version);
                run(tx, &Commit { thread, version, ..first }, now)?;
                Ok(StartResult::New(started.id))
            })
            .await
    }

    /// Commits a turn.
    pub async fn commit(self, commit: Commit) -> Result<Committed, StoreError> {
        let now = self.0.now_ms();
        self.0.write(move |tx| run(tx, &commit, now)).await
    }
}

pub(in crate::store) fn run(tx: &Tx<'_>, commit: &Commit, now: i64) -> Result<Committed, StoreError> {
    let mut row = ThreadRow::find(tx, &commit.thread)?;
    if row.version != commit.version {
        return Err(StoreError::Moved);
    }
    if commit.has_calls {
        calls::forget(tx, &row)?;
    }
    let recent = Recent::read(tx, &row)?;
    let last_step = recent.step.steps + commit.steps.len() as i64 - 1;
    let (takes, unheard) = taken_in(&recent, commit.last_event);
    let (next, asked) = write_next(tx, &mut row, commit, last_step, now)?;
    let step =
        |step: &NewStep| Ok(Step { node: step.node.clone(), updates: raw(&step.updates)?, ms: step.took_ms });
    let steps: Vec<Step> = commit.steps.iter().map(step).collect::<Result<_, StoreError>>()?;
    let changed = commit.output.as_deref().filter(|_| row.output != commit.output);
    let output = changed.map(raw).transpose()?;
    let stepped = Stepped {
        abandoned: matches!(commit.next, NextStep::Abandon),
        result: commit.has_result,
        no_output: row.output.is_some() && commit.output.is_none(),
        title: (row.title != commit.title).then(|| commit.title.clone()),
        output,
        fingerprint: (row.fingerprint != commit.fingerprint).then(|| commit.fingerprint.clone()),
        open: asked.iter().map(|(entry, _)| entry.seq).collect(),
        unheard,
        takes,
        ..Stepped::new(recent.step.steps, &steps, next)
    };
    let mut similar: Vec<&Entry> = recent
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Asked | EntryKind::Decided))
        .collect();
    similar.extend(asked.iter().map(|(entry, _)| entry));
    let entry = append_steps(tx, &mut row, &stepped, &steps, &similar, now)?;
    let step = LastStep::after(&entry, stepped);
    let status = match &commit.next {
        NextStep::Goto(_) => Status::Ready,
        NextStep::End => Status::Done,
        NextStep::Abandon => Status::Abandoned,
        NextStep::Spawn(children, _) if children.is_empty() => Status::Ready,
        NextStep::Spawn(..) => Status::Joining,
        NextStep::Ask(questions, _) => answer_by_grant(tx, &mut row, &asked, questions, commit.hold_ms, now)?,
    };
    let snapshot_bytes =
        commit.snapshot.as_ref().map(|state| snapshots::write(tx, row.seq, &step, state)).transpose()?;
    Ok(Committed { status, has_events: !step.unheard.is_empty(), step, snapshot_bytes })
}

/// Asks the turn's questions and starts its threads. Returns where the thread goes next, and the questions.
fn write_next(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    commit: &Commit,
    step: i64,
    now: i64,
) -> Result<(NextView, Vec<(Entry, Asked)>), StoreError> {
    let mut asked = Vec::new();
    let next = match &commit.next {
        NextStep::Goto(node) => NextView::Goto { goto: node.clone() },
        NextStep::End | NextStep::Abandon => NextView::End { end: true },
        NextStep::Ask(questions, then) => {
            for question in questions {
                asked.push(ask(tx, row, step, question, now)?);
            }
            let ask = asked.iter().map(|(_, asked)| asked.id.clone()).collect();
            NextView::Ask { ask, then: then.clone() }
        }
        NextStep::Spawn(children, then) => {
            let parent = Parent { thread: row.seq, step };
            let spawn = children
                .iter()
                .map(|new| Ok(start(tx, new, Some(parent), commit.step_limit, false, now)?.id))
                .collect::<Result<_, StoreError>>()?;
            NextView::Spawn { spawn, then: then.clone() }
        }
    };
    Ok((next, asked))
}

/// The entries a step takes in, and the events left after it.
fn taken_in(recent: &Recent, last_event: Option<i64>) -> (Vec<i64>, Vec<i64>) {
    let is_heard = |seq: i64| last_event.is_some_and(|last| seq <= last);
    let answers = recent.node_questions().filter_map(Question::current_answer).map(|answer| answer.seq);
    let arrivals = recent.unheard.iter().map(|(seq, _)| *seq);
    let takes = answers.chain(arrivals.clone().filter(|seq| is_heard(*seq))).collect();
    (takes, arrivals.filter(|seq| !is_heard(*seq)).collect())
}

fn ask(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    step: i64,
    question: &Interrupt,
    now: i64,
) -> Result<(Entry, Asked), StoreError> {
    let mut asked = Asked::new(step, schema(tx, &question.schema)?, None, question);
    forks::warn_if_done(tx, row, &mut asked)?;
    let entry = append(tx, row, EntryKind::Asked, None, &asked, &[], now)?;
    Ok((entry, asked))
}

/// Answers the questions that grants cover. The thread is held if grants answered all of them and any is irreversible.
/// Returns its status.
fn answer_by_grant(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    asked: &[(Entry, Asked)],
    questions: &[Interrupt],
    hold_ms: i64,
    now: i64,
) -> Result<Status, StoreError> {
    let mut granted = Vec::new();
    for ((entry, asked), question) in asked.iter().zip(questions) {
        if let Some(grant) = &question.granted
            && grants::covers(tx, grant, asked, &row.id, now)?
        {
            granted.push((entry.seq, asked, grant.clone()));
        }
    }
    let all = granted.len() == asked.len();
    let held = granted.iter().any(|(_, asked, _)| asked.irreversible);
    let last = granted.len().saturating_sub(1);
    for (at, (seq, asked, grant)) in granted.into_iter().enumerate() {
        let hold_ms = if all && held && at == last { hold_ms } else { 0 };
        let decision = NewDecision {
            decision: Decision::Accept,
            by: DecidedBy::Grant(grant),
            shown: asked.hash(),
            learn: true,
            remember: None,
            batch: None,
            hold_ms,
            title: None,
            done: None,
        };
        record(tx, row, seq, decision, now)?;
    }
    Ok(match (all, held && hold_ms > 0) {
        (false, _) => Status::Waiting,
        (true, true) => Status::Held,
        (true, false) => Status::Ready,
    })
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
