//! Expiry of unanswered questions: since when each has waited, and how it ends.
//!
//! An expiry is a decision like any other: *ignore*, made by the policy by compare-and-set, so either it or a person's
//! answer stands, never both. No effect follows from it: a question next to one that was accepted, edited or answered
//! stays open, because expiring it would let those proceed.

use crate::engine::graph::{Decision, InterruptId, Kind};
use crate::engine::store::log::{self, Snoozed};
use crate::engine::store::questions::decide::{DecisionDetails, Holds, NewAnswer, record_answer};
use crate::engine::store::record::append::append;
use crate::engine::store::record::questions::{answer_to, open_question};
use crate::engine::store::rows::{self, InterruptRow, Stage, ThreadRow, time};
use crate::engine::store::{Inbox, StoreError, settings};
use crate::inbox::DecidedBy;
use jiff::Timestamp;

/// A question that the policy may expire.
#[derive(Clone, Debug)]
pub struct Unanswered {
    pub id: InterruptId,
    /// The workflow that asks.
    pub workflow: String,
    /// The tool, or the name of the question.
    pub action: String,
    pub kind: Kind,
    /// Since when nothing has happened to it.
    pub since: Timestamp,
    /// When the policy first found it overdue.
    pub overdue_since: Option<Timestamp>,
}

impl Inbox<'_> {
    /// Listed questions that can be ignored and are not snoozed, oldest first. Trouble is not included.
    pub fn unanswered(self) -> Result<Vec<Unanswered>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let due = "SELECT i.id, t.workflow, i.action, i.kind, max(l.at, coalesce(i.snoozed_until, 0)), i.overdue
                 FROM interrupts i INDEXED BY interrupts_live JOIN threads t ON t.seq = i.thread JOIN log l ON l.seq = i.stamp
                 WHERE i.status <> 'closed' AND i.status = 'open' AND i.trouble = 0 AND i.kind <> 'trouble' AND i.allow & 8 <> 0
                   AND coalesce(i.snoozed_until, 0) <= ? AND NOT (t.status = 'trouble' AND t.error_code = 'stopped')
                 ORDER BY i.seq";
            rows::query(db, due, [now], |row| {
                let (id, workflow, action) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let overdue: Option<i64> = row.get(5)?;
                let overdue_since = overdue.map(time).transpose()?;
                Ok(Unanswered { id, workflow, action, kind: row.get(3)?, since: time(row.get(4)?)?, overdue_since })
            })
        })
    }

    /// Notes when a question was found overdue.
    pub async fn set_overdue(self, id: InterruptId, noticed: Timestamp) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let interrupt = InterruptRow::find(tx, &id)?;
                if interrupt.status == Stage::Open {
                    let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
                    let overdue = Some(noticed.as_millisecond());
                    let body = Snoozed { until: interrupt.snoozed_until, overdue };
                    append(tx, &mut row, log::EntryKind::Snoozed, Some(interrupt.seq), &body)?;
                }
                Ok(())
            })
            .await
    }

    /// Expires a question that was found overdue at `noticed`; returns whether it did. Anything that happened to it
    /// since keeps it open.
    pub async fn expire(self, id: InterruptId, noticed: Timestamp) -> Result<bool, StoreError> {
        self.0
            .write(move |tx| {
                let interrupt = InterruptRow::find(tx, &id)?;
                if interrupt.status != Stage::Open || settings::is_paused(tx)? {
                    return Ok(false);
                }
                let (listed, at) = open_question(tx, &id)?;
                let question = &listed.questions[at];
                let snoozed = question.snoozed_until.is_some_and(|until| until > tx.now());
                let can_expire =
                    question.allow().ignore && !question.trouble && question.kind != Kind::Trouble;
                // What a stopped thread asked is not listed until the thread goes on.
                let stopped = listed
                    .live()
                    .any(|other| other.trouble && other.status == Stage::Open && other.action == "stopped");
                if question.overdue != Some(noticed.as_millisecond()) || snoozed || stopped || !can_expire {
                    return Ok(false);
                }
                // Expiring it must not let something else proceed that was allowed.
                for other in &listed.questions {
                    if answer_to(tx, other)?.is_some_and(|answer| answer.decision != Decision::Ignore) {
                        return Ok(false);
                    }
                }
                let answer = NewAnswer {
                    decision: Decision::Ignore,
                    learn: false,
                    by: DecidedBy::Expiry,
                    details: DecisionDetails::default(),
                };
                record_answer(tx, listed, at, None, answer, Holds::default())?;
                Ok(true)
            })
            .await
    }
}
