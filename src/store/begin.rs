//! A thread that begins with its question: one transaction, so that nobody has to drive it before it asks; and the
//! end of a question that nobody answered.

use super::commit::{self, Commit, NewThread};
use super::recent::Recent;
use super::rows::ThreadRow;
use super::{Arrival, Store, StoreError, arrive};
use crate::graph::ThreadId;
use crate::inbox::Status;
use rusqlite::Connection;

/// What came of beginning a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is there now.
    New(ThreadId),
    /// One of this key was there already.
    Earlier(ThreadId),
}

impl Store {
    /// Starts a thread together with its first turn, unless there is one of its key already. Of several that come
    /// with one key at once, one begins and the others find it.
    pub async fn begin(&self, new: NewThread, first: Commit) -> Result<Begun, StoreError> {
        let now = self.now_ms();
        self.write(move |tx| {
            if let Some(earlier) = keyed(tx, &new)? {
                return Ok(Begun::Earlier(earlier.id));
            }
            let started = commit::start(tx, &new, None, first.step_limit, false, now)?;
            let (thread, version) = (started.id.clone(), started.row.version);
            commit::run(tx, &Commit { thread, version, ..first }, now)?;
            Ok(Begun::New(started.id))
        })
        .await
    }

    /// Lets an event reach a thread that waits and that nobody has answered; whether it did. An answer that was given,
    /// even one that can still be taken back, is never lost to it.
    pub async fn arrive_unanswered(&self, arrival: Arrival) -> Result<bool, StoreError> {
        let now = self.now_ms();
        self.write(move |tx| {
            let row = ThreadRow::find(tx, &arrival.thread)?;
            if row.pruned_at.is_some() || Recent::read(tx, &row)?.status(tx, &row)? != Status::Waiting {
                return Ok(false);
            }
            arrive::run(tx, &arrival, now)?;
            Ok(true)
        })
        .await
    }

    /// The threads of a workflow that wait for a person.
    pub fn waiting_of(&self, workflow: &str) -> Result<Vec<ThreadId>, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT id FROM threads INDEXED BY threads_by_status WHERE status = 'waiting' AND workflow = ? ORDER BY seq",
            )?;
            Ok(found.query_map([workflow], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }
}

fn keyed(db: &Connection, new: &NewThread) -> Result<Option<ThreadRow>, StoreError> {
    if new.key.is_empty() {
        return Ok(None);
    }
    Ok(ThreadRow::select(
        db,
        "WHERE parent IS NULL AND workflow = ? AND child_key = ?",
        [&new.workflow, &new.key],
    )?
    .pop())
}
