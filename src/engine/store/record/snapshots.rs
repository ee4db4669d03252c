//! Folded states, so that reading a long thread does not fold all of it. They only save work: without one, the steps
//! are folded from the beginning.

use crate::engine::store::StoreError;
use crate::engine::store::rows::{ThreadRow, damaged};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest as _, Sha256};

/// The state after a step.
pub struct Snapshot {
    /// The entry of that step.
    pub entry: i64,
    /// How many steps it includes.
    pub steps: i64,
    pub state: String,
}

/// The stored snapshot, checked against its digest: nothing else would notice that it was changed.
pub fn read(db: &Connection, row: &ThreadRow) -> Result<Option<Snapshot>, StoreError> {
    let stored: Option<(i64, i64, Vec<u8>, Vec<u8>)> = db
        .prepare_cached("SELECT step, steps, state, digest FROM snapshots WHERE thread = ?")?
        .query_row([row.seq], |cells| Ok((cells.get(0)?, cells.get(1)?, cells.get(2)?, cells.get(3)?)))
        .optional()?;
    let Some((entry, steps, packed, digest)) = stored else { return Ok(None) };
    let state = lz4_flex::decompress_size_prepended(&packed).ok();
    let sound = digest == digest_of(row.seq, entry, steps, &packed);
    match state.filter(|_| sound).and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(state) => Ok(Some(Snapshot { entry, steps, state })),
        None => damaged(format!("the snapshot of thread {} is not as it was written", row.id)),
    }
}

/// Stores the state after the `steps` steps up to this entry.
pub fn write(db: &Connection, thread: i64, entry: i64, steps: i64, state: &str) -> Result<(), StoreError> {
    let packed = lz4_flex::compress_prepend_size(state.as_bytes());
    let digest = digest_of(thread, entry, steps, &packed);
    db.prepare_cached(
        "INSERT OR REPLACE INTO snapshots (thread, step, steps, state, digest) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![thread, entry, steps, packed, digest])?;
    Ok(())
}

fn digest_of(thread: i64, entry: i64, steps: i64, state: &[u8]) -> Vec<u8> {
    Sha256::new_with_prefix(format!("{thread} {entry} {steps} ")).chain_update(state).finalize().to_vec()
}
