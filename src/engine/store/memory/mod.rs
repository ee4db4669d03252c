//! Memory: profiles by namespace, with every version and its cause; and rows, which sayso acts on.

pub mod lessons;
pub mod taught;

use crate::engine::graph::ThreadId;
use crate::engine::store::log::{self, EntryKind, Learned, NewEntry, Pin, Tx};
use crate::engine::store::record::project::apply;
use crate::engine::store::rows::{self, damaged, time};
use crate::engine::store::{Memory, StoreError};
use crate::inbox::{MemoryCause, MemoryVersion, MemoryView};
use rusqlite::Connection;

impl Memory<'_> {
    pub fn namespaces(self) -> Result<Vec<String>, StoreError> {
        let all = "SELECT DISTINCT namespace FROM memory ORDER BY namespace";
        self.0.read(|db| rows::column(db, all, []))
    }

    /// The newest version of a profile.
    pub fn newest(self, namespace: &str) -> Result<Option<MemoryVersion>, StoreError> {
        self.0.read(|db| Ok(history(db, namespace)?.versions.pop()))
    }

    /// All versions of a profile, newest first.
    pub fn history(self, namespace: &str) -> Result<Vec<MemoryVersion>, StoreError> {
        self.0.read(|db| Ok(history(db, namespace)?.versions.into_iter().rev().collect()))
    }

    /// The newest version of a profile with its pinned lines.
    pub fn view(self, namespace: &str) -> Result<MemoryView, StoreError> {
        self.0.read(|db| view(db, namespace))
    }

    /// The pinned lines of a profile, oldest pin first.
    pub fn pins(self, namespace: &str) -> Result<Vec<String>, StoreError> {
        self.0.read(|db| Ok(history(db, namespace)?.pins))
    }

    /// The full name of the namespace a person means: an exact match, or the one namespace whose last part matches.
    pub fn resolve_namespace(self, word: &str) -> Result<String, StoreError> {
        let names = self.namespaces()?;
        if names.iter().any(|name| name == word) {
            return Ok(word.to_owned());
        }
        let ends = |name: &&String| name.rsplit('/').next() == Some(word);
        let matching: Vec<&String> = names.iter().filter(ends).collect();
        match matching.as_slice() {
            [] => Err(StoreError::unknown("memory", word.to_owned())),
            [one] => Ok((*one).clone()),
            several => {
                let several: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                let text =
                    format!("`{word}` is the last part of {}; give the whole name", several.join(" and "));
                Err(StoreError::Conflict(text))
            }
        }
    }

    /// Writes a new version, unless the newest is no longer `read`.
    pub async fn remember(
        self,
        namespace: String,
        read: u64,
        profile: String,
        cause: MemoryCause,
    ) -> Result<u64, StoreError> {
        self.0.write(move |tx| append(tx, &namespace, read, &profile, &cause)).await
    }

    /// Writes a person's edit of a profile. It must keep the pinned lines; they have to be unpinned by name first.
    pub async fn edit(self, namespace: String, read: u64, profile: String) -> Result<MemoryView, StoreError> {
        self.0.write(move |tx| rewrite(tx, &namespace, read, &profile, "edit")).await
    }

    /// Makes an earlier version the newest again.
    pub async fn revert(self, namespace: String, version: u64) -> Result<MemoryView, StoreError> {
        self.0
            .write(move |db| {
                let versions = history(db, &namespace)?.versions;
                let newest = versions.last().map_or(0, |newest| newest.version);
                let Some(earlier) = versions.iter().find(|candidate| candidate.version == version) else {
                    return Err(StoreError::unknown("version", format!("{version} of {namespace}")));
                };
                if version == newest {
                    let text = format!("version {version} of the memory `{namespace}` is the newest already");
                    return Err(StoreError::Conflict(text));
                }
                rewrite(db, &namespace, newest, &earlier.profile, "revert")
            })
            .await
    }

    /// Pins or unpins a line of a profile.
    pub async fn pin(self, namespace: String, line: String, pinned: bool) -> Result<MemoryView, StoreError> {
        self.0
            .write(move |db| {
                let current = view(db, &namespace)?;
                let line = if pinned {
                    let lines: Vec<&str> = current.newest.profile.lines().map(str::trim).collect();
                    find_line(&lines, &line, &format!("the memory `{namespace}`"))?
                } else {
                    let pins: Vec<&str> = current.pinned.iter().map(String::as_str).collect();
                    find_line(&pins, &line, &format!("the pinned lines of `{namespace}`"))?
                };
                set_pin(db, &namespace, &line, pinned)?;
                view(db, &namespace)
            })
            .await
    }
}

/// The line a person means: by its text, by a part that no other line has, or by its number.
fn find_line(lines: &[&str], word: &str, place: &str) -> Result<String, StoreError> {
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
        [] => Err(StoreError::Conflict(format!("{place} has no line `{word}`"))),
        several => {
            let text =
                format!("{} lines of {place} have `{word}` in them; give more of the line", several.len());
            Err(StoreError::Conflict(text))
        }
    }
}

/// Whether a version was learned from this thread.
pub fn caused_by(db: &Connection, thread: &ThreadId) -> Result<bool, StoreError> {
    rows::exists(db, "SELECT 1 FROM memory WHERE thread = ? LIMIT 1", [thread])
}

fn view(db: &Connection, namespace: &str) -> Result<MemoryView, StoreError> {
    let mut history = history(db, namespace)?;
    match history.versions.pop() {
        Some(newest) => Ok(MemoryView { newest, pinned: history.pins }),
        None => Err(StoreError::unknown("memory", namespace.to_owned())),
    }
}

fn rewrite(
    tx: &Tx<'_>,
    namespace: &str,
    read: u64,
    profile: &str,
    kind: &str,
) -> Result<MemoryView, StoreError> {
    let current = view(tx, namespace)?;
    if let Some(pin) = current.pinned.iter().find(|pin| !profile.lines().any(|line| line.trim() == **pin)) {
        return Err(StoreError::Conflict(format!("the line `{pin}` is pinned; unpin it before it goes")));
    }
    let cause = MemoryCause { kind: kind.to_owned(), thread: None, interrupt: None };
    append(tx, namespace, read, profile, &cause)?;
    view(tx, namespace)
}

fn append(
    tx: &Tx<'_>,
    namespace: &str,
    read: u64,
    profile: &str,
    cause: &MemoryCause,
) -> Result<u64, StoreError> {
    let before = history(tx, namespace)?;
    let newest = before.versions.last().map_or(0, |newest| newest.version);
    if newest != read {
        return Err(StoreError::Conflict(format!(
            "the memory `{namespace}` is at version {newest}, not {read}; read it again"
        )));
    }
    let (namespace, profile, cause) = (namespace.to_owned(), profile.to_owned(), cause.clone());
    let version = newest + 1;
    let learned = Learned { namespace, version, profile, cause, from: tx.opened()? };
    let entry = tx.append(NewEntry::new(before.stream, EntryKind::Learned, before.last, &learned)?)?;
    apply(tx, &entry)?;
    Ok(version)
}

/// Pins or unpins a line; does nothing if that is already so.
fn set_pin(tx: &Tx<'_>, namespace: &str, line: &str, pinned: bool) -> Result<(), StoreError> {
    let before = history(tx, namespace)?;
    if before.pins.iter().any(|pin| pin == line) == pinned {
        return Ok(());
    }
    let kind = if pinned { EntryKind::Pinned } else { EntryKind::Unpinned };
    let pin = Pin { namespace: namespace.to_owned(), line: line.to_owned(), from: tx.opened()? };
    let entry = tx.append(NewEntry::new(before.stream, kind, before.last, &pin)?)?;
    apply(tx, &entry)
}

/// A memory, read from the log.
#[derive(Default)]
pub struct History {
    stream: Option<i64>,
    last: Option<i64>,
    /// All versions, oldest first.
    versions: Vec<MemoryVersion>,
    /// Its pinned lines, oldest pin first.
    pins: Vec<String>,
}

pub fn history(db: &Connection, namespace: &str) -> Result<History, StoreError> {
    let stream = rows::first(db, "SELECT stream FROM memory WHERE namespace = ? LIMIT 1", [namespace])?;
    let Some(stream) = stream else { return Ok(History::default()) };
    let mut history = History { stream: Some(stream), ..History::default() };
    for entry in log::stream(db, stream, stream)? {
        history.last = Some(entry.seq);
        match entry.kind {
            EntryKind::Learned => {
                let Learned { namespace: of, version, profile, cause, .. } = entry.parse_body()?;
                if of != namespace || version != history.versions.len() as u64 + 1 {
                    return damaged(format!("the memory `{namespace}` is not on record as it is listed"));
                }
                let updated_at = time(entry.at)?;
                history.versions.push(MemoryVersion { namespace: of, version, profile, updated_at, cause });
            }
            EntryKind::Pinned => history.pins.push(entry.parse_body::<Pin>()?.line),
            EntryKind::Unpinned => {
                let Pin { line, .. } = entry.parse_body()?;
                history.pins.retain(|pinned| *pinned != line);
            }
            _ => return damaged(format!("entry {} is no entry of a memory", entry.seq)),
        }
    }
    let listed: i64 = rows::one(db, "SELECT count(*) FROM memory WHERE namespace = ?", [namespace])?;
    if listed != history.versions.len() as i64 {
        return damaged(format!("versions of the memory `{namespace}` are missing"));
    }
    Ok(history)
}
