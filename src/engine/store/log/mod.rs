//! The log: one append-only record of everything that happened, each entry chained to the one before it.
//!
//! An entry belongs to a stream: a thread, a grant, a memory, or the pause switch for all driving (0). A stream is
//! identified by the number of its first entry. Lists and counters are projections of the log and can be rebuilt from
//! it. Reads trust what was committed. Entries are checked against the chain before anything leaves because of them
//! ([`verified_stream`]), by `sayso doctor` and in an export.
//!
//! What the chain proves: we notice if an entry was edited, removed, inserted or moved. We also notice if the end was
//! cut off, because the lists still have what it said. The chain covers the digest of each body, so old bodies can be
//! deleted and it still holds. There is no secret key: anyone who can write the file can make up a whole new log. An
//! export kept elsewhere protects against that.

mod asked;
mod body;
mod kind;
mod links;
mod memory;
mod origin;
mod pack;
mod tx;

pub use asked::*;
pub use body::*;
pub use kind::EntryKind;
pub use links::check as check_links;
pub use memory::Memory;
pub use origin::Origin;
pub use pack::pack_always as pack_steps;
pub use tx::{Head, NewEntry, Tx};

use crate::engine::store::StoreError;
use crate::engine::store::rows;
use crate::text::{hex, plain_json};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// The stream that records whether all driving is paused.
pub const PAUSE_STREAM: i64 = 0;

pub type Checksum = [u8; 32];

/// The columns of an entry, in the order [`Entry::read`] takes them.
pub const COLUMNS: &str = "l.seq, l.stream, l.kind, l.ref, l.prev, l.at, l.sum, l.chain, l.body, l.steps";

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct Entry {
    pub seq: i64,
    pub stream: i64,
    pub kind: EntryKind,
    /// The entry this one is about.
    pub about: Option<i64>,
    /// The entry before it in its stream.
    pub prev: Option<i64>,
    pub at: i64,
    /// `None` once it was pruned.
    pub body: Option<String>,
    /// Its steps, compressed.
    pub steps: Option<Vec<u8>>,
    /// The digest of what was pruned.
    sum: Option<Checksum>,
    pub chain: Checksum,
}

/// Serializes a body to JSON.
pub fn text(body: &impl Serialize) -> Result<String, StoreError> {
    plain_json(body).map_err(|e| StoreError::Sql(e.to_string()))
}

fn sum(body: &str, steps: Option<&[u8]>) -> Checksum {
    let mut sum = Sha256::new_with_prefix(body.as_bytes());
    if let Some(steps) = steps {
        sum.update([0]);
        sum.update(steps);
    }
    sum.finalize().into()
}

impl Entry {
    /// Reads a row of [`COLUMNS`]; `bodies` has those of other entries that this one may repeat.
    pub fn read(db: &Connection, row: &Row<'_>, bodies: &mut BodyCache) -> Result<Self, StoreError> {
        let seq: i64 = row.get(0)?;
        let broken = || StoreError::Damaged(format!("entry {seq} of the log is not as it was written"));
        let word = row.get_ref(2)?.as_str().map_err(|_| broken())?;
        let kind = EntryKind::from_word(word).ok_or_else(broken)?;
        let (stream, about, prev, at) = (row.get(1)?, row.get(3)?, row.get(4)?, row.get(5)?);
        let (sum, chain) = (row.get(6).map_err(|_| broken())?, row.get(7).map_err(|_| broken())?);
        let body = match row.get_ref(8)? {
            ValueRef::Null => None,
            ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).map_err(|_| broken())?),
            ValueRef::Blob(packed) => Some(bodies.unpack(db, seq, packed).map_err(|_| broken())?),
            ValueRef::Integer(_) | ValueRef::Real(_) => return Err(broken()),
        };
        let steps = row.get(9).map_err(|_| broken())?;
        let entry = Self { seq, stream, kind, about, prev, at, body, steps, sum, chain };
        bodies.insert(&entry);
        Ok(entry)
    }

    /// Checks it against its digest and the chain value of the entry before it in the log.
    pub fn verify(&self, before: Option<Checksum>) -> Result<(), StoreError> {
        let before = match (before, self.seq) {
            (Some(before), _) => before,
            (None, 1) => [0; 32],
            (None, seq) => {
                return Err(StoreError::Damaged(format!("entry {} of the log is missing", seq - 1)));
            }
        };
        let pruned = self.body.is_none() && self.steps.is_none() && self.kind.can_be_pruned();
        if self.sum.is_some() == pruned && self.body.is_some() != pruned && self.link(&before) == self.chain {
            return Ok(());
        }
        Err(StoreError::Damaged(format!("entry {} of the log is not as it was written", self.seq)))
    }

    /// The digest that the chain covers: the plain body, and the steps as stored.
    pub fn sum(&self) -> Checksum {
        let body = self.body.as_deref().unwrap_or_default();
        self.sum.unwrap_or_else(|| sum(body, self.steps.as_deref()))
    }

    /// The text that its chain value is the hash of.
    pub fn link_text(&self, before: &Checksum) -> String {
        let number = |n: Option<i64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let Self { seq, stream, kind, at, .. } = self;
        format!(
            "{} {seq} {stream} {} {} {} {at} {}",
            hex(before),
            kind.word(),
            number(self.about),
            number(self.prev),
            hex(&self.sum())
        )
    }

    fn link(&self, before: &Checksum) -> Checksum {
        Sha256::digest(self.link_text(before).as_bytes()).into()
    }

    pub fn parse_body<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        let Some(body) = &self.body else {
            return Err(StoreError::Damaged(format!("what entry {} of the log said is gone", self.seq)));
        };
        serde_json::from_str(body)
            .map_err(|e| StoreError::Damaged(format!("entry {} of the log is not readable: {e}", self.seq)))
    }
}

/// Recently read bodies, in case other entries repeat them.
#[derive(Default)]
pub struct BodyCache(HashMap<i64, String>);

impl BodyCache {
    fn insert(&mut self, entry: &Entry) {
        if entry.kind.is_repeated()
            && let Some(body) = &entry.body
        {
            self.0.insert(entry.seq, body.clone());
        }
    }

    fn unpack(&self, db: &Connection, seq: i64, packed: &[u8]) -> Result<String, StoreError> {
        pack::unpack(packed, seq, &mut |repeated| match self.0.get(&repeated) {
            Some(body) => Ok(body.clone()),
            None => plain_body(db, repeated),
        })
    }
}

/// The body of an entry that another one repeats. It must not repeat any entry itself.
fn plain_body(db: &Connection, seq: i64) -> Result<String, StoreError> {
    let gone = || StoreError::Damaged(format!("entry {seq} of the log is missing"));
    let mut statement = db.prepare_cached("SELECT body FROM log WHERE seq = ?")?;
    let mut rows = statement.query([seq])?;
    match rows.next()?.ok_or_else(gone)?.get_ref(0)? {
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).map_err(|_| gone()),
        ValueRef::Blob(packed) => {
            pack::unpack(packed, seq, &mut |_| Err(StoreError::Damaged("packed twice".to_owned())))
        }
        _ => Err(gone()),
    }
}

/// The number and chain value of the last entry.
pub fn end(db: &Connection) -> Result<(i64, Checksum), StoreError> {
    let last = db
        .prepare_cached("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .map_err(|_| StoreError::Damaged("the last entry of the log is not as it was written".to_owned()))?;
    Ok(last.unwrap_or((0, [0; 32])))
}

/// The number of the log's last entry.
pub fn last_seq(db: &Connection) -> Result<i64, StoreError> {
    rows::one(db, "SELECT coalesce(max(seq), 0) FROM log", [])
}

/// The number of a stream's last entry.
pub fn last_in_stream(db: &Connection, stream: i64) -> Result<Option<i64>, StoreError> {
    rows::one(db, "SELECT max(seq) FROM log WHERE stream = ?", [stream])
}

/// Two entries by their numbers, in one query.
pub fn pair(db: &Connection, first: i64, second: i64) -> Result<[Entry; 2], StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM log l WHERE l.seq = ?1 UNION ALL SELECT {COLUMNS} FROM log l WHERE l.seq = ?2"
    );
    let mut bodies = BodyCache::default();
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([first, second])?;
    let mut read = |seq: i64| match rows.next()?.map(|row| Entry::read(db, row, &mut bodies)).transpose()? {
        Some(entry) if entry.seq == seq => Ok(entry),
        _ => Err(StoreError::Damaged(format!("entry {seq} of the log is missing"))),
    };
    Ok([read(first)?, read(second)?])
}

/// The entry with this number.
pub fn entry(db: &Connection, seq: i64) -> Result<Entry, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM log l WHERE l.seq = ?"))?;
    let mut rows = statement.query([seq])?;
    match rows.next()? {
        Some(row) => Entry::read(db, row, &mut BodyCache::default()),
        None => Err(StoreError::Damaged(format!("entry {seq} of the log is missing"))),
    }
}

/// The same, checked against its digest and the entry before it.
pub fn verified_entry(db: &Connection, seq: i64) -> Result<Entry, StoreError> {
    let entry = entry(db, seq)?;
    entry.verify(chain_before(db, seq)?)?;
    Ok(entry)
}

/// The steps of an entry; `neighbors` are entries read together with it, oldest first.
pub fn unpack_steps(db: &Connection, owner: &Entry, neighbors: &[Entry]) -> Result<String, StoreError> {
    let gone = || StoreError::Damaged(format!("the steps of entry {} of the log are gone", owner.seq));
    pack::unpack(owner.steps.as_deref().ok_or_else(gone)?, owner.seq, &mut |repeated| {
        let neighbor = neighbors
            .binary_search_by_key(&repeated, |entry| entry.seq)
            .ok()
            .and_then(|at| neighbors.get(at));
        let body = match neighbor {
            Some(entry) => entry.body.clone(),
            None => entry(db, repeated)?.body,
        };
        body.ok_or_else(gone)
    })
}

/// Reads a stream from entry `from` on, while `each` returns true.
pub fn follow(
    db: &Connection,
    stream: i64,
    from: i64,
    each: &mut dyn FnMut(Entry) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM log l WHERE l.stream = ? AND l.seq >= ? ORDER BY l.seq"
    ))?;
    let mut rows = statement.query([stream, from])?;
    let mut bodies = BodyCache::default();
    while let Some(row) = rows.next()? {
        if !each(Entry::read(db, row, &mut bodies)?)? {
            break;
        }
    }
    Ok(())
}

/// The chain value of the entry before this one in the log.
pub fn chain_before(db: &Connection, seq: i64) -> Result<Option<Checksum>, StoreError> {
    let mut statement = db.prepare_cached("SELECT chain FROM log WHERE seq = ? - 1")?;
    let unreadable =
        |_| StoreError::Damaged(format!("entry {} of the log is not as it was written", seq - 1));
    statement.query_row([seq], |row| row.get(0)).optional().map_err(unreadable)
}

/// A stream from entry `from` on, oldest first.
pub fn stream(db: &Connection, stream: i64, from: i64) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    follow(db, stream, from, &mut |entry| {
        entries.push(entry);
        Ok(true)
    })?;
    Ok(entries)
}

/// The same, with each entry checked against its digest and the one before it, in the log and in the stream.
pub fn verified_stream(db: &Connection, stream: i64, from: i64) -> Result<Vec<Entry>, StoreError> {
    let entries = self::stream(db, stream, from)?;
    verify(db, &entries)?;
    Ok(entries)
}

/// Checks entries of one stream that follow each other.
pub fn verify(db: &Connection, entries: &[Entry]) -> Result<(), StoreError> {
    let mut before = None;
    for entry in entries {
        entry.verify(chain_before(db, entry.seq)?)?;
        if let Some(before) = before
            && entry.prev != Some(before)
        {
            return Err(StoreError::Damaged(format!(
                "entry {} of the log does not follow entry {before}: one between them is missing",
                entry.seq
            )));
        }
        before = Some(entry.seq);
    }
    Ok(())
}
