//! What SQLite says, as the one error of the inbox.

/// The store's errors are the inbox's: nobody translates them on the way to a person.
pub use crate::inbox::InboxError as StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{ErrorCode, ffi};
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DiskFull => StoreError::Full,
                // SQLite writes to the shared file beside the database in advance, to find out whether there is room.
                ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => {
                    StoreError::Full
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn a_full_disk_is_called_full() {
        let of = |code| StoreError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        for full in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_SHMSIZE] {
            assert!(matches!(of(full), StoreError::Full), "{full}");
        }
        assert!(matches!(of(ffi::SQLITE_IOERR_FSYNC), StoreError::Disk(_)));
    }
}
