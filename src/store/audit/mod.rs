//! The audit: an append-only list of what was decided and done, by whom and from where, each line chained to the one
//! before it by SHA-256.
//!
//! A line is written in the transaction of what it tells, so there is neither without the other. It keeps hashes of
//! arguments and words, not the words: those stand in their own rows for as long as these are kept, and an export
//! joins them. So removing old threads takes what was said and leaves the proof, and the audit needs no other table.
//!
//! What a chain proves: a line that was edited, removed, put in or moved is noticed, and so is a cut end, because the
//! head is kept apart. Nobody holds a key, so whoever can write the file can make up a whole new chain; against that
//! there is an export kept elsewhere, which is compared line by line.

mod chain;
mod check;
mod fact;
mod origin;
mod texts;

pub use check::AuditChecked;
pub(super) use check::check;
pub(super) use fact::{Because, Fact, bound, sha, sha_json};

use super::StoreError;
use super::rows::{damaged, time};
use super::seal::{Digest, Seal};
use crate::text::plain_json;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

/// The last line, kept apart from the lines.
pub(super) struct Head {
    pub n: i64,
    pub digest: [u8; 32],
}

/// A fact, and where it came from.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    fact: &'a Fact,
    from: &'static origin::Origin,
}

/// Begins the audit of a store that may have rows already.
pub(super) fn begin(db: &Connection, now: i64) -> Result<(), StoreError> {
    let last = |table: &str| {
        db.query_row(&format!("SELECT coalesce(max(seq), 0) FROM {table}"), [], |row| row.get::<_, i64>(0))
    };
    let begun =
        Fact::Begun { decisions: last("decisions")?, effects: last("effects")?, grants: last("grants")? };
    let none = Head { n: 0, digest: [0; 32] };
    db.prepare("INSERT INTO audit_head (one, n, last, digest) VALUES (1, ?, ?, ?)")?.execute(params![
        none.n,
        none.digest,
        seal(&none).bytes()
    ])?;
    record(db, &begun, now)
}

/// Adds a line to the audit, in the transaction of what it tells.
pub(super) fn record(db: &Connection, fact: &Fact, now: i64) -> Result<(), StoreError> {
    let before = head(db)?;
    let told = Told { fact, from: origin::here() };
    let entry = plain_json(&told).map_err(|e| StoreError::Sql(e.to_string()))?;
    let n = before.n + 1;
    let digest = chain::digest(&chain::text(&before.digest, n, time(now)?, &entry));
    db.prepare_cached("INSERT INTO audit (seq, at, entry, digest) VALUES (?, ?, ?, ?)")?
        .execute(params![n, now, entry, digest])?;
    let head = Head { n, digest };
    db.prepare_cached("UPDATE audit_head SET n = ?, last = ?, digest = ?")?.execute(params![
        head.n,
        head.digest,
        seal(&head).bytes()
    ])?;
    Ok(())
}

/// The last line there must be.
pub(super) fn head(db: &Connection) -> Result<Head, StoreError> {
    let found: Option<(i64, [u8; 32], [u8; 16])> = db
        .prepare_cached("SELECT n, last, digest FROM audit_head")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((n, digest, sealed)) = found else {
        return damaged("what the audit's last line is, is missing");
    };
    let head = Head { n, digest };
    if seal(&head).bytes() == sealed {
        Ok(head)
    } else {
        damaged("what the audit's last line is, is not as it was written")
    }
}

fn seal(head: &Head) -> Digest {
    Seal::of("audit_head").int(head.n).bytes(&head.digest).done()
}
