//! The row of a mailbox.

use crate::store::StoreError;
use crate::store::row_digest::{Digest, RowHasher};
use crate::store::rows::{checked_row, damaged};
use rusqlite::{Connection, OptionalExtension, params};

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

impl Phase {
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

checked_row! {
    /// A mailbox.
    SourceRow in "sources", "the record of mailbox":
    name: String,
    began_at: i64,
    since: i64;
    phase: Phase,
    thread: Option<i64>,
    /// The digest of its cursor, which is stored apart.
    cursor: Option<Digest>,
    checked_at: Option<i64>,
    ok_at: Option<i64>,
    error: Option<String>,
    receiver: Option<String>,
}

impl SourceRow {
    pub(in crate::store) fn find(db: &Connection, name: &str) -> Result<Option<Self>, StoreError> {
        let Some(source) = Self::select(db, "WHERE name = ?", [name])?.pop() else { return Ok(None) };
        if source.name == name {
            return Ok(Some(source));
        }
        damaged(format!("the index of mailboxes leads to number {}", source.seq))
    }

    /// Where to continue with the mailbox.
    pub(in crate::store) fn read_cursor(&self, db: &Connection) -> Result<Option<String>, StoreError> {
        let Some(digest) = self.cursor else { return Ok(None) };
        let cursor: Option<String> = db
            .prepare_cached("SELECT cursor FROM cursors WHERE source = ?")?
            .query_row([self.seq], |row| row.get(0))
            .optional()?;
        match cursor {
            Some(cursor) if cursor_digest(&cursor) == digest => Ok(Some(cursor)),
            _ => damaged(format!("the cursor of mailbox number {} is not as it was written", self.seq)),
        }
    }

    /// Stores where to continue; [`SourceRow::update`] must follow.
    pub(in crate::store) fn write_cursor(&mut self, db: &Connection, cursor: &str) -> Result<(), StoreError> {
        self.cursor = Some(cursor_digest(cursor));
        db.prepare_cached("INSERT OR REPLACE INTO cursors (source, cursor) VALUES (?, ?)")?
            .execute(params![self.seq, cursor])?;
        Ok(())
    }
}

fn cursor_digest(cursor: &str) -> Digest {
    RowHasher::of("cursors").text(cursor).done()
}
