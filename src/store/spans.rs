//! Model calls: how long, how much, how dear. Kept for people and for budgets; no thread depends on them.

use super::rows::ThreadRow;
use super::{Store, StoreError};
use crate::graph::ThreadId;
use crate::inbox::UsageView;
use rusqlite::{Connection, params};

/// One model call.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Whose.
    pub thread: ThreadId,
    /// At which step.
    pub step: u64,
    /// What for (`analyze.initial`).
    pub task: String,
    /// Which model.
    pub model: String,
    /// How long it took.
    pub ms: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Of those read, how many came from a cache.
    pub cached: u64,
    /// The price; `None` where none is known.
    pub cost: Option<f64>,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
    /// Whether it counts against budgets.
    pub counts: bool,
}

impl Store {
    /// Records a call, without waiting for the disk.
    pub fn record_span(&self, span: Span) {
        let now = self.now_ms();
        self.write_later(move |db| {
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
                now,
                span.ms.cast_signed(),
                span.input.cast_signed(),
                span.output.cast_signed(),
                span.cached.cast_signed(),
                span.cost,
                span.error,
                span.counts,
            ])?;
            Ok(())
        });
    }

    /// What a thread's calls have used; with `counted`, only those that count against budgets.
    pub fn usage(&self, thread: &ThreadId, counted: bool) -> Result<UsageView, StoreError> {
        self.read(|db| usage(db, ThreadRow::find(db, thread)?.seq, counted))
    }

    /// What all calls since `since` have cost.
    pub fn cost_since(&self, since: jiff::Timestamp) -> Result<f64, StoreError> {
        self.read(|db| {
            Ok(db
                .prepare_cached("SELECT coalesce(sum(cost), 0.0) FROM spans WHERE at >= ?")?
                .query_row([since.as_millisecond()], |row| row.get(0))?)
        })
    }
}

fn usage(db: &Connection, thread: i64, counted: bool) -> Result<UsageView, StoreError> {
    let mut found = db.prepare_cached(
        "SELECT count(*), coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cost), 0.0),
            count(*) - count(cost)
         FROM spans WHERE thread = ? AND counts >= ?",
    )?;
    Ok(found.query_row(params![thread, counted], |row| {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
        Ok(UsageView {
            calls: number(0)?,
            input_tokens: number(1)?,
            output_tokens: number(2)?,
            // One call of unknown price makes the sum unknown.
            cost: if row.get::<_, i64>(4)? == 0 { Some(row.get(3)?) } else { None },
        })
    })?)
}
