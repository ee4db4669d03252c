//! Reading and writing rows: projections of the log, and tables with their own digests.

mod columns;
mod mail;
mod projected;
mod source;
mod words;

pub(in crate::store) use mail::MailRow;
pub use mail::{MAIL_EVENT, MailState};
pub use projected::Awaits;
pub(in crate::store) use projected::{EffectRow, GrantRow, InterruptRow, Stage, ThreadRow};
pub use source::Phase;
pub(in crate::store) use source::SourceRow;

use crate::store::StoreError;
use crate::store::row_digest::Digest;
use jiff::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

pub(in crate::store) fn damaged<T>(what: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Damaged(what.into()))
}

pub(in crate::store) fn time(ms: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(ms).or_else(|_| damaged(format!("{ms} is not a time")))
}

pub(in crate::store) fn json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).or_else(|e| damaged(format!("{what} is not readable: {e}")))
}

/// Reads a row's columns in the order they were declared. By name, SQLite would compare strings for each.
struct Cells<'a, 'b> {
    row: &'a Row<'b>,
    at: usize,
}

impl<'a, 'b> Cells<'a, 'b> {
    fn of(row: &'a Row<'b>) -> Self {
        Self { row, at: 0 }
    }

    fn next<T: FromSql>(&mut self) -> Result<T, StoreError> {
        self.at += 1;
        Ok(self.row.get(self.at - 1)?)
    }

    fn word<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        self.at += 1;
        let word = self.row.get_ref(self.at - 1)?.as_str().map_err(|e| StoreError::Damaged(e.to_string()))?;
        read(word).map_or_else(|| damaged(format!("`{}` is not a valid {what}", word.escape_debug())), Ok)
    }

    fn digest(&mut self) -> Result<Digest, StoreError> {
        self.maybe_digest()?.map_or_else(|| damaged("a digest is missing"), Ok)
    }

    fn maybe_digest(&mut self) -> Result<Option<Digest>, StoreError> {
        self.at += 1;
        let cell = self.row.get_ref(self.at - 1)?;
        let bytes = cell.as_blob_or_null().map_err(|e| StoreError::Damaged(e.to_string()))?;
        let read =
            |bytes| Digest::from_bytes(bytes).map_or_else(|| damaged("a digest has the wrong length"), Ok);
        bytes.map(read).transpose()
    }
}

/// Completes an id of which a person gave the beginning.
fn complete_id(db: &Connection, what: &'static str, table: &str, begins: &str) -> Result<String, StoreError> {
    let mut query =
        db.prepare_cached(&format!("SELECT id FROM {table} WHERE id >= ?1 AND id < ?1 || '~'"))?;
    let mut ids: Vec<String> = query.query_map([begins], |row| row.get(0))?.collect::<Result<_, _>>()?;
    match (ids.pop(), ids.is_empty()) {
        (None, _) => Err(StoreError::Unknown(what, begins.to_owned())),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            ids.push(last);
            Err(StoreError::Ambiguous { id: begins.to_owned(), some: ids })
        }
    }
}

/// The row with this id, or with the only id that begins like this.
fn find<T>(
    db: &Connection,
    what: &'static str,
    table: &str,
    id: &str,
    is_full: bool,
    read: impl Fn(&str) -> Result<Option<T>, StoreError>,
) -> Result<T, StoreError> {
    let id = if is_full { Cow::Borrowed(id) } else { Cow::Owned(complete_id(db, what, table, id)?) };
    read(&id)?.ok_or_else(|| StoreError::Unknown(what, id.into_owned()))
}

/// Completes a grant id of which a person gave the beginning.
pub(in crate::store) fn complete_grant_id(db: &Connection, begins: &str) -> Result<String, StoreError> {
    complete_id(db, "grant", "grants", begins)
}
