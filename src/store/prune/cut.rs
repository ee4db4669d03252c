//! One family let go of.

use super::super::rows::{MailRow, ThreadRow};
use super::super::verify::tally;
use super::super::{StoreError, memory, traces};
use super::needs::audit_needs;
use super::sweep;
use crate::inbox::Pruning;
use rusqlite::{Connection, ErrorCode, params};
use std::collections::HashSet;

const OWN: &str = "thread = ?";

/// What a thread has that goes with it: table, which of its rows, and how they weigh.
const PARTS: [(&str, &str, &str); 5] = [
    ("steps", OWN, "octet_length(node) + octet_length(updates) + octet_length(next) + 48"),
    ("snapshots", OWN, "octet_length(state) + 56"),
    ("calls", OWN, "octet_length(name) + octet_length(result) + 32"),
    (
        "prompts",
        "call IN (SELECT seq FROM spans WHERE thread = ?)",
        "octet_length(middle) + coalesce(octet_length(answer), 0) + 56",
    ),
    ("spans", OWN, "octet_length(task) + octet_length(model) + 72"),
];

/// What letting go of a thread would take; `loose` grows by the bytes it refers to.
pub(super) fn count(
    db: &Connection,
    row: &ThreadRow,
    plan: &mut Pruning,
    loose: &mut HashSet<[u8; 32]>,
) -> Result<(), StoreError> {
    plan.threads += 1;
    if on_record(db, row)? {
        plan.records += 1;
    } else {
        plan.take("threads", 1, 320 + row.title.len() as u64);
    }
    for (table, own, weight) in PARTS {
        let (rows, bytes): (i64, i64) = db
            .prepare_cached(&format!("SELECT count(*), coalesce(sum({weight}), 0) FROM {table} WHERE {own}"))?
            .query_row([row.seq], |found| Ok((found.get(0)?, found.get(1)?)))?;
        plan.take(table, rows.unsigned_abs(), bytes.unsigned_abs());
    }
    sweep::named_by(db, row.seq, loose)?;
    for mail in MailRow::of_thread(db, row.seq)? {
        if mail.raw != MailRow::LET_GO {
            plan.mails += 1;
            loose.insert(mail.raw);
        }
    }
    Ok(())
}

/// Lets go of a family, the youngest member first.
pub(super) fn family(
    db: &Connection,
    family: Vec<ThreadRow>,
    now: i64,
    taken: &mut Pruning,
) -> Result<(), StoreError> {
    for mut row in family.into_iter().rev() {
        let mut loose = HashSet::new();
        sweep::named_by(db, row.seq, &mut loose)?;
        for digest in loose {
            sweep::let_go(db, &digest)?;
        }
        db.prepare_cached("DELETE FROM words WHERE rowid IN (SELECT seq FROM steps WHERE thread = ?)")?
            .execute([row.seq])?;
        for (table, own, weight) in PARTS {
            let bytes: i64 = db
                .prepare_cached(&format!("SELECT coalesce(sum({weight}), 0) FROM {table} WHERE {own}"))?
                .query_row([row.seq], |found| found.get(0))?;
            let rows = db.prepare_cached(&format!("DELETE FROM {table} WHERE {own}"))?.execute([row.seq])?;
            taken.take(table, rows as u64, bytes.unsigned_abs());
        }
        for held in MailRow::of_thread(db, row.seq)? {
            mail(db, held, taken)?;
        }
        taken.threads += 1;
        row.pruned_at = Some(now);
        row.update(db)?;
        if on_record(db, &row)? || !forget(db, &row)? {
            taken.records += 1;
        } else {
            taken.take("threads", 1, 320 + row.title.len() as u64);
        }
    }
    // Steps are numbered from the last one on, and what was indexed is known by its number.
    db.execute(
        "UPDATE settings SET value = (SELECT min(CAST(value AS INTEGER), coalesce(max(seq), 0)) FROM steps)
         WHERE name = 'indexed'",
        [],
    )?;
    traces::numbered_again(db)
}

/// Lets go of a mail's bytes and of the words to find it by. That it came stays on record.
pub(super) fn mail(db: &Connection, mut mail: MailRow, taken: &mut Pruning) -> Result<(), StoreError> {
    if mail.raw == MailRow::LET_GO {
        return Ok(());
    }
    sweep::let_go(db, &mail.raw)?;
    db.prepare_cached("DELETE FROM mail_words WHERE rowid = ?")?.execute([mail.seq])?;
    mail.raw = MailRow::LET_GO;
    mail.update(db)?;
    taken.mails += 1;
    Ok(())
}

/// Whether anything names the thread, so that its row has to stay.
fn on_record(db: &Connection, row: &ThreadRow) -> Result<bool, StoreError> {
    if audit_needs(row) {
        return Ok(true);
    }
    let any = |sql: &str| db.prepare_cached(sql)?.exists([row.seq]).map_err(StoreError::from);
    // Numbers are given from the newest on, and none may be given twice: mails are known by them.
    let newest = any("SELECT 1 WHERE ?1 = (SELECT max(seq) FROM threads)")?;
    Ok(newest
        || any("SELECT 1 FROM lessons WHERE thread = ?1 OR learner = ?1 LIMIT 1")?
        || any("SELECT 1 FROM sources WHERE thread = ? LIMIT 1")?
        || any("SELECT 1 FROM threads WHERE origin = ? LIMIT 1")?
        || memory::caused_by(db, &row.id)?)
}

/// Takes the row itself away; `false` where another table still refers to it.
fn forget(db: &Connection, row: &ThreadRow) -> Result<bool, StoreError> {
    db.execute_batch("SAVEPOINT forget")?;
    for mut mail in MailRow::of_thread(db, row.seq)? {
        mail.thread = None;
        mail.update(db)?;
    }
    let forgotten = db.prepare_cached("DELETE FROM threads WHERE seq = ?")?.execute(params![row.seq]);
    match forgotten {
        Ok(_) => {
            tally(db, "threads", -1)?;
            db.execute_batch("RELEASE forget")?;
            Ok(true)
        }
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::ConstraintViolation => {
            db.execute_batch("ROLLBACK TO forget; RELEASE forget")?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
