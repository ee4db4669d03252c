//! Decisions made together, and taken back together.

use crate::graph::{InterruptId, ThreadId};
use crate::inbox::{DecidedBy, UndoableBatch};
use crate::store::inbox::decide::undo_one;
use crate::store::log::Tx;
use crate::store::record::questions::not_open;
use crate::store::record::recent::Question;
use crate::store::rows::{InterruptRow, Stage, time};
use crate::store::{Inbox, StoreError};
use rusqlite::Connection;

/// The result of undoing each decision of a batch.
pub type UndoResults = Vec<(InterruptId, Result<ThreadId, StoreError>)>;

impl Inbox<'_> {
    /// Takes back everything that was decided together with this one. Decisions already acted on return an error each.
    pub async fn undo_batch(self, id: InterruptId) -> Result<UndoResults, StoreError> {
        let now = self.0.now_ms();
        self.0.write(move |tx| undo(tx, &id, now)).await
    }

    /// The newest decision by a person that can still be taken back, with those made together with it.
    pub fn last_decided(self) -> Result<Option<UndoableBatch>, StoreError> {
        self.0.read(|db| {
            let mut last: Option<(i64, Question, InterruptRow)> = None;
            for interrupt in InterruptRow::select(db, "WHERE status <> 'closed' AND status = 'decided'", [])?
            {
                let question = Question::read(db, interrupt.thread, interrupt.seq)?;
                let Some(answer) = question.current_answer() else { continue };
                let by_person = !matches!(answer.body.by, DecidedBy::Grant(_) | DecidedBy::Expiry);
                if by_person
                    && last.as_ref().is_none_or(|(seq, ..)| *seq < answer.seq)
                    && !acted(db, &interrupt)?
                {
                    last = Some((answer.seq, question, interrupt));
                }
            }
            let Some((_, question, interrupt)) = last else { return Ok(None) };
            let mut interrupts = Vec::new();
            for other in batch_of(db, interrupt)? {
                if other.status == Stage::Decided && !acted(db, &other)? {
                    interrupts.push(other.id);
                }
            }
            question
                .current_answer()
                .map(|answer| {
                    let decision = answer.body.decision.word().to_owned();
                    Ok(UndoableBatch { interrupts, decision, at: time(answer.at)? })
                })
                .transpose()
        })
    }
}

/// Whether an effect began after the question was answered.
fn acted(db: &Connection, interrupt: &InterruptRow) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM effects e JOIN threads t ON t.seq = e.thread
               WHERE e.thread = ? AND e.step = t.steps AND e.seq > ? LIMIT 1";
    Ok(db.prepare_cached(sql)?.exists([interrupt.thread, interrupt.stamp])?)
}

fn undo(tx: &Tx<'_>, id: &InterruptId, now: i64) -> Result<UndoResults, StoreError> {
    let interrupt = InterruptRow::find(tx, id)?;
    if interrupt.status == Stage::Open {
        return Err(StoreError::Conflict(format!("`{}` is open; there is nothing to undo", interrupt.id)));
    }
    if interrupt.status == Stage::Closed
        && Question::read(tx, interrupt.thread, interrupt.seq)?.closed.is_some()
    {
        return Err(not_open(tx, &interrupt)?);
    }
    let mut undone = Vec::new();
    for interrupt in batch_of(tx, interrupt)? {
        let result = match undo_one(tx, &interrupt, now) {
            error @ Err(StoreError::Damaged(_)) => return error.map(|_| Vec::new()),
            result => result,
        };
        undone.push((interrupt.id, result));
    }
    Ok(undone)
}

/// The interrupts answered together with this interrupt, in the order they were asked.
fn batch_of(db: &Connection, interrupt: InterruptRow) -> Result<Vec<InterruptRow>, StoreError> {
    match &interrupt.batch {
        Some(batch) => InterruptRow::select(db, "WHERE batch = ? ORDER BY seq", [batch]),
        None => Ok(vec![interrupt]),
    }
}
