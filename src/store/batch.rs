//! Decisions taken together, and taken back together.

use super::audit::Because;
use super::decide::{not_open, reopen, restand};
use super::rows::{DecisionRow, InterruptRow, Stage, ThreadRow, time};
use super::{Store, StoreError};
use crate::graph::{BatchId, InterruptId, ThreadId};
use crate::inbox::{By, Decided};
use rusqlite::Connection;

/// What became of each decision of a batch.
pub type Undone = Vec<(InterruptId, Result<ThreadId, StoreError>)>;

impl Store {
    /// Takes back everything that was decided together with this one; what was acted on is told apart.
    pub async fn undo_batch(&self, id: InterruptId) -> Result<Undone, StoreError> {
        let now = self.now_ms();
        self.write(move |db| undo(db, &id, now)).await
    }

    /// The newest decision of a person that can still be taken back, with those taken together with it.
    pub fn last_decided(&self) -> Result<Option<Decided>, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT d.* FROM interrupts i JOIN decisions d ON d.interrupt = i.seq
                 WHERE i.status = 'decided' AND d.undone_at IS NULL AND d.consumed = 0 ORDER BY d.seq DESC",
            )?;
            let mut rows = found.query([])?;
            while let Some(row) = rows.next()? {
                let last = DecisionRow::read(row)?;
                if matches!(last.by, By::Grant(_) | By::Expiry) {
                    continue;
                }
                let together = match &last.batch {
                    Some(batch) => of_batch(db, batch)?,
                    None => vec![last.clone()],
                };
                let mut interrupts = Vec::new();
                for decision in together.iter().filter(|decision| !decision.consumed) {
                    interrupts.push(InterruptRow::by_seq(db, decision.interrupt)?.id);
                }
                let (decision, at) = (last.decision.word().to_owned(), time(last.at)?);
                return Ok(Some(Decided { interrupts, decision, at }));
            }
            Ok(None)
        })
    }
}

fn undo(db: &Connection, id: &InterruptId, now: i64) -> Result<Undone, StoreError> {
    let interrupt = InterruptRow::find(db, id)?;
    match (interrupt.stage, &interrupt.closed_why) {
        (Stage::Open, _) => {
            let text = format!("`{}` is open; there is nothing to undo", interrupt.id);
            return Err(StoreError::Conflict(text));
        }
        (Stage::Closed, Some(_)) => return Err(not_open(db, &interrupt)?),
        (Stage::Decided | Stage::Closed, _) => {}
    }
    let decision = DecisionRow::in_force(db, &interrupt)?;
    let together = match &decision.batch {
        Some(batch) => of_batch(db, batch)?,
        None => vec![decision],
    };
    let mut undone = Vec::new();
    for decision in together {
        let mut interrupt = InterruptRow::by_seq(db, decision.interrupt)?;
        let mut row = ThreadRow::by_seq(db, interrupt.thread)?;
        let told = if interrupt.stage == Stage::Decided
            && reopen(db, &row.id, &mut interrupt, Because::Person, now)?
        {
            restand(db, &mut row, now)?;
            Ok(row.id)
        } else {
            let why = "the thread has already acted on it".to_owned();
            Err(StoreError::NotOpen { id: interrupt.id.to_string(), why })
        };
        undone.push((interrupt.id, told));
    }
    Ok(undone)
}

/// The decisions of a batch that are in force, in the order they were taken.
fn of_batch(db: &Connection, batch: &BatchId) -> Result<Vec<DecisionRow>, StoreError> {
    let mut found =
        db.prepare_cached("SELECT * FROM decisions WHERE batch = ? AND undone_at IS NULL ORDER BY seq")?;
    let mut rows = found.query([batch.as_str()])?;
    let mut decisions = Vec::new();
    while let Some(row) = rows.next()? {
        decisions.push(DecisionRow::read(row)?);
    }
    Ok(decisions)
}
