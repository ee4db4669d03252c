//! Appends to a thread's stream and updates the lists.

use crate::store::StoreError;
use crate::store::log::{self, Entry, EntryKind, NewEntry, Step, Stepped, Tx};
use crate::store::record::project::apply;
use crate::store::rows::ThreadRow;
use serde_json::value::RawValue;

/// JSON that is stored unchanged.
pub(in crate::store) fn raw(text: &str) -> Result<Box<RawValue>, StoreError> {
    RawValue::from_string(text.to_owned()).map_err(|e| StoreError::Sql(e.to_string()))
}

/// Appends an entry to a thread's stream and updates the projections.
pub(in crate::store) fn append(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    kind: EntryKind,
    about: Option<i64>,
    body: &impl serde::Serialize,
    similar: &[&Entry],
    now: i64,
) -> Result<Entry, StoreError> {
    let new = NewEntry::new(Some(row.seq), kind, Some(row.last), body, now)?;
    append_new(tx, row, NewEntry { about, similar, ..new })
}

fn append_new(tx: &Tx<'_>, row: &mut ThreadRow, new: NewEntry<'_>) -> Result<Entry, StoreError> {
    let entry = tx.append(new)?;
    row.last = entry.seq;
    apply(tx, &entry)?;
    Ok(entry)
}

/// Appends steps to a thread's stream; `similar` are entries they repeat, for compression.
pub(in crate::store) fn append_steps(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    stepped: &Stepped,
    steps: &[Step],
    similar: &[&Entry],
    now: i64,
) -> Result<Entry, StoreError> {
    let new = NewEntry::new(Some(row.seq), EntryKind::Stepped, Some(row.last), stepped, now)?;
    let steps = log::pack_steps(&log::text(&steps)?, similar);
    append_new(tx, row, NewEntry { steps: Some(steps), ..new })
}
