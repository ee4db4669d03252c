//! The rows that carry a digest: each is read, checked and written in one place.

mod decision;
mod effect;
mod grant;
mod interrupt;
mod mail;
mod source;
mod step;
mod thread;

pub(in crate::store) use decision::DecisionRow;
pub(in crate::store) use effect::EffectRow;
pub(in crate::store) use grant::{CommandScope, GrantRow, Scope};
pub(in crate::store) use interrupt::{InterruptRow, Stage};
pub(in crate::store) use mail::MailRow;
pub use mail::MailState;
pub use source::Phase;
pub(in crate::store) use source::SourceRow;
pub(in crate::store) use step::StepRow;
pub use thread::Awaits;
pub(in crate::store) use thread::ThreadRow;

use super::StoreError;
use super::seal::Digest;
use crate::graph::Hash;
use jiff::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;

pub(in crate::store) fn damaged<T>(what: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Damaged(what.into()))
}

pub(in crate::store) fn time(ms: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(ms).or_else(|_| damaged(format!("{ms} is not a time")))
}

pub(in crate::store) fn json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).or_else(|e| damaged(format!("{what} is not readable: {e}")))
}

/// Reads a row's columns in the order they were declared in; by name, SQLite compares strings for each.
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
        self.at += 1;
        let bytes =
            self.row.get_ref(self.at - 1)?.as_blob().map_err(|e| StoreError::Damaged(e.to_string()))?;
        Digest::from_bytes(bytes).map_or_else(|| damaged("a digest has the wrong length"), Ok)
    }

    fn hash(&mut self) -> Result<Hash, StoreError> {
        self.next::<[u8; 32]>().map(Hash::from_bytes)
    }
}

fn find_id(
    db: &Connection,
    what: &'static str,
    table: &str,
    id: &str,
    whole: bool,
) -> Result<i64, StoreError> {
    if whole {
        let found = db
            .prepare_cached(&format!("SELECT seq FROM {table} WHERE id = ?"))?
            .query_row([id], |row| row.get(0))
            .optional()?;
        return found.ok_or_else(|| StoreError::Unknown(what, id.to_owned()));
    }
    let mut query =
        db.prepare_cached(&format!("SELECT seq, id FROM {table} WHERE id >= ?1 AND id < ?1 || '~' LIMIT 4"))?;
    let found: Vec<(i64, String)> =
        query.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    match found.as_slice() {
        [] => Err(StoreError::Unknown(what, id.to_owned())),
        [(seq, _)] => Ok(*seq),
        _ => Err(StoreError::Ambiguous {
            id: id.to_owned(),
            some: found.into_iter().map(|(_, id)| id).collect(),
        }),
    }
}
