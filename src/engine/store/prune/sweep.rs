//! Deletes bytes that nothing refers to any more.
//!
//! The digests that a pruned thread referred to are listed in `letting_go`. A digest leaves the list when somebody
//! stores the same bytes again, or when a scan finds that something still refers to it. Then the bytes of the remaining
//! digests are deleted. That happens only while no thread is at work: a node may have stored bytes that its step does
//! not refer to yet.

use crate::engine::store::blobs::cancel_deletion;
use crate::engine::store::log::{self, BodyCache, COLUMNS, Entry};
use crate::engine::store::rows;
use crate::engine::store::{Prune, StoreError};
use crate::text::digest_from_hex;
use rusqlite::Connection;
use std::collections::HashSet;

/// How many blobs are deleted at once.
const BATCH: i64 = 500;

/// Deletes a blob unless a prompt shares it.
const DELETE_UNSHARED: &str = "DELETE FROM blobs WHERE digest = ?
    AND NOT EXISTS (SELECT 1 FROM prompts WHERE head = blobs.seq)
    AND NOT EXISTS (SELECT 1 FROM prompts WHERE mail = blobs.seq)";

/// The result of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swept {
    /// Some were deleted, and there may be more.
    Some,
    /// Nothing is left to delete.
    Clean,
    /// Threads are at work; try again later.
    Busy,
}

impl Prune<'_> {
    /// Takes everything that is still referred to off the list.
    pub async fn mark_blobs(self) -> Result<(), StoreError> {
        let named = self.0.read(|db| {
            let listed = rows::column(db, "SELECT digest FROM letting_go", [])?;
            let listed: HashSet<[u8; 32]> = listed.into_iter().collect();
            let free = unreferenced(db, listed.clone())?;
            Ok(listed.into_iter().filter(|digest| !free.contains(digest)).collect::<Vec<_>>())
        })?;
        self.0.write(move |db| named.iter().try_for_each(|digest| cancel_deletion(db, digest))).await
    }

    /// Deletes some of the listed blobs. The caller must have called `mark_blobs` since the last prune.
    pub async fn sweep_blobs(self) -> Result<Swept, StoreError> {
        self.0
            .write(|db| {
                let listed: Vec<[u8; 32]> =
                    rows::column(db, "SELECT digest FROM letting_go LIMIT ?", [BATCH])?;
                if listed.is_empty() {
                    return Ok(Swept::Clean);
                }
                let any =
                    |which| rows::exists(db, &format!("SELECT 1 FROM threads WHERE {which} LIMIT 1"), []);
                if any("status IN ('ready', 'running')")? || any("waiting_events > 0")? {
                    return Ok(Swept::Busy);
                }
                for digest in listed {
                    db.prepare_cached(DELETE_UNSHARED)?.execute([digest])?;
                    cancel_deletion(db, &digest)?;
                }
                Ok(Swept::Some)
            })
            .await
    }
}

/// Lists a digest for deletion.
pub fn list_for_deletion(db: &Connection, digest: &[u8; 32]) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR IGNORE INTO letting_go (digest) SELECT digest FROM blobs WHERE digest = ?")?
        .execute([digest])?;
    Ok(())
}

/// The digests in `loose` that nothing refers to.
fn unreferenced(db: &Connection, mut loose: HashSet<[u8; 32]>) -> Result<HashSet<[u8; 32]>, StoreError> {
    let mut calls = db.prepare("SELECT result FROM calls")?;
    let mut rows = calls.query([])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().map_err(|e| StoreError::Damaged(e.to_string()))?;
        for digest in digests(text) {
            loose.remove(&digest);
        }
    }
    let mut entries =
        db.prepare(&format!("SELECT {COLUMNS} FROM log l WHERE l.body IS NOT NULL ORDER BY l.seq"))?;
    let mut rows = entries.query([])?;
    let mut bodies = BodyCache::default();
    while let Some(row) = rows.next()? {
        if loose.is_empty() {
            return Ok(loose);
        }
        let entry = Entry::read(db, row, &mut bodies)?;
        // A digest that was changed must not cost a blob.
        entry.verify(log::chain_before(db, entry.seq)?)?;
        for digest in digests(&text(db, &entry, &[])?) {
            loose.remove(&digest);
        }
    }
    for sql in ["SELECT frozen FROM effects", "SELECT raw FROM mails"] {
        for digest in rows::column::<[u8; 32]>(db, sql, [])? {
            loose.remove(&digest);
        }
    }
    Ok(loose)
}

/// Adds the digests that a thread's steps and prompts refer to.
pub fn collect_digests(
    db: &Connection,
    thread: i64,
    loose: &mut HashSet<[u8; 32]>,
) -> Result<(), StoreError> {
    let entries = log::stream(db, thread, thread)?;
    for entry in entries.iter().filter(|entry| entry.kind.can_be_pruned()) {
        loose.extend(digests(&text(db, entry, &entries)?));
    }
    let mut statement = db.prepare_cached(
        "SELECT b.digest FROM spans s JOIN prompts p ON p.call = s.seq JOIN blobs b ON b.seq = p.head WHERE s.thread = ?",
    )?;
    let mut rows = statement.query([thread])?;
    while let Some(row) = rows.next()? {
        loose.insert(row.get(0)?);
    }
    Ok(())
}

/// The full text of an entry, with its steps.
fn text(db: &Connection, entry: &Entry, neighbors: &[Entry]) -> Result<String, StoreError> {
    let mut text = entry.body.clone().unwrap_or_default();
    if entry.steps.is_some() {
        text.push_str(&log::unpack_steps(db, entry, neighbors)?);
    }
    Ok(text)
}

/// Every run of exactly 64 hexadecimal digits.
fn digests(text: &str) -> impl Iterator<Item = [u8; 32]> + '_ {
    text.split(|c: char| !c.is_ascii_hexdigit()).filter_map(digest_from_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_wherever_they_stand() {
        let one = "a1".repeat(32);
        let two = "0F".repeat(32);
        let text = format!(r#"{{"raw":"{one}","x":[“{two}”],"long":"{one}0","short":"{}"}}"#, &one[1..]);
        let found_digests: Vec<[u8; 32]> = digests(&text).collect();
        assert_eq!(found_digests, [[0xa1; 32], [0x0f; 32]]);
        assert_eq!(digests("").count(), 0);
    }
}
