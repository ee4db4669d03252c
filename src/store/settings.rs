//! A handful of switches that every process shares.

use super::audit::{self, Fact};
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
        self.write(move |db| {
            db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES ('paused', ?)")?
                .execute(params![paused.to_string()])?;
            audit::record(db, if paused { &Fact::Paused } else { &Fact::Resumed }, now)
        })
        .await
    }
}

pub(super) fn is_paused(db: &Connection) -> Result<bool, StoreError> {
    let found: Option<String> = db
        .prepare_cached("SELECT value FROM settings WHERE name = 'paused'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    match found.as_deref() {
        Some("true") => Ok(true),
        Some("false") | None => Ok(false),
        Some(_) => damaged("whether all driving is paused is not readable"),
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
