//! What can go wrong with the store, grouped by what the caller can do about it.

use crate::inbox::Refusal;
use std::path::PathBuf;

/// Why the store refused. Nothing was written in any of these cases.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A row is not what was written. The text names the row.
    #[error("the database is damaged: {0}; run `sayso doctor` to see how far, and restore a backup")]
    Damaged(String),
    /// The file was written by a newer sayso.
    #[error(
        "{} was written by a newer sayso (format {found}, this one knows {known}); update sayso. The file was not touched",
        path.display()
    )]
    Newer {
        path: PathBuf,
        /// The version it has.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// The file is not a sayso database.
    #[error("{} is not a sayso database ({why}); name another data folder with --data", path.display())]
    NotOurs {
        path: PathBuf,
        /// What it looks like.
        why: String,
    },
    /// A file where the data folder should be.
    #[error("{} is a file, not a folder; name a data folder with --data", .0.display())]
    NotAFolder(PathBuf),
    /// Nothing can be written here.
    #[error("the data folder can only be viewed: {0}")]
    ViewOnly(String),
    /// The disk is full; the caller may try again.
    #[error("the disk is full; nothing was written. Free some space and try again")]
    Full,
    /// The disk failed; the writer has stopped for good.
    #[error("the disk failed ({0}); nothing more is written. Check the disk, then start again")]
    Disk(String),
    /// Another process kept the database locked.
    #[error("another process has kept the database locked for too long; try again")]
    Busy,
    /// The thread moved on since it was read.
    #[error("the thread has moved on since it was read")]
    Moved,
    /// There is nothing with that id.
    #[error("there is no {0} `{1}`")]
    Unknown(&'static str, String),
    /// Several ids begin like this.
    #[error("`{id}` matches several ids: {}", some.join(", "))]
    Ambiguous {
        /// The id as the caller gave it.
        id: String,
        /// The ids it could mean.
        some: Vec<String>,
    },
    /// It is no longer open.
    #[error("`{id}` is no longer open: {why}")]
    NotOpen {
        /// The interrupt or thread.
        id: String,
        /// Why it is not open.
        why: String,
    },
    /// The decision breaks a rule.
    #[error("`{id}`: {refusal}")]
    Refused {
        /// The interrupt.
        id: String,
        refusal: Refusal,
    },
    /// What would be carried out is not what was approved.
    #[error("{0}")]
    NotApproved(String),
    /// The request makes no sense in the current state.
    #[error("{0}")]
    Conflict(String),
    /// Any other error from SQLite.
    #[error("the database said: {0}")]
    Sql(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DiskFull => StoreError::Full,
                ErrorCode::SystemIoFailure => StoreError::Disk(error.to_string()),
                // The last one comes after waiting ten seconds for a process that was stopped while holding a lock.
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed => StoreError::Busy,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    StoreError::Damaged(error.to_string())
                }
                ErrorCode::ReadOnly | ErrorCode::CannotOpen => StoreError::ViewOnly(error.to_string()),
                _ => StoreError::Sql(error.to_string()),
            },
            // We never write a value of the wrong type to a STRICT table, or text that is not UTF-8.
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => StoreError::Damaged(error.to_string()),
            _ => StoreError::Sql(error.to_string()),
        }
    }
}
