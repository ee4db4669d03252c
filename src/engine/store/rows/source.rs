//! The row of a mailbox.

use crate::engine::store::StoreError;
use crate::engine::store::rows::{self, side_row};
use rusqlite::{Connection, params};

/// How far the first look at a mailbox has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// Existing mail is being collected.
    Collecting,
    /// A thread asks which of it to take in.
    Asking,
    /// The chosen mail is being taken in.
    Taking,
    /// The first look is over; all new mail is taken in.
    Following,
}

side_row! {
    /// A mailbox.
    SourceRow in "sources":
    name: String,
    began_at: i64,
    since: i64;
    phase: Phase,
    thread: Option<i64>,
    checked_at: Option<i64>,
    ok_at: Option<i64>,
    error: Option<String>,
    receiver: Option<String>,
}

impl SourceRow {
    pub fn find(db: &Connection, name: &str) -> Result<Option<Self>, StoreError> {
        Ok(Self::select(db, "WHERE name = ?", [name])?.pop())
    }

    /// Where to continue with the mailbox.
    pub fn read_cursor(&self, db: &Connection) -> Result<Option<String>, StoreError> {
        rows::first(db, "SELECT cursor FROM cursors WHERE source = ?", [self.seq])
    }

    /// Stores where to continue.
    pub fn write_cursor(&self, db: &Connection, cursor: &str) -> Result<(), StoreError> {
        db.prepare_cached("INSERT OR REPLACE INTO cursors (source, cursor) VALUES (?, ?)")?
            .execute(params![self.seq, cursor])?;
        Ok(())
    }
}
