//! Recent errors, read from the rows that record them: trouble, and model calls that failed.
//!
//! Only the newest rows are read, so that it costs the same after a year. Rows that cannot be trusted are left out
//! here; `doctor` names them.

use crate::graph::ThreadId;
use crate::inbox::ErrorOccurrence;
use crate::store::record::recent::Question;
use crate::store::rows::{self, InterruptRow, ThreadRow, time};
use crate::store::{Figures, StoreError};
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

/// How many of the newest model calls are read.
const MAX_CALLS: i64 = 20_000;

/// How far back, in log entries, trouble is read.
const MAX_ENTRIES: i64 = 200_000;

/// Trouble that is not an error: a person stopped the thread, or it reached a limit somebody set.
const NOT_ERRORS: [&str; 3] = ["stopped", "budget", "step_limit"];

impl Figures<'_> {
    /// Recent errors, in no particular order.
    pub fn recent_errors(self) -> Result<Vec<ErrorOccurrence>, StoreError> {
        self.0.read(|db| {
            let mut occurred = troubles(db)?;
            occurred.extend(failed_calls(db)?);
            Ok(occurred)
        })
    }

    /// The newest threads of a workflow, and when each last changed.
    pub fn newest_threads(
        self,
        workflow: &str,
        limit: usize,
    ) -> Result<Vec<(ThreadId, Timestamp)>, StoreError> {
        self.0.read(|db| {
            let newest = "SELECT id, updated_at FROM threads WHERE workflow = ? ORDER BY seq DESC LIMIT ?";
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            rows::query(db, newest, (workflow, limit), |row| Ok((row.get(0)?, time(row.get(1)?)?)))
        })
    }
}

fn troubles(db: &Connection) -> Result<Vec<ErrorOccurrence>, StoreError> {
    let rest = "WHERE seq > (SELECT coalesce(max(seq), 0) FROM interrupts) - ? AND kind = 'trouble'";
    let mut occurred = Vec::new();
    for row in InterruptRow::select(db, rest, [MAX_ENTRIES])? {
        let read = ThreadRow::by_seq(db, row.thread)
            .and_then(|thread| Ok((thread, Question::read(db, row.thread, row.seq)?)));
        let (thread, question) = match read {
            Ok(read) => read,
            Err(StoreError::Damaged(_)) => continue,
            Err(error) => return Err(error),
        };
        let (trouble, args) = (&question.asked, &question.asked.args);
        if NOT_ERRORS.contains(&trouble.action.as_str()) {
            continue;
        }
        let named = |key: &str| args.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
        let node = named("node").or_else(|| named("effect")).unwrap_or(&trouble.action).to_owned();
        let text = if trouble.gist.is_empty() { trouble.title.clone() } else { trouble.gist.clone() };
        occurred.push(ErrorOccurrence { workflow: thread.workflow, node, text, at: time(question.at)? });
    }
    Ok(occurred)
}

fn failed_calls(db: &Connection) -> Result<Vec<ErrorOccurrence>, StoreError> {
    let failed =
        "SELECT t.workflow, s.task, s.model, s.error, s.at FROM spans s JOIN threads t ON t.seq = s.thread
         WHERE s.seq > (SELECT coalesce(max(seq), 0) FROM spans) - ? AND s.error IS NOT NULL";
    rows::query(db, failed, [MAX_CALLS], |row| {
        let (model, error): (String, String) = (row.get(2)?, row.get(3)?);
        let text = format!("{model}: {error}");
        Ok(ErrorOccurrence { workflow: row.get(0)?, node: row.get(1)?, text, at: time(row.get(4)?)? })
    })
}
