//! Decisions made together, and taken back together.

use crate::engine::graph::{InterruptId, ThreadId};
use crate::engine::store::log::{self, Decided, Entry, Tx};
use crate::engine::store::questions::decide::undo_one;
use crate::engine::store::record::questions::not_open;
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::rows::{InterruptRow, Stage, time};
use crate::engine::store::{Inbox, StoreError};
use crate::inbox::{DecidedBy, OWN_MAIL, UndoableBatch};
use rusqlite::Connection;

/// The result of undoing each decision of a batch.
pub type UndoResults = Vec<(InterruptId, Result<ThreadId, StoreError>)>;

impl Inbox<'_> {
    /// Takes back everything that was decided together with this one. Decisions already acted on return an error each.
    pub async fn undo_batch(self, id: InterruptId) -> Result<UndoResults, StoreError> {
        self.0.write(move |tx| undo(tx, &id)).await
    }

    /// The newest decision by a person that can still be taken back, with those made together with it.
    pub fn last_decided(self) -> Result<Option<UndoableBatch>, StoreError> {
        self.0.read(|db| {
            let mut last: Option<(Entry, Decided, InterruptRow)> = None;
            let decided =
                "INDEXED BY interrupts_live WHERE status <> 'closed' AND status = 'decided' AND acted = 0";
            for interrupt in InterruptRow::select(db, decided, [])? {
                let Some(seq) = interrupt.answer else { continue };
                if last.as_ref().is_some_and(|(newest, ..)| newest.seq > seq) {
                    continue;
                }
                let entry = log::entry(db, seq)?;
                let answer: Decided = entry.parse_body()?;
                // What the person wrote themselves counts as their decision.
                let is_persons = match &answer.by {
                    DecidedBy::Grant(grant) => grant == OWN_MAIL,
                    by => *by != DecidedBy::Expiry,
                };
                if is_persons {
                    last = Some((entry, answer, interrupt));
                }
            }
            let Some((entry, answer, interrupt)) = last else { return Ok(None) };
            let can_be_undone = |other: &InterruptRow| other.status == Stage::Decided && !other.acted;
            let batch = batch_of(db, interrupt)?.into_iter().filter(can_be_undone);
            let interrupts = batch.map(|other| other.id).collect();
            let decision = answer.decision.word().to_owned();
            Ok(Some(UndoableBatch { interrupts, decision, at: time(entry.at)? }))
        })
    }
}

fn undo(tx: &Tx<'_>, id: &InterruptId) -> Result<UndoResults, StoreError> {
    let interrupt = InterruptRow::find(tx, id)?;
    if interrupt.status == Stage::Open {
        return Err(StoreError::Conflict(format!("`{}` is open; there is nothing to undo", interrupt.id)));
    }
    if interrupt.status == Stage::Closed
        && AskedQuestion::read(tx, interrupt.thread, interrupt.seq)?.closed.is_some()
    {
        return Err(not_open(tx, &interrupt)?);
    }
    let mut undone = Vec::new();
    for interrupt in batch_of(tx, interrupt)? {
        let result = match undo_one(tx, &interrupt) {
            result @ (Ok(_) | Err(StoreError::NotOpen { .. })) => result,
            // SQLite may have rolled back the transaction, and what follows would be written without one.
            Err(error) => return Err(error),
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
