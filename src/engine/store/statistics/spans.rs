//! Time, tokens and cost of steps and model calls. For people and for budgets; no thread depends on them.

use crate::engine::graph::ThreadId;
use crate::engine::store::record::steps::steps_of;
use crate::engine::store::rows::{self, ThreadRow, time};
use crate::engine::store::statistics::prompts::{self, Prompt};
use crate::engine::store::{Statistics, StoreError};
use crate::inbox::UsageView;
use jiff::Timestamp;
use rusqlite::{Connection, params};

/// One model call.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub thread: ThreadId,
    pub step: u64,
    /// What the call was for (`analyze.initial`).
    pub task: String,
    pub model: String,
    pub ms: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// How many input tokens came from a cache.
    pub cached: u64,
    /// `None` if the price is unknown.
    pub cost: Option<f64>,
    /// Why it failed, as an error code.
    pub error: Option<String>,
    /// Whether it counts against budgets.
    pub counts: bool,
}

/// A model call on record.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub number: u64,
    pub span: Span,
    /// When it ended.
    pub at: Timestamp,
}

/// The timing of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTiming {
    pub step: u64,
    pub node: String,
    /// When it was committed.
    pub at: Timestamp,
    /// How long its node ran; `None` if no node did.
    pub ms: Option<u64>,
}

/// Everything a trace of one thread is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadTimings {
    pub thread: ThreadId,
    pub workflow: String,
    pub began: Timestamp,
    /// When it last changed.
    pub last: Timestamp,
    pub steps: Vec<StepTiming>,
    pub calls: Vec<Call>,
    /// The threads it started, each with the step that started it.
    pub children: Vec<(ThreadId, u64)>,
}

impl Statistics<'_> {
    /// Everything a trace of a thread is made from.
    pub fn timings(self, id: &ThreadId) -> Result<ThreadTimings, StoreError> {
        self.0.read(|db| timings(db, ThreadRow::find(db, id)?))
    }

    /// Records a call with its prompt, without waiting for the disk.
    pub fn record_span(self, span: Span, prompt: Prompt) {
        self.0.write_later(move |db| {
            let thread = ThreadRow::find(db, &span.thread)?.seq;
            db.prepare_cached(
                "INSERT INTO spans (thread, step, task, model, at, ms, input, output, cached, cost, error, counts)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                thread,
                span.step.cast_signed(),
                span.task,
                span.model,
                db.now(),
                span.ms.cast_signed(),
                span.input.cast_signed(),
                span.output.cast_signed(),
                span.cached.cast_signed(),
                span.cost,
                span.error,
                span.counts,
            ])?;
            prompts::insert(db, thread, db.last_insert_rowid(), &prompt)
        });
    }

    /// What a thread's calls have used.
    pub fn usage(self, thread: &ThreadId) -> Result<UsageView, StoreError> {
        self.0.read(|db| usage(db, ThreadRow::find(db, thread)?.seq))
    }

    /// How many of a thread's calls count against budgets, and what those with a known price have cost.
    pub fn spent(self, thread: &ThreadId) -> Result<(u64, f64), StoreError> {
        let spent = "SELECT count(*), coalesce(sum(cost), 0.0) FROM spans
             WHERE thread = (SELECT seq FROM threads WHERE id = ?) AND counts = 1";
        self.0.read(|db| {
            let mut statement = db.prepare_cached(spent)?;
            let (calls, cost): (i64, f64) =
                statement.query_row([thread], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok((calls.unsigned_abs(), cost))
        })
    }

    /// What all calls since `since` have cost.
    pub fn cost_since(self, since: jiff::Timestamp) -> Result<f64, StoreError> {
        let sum = "SELECT coalesce(sum(cost), 0.0) FROM spans WHERE at >= ?";
        self.0.read(|db| rows::one(db, sum, [since.as_millisecond()]))
    }
}

/// Everything a trace of a thread is made from.
pub fn timings(db: &Connection, row: ThreadRow) -> Result<ThreadTimings, StoreError> {
    let mut steps = Vec::new();
    let stored_steps = if row.pruned_at.is_some() { Vec::new() } else { steps_of(db, &row)? };
    for step in stored_steps {
        let ms = step.ms.map(i64::unsigned_abs);
        steps.push(StepTiming { step: step.n.unsigned_abs(), node: step.node, at: time(step.at)?, ms });
    }
    let mut statement =
        db.prepare_cached("SELECT id, parent_step FROM threads WHERE parent = ? ORDER BY seq")?;
    let mut rows = statement.query([row.seq])?;
    let mut children = Vec::new();
    while let Some(cells) = rows.next()? {
        let (id, step): (String, Option<i64>) = (cells.get(0)?, cells.get(1)?);
        if let (Ok(id), Some(step)) = (ThreadId::parse(&id), step) {
            children.push((id, step.unsigned_abs()));
        }
    }
    Ok(ThreadTimings {
        calls: calls(db, &row)?,
        began: time(row.created_at)?,
        last: time(row.updated_at)?,
        thread: row.id,
        workflow: row.workflow,
        steps,
        children,
    })
}

fn calls(db: &Connection, row: &ThreadRow) -> Result<Vec<Call>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT step, task, model, ms, input, output, cached, cost, error, counts, at, seq
         FROM spans WHERE thread = ? ORDER BY seq",
    )?;
    let mut rows = statement.query([row.seq])?;
    let mut calls = Vec::new();
    while let Some(cells) = rows.next()? {
        let number = |at: usize| cells.get::<_, i64>(at).map(i64::unsigned_abs);
        let span = Span {
            thread: row.id.clone(),
            step: number(0)?,
            task: cells.get(1)?,
            model: cells.get(2)?,
            ms: number(3)?,
            input: number(4)?,
            output: number(5)?,
            cached: number(6)?,
            cost: cells.get(7)?,
            error: cells.get(8)?,
            counts: cells.get(9)?,
        };
        calls.push(Call { number: number(11)?, span, at: time(cells.get(10)?)? });
    }
    Ok(calls)
}

fn usage(db: &Connection, thread: i64) -> Result<UsageView, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT count(*), coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cost), 0.0),
            count(*) - count(cost), count(*) - coalesce(sum(counts), 0)
         FROM spans WHERE thread = ?",
    )?;
    Ok(statement.query_row([thread], |row| {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
        Ok(UsageView {
            calls: number(0)?,
            input_tokens: number(1)?,
            output_tokens: number(2)?,
            // One call with an unknown price makes the sum unknown.
            cost: if row.get::<_, i64>(4)? == 0 { Some(row.get(3)?) } else { None },
            // Only calls of the built-in rules do not count.
            by_rules: number(5)?,
        })
    })?)
}
