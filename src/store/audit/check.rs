//! The audit read: written out, and judged against itself, against the rows it tells of, and against an export.

use super::super::rows::{DecisionRow, EffectRow, GrantRow, InterruptRow, Scope, ThreadRow, damaged, time};
use super::super::{Store, StoreError};
use super::chain::{self, Chain, End, Line};
use super::fact::Fact;
use super::{head, texts};
use crate::text::{hex, plain_json};
use jiff::Timestamp;
use rusqlite::{Connection, Row};
use serde_json::Value;
use std::collections::HashMap;

/// What a look over an audit found.
#[derive(Clone, Debug)]
pub struct AuditChecked {
    /// How many lines there are.
    pub lines: u64,
    /// Everything that is not as it was written, each in a sentence.
    pub problems: Vec<String>,
}

impl Store {
    /// Hands on the lines of an export, the texts that are still kept joined to them; with `since`, from the first
    /// line of that time on. The last line says how far the audit goes.
    pub fn audit(
        &self,
        since: Option<Timestamp>,
        each: &mut dyn FnMut(&str) -> std::io::Result<()>,
    ) -> Result<u64, StoreError> {
        let now = self.now();
        self.read(|db| {
            let mut written = 0;
            let mut write = |line: &str| each(line).map_err(|e| StoreError::Conflict(e.to_string()));
            let mut started = since.is_none();
            lines(db, &mut |line, at, fact| {
                started |= since.is_some_and(|since| at >= since.as_millisecond());
                if !started {
                    return Ok(());
                }
                let mut line = line.clone();
                if let Some(Ok(found)) = fact.map(|fact| texts::of(db, &fact, at)).transpose()?
                    && !found.is_empty()
                {
                    line.texts = plain_json(&found).ok();
                }
                written += 1;
                write(&line.written())
            })?;
            let head = head(db)?;
            write(&End::new(head.n.unsigned_abs(), hex(&head.digest), now).written())?;
            Ok(written)
        })
    }

    /// Judges the audit, and whether everything on record since it began is in it.
    pub fn check_audit(&self) -> Result<AuditChecked, StoreError> {
        self.read(check)
    }

    /// Judges an export against itself and against this audit.
    pub fn check_export(
        &self,
        file: &mut dyn Iterator<Item = std::io::Result<String>>,
    ) -> Result<AuditChecked, StoreError> {
        self.read(|db| check_file(db, file))
    }
}

/// Hears a line, its time, and what it tells.
type Hears<'a> = dyn FnMut(&Line, i64, Option<Fact>) -> Result<(), StoreError> + 'a;

/// Every line, oldest first, with its time and what it tells; nothing where that cannot be read.
fn lines(db: &Connection, each: &mut Hears<'_>) -> Result<(), StoreError> {
    let mut found = db.prepare("SELECT seq, at, entry, digest FROM audit ORDER BY seq")?;
    let mut rows = found.query([])?;
    let mut before = [0; 32];
    while let Some(row) = rows.next()? {
        let (line, at, digest) = line(row, &before)?;
        each(&line, at, serde_json::from_str(&line.text).ok())?;
        before = digest;
    }
    Ok(())
}

fn line(row: &Row<'_>, before: &[u8; 32]) -> Result<(Line, i64, [u8; 32]), StoreError> {
    let (n, at, entry): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let digest: [u8; 32] = row.get(3).or_else(|_| damaged(format!("line {n} of the audit has no digest")))?;
    let text = chain::text(before, n, time(at)?, &entry);
    Ok((Line::new(n, before, &digest, text), at, digest))
}

/// What lines tell of rows, to be held against them.
#[derive(Default)]
struct Told {
    begun: Option<(i64, i64, i64)>,
    decided: HashMap<[u8; 32], u32>,
    undone: HashMap<[u8; 32], u32>,
    effects: HashMap<[u8; 32], String>,
    grants: HashMap<String, bool>,
}

fn key(parts: &[&str]) -> [u8; 32] {
    chain::digest(&parts.join("\0"))
}

impl Told {
    fn hear(&mut self, fact: Fact, at: i64) {
        let when = at.to_string();
        match fact {
            Fact::Begun { decisions, effects, grants } => self.begun = Some((decisions, effects, grants)),
            Fact::Decided { by, interrupt, decision, .. } => {
                *self.decided.entry(key(&[&interrupt, &when, &decision, &by])).or_default() += 1;
            }
            Fact::Undone { interrupt, .. } => {
                *self.undone.entry(key(&[&interrupt, &when])).or_default() += 1;
            }
            Fact::EffectBegun { thread, step, effect, .. } => {
                self.effects.insert(key(&[&thread, &step.to_string(), &effect]), "begun".to_owned());
            }
            Fact::EffectEnded { thread, step, effect, state, .. } => {
                self.effects.insert(key(&[&thread, &step.to_string(), &effect]), state);
            }
            Fact::Granted { grant, .. } | Fact::Restored { grant } => {
                self.grants.insert(grant, true);
            }
            Fact::Revoked { grant } => {
                self.grants.insert(grant, false);
            }
            Fact::Remembered { .. }
            | Fact::Pinned { .. }
            | Fact::Unpinned { .. }
            | Fact::Paused
            | Fact::Resumed
            | Fact::Started { .. }
            | Fact::Continued { .. }
            | Fact::Pruned { .. }
            | Fact::Stopped { .. }
            | Fact::Corrected { .. } => {}
        }
    }
}

pub(in crate::store) fn check(db: &Connection) -> Result<AuditChecked, StoreError> {
    let mut chain = Chain::from_the_first();
    let mut told = Told::default();
    lines(db, &mut |line, at, fact| {
        chain.take(line);
        let Some(fact) = fact else {
            chain.say(format!("line {} tells nothing that can be read", line.n));
            return Ok(());
        };
        if line.holds() {
            match texts::of(db, &fact, at) {
                Ok(Err(problem)) => chain.say(format!("line {}: {problem}", line.n)),
                // A row that is not as it was written is named by whoever looks at rows.
                Err(StoreError::Damaged(what)) => chain.say(format!("line {}: {what}", line.n)),
                Err(error) => return Err(error),
                Ok(Ok(_)) => {}
            }
        }
        told.hear(fact, at);
        Ok(())
    })?;
    rows(db, &mut told, &mut chain)?;
    let lines = chain.lines;
    let head = head(db)?;
    let problems = chain.end(head.n.unsigned_abs(), &hex(&head.digest));
    Ok(AuditChecked { lines, problems })
}

/// Whatever is on record since the audit began must be in it.
fn rows(db: &Connection, told: &mut Told, chain: &mut Chain) -> Result<(), StoreError> {
    let Some((decisions, effects, grants)) = told.begun else {
        chain.say("its first line is missing".to_owned());
        return Ok(());
    };
    let spent = |told: &mut HashMap<[u8; 32], u32>, key: [u8; 32]| match told.get_mut(&key) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let mut found = db.prepare("SELECT * FROM decisions WHERE seq > ? ORDER BY seq")?;
    let mut rows = found.query([decisions])?;
    while let Some(row) = rows.next()? {
        let row = DecisionRow::read(row)?;
        let id = InterruptRow::by_seq(db, row.interrupt)?.id;
        let (word, by, at) = (row.decision.word(), row.by.to_string(), row.at.to_string());
        if !spent(&mut told.decided, key(&[id.as_str(), &at, word, &by])) {
            chain.say(format!("the decision on {id} ({word}, by {by}, at {}) is not in it", time(row.at)?));
        }
        if let Some(undone) = row.undone_at
            && !spent(&mut told.undone, key(&[id.as_str(), &undone.to_string()]))
        {
            chain.say(format!("that the decision on {id} was taken back is not in it"));
        }
    }
    let mut found = db.prepare("SELECT * FROM effects WHERE seq > ? ORDER BY seq")?;
    let mut rows = found.query([effects])?;
    while let Some(row) = rows.next()? {
        let row = EffectRow::read(row)?;
        let thread = ThreadRow::by_seq(db, row.thread)?.id;
        let key = key(&[thread.as_str(), &row.step.to_string(), &row.name]);
        match told.effects.get(&key) {
            None => chain.say(format!("effect `{}` of thread {thread} is not in it", row.name)),
            Some(state) if state != row.state.word() => {
                let (name, now) = (&row.name, row.state.word());
                chain.say(format!("effect `{name}` of thread {thread} is {now}, and {state} in it"));
            }
            Some(_) => {}
        }
    }
    for grant in GrantRow::all(db)?.into_iter().filter(|grant| grant.seq > grants) {
        match told.grants.get(&grant.id) {
            None if grant.scope != Scope::Builtin => chain.say(format!("grant {} is not in it", grant.id)),
            Some(given) if *given != grant.revoked_at.is_none() => {
                chain.say(format!("whether grant {} is revoked is not what it tells", grant.id));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_file(
    db: &Connection,
    file: &mut dyn Iterator<Item = std::io::Result<String>>,
) -> Result<AuditChecked, StoreError> {
    let mut chain = Chain::default();
    let mut ours = db.prepare("SELECT digest FROM audit WHERE seq = ?")?;
    let mut end = None;
    for (at, written) in (1..).zip(file) {
        let written = written.map_err(|e| StoreError::Conflict(format!("it cannot be read: {e}")))?;
        if end.is_some() {
            chain.say(format!("number {at} of the file stands behind its end"));
        }
        end = End::parse(&written).or(end);
        if written.starts_with(chain::ENDS) {
            continue;
        }
        let Some(line) = Line::parse(&written) else {
            chain.unreadable(at);
            continue;
        };
        chain.take(&line);
        if !texts_fit(&line) {
            chain.say(format!("the texts beside line {} are not those it tells", line.n));
        }
        let digest: Option<Vec<u8>> =
            ours.query([line.n.cast_signed()])?.next()?.map(|row| row.get(0)).transpose()?;
        match digest {
            None => chain.say(format!("the store has no line {}", line.n)),
            Some(digest) if hex(&digest) != line.digest => {
                chain.say(format!("line {} is not the one the store has", line.n));
            }
            Some(_) => {}
        }
    }
    let lines = chain.lines;
    let problems = match end {
        Some(end) => {
            if !end.holds() {
                chain.say("the last line of the file was edited".to_owned());
            }
            chain.end(end.n, &end.last)
        }
        None => {
            chain.say("the last line of an export is missing: the file is cut off".to_owned());
            chain.over()
        }
    };
    Ok(AuditChecked { lines, problems })
}

fn texts_fit(line: &Line) -> bool {
    let Some(texts) = &line.texts else { return true };
    let texts: Option<serde_json::Map<String, Value>> = serde_json::from_str(texts).ok();
    let fact: Option<Fact> = serde_json::from_str(&line.text).ok();
    fact.zip(texts).is_some_and(|(fact, texts)| texts::fit(&fact, &texts))
}
