//! A person takes the model's place in a thread and the threads it started, and gives it back.

use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::log::{EntryKind, Handed, Tx};
use crate::engine::store::record::append::append;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep};
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::threads::arrive::{Arrival, close, take_in};
use crate::engine::store::{StoreError, Threads};
use crate::inbox::NextView;
use serde_json::Value;

impl Threads<'_> {
    /// Whether a person is in the model's place: they took it, or are asked a question that `asks_for` its step.
    pub fn is_by_person(self, thread: &ThreadId, asks_for: &str) -> Result<bool, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, thread)?;
            Ok(row.by_person
                || (!row.status.ended() && asked(&SinceStep::read(db, &row)?, asks_for).is_some()))
        })
    }

    /// Lets the person be the model from the next step on, or the model again. Trouble is over for whoever takes over,
    /// unless it is about what was approved: that they decide first, as it stands. A question that `asks_for` the model's
    /// step is the model's once they give it back.
    pub async fn hand(
        self,
        thread: ThreadId,
        to_person: bool,
        asks_for: &'static str,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let row = ThreadRow::find(tx, &thread)?;
                row.refuse_pruned()?;
                if row.status.ended() {
                    let why = format!("it is {}", row.status);
                    return Err(StoreError::NotOpen { id: row.id.to_string(), why });
                }
                if !to_person && !row.by_person && asked(&SinceStep::read(tx, &row)?, asks_for).is_some() {
                    let why = "there is no model to give this step to: the config, or `--model me`, puts you in its \
                               place. Start it again with a model";
                    return Err(StoreError::Conflict(why.to_owned()));
                }
                hand(tx, row, to_person, asks_for)
            })
            .await
    }
}

/// The open question that `asks_for` the model's step.
fn asked<'r>(recent: &'r SinceStep, asks_for: &str) -> Option<&'r AskedQuestion> {
    recent.node_questions().find(|question| question.is_open() && question.asked.interrupt.action == asks_for)
}

fn hand(tx: &Tx<'_>, mut row: ThreadRow, to_person: bool, asks_for: &str) -> Result<(), StoreError> {
    let recent = SinceStep::read(tx, &row)?;
    append(tx, &mut row, EntryKind::Handed, None, &Handed { to_person, from: tx.opened()? })?;
    if to_person && !recent.carries_out_approval() {
        for trouble in recent.troubles().filter(|trouble| trouble.is_open()) {
            close(tx, &mut row, trouble.seq, "you took the model's place")?;
        }
    }
    if !to_person && let Some(question) = asked(&recent, asks_for) {
        let reason = "the model takes this step".to_owned();
        close(tx, &mut row, question.seq, &reason)?;
        let what = EventKind::AnsweredElsewhere { reason, payload: Value::Null };
        let event = Event { id: format!("handed:{}", row.steps), what };
        let (thread, updates, entry) = (row.id.clone(), "[]".to_owned(), String::new());
        let arrival = Arrival { thread, event, updates, entry, queued: None };
        let next = NextView::Goto { goto: recent.step.node.clone() };
        let troubles = recent.troubles().map(|trouble| trouble.seq).collect();
        take_in(tx, &mut row, &recent, &arrival, next, troubles)?;
    }
    let living = "WHERE parent = ? AND status NOT IN ('done', 'abandoned')";
    for child in ThreadRow::select(tx, living, [row.seq])? {
        hand(tx, child, to_person, asks_for)?;
    }
    Ok(())
}
