//! Memory: profiles by namespace, every version kept with what caused it.

use super::rows::{damaged, json, time};
use super::seal::{Digest, Seal};
use super::verify::{tallied, tally};
use super::{Store, StoreError};
use crate::inbox::{MemoryCause, MemoryVersion};
use rusqlite::{Connection, Row, params};

impl Store {
    /// Every namespace there is.
    pub fn memory_namespaces(&self) -> Result<Vec<String>, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached("SELECT DISTINCT namespace FROM memory ORDER BY namespace")?;
            Ok(found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// The newest version of a profile.
    pub fn memory(&self, namespace: &str) -> Result<Option<MemoryVersion>, StoreError> {
        self.read(|db| Ok(history(db, namespace)?.pop().map(|(version, _)| version)))
    }

    /// All versions of a profile, newest first.
    pub fn memory_history(&self, namespace: &str) -> Result<Vec<MemoryVersion>, StoreError> {
        self.read(|db| Ok(history(db, namespace)?.into_iter().rev().map(|(version, _)| version).collect()))
    }

    /// Writes the version after `read`, unless somebody was quicker.
    pub async fn remember(
        &self,
        namespace: String,
        read: u64,
        profile: String,
        cause: MemoryCause,
    ) -> Result<u64, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let versions = history(db, &namespace)?;
            let (newest, before) =
                versions.last().map_or((0, Digest::default()), |(version, digest)| (version.version, *digest));
            if newest != read {
                return Err(StoreError::Conflict(format!(
                    "the memory `{namespace}` is at version {newest}, not {read}; read it again"
                )));
            }
            let cause = serde_json::to_string(&cause).map_err(|e| StoreError::Sql(e.to_string()))?;
            let version = newest + 1;
            let digest = seal(before, &namespace, version, &profile, &cause, now);
            db.prepare_cached(
                "INSERT INTO memory (namespace, version, profile, cause, at, digest) VALUES (?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![namespace, version.cast_signed(), profile, cause, now, digest.bytes()])?;
            tally(db, &format!("memory:{namespace}"), 1)?;
            Ok(version)
        })
        .await
    }
}

fn seal(before: Digest, namespace: &str, version: u64, profile: &str, cause: &str, at: i64) -> Digest {
    Seal::of("memory")
        .bytes(before.bytes())
        .text(namespace)
        .int(version.cast_signed())
        .text(profile)
        .text(cause)
        .int(at)
        .done()
}

/// All versions, oldest first, chain checked.
pub(super) fn history(db: &Connection, namespace: &str) -> Result<Vec<(MemoryVersion, Digest)>, StoreError> {
    let mut found = db.prepare_cached("SELECT * FROM memory WHERE namespace = ? ORDER BY version")?;
    let mut rows = found.query([namespace])?;
    let mut versions: Vec<(MemoryVersion, Digest)> = Vec::new();
    while let Some(row) = rows.next()? {
        let before = versions.last().map_or(Digest::default(), |(_, digest)| *digest);
        versions.push(read(row, before)?);
    }
    if tallied(db, &format!("memory:{namespace}"))? != versions.len() as i64 {
        return damaged(format!("versions of the memory `{namespace}` are missing"));
    }
    Ok(versions)
}

fn read(row: &Row<'_>, before: Digest) -> Result<(MemoryVersion, Digest), StoreError> {
    let (namespace, version): (String, i64) = (row.get("namespace")?, row.get("version")?);
    let version = version.unsigned_abs();
    let (profile, cause, at): (String, String, i64) =
        (row.get("profile")?, row.get("cause")?, row.get("at")?);
    let digest: Vec<u8> = row.get("digest")?;
    let expected = seal(before, &namespace, version, &profile, &cause, at);
    if digest != expected.bytes() {
        return damaged(format!("version {version} of the memory `{namespace}` is not as it was written"));
    }
    let cause = json("the cause of a memory", &cause)?;
    Ok((MemoryVersion { namespace, version, profile, updated_at: time(at)?, cause }, expected))
}
