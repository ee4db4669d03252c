//! Appends to a thread's stream and updates the lists.

use crate::engine::store::StoreError;
use crate::engine::store::log::{Entry, EntryKind, NewEntry, Step, Stepped, Tx};
use crate::engine::store::record::listed::Listed;
use crate::engine::store::record::project::{apply, save};
use crate::engine::store::rows::ThreadRow;
use serde_json::value::RawValue;

/// JSON that is stored unchanged.
pub fn raw(text: &str) -> Result<Box<RawValue>, StoreError> {
    RawValue::from_string(text.to_owned()).map_err(|e| StoreError::Sql(e.to_string()))
}

/// Appends an entry to a thread's stream and updates the projections.
pub fn append(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    kind: EntryKind,
    about: Option<i64>,
    body: &impl serde::Serialize,
) -> Result<Entry, StoreError> {
    let new = NewEntry::new(Some(row.seq), kind, Some(row.last), body)?;
    let entry = tx.append(NewEntry { about, ..new })?;
    row.last = entry.seq;
    apply(tx, &entry)?;
    Ok(entry)
}

/// Appends steps to a thread's stream; `similar` are entries they repeat, for compression.
pub fn append_steps(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    stepped: &Stepped,
    steps: &[Step],
    similar: &[&Entry],
) -> Result<Entry, StoreError> {
    let mut listed = Listed::by_seq(tx, row.seq)?;
    let entry = listed.step(tx, stepped, steps, similar)?;
    row.last = entry.seq;
    save(tx, listed, &entry)?;
    Ok(entry)
}
