//! Reading and writing rows: projections of the log, and tables beside it.

mod columns;
mod mail;
mod projected;
mod source;
mod words;

pub(crate) use columns::side_row;
pub use mail::MailRow;
pub use mail::{MAIL_EVENT, MailState};
pub use projected::{Awaits, Moved, Runnable};
pub use projected::{EffectRow, GrantRow, InterruptRow, Stage, TaughtRow, ThreadRow};
pub use source::Phase;
pub use source::SourceRow;

use crate::engine::store::StoreError;
use jiff::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

pub fn damaged<T>(what: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Damaged(what.into()))
}

pub fn time(ms: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(ms).or_else(|_| damaged(format!("{ms} is not a time")))
}

pub fn json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).or_else(|e| damaged(format!("{what} is not readable: {e}")))
}

/// What was read, if it could be: one row that cannot be read does not hold up the others.
pub fn readable<T>(what: &str, which: impl std::fmt::Display, read: Result<T, StoreError>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(%which, %error, "{what} is left alone")).ok()
}

/// Reads all rows of a query.
pub fn query<T>(
    db: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(row)?);
    }
    Ok(all)
}

/// The first column of all rows of a query.
pub fn column<T: FromSql>(db: &Connection, sql: &str, parameters: impl Params) -> Result<Vec<T>, StoreError> {
    query(db, sql, parameters, |row| Ok(row.get(0)?))
}

/// The first column of the first row, if there is one.
pub fn first<T: FromSql>(
    db: &Connection,
    sql: &str,
    parameters: impl Params,
) -> Result<Option<T>, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(parameters, |row| row.get(0)).optional()?)
}

/// The first column of a query that always has a row.
pub fn one<T: FromSql>(db: &Connection, sql: &str, parameters: impl Params) -> Result<T, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(parameters, |row| row.get(0))?)
}

/// Whether a query has a row.
pub fn exists(db: &Connection, sql: &str, parameters: impl Params) -> Result<bool, StoreError> {
    Ok(db.prepare_cached(sql)?.exists(parameters)?)
}

/// Completes an id of which a person gave the beginning.
fn complete_id(db: &Connection, what: &'static str, table: &str, begins: &str) -> Result<String, StoreError> {
    let sql = format!("SELECT id FROM {table} WHERE id >= ?1 AND id < ?1 || '~'");
    let mut ids: Vec<String> = column(db, &sql, [begins])?;
    match (ids.pop(), ids.is_empty()) {
        (None, _) => Err(StoreError::unknown(what, begins.to_owned())),
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
    read(&id)?.ok_or_else(|| StoreError::unknown(what, id.into_owned()))
}

/// Completes a grant id of which a person gave the beginning.
pub fn complete_grant_id(db: &Connection, begins: &str) -> Result<String, StoreError> {
    complete_id(db, "grant", "grants", begins)
}
