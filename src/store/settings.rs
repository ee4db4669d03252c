//! A handful of switches that every process shares.

use super::log::{self, Did, HOUSE, Kind, NewEntry, Tx};
use super::rows::damaged;
use super::{Store, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

impl Store {
    /// Whether all driving is paused.
    pub fn paused(&self) -> Result<bool, StoreError> {
        self.read(is_paused)
    }

    /// Pauses or resumes all driving, in every process and across restarts.
    pub async fn pause(&self, paused: bool) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |tx| {
            let kind = if paused { Kind::Paused } else { Kind::Resumed };
            tell_house(tx, kind, &|from| Did { from }, now)
        })
        .await
    }
}

/// Appends something that concerns no thread, grant or memory.
pub(super) fn tell_house<B: serde::Serialize>(
    tx: &Tx<'_>,
    kind: Kind,
    body: &dyn Fn(i64) -> B,
    now: i64,
) -> Result<(), StoreError> {
    let from = tx.opened(now)?;
    let prev = log::last_of(tx, HOUSE)?;
    let entry = tx.append(NewEntry::new(Some(HOUSE), kind, prev, &body(from), now)?)?;
    super::project::apply(tx, &entry)
}

/// The log says so: whichever of the two came last.
pub(super) fn is_paused(db: &Connection) -> Result<bool, StoreError> {
    let last: Option<i64> = db
        .prepare_cached("SELECT max(seq) FROM log WHERE stream = 0 AND kind IN ('paused', 'resumed')")?
        .query_row([], |row| row.get(0))?;
    match last {
        None => Ok(false),
        Some(seq) => Ok(log::entry(db, seq)?.kind == Kind::Paused),
    }
}

/// A count that every process shares; 0 where nobody has counted.
pub(super) fn number(db: &Connection, name: &str) -> Result<i64, StoreError> {
    let found: Option<String> = db
        .prepare_cached("SELECT value FROM settings WHERE name = ?")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match found {
        None => Ok(0),
        Some(text) => text.parse().or_else(|_| damaged(format!("the setting {name} is not readable"))),
    }
}

pub(super) fn set_number(db: &Connection, name: &str, number: i64) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")?
        .execute(params![name, number.to_string()])?;
    Ok(())
}
