//! Letting go of old threads: what is asked for, what it would take, what it took.

use super::Status;
use jiff::Timestamp;
use serde::Serialize;

/// Which threads to let go of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneQuery {
    /// Only those to which nothing has happened since.
    pub before: Timestamp,
    /// Only of these; a thread that has not ended is never let go of.
    pub statuses: Vec<Status>,
}

/// How much of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableSize {
    /// Its name.
    pub table: String,
    /// How many rows.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Threads that would go by their age and status, and are still needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptThreads {
    /// What for.
    pub why: String,
    /// How many.
    pub threads: u64,
}

/// What pruning takes away: the plan of it, or the account of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruning {
    /// How many threads are let go of.
    pub threads: u64,
    /// Of those, how many leave a record: what was asked, decided and done.
    pub records: u64,
    /// Mails whose bytes are let go of; that they came, and what became of them, is kept.
    pub mails: u64,
    /// Threads that are kept.
    pub kept: Vec<KeptThreads>,
    /// Rows by table; bytes as far as they can be told before.
    pub tables: Vec<TableSize>,
}

impl Pruning {
    /// All bytes of the tables.
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.bytes).sum()
    }

    /// One more thread that is kept.
    pub fn keep(&mut self, why: &str) {
        match self.kept.iter_mut().find(|kept| kept.why == why) {
            Some(kept) => kept.threads += 1,
            None => self.kept.push(KeptThreads { why: why.to_owned(), threads: 1 }),
        }
    }

    /// So much more of a table.
    pub fn take(&mut self, table: &str, rows: u64, bytes: u64) {
        if rows == 0 {
            return;
        }
        match self.tables.iter_mut().find(|known| known.table == table) {
            Some(known) => {
                known.rows += rows;
                known.bytes += bytes;
            }
            None => self.tables.push(TableSize { table: table.to_owned(), rows, bytes }),
        }
    }

    /// What another part of the same pruning took.
    pub fn add(&mut self, part: Pruning) {
        self.threads += part.threads;
        self.records += part.records;
        self.mails += part.mails;
        for table in part.tables {
            self.take(&table.table, table.rows, table.bytes);
        }
    }
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// What went.
    pub taken: Pruning,
    /// How large the file was.
    pub before: u64,
    /// How large it is.
    pub after: u64,
    /// What was left for another time, and why.
    pub left: Vec<String>,
}

/// What the data folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Storage {
    /// The size of the file with its log.
    pub file: u64,
    /// Of that, what is free within it; a vacuum gives it back.
    pub free: u64,
    /// Each table with its indexes, the largest first.
    pub tables: Vec<TableSize>,
}
