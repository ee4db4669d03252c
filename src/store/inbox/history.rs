//! Decisions that people took, for whoever wants to know what another model would have proposed.

use crate::graph::{Decision, InterruptId, Kind, ThreadId};
use crate::inbox::By;
use crate::store::log::{COLUMNS, Decided, Entry};
use crate::store::record::recent::Question;
use crate::store::rows::{ThreadRow, time};
use crate::store::{Inbox, StoreError};
use jiff::Timestamp;
use serde_json::Value;

/// A decision a person took and did not take back.
#[derive(Clone, Debug)]
pub struct PastDecision {
    /// The thread that asked.
    pub thread: ThreadId,
    pub workflow: String,
    /// The step that asked.
    pub step: u64,
    pub interrupt: InterruptId,
    /// What kind of question.
    pub kind: Kind,
    /// The tool, or what the question is called.
    pub action: String,
    pub proposed: Value,
    /// The answer.
    pub decision: Decision,
    /// When it was given.
    pub at: Timestamp,
}

impl Inbox<'_> {
    /// The newest decisions of people since a time, at most `limit`, oldest first. Trouble and what grants or the
    /// policy answered are left out.
    pub fn past_decisions(
        self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PastDecision>, StoreError> {
        let since = since.map_or(i64::MIN, Timestamp::as_millisecond);
        self.0.read(|db| {
            let mut found = db.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM log l INDEXED BY log_decided WHERE l.kind = 'decided' AND l.at >= ?
                 ORDER BY l.seq DESC"
            ))?;
            let mut rows = found.query([since])?;
            let mut past = Vec::new();
            while let Some(row) = rows.next()? {
                if past.len() == limit {
                    break;
                }
                let entry = Entry::read(db, row)?;
                let decided: Decided = entry.says()?;
                let question = Question::read(db, entry.stream, entry.about.unwrap_or_default())?;
                let undone = question.answers.iter().any(|g| g.seq == entry.seq && g.undone_at.is_some());
                if !matches!(decided.by, By::Tui | By::Cli) || undone || question.asked.is_trouble() {
                    continue;
                }
                let thread = ThreadRow::by_seq(db, entry.stream)?;
                past.push(PastDecision {
                    thread: thread.id,
                    workflow: thread.workflow,
                    step: question.asked.step.unsigned_abs(),
                    kind: question.asked.kind,
                    action: question.asked.action,
                    proposed: question.asked.args,
                    interrupt: question.asked.id,
                    decision: decided.decision,
                    at: time(entry.at)?,
                });
            }
            past.reverse();
            Ok(past)
        })
    }
}
