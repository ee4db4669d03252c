//! A node's result becomes durable: one transaction, and all of it or nothing.

use super::log::{
    self, Asked, Because, Decided, EffectBegun, Entry, Forked, Kind, NewEntry, Parent, SchemaBlob, Started,
    Step, Stepped, Tx, Undone,
};
use super::project::apply;
use super::recent::{LastStep, Question, Recent};
use super::rows::{ThreadRow, damaged, json};
use super::{Store, StoreError, blobs, grants, snapshots};
use crate::graph::{Basis, BatchId, Decision, Hash, Interrupt, InterruptId, ThreadId, Warning};
use crate::inbox::{By, NextView, Status};
use crate::text::hex;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

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

/// One step for a thread's list.
#[derive(Clone, Debug)]
pub struct NewStep {
    /// A node's full name, or ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// A JSON array of updates.
    pub updates: String,
    /// How long its node worked, in milliseconds, where one did.
    pub took_ms: Option<i64>,
}

/// Where a thread goes after a step.
#[derive(Clone, Debug)]
pub enum NextStep {
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
    /// What entered before the node (answers, results, arrivals), then the node's own step.
    pub steps: Vec<NewStep>,
    /// Where the thread goes.
    pub next: NextStep,
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
    /// Whether results of calls may be on record for its step.
    pub calls: bool,
    /// The last arrival among the steps.
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
    /// Its last step.
    pub step: LastStep,
    /// Where it stands.
    pub status: Status,
    /// What it asks.
    pub interrupts: Vec<InterruptId>,
    /// Whether something has reached it that is still to be heard.
    pub events: bool,
    /// The size of its snapshot, where that was renewed.
    pub snapshot_bytes: Option<usize>,
}

impl Store {
    /// Starts a thread.
    pub async fn start(&self, new: NewThread, step_limit: i64) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |tx| Ok(start(tx, &new, None, step_limit, false, now)?.id)).await
    }

    /// Starts a thread that a person wants.
    pub async fn start_for_person(&self, new: NewThread, step_limit: i64) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |tx| Ok(start(tx, &new, None, step_limit, true, now)?.id)).await
    }

    /// Commits a turn.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let now = self.now_ms();
        self.write(move |tx| run(tx, &commit, now)).await
    }
}

/// JSON that is kept as it is.
pub(super) fn raw(text: &str) -> Result<Box<RawValue>, StoreError> {
    RawValue::from_string(text.to_owned()).map_err(|e| StoreError::Sql(e.to_string()))
}

/// Appends an entry to a thread's stream and brings the projections up to it.
pub(super) fn append(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    kind: Kind,
    about: Option<i64>,
    body: &impl serde::Serialize,
    like: &[&Entry],
    now: i64,
) -> Result<Entry, StoreError> {
    let new = NewEntry::new(Some(row.seq), kind, Some(row.last), body, now)?;
    append_new(tx, row, NewEntry { about, like, ..new })
}

fn append_new(tx: &Tx<'_>, row: &mut ThreadRow, new: NewEntry<'_>) -> Result<Entry, StoreError> {
    let entry = tx.append(new)?;
    row.last = entry.seq;
    apply(tx, &entry)?;
    Ok(entry)
}

/// Appends steps to a thread's stream; `like` are entries they repeat.
pub(super) fn append_steps(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    stepped: &Stepped,
    steps: &[Step],
    like: &[&Entry],
    now: i64,
) -> Result<Entry, StoreError> {
    let new = NewEntry::new(Some(row.seq), Kind::Stepped, Some(row.last), stepped, now)?;
    let steps = log::pack_steps(&log::text(&steps)?, like);
    append_new(tx, row, NewEntry { steps: Some(steps), ..new })
}

/// A thread that was started: its number and its id.
pub(super) struct NewId {
    pub seq: i64,
    pub id: ThreadId,
    pub row: ThreadRow,
}

pub(super) fn start(
    tx: &Tx<'_>,
    new: &NewThread,
    parent: Option<Parent>,
    step_limit: i64,
    by_person: bool,
    now: i64,
) -> Result<NewId, StoreError> {
    let from = if by_person { Some(tx.opened(now)?) } else { None };
    let started = Started {
        id: ThreadId::random(),
        workflow: new.workflow.clone(),
        fingerprint: new.fingerprint.clone(),
        title: new.title.clone(),
        node: new.entry.clone(),
        step_limit,
        updates: Some(raw(&new.updates)?),
        key: (parent.is_some() || !new.key.is_empty()).then(|| new.key.clone()),
        parent,
        origin: None,
        from,
    };
    begin(tx, &started, now)
}

/// Starts a thread that shares the beginning of another.
pub(super) fn start_fork(
    tx: &Tx<'_>,
    origin: &ThreadRow,
    forked: Forked,
    step_limit: i64,
    now: i64,
) -> Result<NewId, StoreError> {
    let started = Started {
        id: ThreadId::random(),
        workflow: origin.workflow.clone(),
        fingerprint: origin.fingerprint.clone(),
        title: origin.title.clone(),
        node: origin.node.clone(),
        step_limit,
        updates: None,
        key: None,
        parent: None,
        origin: Some(forked),
        from: Some(tx.opened(now)?),
    };
    begin(tx, &started, now)
}

fn begin(tx: &Tx<'_>, started: &Started, now: i64) -> Result<NewId, StoreError> {
    let entry = tx.append(NewEntry::new(None, Kind::Started, None, started, now)?)?;
    apply(tx, &entry)?;
    let row = ThreadRow::by_seq(tx, entry.seq)?;
    Ok(NewId { seq: entry.seq, id: row.id.clone(), row })
}

pub(super) fn run(tx: &Tx<'_>, commit: &Commit, now: i64) -> Result<Committed, StoreError> {
    let mut row = ThreadRow::find(tx, &commit.thread)?;
    if row.version != commit.version {
        return Err(StoreError::Moved);
    }
    if commit.calls {
        forget_calls(tx, &row)?;
    }
    let recent = Recent::read(tx, &row)?;
    let at = recent.step.steps + commit.steps.len() as i64 - 1;
    let (takes, unheard) = taken(&recent, commit.absorbed);
    let (mut asked, mut next, mut abandoned) = (Vec::new(), NextView::End { end: true }, false);
    match &commit.next {
        NextStep::Goto(node) => next = NextView::Goto { goto: node.clone() },
        NextStep::End => {}
        NextStep::Abandon => abandoned = true,
        NextStep::Ask(questions, then) => {
            for question in questions {
                asked.push(ask(tx, &mut row, at, question, now)?);
            }
            let ask = asked.iter().map(|(_, asked)| asked.id.clone()).collect();
            next = NextView::Ask { ask, then: then.clone() };
        }
        NextStep::Spawn(children, then) => {
            let parent = Parent { thread: row.seq, step: at, joined: true };
            let started =
                children.iter().map(|new| start(tx, new, Some(parent), commit.step_limit, false, now));
            let spawn = started.map(|child| Ok(child?.id)).collect::<Result<_, StoreError>>()?;
            next = NextView::Spawn { spawn, then: then.clone() };
        }
    }
    for new in &commit.start {
        let parent = Parent { thread: row.seq, step: at, joined: false };
        start(tx, new, Some(parent), commit.step_limit, false, now)?;
    }
    let step =
        |step: &NewStep| Ok(Step { node: step.node.clone(), updates: raw(&step.updates)?, ms: step.took_ms });
    let steps: Vec<Step> = commit.steps.iter().map(step).collect::<Result<_, StoreError>>()?;
    let changed = commit.output.as_deref().filter(|_| row.output != commit.output);
    let output = changed.map(raw).transpose()?;
    let stepped = Stepped {
        abandoned,
        result: commit.results,
        no_output: row.output.is_some() && commit.output.is_none(),
        title: (row.title != commit.title).then(|| commit.title.clone()),
        output,
        fingerprint: (row.fingerprint != commit.fingerprint).then(|| commit.fingerprint.clone()),
        open: asked.iter().map(|(entry, _)| entry.seq).collect(),
        unheard,
        takes,
        ..Stepped::new(recent.step.steps, &steps, next)
    };
    let mut like: Vec<&Entry> =
        recent.entries.iter().filter(|entry| matches!(entry.kind, Kind::Asked | Kind::Decided)).collect();
    like.extend(asked.iter().map(|(entry, _)| entry));
    let entry = append_steps(tx, &mut row, &stepped, &steps, &like, now)?;
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
    Ok(Committed {
        version: row.last,
        status,
        interrupts: asked.into_iter().map(|(_, asked)| asked.id).collect(),
        events: !step.unheard.is_empty(),
        step,
        snapshot_bytes,
    })
}

/// What a step takes up, and what is still to be heard after it.
fn taken(recent: &Recent, absorbed: Option<i64>) -> (Vec<i64>, Vec<i64>) {
    let heard = |seq: i64| absorbed.is_some_and(|last| seq <= last);
    let answers = recent.asked().filter_map(Question::in_force).map(|given| given.seq);
    let arrivals = recent.unheard.iter().map(|(seq, _)| *seq);
    let takes = answers.chain(arrivals.clone().filter(|seq| heard(*seq))).collect();
    (takes, arrivals.filter(|seq| !heard(*seq)).collect())
}

fn ask(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    step: i64,
    question: &Interrupt,
    now: i64,
) -> Result<(Entry, Asked), StoreError> {
    let mut asked = Asked::new(step, schema(tx, &question.schema)?, None, question);
    warn_if_done_in_original(tx, row, &mut asked)?;
    let entry = append(tx, row, Kind::Asked, None, &asked, &[], now)?;
    Ok((entry, asked))
}

/// Keeps a schema; nothing where anything fits.
pub(super) fn schema(tx: &Tx<'_>, schema: &Value) -> Result<Option<SchemaBlob>, StoreError> {
    match schema {
        Value::Bool(true) => Ok(None),
        schema => {
            let text = schema.to_string();
            let blob = blobs::put_shared(tx, text.as_bytes())?;
            Ok(Some(SchemaBlob { blob, begins: beginning(&text) }))
        }
    }
}

/// The schema of a question.
pub(super) fn schema_of(db: &Connection, asked: &Asked) -> Result<Value, StoreError> {
    let Some(kept) = &asked.schema else { return Ok(Value::Bool(true)) };
    let text = String::from_utf8_lossy(&blobs::get_shared(db, kept.blob)?).into_owned();
    if beginning(&text) != kept.begins {
        return damaged(format!("the schema of question {} is another one", asked.id));
    }
    json("a schema", &text)
}

/// Enough of a digest to tell one schema from another.
fn beginning(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

/// What a grant covers is answered by it; the thread is held where the last open question was answered so. Gives where
/// it stands then.
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
            by: By::Grant(grant),
            shown: asked.hash(),
            learn: true,
            batch: None,
            hold_ms,
        };
        record(tx, row, seq, decision, now)?;
    }
    Ok(match (all, held && hold_ms > 0) {
        (false, _) => Status::Waiting,
        (true, true) => Status::Held,
        (true, false) => Status::Ready,
    })
}

/// An answer about to be put down.
pub(super) struct NewDecision {
    pub decision: Decision,
    pub by: By,
    pub shown: Hash,
    pub learn: bool,
    pub batch: Option<BatchId>,
    pub hold_ms: i64,
}

/// Puts an answer down.
pub(super) fn record(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    question: i64,
    new: NewDecision,
    now: i64,
) -> Result<Entry, StoreError> {
    let NewDecision { decision, by, shown, learn, batch, hold_ms } = new;
    let from = tx.opened(now)?;
    let decided = Decided { decision, by, shown, unlearned: !learn, batch, hold_ms, from };
    append(tx, row, Kind::Decided, Some(question), &decided, &[], now)
}

/// Takes the answer in force on a question back.
pub(super) fn take_back(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    question: i64,
    because: Because,
    now: i64,
) -> Result<(), StoreError> {
    let from = tx.opened(now)?;
    append(tx, row, Kind::Undone, Some(question), &Undone { because, from }, &[], now)?;
    Ok(())
}

/// What the original of a fork has already carried out is said on the card of whoever would do it again.
pub(super) fn warn_if_done_in_original(
    db: &Connection,
    row: &ThreadRow,
    asked: &mut Asked,
) -> Result<(), StoreError> {
    let (Some(mut origin), Some(mut step)) = (row.origin, row.origin_step) else { return Ok(()) };
    if !asked.irreversible {
        return Ok(());
    }
    loop {
        let original = ThreadRow::by_seq(db, origin)?;
        if has_done(db, origin, step, &asked.action)? {
            let text = format!("The thread this was forked from ({}) has already done this.", original.id);
            let warning = Warning { code: "done_in_original".to_owned(), text };
            asked.warn(&warning, &format!("origin:{}", original.id));
            return Ok(());
        }
        match (original.origin, original.origin_step) {
            // Of the further origin only what lies within both prefixes is shared.
            (Some(further), Some(at)) => (origin, step) = (further, at.min(step)),
            _ => return Ok(()),
        }
    }
}

/// Whether a thread has begun something on a card with this action, at this step or later.
fn has_done(db: &Connection, thread: i64, step: i64, action: &str) -> Result<bool, StoreError> {
    let mut cards: HashMap<String, (i64, String)> = HashMap::new();
    for entry in log::stream(db, thread, thread)? {
        let keys: Vec<String> = match entry.kind {
            Kind::Asked => {
                let Asked { key, step, action, .. } = entry.says()?;
                cards.insert(key, (step, action));
                continue;
            }
            Kind::Begun => match entry.says::<EffectBegun>()?.basis {
                Basis::Decision { key, .. } | Basis::Draft { key, .. } => vec![key],
                Basis::Answers { given } => {
                    given.into_iter().filter(|(_, args)| !args.is_null()).map(|(key, _)| key).collect()
                }
                Basis::Grant { .. } => continue,
            },
            _ => continue,
        };
        let fits = |(at, done): &(i64, String)| *at >= step && done == action;
        if keys.iter().filter_map(|key| cards.get(key)).any(fits) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The journaled calls of the step that is now committed, or that will be tried anew from other premises.
pub(super) fn forget_calls(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM calls WHERE thread = ?")?.execute([row.seq])?;
    Ok(())
}
