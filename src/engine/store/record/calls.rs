//! Results of repeatable calls left by an unfinished step.

use crate::engine::store::StoreError;
use crate::engine::store::rows::{ThreadRow, json};
use rusqlite::{Connection, params};
use serde_json::Value;
use std::collections::HashMap;

pub fn write(tx: &Connection, thread: i64, step: i64, name: &str, result: &str) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT OR REPLACE INTO calls (thread, step, name, result) VALUES (?, ?, ?, ?)")?
        .execute(params![thread, step, name, result])?;
    Ok(())
}

/// The results an earlier attempt at this step left.
pub fn read(db: &Connection, thread: i64, step: i64) -> Result<HashMap<String, Value>, StoreError> {
    let mut statement = db.prepare_cached("SELECT name, result FROM calls WHERE thread = ? AND step = ?")?;
    let mut rows = statement.query([thread, step])?;
    let mut calls = HashMap::new();
    while let Some(row) = rows.next()? {
        let (name, result): (String, String) = (row.get(0)?, row.get(1)?);
        calls.insert(name, json("a call's result", &result)?);
    }
    Ok(calls)
}

/// Deletes the call results of a step that is now committed, or that will be retried under new conditions.
pub fn forget(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM calls WHERE thread = ?")?.execute([row.seq])?;
    Ok(())
}
