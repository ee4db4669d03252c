//! The audit: the log as lines of text that can be checked elsewhere.
//!
//! Each entry is one line. Its `digest` is the SHA-256 of its `link`. A link begins with the digest of the line before
//! it and ends with the SHA-256 of the `body`, so anybody can check the chain. What nodes produced is left out; for
//! those entries only the link is exported.

use crate::engine::graph::ThreadId;
use crate::engine::store::log::{
    self, BodyCache, COLUMNS, Checksum, Entry, EntryKind, Origin, check_links, end,
};
use crate::engine::store::rows::{self, time};
use crate::engine::store::{Audit, StoreError};
use crate::text::hex;
use jiff::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeSet, HashMap};

/// More problems than this with one file say nothing new.
const MAX_PROBLEMS: usize = 20;
/// How many missing lines are remembered, in case they come later.
const MAX_MISSING: usize = 10_000;

/// The result of checking an audit.
#[derive(Clone, Debug)]
pub struct AuditChecked {
    pub lines: u64,
    /// Every mismatch, each as a sentence.
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
        each: &mut dyn FnMut(&str) -> std::io::Result<()>,
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
                    let line = origins.line(db, &entry, &before)?;
                    write(&serde_json::to_string(&line).map_err(|e| StoreError::Sql(e.to_string()))?)?;
                }
                before = entry.chain;
            }
            let (last, chain) = end(db)?;
            let end = End::new(last, hex(&chain), now);
            write(&serde_json::to_string(&end).map_err(|e| StoreError::Sql(e.to_string()))?)?;
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

    /// Checks an export on its own and against this log.
    pub fn check_export(
        self,
        file: &mut dyn Iterator<Item = std::io::Result<String>>,
    ) -> Result<AuditChecked, StoreError> {
        self.0.read(|db| check_file(db, file))
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
    fn line(&mut self, db: &Connection, entry: &Entry, before: &Checksum) -> Result<Line, StoreError> {
        let body = entry.body.as_ref().filter(|_| entry.kind.is_exported());
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
            thread: thread.clone(),
            from: from.and_then(|from| self.processes.get(&from).cloned()),
            body: body.and_then(|body| RawValue::from_string(body.clone()).ok()),
        })
    }
}

impl Line {
    /// What is wrong with the line on its own.
    fn problem(&self) -> Option<&'static str> {
        let words: Vec<&str> = self.link.split(' ').collect();
        let [_, n, _, what, _, _, at, sum] = words.as_slice() else {
            return Some("was edited: it leads to no earlier entry");
        };
        if sha(&self.link) != self.digest {
            return Some("was edited: its digest is not its own");
        }
        if *n != self.n.to_string() || *what != self.what || *at != self.at.as_millisecond().to_string() {
            return Some("was edited: it is not what its link says");
        }
        match &self.body {
            Some(body) if sha(body.get()) != *sum => {
                Some("was edited: its body is not the one it was written with")
            }
            _ => None,
        }
    }

    fn before(&self) -> &str {
        self.link.split(' ').next().unwrap_or_default()
    }
}

fn sha(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Checks lines one after another.
#[derive(Default)]
struct ExportChecker {
    /// The last line, with its digest if that can be trusted.
    last: Option<(i64, Option<String>)>,
    /// Numbers that were skipped and may still turn up out of order.
    missing: BTreeSet<i64>,
    lines: u64,
    problems: Vec<String>,
    unlisted: usize,
}

impl ExportChecker {
    fn report(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    fn take(&mut self, line: &Line) {
        self.lines += 1;
        let n = line.n;
        let problem = line.problem();
        if let Some(problem) = problem {
            self.report(format!("line {n} {problem}"));
        }
        if let Some((last, digest)) = self.last.clone() {
            if n == last + 1 {
                if problem.is_none() && digest.is_some_and(|digest| digest != line.before()) {
                    self.report(format!(
                        "line {n} does not rest on the line {last} before it: one of them is forged"
                    ));
                }
            } else if n > last {
                // Bounded, because a made-up number must not fill the memory.
                self.missing.extend((last + 1..n).take(MAX_MISSING));
            } else if self.missing.remove(&n) {
                self.report(format!("line {n} stands behind line {last}: lines were reordered"));
                return;
            } else {
                self.report(format!("a second line {n} stands behind line {last}: it is forged"));
                return;
            }
        }
        // The next line cannot match an edited line's digest, and is not to blame for that.
        self.last = Some((n, problem.is_none().then(|| line.digest.clone())));
    }

    fn end(&mut self, end: &End) {
        let (last, digest) = self.last.clone().unwrap_or_default();
        let n = end.end;
        if last < n && self.last.is_some() {
            self.report(match n - last {
                1 => format!("line {n} is cut off the end"),
                _ => format!("lines {} to {n} are cut off the end", last + 1),
            });
        } else if last > n {
            self.report(format!("line {last} stands behind line {n}, which was the last: it is forged"));
        } else if digest.is_some_and(|digest| digest != end.last) {
            self.report(format!("line {n} is not the line that was the last: it is forged"));
        }
    }

    fn finish(mut self) -> Vec<String> {
        let mut missing = std::mem::take(&mut self.missing).into_iter().peekable();
        while let Some(first) = missing.next() {
            let mut last = first;
            while missing.next_if(|n| *n == last + 1).is_some() {
                last += 1;
            }
            self.report(if first == last {
                format!("line {first} is missing")
            } else {
                format!("lines {first} to {last} are missing")
            });
        }
        if self.unlisted > 0 {
            self.problems.push(format!("and {} more", self.unlisted));
        }
        self.problems
    }
}

fn check_file(
    db: &Connection,
    file: &mut dyn Iterator<Item = std::io::Result<String>>,
) -> Result<AuditChecked, StoreError> {
    let mut checker = ExportChecker::default();
    let mut ours = db.prepare("SELECT chain FROM log WHERE seq = ?")?;
    let mut origins = OriginCache::default();
    let mut ended: Option<End> = None;
    for (at, written) in (1..).zip(file) {
        let written = written.map_err(|e| StoreError::Conflict(format!("it cannot be read: {e}")))?;
        if ended.is_some() {
            checker.report(format!("number {at} of the file stands behind its end"));
        }
        if let Ok(end) = serde_json::from_str::<End>(&written) {
            ended = Some(end);
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line>(&written) else {
            checker.lines += 1;
            checker.report(format!("number {at} of the file is no line of an audit"));
            continue;
        };
        checker.take(&line);
        let chain: Option<Vec<u8>> = ours.query([line.n])?.next()?.map(|row| row.get(0)).transpose()?;
        match chain {
            None => checker.report(format!("the store has no line {}", line.n)),
            Some(chain) if hex(&chain) != line.digest => {
                checker.report(format!("line {} is not the one the store has", line.n));
            }
            Some(_) => {
                let ours = log::entry(db, line.n).and_then(|entry| origins.line(db, &entry, &[0; 32]));
                let same = |ours: &Line| {
                    let thread = ours.thread.is_none() || ours.thread == line.thread;
                    thread && ours.from == line.from && (ours.body.is_none() || line.body.is_some())
                };
                // Damage in our own log is reported when the log itself is checked.
                if ours.is_ok_and(|ours| !same(&ours)) {
                    checker.report(format!("line {} does not say who did it as the store does", line.n));
                }
            }
        }
    }
    match &ended {
        Some(ended) => {
            if sha(&format!("{} {} {}", ended.end, ended.last, ended.at)) != ended.digest {
                checker.report("the last line of the file was edited".to_owned());
            }
            checker.end(ended);
            let ours: Option<Vec<u8>> = ours.query([ended.end])?.next()?.map(|row| row.get(0)).transpose()?;
            if ended.end > 0 && ours.map(|chain| hex(&chain)).as_deref() != Some(&ended.last) {
                checker.report("the last line of the file is not what the store had".to_owned());
            }
        }
        None => checker.report("the last line of an export is missing: the file is cut off".to_owned()),
    }
    let lines = checker.lines;
    Ok(AuditChecked { lines, problems: checker.finish() })
}
