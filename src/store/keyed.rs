//! Threads that nobody but their starter's key leads to: a server's thread and its mirror here.

use super::rows::ThreadRow;
use super::{Store, StoreError};
use crate::graph::ThreadId;
use crate::inbox::Status;
use rusqlite::OptionalExtension;

impl Store {
    /// The newest thread of this workflow that was started under this key, or under it and a `#` with more, and how it
    /// stands.
    pub fn keyed(&self, workflow: &str, key: &str) -> Result<Option<(ThreadId, Status)>, StoreError> {
        self.read(|db| {
            let seq: Option<i64> = db
                .prepare_cached(
                    "SELECT seq FROM threads INDEXED BY threads_by_key WHERE parent IS NULL AND workflow = ?1
                     AND child_key >= ?2 AND child_key < ?2 || '$' ORDER BY seq DESC LIMIT 1",
                )?
                .query_row([workflow, key], |row| row.get(0))
                .optional()?;
            let row = seq.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
            Ok(row.map(|row| (row.id, row.status)))
        })
    }

    /// Every key under which a thread was started, whatever became of it.
    pub fn keys(&self) -> Result<Vec<String>, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT DISTINCT child_key FROM threads WHERE child_key IS NOT NULL AND parent IS NULL",
            )?;
            Ok(found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// The keys of threads that wait for a person, or act in a moment.
    pub fn keyed_waiting(&self) -> Result<Vec<(String, ThreadId)>, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT seq FROM threads WHERE status IN ('waiting', 'held') AND child_key IS NOT NULL
                 AND parent IS NULL ORDER BY seq",
            )?;
            let seqs: Vec<i64> = found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut waiting = Vec::new();
            for seq in seqs {
                let row = ThreadRow::by_seq(db, seq)?;
                waiting.extend(row.child_key.map(|key| (key, row.id)));
            }
            Ok(waiting)
        })
    }
}
