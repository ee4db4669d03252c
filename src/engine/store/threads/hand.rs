//! A person takes the model's place in a thread and the threads it started, and gives it back.

use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::log::{EntryKind, Handed, Tx};
use crate::engine::store::record::append::append;
use crate::engine::store::record::since_step::SinceStep;
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::threads::arrive::{self, Arrival, close};
use crate::engine::store::{StoreError, Threads};
use serde_json::Value;

impl Threads<'_> {
    pub fn is_by_person(self, thread: &ThreadId) -> Result<bool, StoreError> {
        self.0.read(|db| Ok(ThreadRow::find(db, thread)?.by_person))
    }

    /// Lets the person be the model from the next step on, or the model again. Trouble is over for whoever takes over.
    /// A question that `asks_for` the model's step is the model's once they give it back.
    pub async fn hand(
        self,
        thread: ThreadId,
        to_person: bool,
        asks_for: &'static str,
    ) -> Result<(), StoreError> {
        let now = self.0.now_ms();
        self.0
            .write(move |tx| {
                let row = ThreadRow::find(tx, &thread)?;
                row.refuse_pruned()?;
                if row.status.ended() {
                    let why = format!("it is {}", row.status);
                    return Err(StoreError::NotOpen { id: row.id.to_string(), why });
                }
                hand(tx, row, to_person, asks_for, now)
            })
            .await
    }
}

fn hand(
    tx: &Tx<'_>,
    mut row: ThreadRow,
    to_person: bool,
    asks_for: &str,
    now: i64,
) -> Result<(), StoreError> {
    let recent = SinceStep::read(tx, &row)?;
    append(tx, &mut row, EntryKind::Handed, None, &Handed { to_person, from: tx.opened(now)? }, &[], now)?;
    if to_person {
        // Only a person knows whether something has left.
        let over = recent
            .troubles()
            .filter(|trouble| trouble.is_open() && trouble.asked.interrupt.action != "in_doubt");
        for trouble in over {
            close(tx, &mut row, trouble.seq, "you took the model's place", now)?;
        }
    } else if recent
        .node_questions()
        .any(|question| question.is_open() && question.asked.interrupt.action == asks_for)
    {
        let reason = "the model takes this step".to_owned();
        let what = EventKind::AnsweredElsewhere { reason, payload: Value::Null };
        let event = Event { id: format!("handed:{}", row.steps), what };
        let (thread, updates, entry) = (row.id.clone(), "[]".to_owned(), String::new());
        arrive::run(tx, &Arrival { thread, event, updates, entry, queued: None }, now)?;
    }
    let living = "WHERE parent = ? AND status NOT IN ('done', 'abandoned')";
    for child in ThreadRow::select(tx, living, [row.seq])? {
        hand(tx, child, to_person, asks_for, now)?;
    }
    Ok(())
}
