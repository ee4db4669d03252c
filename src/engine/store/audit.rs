//! The audit: the log as lines of text that can be checked elsewhere.
//!
//! Each entry is one line. Its `digest` is the SHA-256 of its `link`. A link begins with the digest of the line before
//! it and ends with the SHA-256 of the `body`, so anybody can check the chain. What nodes produced is left out; for
//! those entries only the link is exported.

use crate::engine::graph::ThreadId;
use crate::engine::store::log::{
    self, BodyCache, COLUMNS, Checksum, Entry, EntryKind, Origin, chain_before, check_links, end, text,
};
use crate::engine::store::rows::{self, time};
use crate::engine::store::{Audit, StoreError};
use crate::text::hex;
use jiff::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::io;

/// The result of checking an audit.
#[derive(Clone, Debug)]
pub struct AuditChecked {
    pub lines: u64,
    /// What is wrong, each as a sentence.
    pub problems: Vec<String>,
}

/// A line of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    digest: String,
    link: String,
    /// For human readers; the link says the same.
    n: i64,
    what: String,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread: Option<ThreadId>,
    /// Who wrote it, and from where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Box<RawValue>>,
}

/// The last line of an export: how far the log went when it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct End {
    end: i64,
    last: String,
    at: Timestamp,
    /// SHA-256 of the three fields above, separated by spaces.
    digest: String,
}

impl End {
    fn new(end: i64, last: String, at: Timestamp) -> Self {
        let digest = sha(&format!("{end} {last} {at}"));
        Self { end, last, at, digest }
    }
}

impl Audit<'_> {
    /// Passes each line of an export to `each`; with `since`, starting at the first entry from then on. The last line
    /// says how far the log goes.
    pub fn export(
        self,
        since: Option<Timestamp>,
        each: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> Result<u64, StoreError> {
        let now = self.0.now();
        self.0.read(|db| {
            let mut write = |line: &str| each(line).map_err(|e| StoreError::Conflict(e.to_string()));
            let (mut written, mut started, mut before) = (0, since.is_none(), [0; 32]);
            let mut origins = OriginCache::default();
            let mut statement = db.prepare(&format!("SELECT {COLUMNS} FROM log l ORDER BY l.seq"))?;
            let mut rows = statement.query([])?;
            let mut bodies = BodyCache::default();
            while let Some(row) = rows.next()? {
                let entry = Entry::read(db, row, &mut bodies)?;
                entry.verify(Some(before))?;
                started |= since.is_some_and(|since| entry.at >= since.as_millisecond());
                if started {
                    written += 1;
                    write(&text(&origins.line(db, &entry, &before, None)?)?)?;
                }
                before = entry.chain;
            }
            let (last, chain) = end(db)?;
            write(&text(&End::new(last, hex(&chain), now))?)?;
            Ok(written)
        })
    }

    /// Checks the log on its own.
    pub fn check_links(self) -> Result<AuditChecked, StoreError> {
        self.0.read(|db| {
            let mut lines = 0;
            let problems = check_links(db, &mut |_| {
                lines += 1;
                Ok(())
            })?;
            Ok(AuditChecked { lines, problems })
        })
    }

    /// Compares an export with this log, line by line, up to the first that differs.
    pub fn check_export(
        self,
        file: &mut dyn Iterator<Item = io::Result<String>>,
    ) -> Result<AuditChecked, StoreError> {
        self.0.read(|db| {
            let mut lines = 0;
            let problem = first_difference(db, file, &mut lines)?;
            Ok(AuditChecked { lines, problems: problem.into_iter().collect() })
        })
    }
}

/// The processes that wrote entries, and the threads they wrote about.
#[derive(Default)]
struct OriginCache {
    processes: HashMap<i64, Origin>,
    threads: HashMap<i64, Option<ThreadId>>,
}

/// The part of a body that says which process wrote it.
#[derive(Deserialize)]
struct BodyOrigin {
    #[serde(default)]
    from: Option<i64>,
}

impl OriginCache {
    /// The line of an entry. What was pruned is taken from the line of an earlier export, if that is what was pruned.
    fn line(
        &mut self,
        db: &Connection,
        entry: &Entry,
        before: &Checksum,
        exported: Option<&Line>,
    ) -> Result<Line, StoreError> {
        let pruned = || {
            let body = exported?.body.as_deref()?.get();
            (sha(body) == hex(&entry.sum())).then_some(body)
        };
        let body = entry.body.as_deref().or_else(pruned).filter(|_| entry.kind.is_exported());
        let origin: Option<BodyOrigin> = body.and_then(|body| serde_json::from_str(body).ok());
        let from = match entry.kind {
            EntryKind::Opened => Some(entry.seq),
            _ => origin.and_then(|origin| origin.from),
        };
        if let Some(from) = from.filter(|from| !self.processes.contains_key(from)) {
            self.processes.insert(from, log::entry(db, from)?.parse_body()?);
        }
        let thread = self.threads.entry(entry.stream).or_insert_with(|| {
            rows::first(db, "SELECT id FROM threads WHERE seq = ?", [entry.stream]).unwrap_or_default()
        });
        Ok(Line {
            digest: hex(&entry.chain),
            link: entry.link_text(before),
            n: entry.seq,
            what: entry.kind.word().to_owned(),
            at: time(entry.at)?,
            thread: thread.clone().or_else(|| exported.and_then(|line| line.thread.clone())),
            from: from.and_then(|from| self.processes.get(&from).cloned()),
            body: body.and_then(|body| RawValue::from_string(body.to_owned()).ok()),
        })
    }
}

fn sha(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The first line of an export that is not what this log would write there, as a sentence; counts the lines read.
fn first_difference(
    db: &Connection,
    file: &mut dyn Iterator<Item = io::Result<String>>,
    lines: &mut u64,
) -> Result<Option<String>, StoreError> {
    let mut origins = OriginCache::default();
    let mut last: Option<(i64, Checksum)> = None;
    let newest = log::last_seq(db)?;
    while let Some(written) = file.next() {
        let written = written.map_err(|e| StoreError::Conflict(format!("it cannot be read: {e}")))?;
        if let Ok(End { end, at, .. }) = serde_json::from_str(&written) {
            let (n, chain) = match (last, end) {
                (Some(last), _) => last,
                (None, n) => (n, chain_before(db, n.saturating_add(1))?.unwrap_or_default()),
            };
            if text(&End::new(n, hex(&chain), at))? != written {
                return Ok(Some(format!("what follows line {n} is not what the store had then")));
            }
            return Ok(file.next().map(|_| "something stands behind the last line of the file".to_owned()));
        }
        let Ok(line) = serde_json::from_str::<Line>(&written) else {
            return Ok(Some(format!("number {} of the file is no line of an audit", *lines + 1)));
        };
        let n = last.map_or(line.n, |(n, _)| n + 1);
        let mut read = || -> Result<(Checksum, String), StoreError> {
            let entry = log::entry(db, n)?;
            let before = match last {
                Some((_, chain)) => chain,
                None => chain_before(db, n)?.unwrap_or_default(),
            };
            Ok((entry.chain, text(&origins.line(db, &entry, &before, Some(&line))?)?))
        };
        match read() {
            Ok((chain, ours)) if ours == written => last = Some((n, chain)),
            Err(StoreError::Damaged(what)) if (1..=newest).contains(&n) => {
                let text = format!("the store's own line {n} is damaged: {what}; `sayso doctor` says more");
                return Ok(Some(text));
            }
            Ok(_) | Err(StoreError::Damaged(_)) => {
                return Ok(Some(format!("line {n} is not the one the store has")));
            }
            Err(error) => return Err(error),
        }
        *lines += 1;
    }
    Ok(Some("the last line of an export is missing: the file is cut off".to_owned()))
}
