//! A few settings that all processes share.

use crate::engine::store::log::{self, EntryKind, NewEntry, PAUSE_STREAM, PersonAction};
use crate::engine::store::record::project::apply;
use crate::engine::store::rows::{self, damaged};
use crate::engine::store::{Store, StoreError};
use rusqlite::{Connection, params};

impl Store {
    /// Whether all driving is paused.
    pub fn paused(&self) -> Result<bool, StoreError> {
        self.read(is_paused)
    }

    /// Pauses or resumes all driving, in every process and across restarts.
    pub async fn pause(&self, paused: bool) -> Result<(), StoreError> {
        self.write(move |tx| {
            let kind = if paused { EntryKind::Paused } else { EntryKind::Resumed };
            let prev = log::last_in_stream(tx, PAUSE_STREAM)?;
            let action = PersonAction { from: tx.opened()? };
            let entry = tx.append(NewEntry::new(Some(PAUSE_STREAM), kind, prev, &action)?)?;
            apply(tx, &entry)
        })
        .await
    }
}

/// Whether all driving is paused, for the scheduling of threads, as a column of a query.
pub const PAUSED: &str =
    "coalesce((SELECT kind = 'paused' FROM log WHERE seq = (SELECT last FROM pauses)), 0)";

pub fn is_paused(db: &Connection) -> Result<bool, StoreError> {
    rows::one(db, &format!("SELECT {PAUSED}"), [])
}

/// The same from the log alone, with every entry checked: the last of `paused` and `resumed` counts.
pub fn is_paused_by_the_log(db: &Connection) -> Result<bool, StoreError> {
    let entries = log::verified_stream(db, PAUSE_STREAM, 0)?;
    let listed: Option<i64> = rows::first(db, "SELECT last FROM pauses", [])?;
    match entries.last() {
        last if last.map(|last| last.seq) != listed => {
            damaged("whether all driving is paused is not on record as it is listed")
        }
        last => Ok(last.is_some_and(|last| last.kind == EntryKind::Paused)),
    }
}

/// A number that all processes share; 0 if never set.
pub fn number(db: &Connection, name: &str) -> Result<i64, StoreError> {
    match text(db, name)? {
        None => Ok(0),
        Some(text) => text.parse().or_else(|_| damaged(format!("the setting {name} is not readable"))),
    }
}

pub fn set_number(db: &Connection, name: &str, number: i64) -> Result<(), StoreError> {
    set_text(db, name, &number.to_string())
}

pub fn text(db: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    rows::first(db, "SELECT value FROM settings WHERE name = ?", [name])
}

pub fn set_text(db: &Connection, name: &str, value: &str) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")?
        .execute(params![name, value])?;
    Ok(())
}

pub fn delete(db: &Connection, name: &str) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM settings WHERE name = ?")?.execute([name])?;
    Ok(())
}
