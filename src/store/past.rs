//! Decisions that people took, for whoever wants to know what another model would have proposed.

use super::rows::{DecisionRow, InterruptRow, ThreadRow, time};
use super::{Store, StoreError};
use crate::graph::{Decision, InterruptId, Kind, ThreadId};
use jiff::Timestamp;
use serde_json::Value;

/// A decision a person took and did not take back.
#[derive(Clone, Debug)]
pub struct PastDecision {
    /// The thread that asked.
    pub thread: ThreadId,
    /// Its workflow.
    pub workflow: String,
    /// The step that asked.
    pub step: u64,
    /// The interrupt.
    pub interrupt: InterruptId,
    /// What kind of question.
    pub kind: Kind,
    /// The tool, or what the question is called.
    pub action: String,
    /// What was proposed.
    pub proposed: Value,
    /// The answer.
    pub decision: Decision,
    /// When it was given.
    pub at: Timestamp,
}

impl Store {
    /// The newest decisions of people since a time, at most `limit`, oldest first. Trouble and what grants or the
    /// policy answered are left out.
    pub fn past_decisions(
        &self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PastDecision>, StoreError> {
        let since = since.map_or(i64::MIN, Timestamp::as_millisecond);
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT * FROM decisions WHERE undone_at IS NULL AND at >= ? AND by IN ('tui', 'cli')
                 ORDER BY seq DESC",
            )?;
            let mut rows = found.query([since])?;
            let mut past = Vec::new();
            while let Some(row) = rows.next()? {
                if past.len() == limit {
                    break;
                }
                let row = DecisionRow::read(row)?;
                let interrupt = InterruptRow::by_seq(db, row.interrupt)?;
                if interrupt.engine {
                    continue;
                }
                let thread = ThreadRow::by_seq(db, interrupt.thread)?;
                past.push(PastDecision {
                    thread: thread.id,
                    workflow: thread.workflow,
                    step: interrupt.step.unsigned_abs(),
                    kind: interrupt.kind,
                    action: interrupt.action.clone(),
                    proposed: interrupt.args()?,
                    interrupt: interrupt.id,
                    decision: row.decision,
                    at: time(row.at)?,
                });
            }
            past.reverse();
            Ok(past)
        })
    }
}
