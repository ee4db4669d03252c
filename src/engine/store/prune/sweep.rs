//! Deletes bytes that nothing refers to any more.
//!
//! The digests that a pruned thread referred to are listed in `letting_go`. A digest leaves the list when somebody
//! stores the same bytes again, or when a scan finds that something still refers to it. Then the bytes of the remaining
//! digests are deleted. That happens only while no thread is at work: a node may have stored bytes that its step does
//! not refer to yet.

use crate::engine::store::blobs::cancel_deletion;
use crate::engine::store::log::{self, BodyCache, COLUMNS, Entry};
use crate::engine::store::rows::{self, MailRow};
use crate::engine::store::{Prune, StoreError};
use crate::inbox::Pruning;
use crate::text::digest_from_hex;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// How many blobs are deleted at once.
const BATCH: i64 = 500;

/// The result of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swept {
    /// This much was deleted, and there may be more.
    Some(Pruning),
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
            let free = unreferenced(db, listed.clone(), &HashSet::new(), &HashSet::new())?;
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
                let mut pruning = Pruning::default();
                for digest in listed {
                    if let Some((seq, bytes)) = find_unshared(db, &digest)? {
                        db.prepare_cached("DELETE FROM blobs WHERE seq = ?")?.execute([seq])?;
                        pruning.take("blobs", 1, bytes.unsigned_abs() + 48);
                    }
                    cancel_deletion(db, &digest)?;
                }
                Ok(Swept::Some(pruning))
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

/// The number and size of a blob, unless a prompt shares it.
fn find_unshared(db: &Connection, digest: &[u8; 32]) -> Result<Option<(i64, i64)>, StoreError> {
    Ok(db
        .prepare_cached(
            "SELECT seq, octet_length(bytes) FROM blobs
             WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM prompts WHERE head = blobs.seq)
               AND NOT EXISTS (SELECT 1 FROM prompts WHERE mail = blobs.seq)",
        )?
        .query_row([digest], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// The digests in `loose` that nothing refers to, ignoring the threads in `gone` and these mails.
fn unreferenced(
    db: &Connection,
    mut loose: HashSet<[u8; 32]>,
    gone: &HashSet<i64>,
    mails: &HashSet<i64>,
) -> Result<HashSet<[u8; 32]>, StoreError> {
    let mut calls = db.prepare("SELECT thread, result FROM calls")?;
    let mut rows = calls.query([])?;
    while let Some(row) = rows.next()? {
        if gone.contains(&row.get(0)?) {
            continue;
        }
        let text = row.get_ref(1)?.as_str().map_err(|e| StoreError::Damaged(e.to_string()))?;
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
        let stream: i64 = row.get(1)?;
        let entry = Entry::read(db, row, &mut bodies)?;
        // A digest that was changed must not cost a blob.
        entry.verify(log::chain_before(db, entry.seq)?)?;
        if gone.contains(&stream) && entry.kind.can_be_pruned() {
            continue;
        }
        for digest in digests(&text(db, &entry, &[])?) {
            loose.remove(&digest);
        }
    }
    let mut statement = db.prepare("SELECT frozen FROM effects")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        loose.remove(&row.get::<_, [u8; 32]>(0)?);
    }
    let mut statement = db.prepare("SELECT coalesce(thread, 0), raw, seq FROM mails WHERE raw <> ?")?;
    let mut rows = statement.query(params![MailRow::PRUNED_BYTES])?;
    while let Some(row) = rows.next()? {
        if !gone.contains(&row.get(0)?) && !mails.contains(&row.get(2)?) {
            loose.remove(&row.get::<_, [u8; 32]>(1)?);
        }
    }
    Ok(loose)
}

/// Counts what a sweep would delete if these threads and mails were pruned.
pub fn count(
    db: &Connection,
    loose: HashSet<[u8; 32]>,
    gone: &HashSet<i64>,
    mails: &HashSet<i64>,
    plan: &mut Pruning,
) -> Result<(), StoreError> {
    for digest in unreferenced(db, loose, gone, mails)? {
        if let Some((_, bytes)) = find_unshared(db, &digest)? {
            plan.take("blobs", 1, bytes.unsigned_abs() + 48);
        }
    }
    Ok(())
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
