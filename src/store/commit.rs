//! A node's result becomes durable: one transaction, and all of it or nothing.

use super::audit::{self, Fact};
use super::rows::{Awaits, DecisionRow, InterruptRow, Stage, StepRow, ThreadRow};
use super::seal::{Digest, Seal};
use super::verify::tally;
use super::{Store, StoreError, grants};
use crate::graph::{BatchId, Decision, Interrupt, InterruptId, ThreadId, Warning};
use crate::inbox::{By, NextView, Status};
use rusqlite::{Connection, OptionalExtension, params};

/// A thread about to be started.
#[derive(Clone, Debug)]
pub struct NewThread {
    /// Its workflow's name.
    pub workflow: String,
    /// Its workflow's fingerprint.
    pub fingerprint: String,
    /// The node it begins at.
    pub entry: String,
    /// Its first updates, a JSON array.
    pub updates: String,
    /// What it is about.
    pub title: String,
    /// The key its starter chose; empty where a person starts it. Of those nobody's child there is one of a key.
    pub key: String,
}

/// One entry for a thread's list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// A node's full name, or START, ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// A JSON array of updates.
    pub updates: String,
    /// Where the thread goes.
    pub next: EntryNext,
    /// How long its node worked, in milliseconds, where one did.
    pub took_ms: Option<i64>,
}

/// Where a thread goes after an entry.
#[derive(Clone, Debug)]
pub enum EntryNext {
    /// On to a node.
    Goto(String),
    /// A person is asked.
    Ask(Vec<Interrupt>, String),
    /// Children are started and waited for.
    Spawn(Vec<NewThread>, String),
    /// It ends.
    End,
    /// It is given up.
    Abandon,
}

/// Everything one turn of a thread writes.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The thread.
    pub thread: ThreadId,
    /// The version it was read at; another one refuses the commit.
    pub version: i64,
    /// What entered before the node (answers, results, arrivals), then the node's own entry.
    pub entries: Vec<Entry>,
    /// What the thread is about now.
    pub title: String,
    /// What it has produced, as JSON.
    pub output: Option<String>,
    /// Its workflow's fingerprint now.
    pub fingerprint: String,
    /// Its folded state as JSON, where the snapshot is to be renewed.
    pub snapshot: Option<String>,
    /// Threads to start that nobody waits for.
    pub start: Vec<NewThread>,
    /// The last event among the entries.
    pub absorbed: Option<i64>,
    /// Whether its end is a result to be read.
    pub results: bool,
    /// How long an irreversible effect that a grant allows is held.
    pub hold_ms: i64,
    /// The step limit of threads it starts.
    pub step_limit: i64,
}

/// How a thread stands after a commit.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Its version now.
    pub version: i64,
    /// How many steps it has.
    pub steps: i64,
    /// The digest of the last.
    pub head: Digest,
    /// Where it stands.
    pub status: Status,
    /// Steps since a person last said something.
    pub alone: i64,
    /// What it asks.
    pub interrupts: Vec<InterruptId>,
    /// Whether events wait to be taken in.
    pub events: bool,
    /// The size of its snapshot, where that was renewed.
    pub snapshot_bytes: Option<usize>,
}

impl Store {
    /// Starts a thread.
    pub async fn start(&self, new: NewThread, step_limit: i64) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |db| Ok(start(db, &new, None, step_limit, now)?.id)).await
    }

    /// Starts a thread that a person wants.
    pub async fn start_for_person(&self, new: NewThread, step_limit: i64) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let row = start(db, &new, None, step_limit, now)?;
            let input: serde_json::Value = super::rows::json("what a thread begins with", &new.updates)?;
            let started = Fact::Started {
                thread: row.id.to_string(),
                workflow: row.workflow,
                input: Some(audit::sha_json(&input)),
                forked_from: None,
            };
            audit::record(db, &started, now)?;
            Ok(row.id)
        })
        .await
    }

    /// Commits a turn.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let now = self.now_ms();
        self.write(move |db| run(db, &commit, now)).await
    }
}

/// Who started a thread, at which step, and whether it waits for it.
pub(super) struct Parent {
    pub thread: i64,
    pub step: i64,
    pub joined: bool,
}

pub(super) fn start(
    db: &Connection,
    new: &NewThread,
    parent: Option<&Parent>,
    step_limit: i64,
    now: i64,
) -> Result<ThreadRow, StoreError> {
    let NewThread { workflow, fingerprint, title, entry, .. } = new;
    let mut row = ThreadRow::new(workflow, fingerprint, title, entry, step_limit, now);
    if let Some(parent) = parent {
        (row.parent, row.parent_step, row.joined) = (Some(parent.thread), Some(parent.step), parent.joined);
    }
    row.child_key = (parent.is_some() || !new.key.is_empty()).then(|| new.key.clone());
    row.insert(db)?;
    append(db, &mut row, "START", &new.updates, &NextView::Goto { goto: new.entry.clone() }, None, now)?;
    row.update(db)?;
    Ok(row)
}

/// Adds a step to the chain; the caller writes the thread's row.
pub(super) fn append(
    db: &Connection,
    row: &mut ThreadRow,
    node: &str,
    updates: &str,
    next: &NextView,
    ms: Option<i64>,
    now: i64,
) -> Result<(), StoreError> {
    let next = serde_json::to_string(next).map_err(|e| StoreError::Sql(e.to_string()))?;
    let mut step = StepRow {
        thread: row.seq,
        n: row.steps,
        node: node.to_owned(),
        updates: updates.to_owned(),
        next,
        at: now,
        ms,
        digest: Digest::default(),
    };
    step.insert(db, row.head)?;
    row.head = step.digest;
    row.steps += 1;
    row.updated_at = now;
    Ok(())
}

pub(super) fn run(db: &Connection, commit: &Commit, now: i64) -> Result<Committed, StoreError> {
    let mut row = ThreadRow::find(db, &commit.thread)?;
    if row.version != commit.version {
        return Err(StoreError::Moved);
    }
    forget_calls(db, &row)?;
    if row.awaits == Awaits::Answers {
        consume_answers(db, &row)?;
    }
    let mut interrupts = Vec::new();
    row.awaits = Awaits::Nothing;
    row.hold_ms = 0;
    row.held_at = None;
    row.error_code = None;
    row.error_text = None;
    for entry in &commit.entries {
        row.alone = match entry.node.as_str() {
            "ANSWERS" | "ARRIVED" => 0,
            _ => row.alone + 1,
        };
        enter(db, &mut row, entry, commit, now, &mut interrupts)?;
    }
    let at = row.steps - 1;
    for new in &commit.start {
        start(db, new, Some(&Parent { thread: row.seq, step: at, joined: false }), commit.step_limit, now)?;
    }
    row.title.clone_from(&commit.title);
    row.output.clone_from(&commit.output);
    row.fingerprint.clone_from(&commit.fingerprint);
    row.version += 1;
    if let Some(last) = commit.absorbed {
        let heard = db
            .prepare_cached("DELETE FROM events WHERE thread = ? AND seq <= ?")?
            .execute([row.seq, last])?;
        tally(db, "events", -(heard as i64))?;
    }
    let events = has_events(db, row.seq)?;
    // What came while the last node ran is still to be heard; a thread that ended hears it as words do.
    row.unread = row.status == Status::Done && commit.results && row.parent.is_none();
    row.update(db)?;
    if row.status.ended() {
        wake_parent(db, &row, now)?;
    }
    let snapshot_bytes = commit.snapshot.as_ref().map(|state| write_snapshot(db, &row, state)).transpose()?;
    Ok(Committed {
        version: row.version,
        steps: row.steps,
        head: row.head,
        status: row.status,
        alone: row.alone,
        interrupts,
        events,
        snapshot_bytes,
    })
}

fn enter(
    db: &Connection,
    row: &mut ThreadRow,
    entry: &Entry,
    commit: &Commit,
    now: i64,
    interrupts: &mut Vec<InterruptId>,
) -> Result<(), StoreError> {
    let at = row.steps;
    let next = match &entry.next {
        EntryNext::Goto(node) => {
            (row.status, row.node) = (Status::Ready, node.clone());
            NextView::Goto { goto: node.clone() }
        }
        EntryNext::End | EntryNext::Abandon => {
            let abandoned = matches!(entry.next, EntryNext::Abandon);
            row.status = if abandoned { Status::Abandoned } else { Status::Done };
            NextView::End { end: true }
        }
        EntryNext::Ask(asked, then) => {
            let standing = ask(db, row, at, asked, commit.hold_ms, now, interrupts)?;
            (row.status, row.node, row.awaits) = (standing, then.clone(), Awaits::Answers);
            NextView::Ask { ask: interrupts.clone(), then: then.clone() }
        }
        EntryNext::Spawn(children, then) => {
            let parent = Parent { thread: row.seq, step: at, joined: true };
            let started = children.iter().map(|new| start(db, new, Some(&parent), commit.step_limit, now));
            let spawn: Vec<ThreadId> =
                started.map(|child| Ok(child?.id)).collect::<Result<_, StoreError>>()?;
            row.status = if spawn.is_empty() { Status::Ready } else { Status::Joining };
            (row.node, row.awaits) = (then.clone(), Awaits::Children);
            NextView::Spawn { spawn, then: then.clone() }
        }
    };
    append(db, row, &entry.node, &entry.updates, &next, entry.took_ms, now)
}

fn ask(
    db: &Connection,
    row: &mut ThreadRow,
    step: i64,
    asked: &[Interrupt],
    hold_ms: i64,
    now: i64,
    interrupts: &mut Vec<InterruptId>,
) -> Result<Status, StoreError> {
    let (mut open, mut hold) = (false, false);
    for question in asked {
        let mut interrupt = InterruptRow::new(db, row.seq, step, false, now, question)?;
        warn_if_done_in_original(db, row, &mut interrupt)?;
        let granted = match &question.granted {
            Some(grant) if grants::covers(db, grant, &interrupt, &row.id, now)? => Some(grant.clone()),
            _ => None,
        };
        interrupt.stage = if granted.is_some() { Stage::Decided } else { Stage::Open };
        interrupt.insert(db)?;
        row.interrupts += 1;
        match granted {
            None => open = true,
            Some(grant) => {
                hold |= question.irreversible;
                let decision = Decision::Accept;
                record_decision(db, &row.id, &interrupt, decision, true, By::Grant(grant), None, now)?;
                row.decisions += 1;
            }
        }
        interrupts.push(interrupt.id);
    }
    Ok(if open {
        Status::Waiting
    } else if hold && hold_ms > 0 {
        (row.hold_ms, row.held_at) = (hold_ms, Some(now));
        Status::Held
    } else {
        Status::Ready
    })
}

#[expect(clippy::too_many_arguments, reason = "each is a column")]
pub(super) fn record_decision(
    db: &Connection,
    thread: &ThreadId,
    interrupt: &InterruptRow,
    decision: Decision,
    learn: bool,
    by: By,
    batch: Option<BatchId>,
    now: i64,
) -> Result<DecisionRow, StoreError> {
    let mut row = DecisionRow {
        seq: 0,
        interrupt: interrupt.seq,
        decision,
        learn,
        by,
        shown: DecisionRow::half(&interrupt.hash),
        at: now,
        undone_at: None,
        consumed: false,
        executed: None,
        batch,
    };
    row.insert(db)?;
    let (mut edited, mut said) = (None, None);
    match &row.decision {
        Decision::Edit { args } => edited = Some(audit::bound(&interrupt.action, args, &interrupt.binds()?)),
        Decision::Respond { text } => said = Some(audit::sha(text)),
        Decision::Accept | Decision::Ignore | Decision::Draft => {}
    }
    let decided = Fact::Decided {
        by: row.by.to_string(),
        thread: thread.to_string(),
        interrupt: interrupt.id.to_string(),
        kind: interrupt.kind.word().to_owned(),
        action: interrupt.action.clone(),
        decision: row.decision.word().to_owned(),
        shown: interrupt.hash.to_string(),
        edited,
        said,
        batch: row.batch.as_ref().map(ToString::to_string),
    };
    audit::record(db, &decided, now)?;
    Ok(row)
}

/// What the original of a fork has already carried out is said on the card of whoever would do it again.
pub(super) fn warn_if_done_in_original(
    db: &Connection,
    row: &ThreadRow,
    interrupt: &mut InterruptRow,
) -> Result<(), StoreError> {
    let (Some(mut origin), Some(mut step)) = (row.origin, row.origin_step) else { return Ok(()) };
    if !interrupt.irreversible {
        return Ok(());
    }
    loop {
        let done: Option<i64> = db
            .prepare_cached(
                "SELECT i.seq FROM interrupts i JOIN decisions d ON d.interrupt = i.seq
                 WHERE i.thread = ? AND i.step >= ? AND i.action = ? AND d.executed IS NOT NULL LIMIT 1",
            )?
            .query_row(params![origin, step, interrupt.action], |found| found.get(0))
            .optional()?;
        let original = ThreadRow::by_seq(db, origin)?;
        if done.is_some() {
            let text = format!("The thread this was forked from ({}) has already done this.", original.id);
            let warning = Warning { code: "done_in_original".to_owned(), text };
            return interrupt.warn(&warning, &format!("origin:{}", original.id));
        }
        match (original.origin, original.origin_step) {
            // Of the further origin only what lies within both prefixes is shared.
            (Some(further), Some(at)) => (origin, step) = (further, at.min(step)),
            _ => return Ok(()),
        }
    }
}

/// The answers have entered the thread: their interrupts close, and they cannot be undone any more.
fn consume_answers(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    for mut interrupt in InterruptRow::pending(db, row.seq)?.into_iter().filter(|pending| !pending.engine) {
        let mut decision = DecisionRow::in_force(db, &interrupt)?;
        if !decision.consumed {
            decision.consumed = true;
            decision.update(db)?;
        }
        interrupt.close(db, None)?;
    }
    Ok(())
}

/// A parent goes on when the last of the children it waits for has ended.
pub(super) fn wake_parent(db: &Connection, row: &ThreadRow, now: i64) -> Result<(), StoreError> {
    let (Some(parent), Some(step), true) = (row.parent, row.parent_step, row.joined) else { return Ok(()) };
    let mut parent = ThreadRow::by_seq(db, parent)?;
    let waits = parent.awaits == Awaits::Children && !parent.status.ended();
    if !waits || living_children(db, parent.seq, step)? > 0 {
        return Ok(());
    }
    if parent.status == Status::Joining {
        parent.status = Status::Ready;
    }
    parent.version += 1;
    parent.updated_at = now;
    parent.update(db)
}

pub(super) fn living_children(db: &Connection, parent: i64, step: i64) -> Result<i64, StoreError> {
    Ok(db
        .prepare_cached(
            "SELECT count(*) FROM threads WHERE parent = ? AND parent_step = ? AND joined = 1
               AND status NOT IN ('done', 'abandoned')",
        )?
        .query_row([parent, step], |count| count.get(0))?)
}

pub(super) fn has_events(db: &Connection, thread: i64) -> Result<bool, StoreError> {
    Ok(db.prepare_cached("SELECT 1 FROM events WHERE thread = ? LIMIT 1")?.exists([thread])?)
}

/// The journaled calls of the step that is now committed, or that will be tried anew from other premises.
pub(super) fn forget_calls(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM calls WHERE thread = ?")?.execute([row.seq])?;
    Ok(())
}

pub(super) fn seal_snapshot(thread: i64, steps: i64, head: Digest, state: &[u8]) -> Digest {
    Seal::of("snapshots").int(thread).int(steps).bytes(head.bytes()).bytes(state).done()
}

/// Renews the snapshot and gives its size.
fn write_snapshot(db: &Connection, row: &ThreadRow, state: &str) -> Result<usize, StoreError> {
    let packed = lz4_flex::compress_prepend_size(state.as_bytes());
    let digest = seal_snapshot(row.seq, row.steps, row.head, &packed);
    db.prepare_cached(
        "INSERT INTO snapshots (thread, steps, head, state, digest) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (thread) DO UPDATE SET steps = excluded.steps, head = excluded.head, state = excluded.state,
            digest = excluded.digest",
    )?
    .execute(params![row.seq, row.steps, row.head.bytes(), packed, digest.bytes()])?;
    Ok(packed.len())
}
