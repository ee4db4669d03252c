//! The whole file looked over: every row that carries a digest, every chain, every count.

use super::rows::{DecisionRow, EffectRow, GrantRow, InterruptRow, MailRow, SourceRow, ThreadRow, damaged};
use super::seal::Seal;
use super::{Store, StoreError, arrive, audit, blobs, effects, lessons, load, memory, pins, prune, view};
use rusqlite::{Connection, OptionalExtension, params};

/// What a look over the whole file found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// How many threads were read through.
    pub threads: u64,
    /// Everything that is not as it was written, each in a sentence.
    pub damaged: Vec<String>,
}

impl Store {
    /// Reads everything there is.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        self.read(run)
    }
}

fn run(db: &Connection) -> Result<Verified, StoreError> {
    let mut found = Verified::default();
    // Not the quick one: an index that leads astray hides rows that are themselves sound.
    let check: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        found.damaged.push(format!("SQLite finds the file damaged: {check}"));
    }
    let seqs: Vec<i64> = db
        .prepare("SELECT seq FROM threads ORDER BY seq")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if tallied(db, "threads")? != seqs.len() as i64 {
        found.damaged.push("whole threads are missing".to_owned());
    }
    let events: i64 = db.query_row("SELECT count(*) FROM events", [], |row| row.get(0))?;
    if tallied(db, "events")? != events {
        found.damaged.push("events that nobody has heard yet are missing".to_owned());
    }
    let mails: i64 = db.query_row("SELECT count(*) FROM mails", [], |row| row.get(0))?;
    if tallied(db, "mails")? != mails {
        found.damaged.push("records of mails are missing".to_owned());
    }
    let sources: i64 = db.query_row("SELECT count(*) FROM sources", [], |row| row.get(0))?;
    if tallied(db, "sources")? != sources {
        found.damaged.push("records of mailboxes are missing".to_owned());
    }
    for seq in seqs {
        found.threads += 1;
        note(&mut found, thread(db, seq))?;
    }
    each(db, "interrupts", &mut found, |row| {
        let interrupt = InterruptRow::read(row)?;
        interrupt.schema(db)?;
        interrupt.check_hash()
    })?;
    each(db, "decisions", &mut found, |row| DecisionRow::read(row).map(|_| ()))?;
    each(db, "effects", &mut found, |row| blobs::get(db, &EffectRow::read(row)?.frozen).map(|_| ()))?;
    each(db, "mails", &mut found, |row| match MailRow::read(row)?.raw {
        MailRow::LET_GO => Ok(()),
        raw => blobs::get(db, &raw).map(|_| ()),
    })?;
    each(db, "sources", &mut found, |row| SourceRow::read(row).map(|_| ()))?;
    each(db, "blobs", &mut found, |row| blobs::get(db, &row.get("digest")?).map(|_| ()))?;
    each(db, "grants", &mut found, |row| GrantRow::read(row).map(|_| ()))?;
    note(&mut found, GrantRow::all(db).map(|_| ()))?;
    note(&mut found, lessons::check(db))?;
    let pinned: Vec<String> = db
        .prepare(
            "SELECT namespace FROM pins UNION SELECT substr(name, 6) FROM tallies WHERE name LIKE 'pins:%'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for name in pinned {
        note(&mut found, pins::pins(db, &name).map(|_| ()))?;
    }
    let names: Vec<String> = db
        .prepare("SELECT DISTINCT namespace FROM memory UNION SELECT substr(name, 8) FROM tallies WHERE name LIKE 'memory:%'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for name in names {
        note(&mut found, memory::history(db, &name).map(|_| ()))?;
    }
    match audit::check(db) {
        Ok(checked) => {
            found.damaged.extend(checked.problems.into_iter().map(|problem| format!("audit: {problem}")));
        }
        error => note(&mut found, error.map(|_| ()))?,
    }
    Ok(found)
}

fn thread(db: &Connection, seq: i64) -> Result<(), StoreError> {
    let row = ThreadRow::by_seq(db, seq)?;
    view::view(db, &row)?;
    if row.pruned_at.is_some() {
        return prune::check_pruned(db, &row);
    }
    load::check_tail(db, &row)?;
    arrive::queued(db, seq)?;
    effects::calls(db, seq, row.steps)?;
    for pending in InterruptRow::pending(db, seq)? {
        if pending.stage == super::rows::Stage::Decided {
            DecisionRow::in_force(db, &pending)?;
        }
    }
    Ok(())
}

fn each(
    db: &Connection,
    table: &str,
    found: &mut Verified,
    check: impl Fn(&rusqlite::Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut query = db.prepare(&format!("SELECT * FROM {table} ORDER BY seq"))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        note(found, check(row))?;
    }
    Ok(())
}

fn note(found: &mut Verified, checked: Result<(), StoreError>) -> Result<(), StoreError> {
    match checked {
        Ok(()) => Ok(()),
        Err(StoreError::Damaged(what)) => {
            if !found.damaged.contains(&what) {
                found.damaged.push(what);
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn seal(name: &str, count: i64) -> super::Digest {
    Seal::of("tallies").text(name).int(count).done()
}

/// How many of something there must be.
pub(super) fn tallied(db: &Connection, name: &str) -> Result<i64, StoreError> {
    let found: Option<(i64, Vec<u8>)> = db
        .prepare_cached("SELECT count, digest FROM tallies WHERE name = ?")?
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        None => Ok(0),
        Some((count, digest)) if digest == seal(name, count).bytes() => Ok(count),
        Some(_) => damaged(format!("the count of {name} is not as it was written")),
    }
}

/// So many more of something there are from now on.
pub(super) fn tally(db: &Connection, name: &str, more: i64) -> Result<(), StoreError> {
    let count = tallied(db, name)? + more;
    db.prepare_cached("INSERT OR REPLACE INTO tallies (name, count, digest) VALUES (?, ?, ?)")?
        .execute(params![name, count, seal(name, count).bytes()])?;
    Ok(())
}
