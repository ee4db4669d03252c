//! A thread that begins with its question: one transaction, so that nobody has to drive it before it asks; and the
//! end of a question that nobody answered.

use super::commit::{self, Commit, NewThread};
use super::rows::{ThreadRow, damaged};
use super::{Arrival, Store, StoreError, arrive};
use crate::graph::ThreadId;
use crate::inbox::Status;
use rusqlite::{Connection, OptionalExtension, params};

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
        self.write(move |db| {
            if let Some(earlier) = keyed(db, &new)? {
                return Ok(Begun::Earlier(earlier.id));
            }
            let row = commit::start(db, &new, None, first.step_limit, now)?;
            let first = Commit { thread: row.id.clone(), version: row.version, ..first };
            commit::run(db, &first, now)?;
            Ok(Begun::New(row.id))
        })
        .await
    }

    /// Lets an event reach a thread that waits and that nobody has answered; whether it did. An answer that was given,
    /// even one that can still be taken back, is never lost to it.
    pub async fn arrive_unanswered(&self, arrival: Arrival) -> Result<bool, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            if ThreadRow::find(db, &arrival.thread)?.status != Status::Waiting {
                return Ok(false);
            }
            arrive::run(db, &arrival, now)?;
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
            let ids: Vec<String> =
                found.query_map([workflow], |row| row.get(0))?.collect::<Result<_, _>>()?;
            ids.iter()
                .map(|id| ThreadId::parse(id).or_else(|_| damaged(format!("a thread is called {id:?}"))))
                .collect()
        })
    }
}

fn keyed(db: &Connection, new: &NewThread) -> Result<Option<ThreadRow>, StoreError> {
    if new.key.is_empty() {
        return Ok(None);
    }
    let found: Option<i64> = db
        .prepare_cached("SELECT seq FROM threads WHERE parent IS NULL AND workflow = ? AND child_key = ?")?
        .query_row(params![new.workflow, new.key], |row| row.get(0))
        .optional()?;
    let Some(row) = found.map(|seq| ThreadRow::by_seq(db, seq)).transpose()? else { return Ok(None) };
    if row.workflow == new.workflow && row.child_key.as_deref() == Some(&new.key) {
        Ok(Some(row))
    } else {
        damaged(format!("the index of keys leads to thread {}", row.id))
    }
}
