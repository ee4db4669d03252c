//! Folded states, so that reading a long thread does not fold all of it. They only save work: without one, the steps
//! are folded from the beginning.

use crate::store::StoreError;
use crate::store::log::{self, Checksum};
use crate::store::record::recent::LastStep;
use crate::store::row_digest::{Digest, RowHasher};
use crate::store::rows::{ThreadRow, damaged};
use rusqlite::{Connection, OptionalExtension, params};

/// The state after a step.
pub(in crate::store) struct Snapshot {
    /// The entry of that step.
    pub entry: i64,
    /// How many steps it includes.
    pub steps: i64,
    pub state: String,
    /// Its compressed size.
    pub bytes: usize,
}

/// The stored snapshot, checked against the entry it was made at.
pub(in crate::store) fn read(db: &Connection, row: &ThreadRow) -> Result<Option<Snapshot>, StoreError> {
    let stored: Option<(i64, Checksum, Vec<u8>, Vec<u8>)> = db
        .prepare_cached("SELECT step, chain, state, digest FROM snapshots WHERE thread = ?")?
        .query_row([row.seq], |cells| Ok((cells.get(0)?, cells.get(1)?, cells.get(2)?, cells.get(3)?)))
        .optional()?;
    let Some((step, chain, packed, digest)) = stored else { return Ok(None) };
    let what = || format!("the snapshot of thread {}", row.id);
    let entry = log::entry(db, step)?;
    if snapshot_digest(row.seq, step, &chain, &packed).bytes() != digest || entry.chain != chain {
        return damaged(format!("{} is not as it was written", what()));
    }
    let state = lz4_flex::decompress_size_prepended(&packed)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or_else(|| damaged(format!("{} cannot be unpacked", what())), Ok)?;
    let steps = LastStep::of(&entry)?.steps;
    Ok(Some(Snapshot { entry: step, steps, state, bytes: packed.len() }))
}

/// Stores a new snapshot and returns its size.
pub(in crate::store) fn write(
    db: &Connection,
    thread: i64,
    step: &LastStep,
    state: &str,
) -> Result<usize, StoreError> {
    let packed = lz4_flex::compress_prepend_size(state.as_bytes());
    let digest = snapshot_digest(thread, step.seq, &step.chain, &packed);
    db.prepare_cached(
        "INSERT INTO snapshots (thread, step, chain, state, digest) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (thread) DO UPDATE SET step = excluded.step, chain = excluded.chain, state = excluded.state,
            digest = excluded.digest",
    )?
    .execute(params![thread, step.seq, step.chain, packed, digest.bytes()])?;
    Ok(packed.len())
}

fn snapshot_digest(thread: i64, step: i64, chain: &[u8], state: &[u8]) -> Digest {
    RowHasher::of("snapshots").int(thread).int(step).bytes(chain).bytes(state).done()
}
