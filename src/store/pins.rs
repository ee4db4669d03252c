//! Pins: lines of a memory that nothing learned may drop.

use super::audit::{self, Fact};
use super::rows::damaged;
use super::seal::{Digest, Seal};
use super::verify::{tallied, tally};
use super::{Store, StoreError};
use rusqlite::{Connection, params};

impl Store {
    /// The pinned lines of a profile, oldest pin first.
    pub fn pins(&self, namespace: &str) -> Result<Vec<String>, StoreError> {
        self.read(|db| pins(db, namespace))
    }
}

fn seal(namespace: &str, line: &str, at: i64) -> Digest {
    Seal::of("pins").text(namespace).text(line).int(at).done()
}

fn count(namespace: &str) -> String {
    format!("pins:{namespace}")
}

/// The pinned lines; one that was taken away is missed.
pub(super) fn pins(db: &Connection, namespace: &str) -> Result<Vec<String>, StoreError> {
    let mut found =
        db.prepare_cached("SELECT line, at, digest FROM pins WHERE namespace = ? ORDER BY at, line")?;
    let mut rows = found.query([namespace])?;
    let mut pins = Vec::new();
    while let Some(row) = rows.next()? {
        let (line, at, digest): (String, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if digest != seal(namespace, &line, at).bytes() {
            return damaged(format!("a pinned line of the memory `{namespace}` is not as it was written"));
        }
        pins.push(line);
    }
    if tallied(db, &count(namespace))? != pins.len() as i64 {
        return damaged(format!("pinned lines of the memory `{namespace}` are missing"));
    }
    Ok(pins)
}

/// Pins a line, or lets it go; nothing changes where it is so already.
pub(super) fn set(
    db: &Connection,
    namespace: &str,
    line: &str,
    pinned: bool,
    now: i64,
) -> Result<(), StoreError> {
    if pins(db, namespace)?.iter().any(|there| there == line) == pinned {
        return Ok(());
    }
    if pinned {
        db.prepare_cached("INSERT INTO pins (namespace, line, at, digest) VALUES (?, ?, ?, ?)")?
            .execute(params![namespace, line, now, seal(namespace, line, now).bytes()])?;
    } else {
        db.prepare_cached("DELETE FROM pins WHERE namespace = ? AND line = ?")?.execute([namespace, line])?;
    }
    tally(db, &count(namespace), if pinned { 1 } else { -1 })?;
    let (namespace, line) = (namespace.to_owned(), line.to_owned());
    let told = if pinned { Fact::Pinned { namespace, line } } else { Fact::Unpinned { namespace, line } };
    audit::record(db, &told, now)
}
