//! Who waits for the answer to a question, and does nothing else meanwhile.

use crate::engine::graph::{ThreadId, Waiting};
use crate::engine::store::log::{EntryKind, Waited};
use crate::engine::store::record::append::append;
use crate::engine::store::record::since_step::SinceStep;
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::{Inbox, StoreError};

impl Inbox<'_> {
    /// Who waits for the answer to a thread's open question.
    pub fn waiting(self, thread: &ThreadId) -> Result<Option<Waiting>, StoreError> {
        self.0.read(|db| {
            let recent = SinceStep::read(db, &ThreadRow::find(db, thread)?)?;
            let open = recent.node_questions().find(|question| question.is_open());
            Ok(open.and_then(|question| question.asked.interrupt.waiting))
        })
    }

    /// Records who waits from now on for the answers to a thread's open questions, or that nobody does any more.
    pub async fn set_waiting(self, thread: ThreadId, waiting: Option<Waiting>) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let mut row = ThreadRow::find(tx, &thread)?;
                for question in SinceStep::read(tx, &row)?.node_questions().filter(|q| q.is_open()) {
                    let asked_ago = tx.now().saturating_sub(question.at).max(0).unsigned_abs() / 1000;
                    let waiting = waiting.map(|waiting| waiting.since(asked_ago));
                    if waiting != question.asked.interrupt.waiting {
                        append(tx, &mut row, EntryKind::Waited, Some(question.seq), &Waited { waiting })?;
                    }
                }
                Ok(())
            })
            .await
    }
}
