//! Deleting old threads: what to delete, what that would remove, and what it removed.

use super::Status;
use jiff::Timestamp;
use serde::Serialize;

/// Which threads to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneQuery {
    /// Only threads to which nothing has happened since.
    pub before: Timestamp,
    /// Only threads with these statuses; a thread that has not ended is never deleted.
    pub statuses: Vec<Status>,
}

/// Threads old enough to delete that are still needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptThreads {
    /// What they are needed for.
    pub why: String,
    pub threads: u64,
}

/// What pruning removes: as a plan, or as a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruning {
    /// How many threads are deleted.
    pub threads: u64,
    /// How many of them leave a record: what was asked, decided and done.
    pub records: u64,
    /// Mails whose bytes are deleted; we keep the fact that they came, and what became of them.
    pub mails: u64,
    /// Threads that are kept.
    pub kept: Vec<KeptThreads>,
}

impl Pruning {
    /// Counts one more thread that is kept.
    pub fn keep(&mut self, why: &str) {
        match self.kept.iter_mut().find(|kept| kept.why == why) {
            Some(kept) => kept.threads += 1,
            None => self.kept.push(KeptThreads { why: why.to_owned(), threads: 1 }),
        }
    }

    /// Adds the figures of another part of the same pruning.
    pub fn add(&mut self, part: Pruning) {
        self.threads += part.threads;
        self.records += part.records;
        self.mails += part.mails;
    }
}

/// What a pruning did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pruned {
    pub taken: Pruning,
    /// The file size before, in bytes.
    pub before: u64,
    /// The file size after, in bytes.
    pub after: u64,
    /// What was left for another time, and why.
    pub left: Vec<String>,
}

/// The size of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableSize {
    pub table: String,
    pub rows: u64,
    pub bytes: u64,
}

/// The size of the data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Storage {
    /// The size of the file including its log.
    pub file: u64,
    /// Free bytes inside the file; a vacuum returns them.
    pub free: u64,
    /// Each table with its indexes, largest first.
    pub tables: Vec<TableSize>,
}
