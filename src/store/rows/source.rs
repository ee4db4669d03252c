//! The row of a mailbox.

use crate::store::StoreError;
use crate::store::row_digest::{Digest, RowHasher};
use crate::store::rows::{Cells, damaged};
use crate::store::tally::tally;
use rusqlite::{Connection, OptionalExtension, Row, params};

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
    fn word(self) -> &'static str {
        self.into()
    }

    fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

/// A mailbox.
#[derive(Clone, Debug)]
pub(in crate::store) struct SourceRow {
    pub seq: i64,
    pub name: String,
    pub began_at: i64,
    pub since: i64,
    pub phase: Phase,
    pub thread: Option<i64>,
    /// The digest of its cursor, which is stored apart.
    pub cursor: Option<Digest>,
    pub checked_at: Option<i64>,
    pub ok_at: Option<i64>,
    pub error: Option<String>,
    pub receiver: Option<String>,
}

impl SourceRow {
    fn seal(&self) -> Digest {
        RowHasher::of("sources")
            .int(self.seq)
            .text(&self.name)
            .int(self.began_at)
            .int(self.since)
            .text(self.phase.word())
            .maybe_int(self.thread)
            .maybe_bytes(self.cursor.as_ref().map(Digest::bytes))
            .maybe_int(self.checked_at)
            .maybe_int(self.ok_at)
            .maybe_text(self.error.as_deref())
            .maybe_text(self.receiver.as_deref())
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let source = Self {
            seq: cells.next()?,
            name: cells.next()?,
            began_at: cells.next()?,
            since: cells.next()?,
            phase: cells.word("phase", Phase::from_word)?,
            thread: cells.next()?,
            cursor: cells.maybe_digest()?,
            checked_at: cells.next()?,
            ok_at: cells.next()?,
            error: cells.next()?,
            receiver: cells.next()?,
        };
        if cells.digest()? != source.seal() {
            return damaged(format!("the record of mailbox number {} is not as it was written", source.seq));
        }
        Ok(source)
    }

    pub(in crate::store) fn find(db: &Connection, name: &str) -> Result<Option<Self>, StoreError> {
        let mut statement = db.prepare_cached("SELECT * FROM sources WHERE name = ?")?;
        let mut rows = statement.query([name])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let source = Self::read(row)?;
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
            Some(cursor) if seal_cursor(&cursor) == digest => Ok(Some(cursor)),
            _ => damaged(format!("the cursor of mailbox number {} is not as it was written", self.seq)),
        }
    }

    /// Stores where to continue; [`SourceRow::update`] must follow.
    pub(in crate::store) fn write_cursor(&mut self, db: &Connection, cursor: &str) -> Result<(), StoreError> {
        self.cursor = Some(seal_cursor(cursor));
        db.prepare_cached("INSERT OR REPLACE INTO cursors (source, cursor) VALUES (?, ?)")?
            .execute(params![self.seq, cursor])?;
        Ok(())
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM sources")?
            .query_row([], |row| row.get(0))?;
        db.prepare_cached(
            "INSERT INTO sources (seq, name, began_at, since, phase, thread, cursor, checked_at, ok_at, error, receiver, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.seq,
            self.name,
            self.began_at,
            self.since,
            self.phase.word(),
            self.thread,
            self.cursor.as_ref().map(Digest::bytes),
            self.checked_at,
            self.ok_at,
            self.error,
            self.receiver,
            self.seal().bytes(),
        ])?;
        tally(db, "sources", 1)
    }

    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE sources SET phase = ?, thread = ?, cursor = ?, checked_at = ?, ok_at = ?, error = ?, receiver = ?, digest = ?
             WHERE seq = ?",
        )?
        .execute(params![
            self.phase.word(),
            self.thread,
            self.cursor.as_ref().map(Digest::bytes),
            self.checked_at,
            self.ok_at,
            self.error,
            self.receiver,
            self.seal().bytes(),
            self.seq,
        ])?;
        Ok(())
    }
}

fn seal_cursor(cursor: &str) -> Digest {
    RowHasher::of("cursors").text(cursor).done()
}
