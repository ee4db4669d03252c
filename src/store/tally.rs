//! Counts of rows, so that a deleted row is noticed.

use crate::store::StoreError;
use crate::store::row_digest::{Digest, RowHasher};
use rusqlite::{Connection, OptionalExtension, params};

/// How many rows there must be.
pub(in crate::store) fn read_tally(db: &Connection, name: &str) -> Result<i64, StoreError> {
    let stored: Option<(i64, Vec<u8>)> = db
        .prepare_cached("SELECT count, digest FROM tallies WHERE name = ?")?
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match stored {
        None => Ok(0),
        Some((count, digest)) if digest == count_digest(name, count).bytes() => Ok(count),
        Some(_) => Err(StoreError::Damaged(format!("the count of {name} is not as it was written"))),
    }
}

/// Raises a count by `increment`.
pub(in crate::store) fn tally(db: &Connection, name: &str, increment: i64) -> Result<(), StoreError> {
    let count = read_tally(db, name)? + increment;
    db.prepare_cached("INSERT OR REPLACE INTO tallies (name, count, digest) VALUES (?, ?, ?)")?
        .execute(params![name, count, count_digest(name, count).bytes()])?;
    Ok(())
}

fn count_digest(name: &str, count: i64) -> Digest {
    RowHasher::of("tallies").text(name).int(count).done()
}
