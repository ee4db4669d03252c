//! Checks the whole file: the log, its projections, and every stored content.

use crate::engine::store::log::{self, Entry, EntryKind, Head, Memory, Pruned, Tx, check_links};
use crate::engine::store::record::calls;
use crate::engine::store::record::project::{self, apply};
use crate::engine::store::record::questions::{check_schema, questions};
use crate::engine::store::record::since_step::SinceStep;
use crate::engine::store::rows::{self, EffectRow, MailRow, ThreadRow, damaged};
use crate::engine::store::threads::{load, view};
use crate::engine::store::{Audit, StoreError, blobs, prune, schema};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::{BTreeMap, HashSet};

/// At most this many differences per table are listed.
const MAX_DIFFERENCES: usize = 20;

/// The result of checking the whole file.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// How many threads were checked.
    pub threads: u64,
    /// Everything that differs from what was written, each as a sentence.
    pub damaged: Vec<String>,
    /// Every list row that differs from the log, each as a sentence. `sayso doctor --repair` rebuilds them.
    pub differing: Vec<String>,
}

impl Verified {
    /// All problems: damage, and wrong list rows.
    pub fn problems(self) -> Vec<String> {
        self.damaged.into_iter().chain(self.differing).collect()
    }
}

impl Audit<'_> {
    /// Checks that no effect began after the end of the log: a driver would do it again. It trusts everything else,
    /// because what leaves is checked when it does.
    pub fn check_end(self) -> Result<(), StoreError> {
        self.0.read(check_end)
    }

    /// Checks that the lists have every open question of the threads that ask people: one that is not listed would never
    /// be answered. A damaged thread is only logged: nothing leaves because of it.
    pub fn check_open_questions(self) -> Result<(), StoreError> {
        self.0.read(check_open_questions)
    }

    /// Checks everything in the file.
    pub fn verify(self) -> Result<Verified, StoreError> {
        self.0.read(run)
    }

    /// Rebuilds every list from the log, unless the log itself is damaged. Returns the rows that differed.
    pub async fn repair(self) -> Result<Vec<String>, StoreError> {
        self.0
            .write(|tx| {
                check_end(tx)?;
                let (fresh, problems) = replay(tx)?;
                if let Some(first) = problems.into_iter().next() {
                    return Err(StoreError::Damaged(first));
                }
                let differing = differences(tx, &fresh)?;
                if !differing.is_empty() {
                    rewrite(tx)?;
                }
                Ok(differing)
            })
            .await
    }
}

/// Checks that no effect began after the end of the log: a rebuild would forget it, and it might happen again.
fn check_end(db: &Connection) -> Result<(), StoreError> {
    let end = log::last_seq(db)?;
    match rows::one::<Option<i64>>(db, "SELECT max(seq) FROM effects", [])? {
        Some(last) if last > end => damaged(format!(
            "the log ends with entry {end}, and an effect began with {last}: its end is missing"
        )),
        _ => Ok(()),
    }
}

fn check_open_questions(db: &Connection) -> Result<(), StoreError> {
    let asking = "SELECT seq FROM threads WHERE status IN ('waiting', 'trouble')";
    for seq in rows::column::<i64>(db, asking, [])? {
        match check_open_questions_of(db, seq) {
            Err(StoreError::Damaged(problem)) => tracing::error!(%problem, "a thread that asks is damaged"),
            checked => checked?,
        }
    }
    Ok(())
}

fn check_open_questions_of(db: &Connection, seq: i64) -> Result<(), StoreError> {
    let row = ThreadRow::by_seq(db, seq)?;
    let recent = SinceStep::verified(db, &row)?;
    let asked: Vec<i64> = recent.questions.iter().filter(|q| q.is_open()).map(|q| q.seq).collect();
    let open = "SELECT seq FROM interrupts WHERE thread = ? AND status = 'open' ORDER BY seq";
    if rows::column::<i64>(db, open, [seq])? == asked {
        return Ok(());
    }
    let text = "is not listed as the log has it; `sayso doctor --repair` rebuilds the lists";
    Err(StoreError::Conflict(format!("what thread {} asks {text}", row.id)))
}

fn run(db: &Connection) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    // Not `quick_check`: a wrong index hides rows that are themselves sound.
    let check: String = rows::one(db, "PRAGMA integrity_check(1)", [])?;
    if check != "ok" {
        verified.damaged.push(format!("SQLite finds the file damaged: {check}"));
    }
    record_damage(&mut verified, check_end(db))?;
    let (fresh, problems) = replay(db)?;
    verified.damaged.extend(problems);
    if verified.damaged.is_empty() {
        verified.differing = differences(db, &fresh)?;
    }
    let seqs: Vec<i64> = rows::column(db, "SELECT seq FROM threads ORDER BY seq", [])?;
    verified.threads = seqs.len() as u64;
    // If the lists are wrong, reading threads through them proves nothing.
    for seq in seqs.into_iter().filter(|_| verified.differing.is_empty()).collect::<Vec<_>>() {
        record_damage(&mut verified, thread(db, seq))?;
    }
    check_rows(db, "mails", &mut verified, |row| match MailRow::read(row)?.raw {
        MailRow::PRUNED_BYTES => Ok(()),
        raw => blobs::get(db, &raw).map(|_| ()),
    })?;
    check_rows(db, "blobs", &mut verified, |row| blobs::get(db, &row.get(1)?).map(|_| ()))?;
    Ok(verified)
}

fn thread(db: &Connection, seq: i64) -> Result<(), StoreError> {
    let row = ThreadRow::by_seq(db, seq)?;
    view::view(db, &row)?;
    for effect in EffectRow::select(db, "WHERE thread = ?", [seq])? {
        blobs::get(db, &effect.frozen)?;
    }
    for question in questions(db, &row)? {
        check_schema(db, &question.asked)?;
    }
    if row.pruned_at.is_some() {
        return prune::check_pruned(db, &row);
    }
    load::check_tail(db, &row)?;
    calls::read(db, seq, row.steps)?;
    Ok(())
}

/// Rebuilds the projections in memory. Returns them with the problems found in the log.
fn replay(db: &Connection) -> Result<(Connection, Vec<String>), StoreError> {
    let fresh = Connection::open_in_memory()?;
    fresh.set_prepared_statement_cache_capacity(64);
    fresh.execute_batch(schema::PROJECTIONS)?;
    let (mut without_body, mut pruned) = (BTreeMap::new(), HashSet::new());
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    let mut unlinked = Vec::new();
    fresh.execute_batch("BEGIN")?;
    let memory = Memory::default();
    let tx = Tx::begin(&fresh, Head::default(), &memory);
    let mut problems = check_links(db, &mut |entry: Entry| {
        let begins = entry.stream == entry.seq;
        let before = last.insert(entry.stream, entry.seq);
        if entry.prev != before || (before.is_none() && !begins && entry.stream != log::PAUSE_STREAM) {
            unlinked.push(format!(
                "entry {} of the log does not follow the one before it in its stream",
                entry.seq
            ));
        }
        if entry.body.is_none() {
            without_body.insert(entry.seq, entry.stream);
        }
        if entry.kind == EntryKind::Pruned {
            let Pruned { kept, gone, .. } = entry.parse_body()?;
            pruned.extend(kept.iter().map(|row| row.seq).chain(gone));
        }
        apply(&tx, &entry)?;
        drop(tx.what_moved());
        Ok(())
    })?;
    drop(tx);
    fresh.execute_batch("COMMIT")?;
    problems.extend(unlinked);
    if let Some((seq, _)) = without_body.into_iter().find(|(_, stream)| !pruned.contains(stream)) {
        problems
            .push(format!("what entry {seq} of the log said is gone, and nothing says that it was pruned"));
    }
    Ok((fresh, problems))
}

/// Whether a cell agrees with the log. The log does not record whether a thread is at work or a hold has passed.
fn same(column: &str, listed: &Value, expected: &Value) -> bool {
    let is =
        |value: &Value, words: &[&str]| matches!(value, Value::Text(word) if words.contains(&word.as_str()));
    listed == expected
        || column == "status"
            && (is(listed, &["running"]) && is(expected, &["ready", "held"])
                || is(listed, &["ready"]) && is(expected, &["running", "held"]))
}

/// The rows of the projections that differ from the log.
fn differences(db: &Connection, fresh: &Connection) -> Result<Vec<String>, StoreError> {
    let mut all = Vec::new();
    for (table, name) in project::TABLES {
        let mut named = Vec::new();
        // Uses the column names this build knows, because those in the file may be damaged too.
        let empty = fresh.prepare(&format!("SELECT * FROM {table}"))?;
        let columns: Vec<String> = empty.column_names().map(str::to_owned).collect();
        let (listed, expected) = (rows(db, table, name, &columns)?, rows(fresh, table, name, &columns)?);
        for (id, row) in &listed {
            match expected.get(id) {
                None => named.push(format!("{table}: {id} is listed, and not in the log")),
                Some(expected) => {
                    let differs = row
                        .iter()
                        .zip(expected)
                        .find(|((column, listed), (_, expected))| !same(column, listed, expected));
                    named.extend(differs.map(|((column, _), _)| {
                        format!("{table}: the {column} of {id} is not what the log says")
                    }));
                }
            }
        }
        for id in expected.keys().filter(|id| !listed.contains_key(*id)) {
            named.push(format!("{table}: {id} is in the log, and not listed"));
        }
        let more = named.len().saturating_sub(MAX_DIFFERENCES);
        named.truncate(MAX_DIFFERENCES);
        all.extend(named);
        if more > 0 {
            all.push(format!("{table}: {more} more rows are not what the log says"));
        }
    }
    Ok(all)
}

type Cells = Vec<(String, Value)>;

/// The rows of a projection, by the column that identifies them.
fn rows(
    db: &Connection,
    table: &str,
    name: &str,
    columns: &[String],
) -> Result<BTreeMap<String, Cells>, StoreError> {
    let mut statement = db.prepare(&format!("SELECT {} FROM {table} ORDER BY seq", columns.join(", ")))?;
    let mut rows = statement.query([])?;
    let mut all = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mut cells = Vec::with_capacity(columns.len());
        let mut id = String::new();
        for (at, column) in columns.iter().enumerate() {
            let value: Value = row.get(at)?;
            if column == name {
                id = match &value {
                    Value::Text(text) => text.clone(),
                    Value::Integer(number) => format!("number {number}"),
                    other => format!("{other:?}"),
                };
            }
            cells.push((column.clone(), value));
        }
        // Duplicates occur only in tables that were tampered with.
        while all.contains_key(&id) {
            id.push_str(" (again)");
        }
        all.insert(id, cells);
    }
    Ok(all)
}

/// Rebuilds the projections in place.
fn rewrite(tx: &Tx<'_>) -> Result<(), StoreError> {
    tx.memory().forget_threads();
    for (table, _) in project::TABLES {
        tx.execute(&format!("DELETE FROM {table}"), [])?;
    }
    check_links(tx, &mut |entry| {
        apply(tx, &entry)?;
        drop(tx.what_moved());
        Ok(())
    })?;
    tx.everything_moved();
    tx.memory().forget_threads();
    tx.execute("UPDATE threads SET status = 'ready' WHERE status = 'running'", [])?;
    Ok(())
}

fn check_rows(
    db: &Connection,
    table: &str,
    verified: &mut Verified,
    check: impl Fn(&rusqlite::Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut query = db.prepare(&format!("SELECT * FROM {table} ORDER BY seq"))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        record_damage(verified, check(row))?;
    }
    Ok(())
}

fn record_damage(verified: &mut Verified, checked: Result<(), StoreError>) -> Result<(), StoreError> {
    match checked {
        Ok(()) => Ok(()),
        Err(StoreError::Damaged(what)) => {
            if !verified.damaged.contains(&what) {
                verified.damaged.push(what);
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}
