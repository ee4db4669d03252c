//! Memory: profiles by namespace, every version kept with what caused it.

use super::audit::{self, Fact};
use super::rows::{damaged, json, time};
use super::seal::{Digest, Seal};
use super::verify::{tallied, tally};
use super::{Store, StoreError, pins};
use crate::graph::ThreadId;
use crate::inbox::{MemoryCause, MemoryVersion, MemoryView};
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

    /// A profile as it stands, with its pinned lines.
    pub fn memory_view(&self, namespace: &str) -> Result<MemoryView, StoreError> {
        self.read(|db| view(db, namespace))
    }

    /// The whole name of the namespace a person means: itself, or one whose last part it is.
    pub fn memory_named(&self, word: &str) -> Result<String, StoreError> {
        let names = self.memory_namespaces()?;
        if names.iter().any(|name| name == word) {
            return Ok(word.to_owned());
        }
        let ends = |name: &&String| name.rsplit('/').next() == Some(word);
        let meant: Vec<&String> = names.iter().filter(ends).collect();
        match meant.as_slice() {
            [] => Err(StoreError::Unknown("memory", word.to_owned())),
            [one] => Ok((*one).clone()),
            several => {
                let several: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                let text =
                    format!("`{word}` is the last part of {}; give the whole name", several.join(" and "));
                Err(StoreError::Conflict(text))
            }
        }
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
        self.write(move |db| append(db, &namespace, read, &profile, &cause, now)).await
    }

    /// Writes what a person made of a profile. It keeps the pinned lines, which are let go by name only.
    pub async fn edit_memory(
        &self,
        namespace: String,
        read: u64,
        profile: String,
    ) -> Result<MemoryView, StoreError> {
        let now = self.now_ms();
        self.write(move |db| rewrite(db, &namespace, read, &profile, "edit", now)).await
    }

    /// Makes an earlier version the newest again.
    pub async fn revert_memory(&self, namespace: String, version: u64) -> Result<MemoryView, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let versions = history(db, &namespace)?;
            let newest = versions.last().map_or(0, |(newest, _)| newest.version);
            let Some((wanted, _)) = versions.iter().find(|(found, _)| found.version == version) else {
                return Err(StoreError::Unknown("version", format!("{version} of {namespace}")));
            };
            if version == newest {
                let text = format!("version {version} of the memory `{namespace}` is the newest already");
                return Err(StoreError::Conflict(text));
            }
            rewrite(db, &namespace, newest, &wanted.profile, "revert", now)
        })
        .await
    }

    /// Pins a line of a profile, or lets it go.
    pub async fn pin(&self, namespace: String, line: String, pinned: bool) -> Result<MemoryView, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let there = view(db, &namespace)?;
            let line = if pinned {
                let lines: Vec<&str> = there.newest.profile.lines().map(str::trim).collect();
                meant(&lines, &line, &format!("the memory `{namespace}`"))?
            } else {
                let pins: Vec<&str> = there.pinned.iter().map(String::as_str).collect();
                meant(&pins, &line, &format!("the pinned lines of `{namespace}`"))?
            };
            pins::set(db, &namespace, &line, pinned, now)?;
            view(db, &namespace)
        })
        .await
    }
}

/// The line a person means: by its text, a part of it that no other line has, or its number.
fn meant(lines: &[&str], word: &str, whole: &str) -> Result<String, StoreError> {
    let word = word.trim();
    let numbered = word.parse::<usize>().ok().and_then(|n| lines.get(n.checked_sub(1)?));
    if let Some(line) = lines.iter().find(|line| **line == word).or(numbered)
        && !line.is_empty()
    {
        return Ok((*line).to_owned());
    }
    let mut holding: Vec<&str> =
        lines.iter().copied().filter(|line| !word.is_empty() && line.contains(word)).collect();
    holding.dedup();
    match holding.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(StoreError::Conflict(format!("{whole} has no line `{word}`"))),
        several => {
            let text =
                format!("{} lines of {whole} have `{word}` in them; give more of the line", several.len());
            Err(StoreError::Conflict(text))
        }
    }
}

/// Whether a version was learned from this thread.
pub(super) fn caused_by(db: &Connection, thread: &ThreadId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM memory WHERE json_extract(cause, '$.thread') = ? LIMIT 1";
    Ok(db.prepare_cached(sql)?.exists([thread.as_str()])?)
}

fn view(db: &Connection, namespace: &str) -> Result<MemoryView, StoreError> {
    let Some((newest, _)) = history(db, namespace)?.pop() else {
        return Err(StoreError::Unknown("memory", namespace.to_owned()));
    };
    Ok(MemoryView { newest, pinned: pins::pins(db, namespace)? })
}

fn rewrite(
    db: &Connection,
    namespace: &str,
    read: u64,
    profile: &str,
    kind: &str,
    now: i64,
) -> Result<MemoryView, StoreError> {
    let there = view(db, namespace)?;
    if let Some(pin) = there.pinned.iter().find(|pin| !profile.lines().any(|line| line.trim() == **pin)) {
        return Err(StoreError::Conflict(format!("the line `{pin}` is pinned; unpin it before it goes")));
    }
    let cause = MemoryCause { kind: kind.to_owned(), thread: None, interrupt: None };
    append(db, namespace, read, profile, &cause, now)?;
    view(db, namespace)
}

fn append(
    db: &Connection,
    namespace: &str,
    read: u64,
    profile: &str,
    cause: &MemoryCause,
    now: i64,
) -> Result<u64, StoreError> {
    let versions = history(db, namespace)?;
    let (newest, before) =
        versions.last().map_or((0, Digest::default()), |(version, digest)| (version.version, *digest));
    if newest != read {
        return Err(StoreError::Conflict(format!(
            "the memory `{namespace}` is at version {newest}, not {read}; read it again"
        )));
    }
    let told = Fact::Remembered {
        namespace: namespace.to_owned(),
        version: newest + 1,
        cause: cause.kind.clone(),
        thread: cause.thread.as_ref().map(ToString::to_string),
        interrupt: cause.interrupt.as_ref().map(ToString::to_string),
        profile: audit::sha(profile),
    };
    let cause = serde_json::to_string(cause).map_err(|e| StoreError::Sql(e.to_string()))?;
    let version = newest + 1;
    let digest = seal(before, namespace, version, profile, &cause, now);
    db.prepare_cached(
        "INSERT INTO memory (namespace, version, profile, cause, at, digest) VALUES (?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![namespace, version.cast_signed(), profile, cause, now, digest.bytes()])?;
    tally(db, &format!("memory:{namespace}"), 1)?;
    audit::record(db, &told, now)?;
    Ok(version)
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
