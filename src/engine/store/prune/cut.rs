//! Prunes a single thread.

use crate::engine::store::log::Tx;
use crate::engine::store::prune::retention::on_record;
use crate::engine::store::prune::sweep;
use crate::engine::store::rows::{self, MailRow, ThreadRow};
use crate::engine::store::{StoreError, log, memory};
use crate::inbox::Pruning;
use rusqlite::{Connection, params};
use std::collections::HashSet;

const OWN: &str = "thread = ?";

/// Rows deleted with a thread: the table, which rows, and their size in bytes.
const PARTS: [(&str, &str, &str); 4] = [
    ("snapshots", OWN, "octet_length(state) + 56"),
    ("calls", OWN, "octet_length(name) + octet_length(result) + 32"),
    (
        "prompts",
        "call IN (SELECT seq FROM spans WHERE thread = ?)",
        "octet_length(middle) + coalesce(octet_length(answer), 0) + 56",
    ),
    ("spans", OWN, "octet_length(task) + octet_length(model) + 72"),
];

/// Counts what pruning a thread would delete; adds the digests it refers to to `loose`.
pub fn count(
    db: &Connection,
    row: &ThreadRow,
    forgotten: &mut Vec<i64>,
    plan: &mut Pruning,
    loose: &mut HashSet<[u8; 32]>,
) -> Result<(), StoreError> {
    plan.threads += 1;
    if stays_on_record(db, row, forgotten)? {
        plan.records += 1;
    } else {
        forgotten.push(row.seq);
        plan.take("threads", 1, 320 + row.title.len() as u64);
    }
    let (bodies, bytes) = bodies(db, row)?;
    plan.take("log", bodies, bytes);
    for (table, own, weight) in PARTS {
        let (rows, bytes): (i64, i64) = db
            .prepare_cached(&format!("SELECT count(*), coalesce(sum({weight}), 0) FROM {table} WHERE {own}"))?
            .query_row([row.seq], |cells| Ok((cells.get(0)?, cells.get(1)?)))?;
        plan.take(table, rows.unsigned_abs(), bytes.unsigned_abs());
    }
    sweep::collect_digests(db, row.seq, loose)?;
    for mail in MailRow::of_thread(db, row.seq)? {
        if mail.raw != MailRow::PRUNED_BYTES {
            plan.mails += 1;
            loose.insert(mail.raw);
        }
    }
    Ok(())
}

/// How many log bodies are deleted with a thread, and their size beyond the digests that stay.
fn bodies(db: &Connection, row: &ThreadRow) -> Result<(u64, u64), StoreError> {
    let (rows, bytes): (i64, i64) = db
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum(max(octet_length(body) + coalesce(octet_length(steps), 0) - 32, 0)), 0) FROM log
             WHERE stream = ? AND body IS NOT NULL AND kind IN {PRUNED}"
        ))?
        .query_row([row.seq], |cells| Ok((cells.get(0)?, cells.get(1)?)))?;
    Ok((rows.unsigned_abs(), bytes.unsigned_abs()))
}

/// The kinds of entries whose bodies are deleted.
const PRUNED: &str = "('started', 'stepped', 'arrived', 'continued', 'corrected')";

/// Prunes a thread. Returns the record that remains, or its number if none does.
pub fn thread(
    tx: &Tx<'_>,
    mut row: ThreadRow,
    forgotten: &[i64],
    pruning: &mut Pruning,
) -> Result<Result<ThreadRow, i64>, StoreError> {
    let mut loose = HashSet::new();
    sweep::collect_digests(tx, row.seq, &mut loose)?;
    for digest in loose {
        sweep::list_for_deletion(tx, &digest)?;
    }
    tx.prepare_cached("DELETE FROM words WHERE rowid IN (SELECT seq FROM log WHERE stream = ?)")?
        .execute([row.seq])?;
    let (rows, bytes) = bodies(tx, &row)?;
    pruning.take("log", rows, bytes);
    for entry in log::verified_stream(tx, row.seq, row.seq)? {
        if entry.kind.can_be_pruned() && entry.body.is_some() {
            tx.prepare_cached("UPDATE log SET body = NULL, steps = NULL, sum = ?2 WHERE seq = ?1")?
                .execute(params![entry.seq, entry.sum()])?;
        }
    }
    for (table, own, weight) in PARTS {
        let sum = format!("SELECT coalesce(sum({weight}), 0) FROM {table} WHERE {own}");
        let bytes: i64 = rows::one(tx, &sum, [row.seq])?;
        let rows = tx.prepare_cached(&format!("DELETE FROM {table} WHERE {own}"))?.execute([row.seq])?;
        pruning.take(table, rows as u64, bytes.unsigned_abs());
    }
    for held in MailRow::of_thread(tx, row.seq)? {
        mail(tx, held, pruning)?;
    }
    pruning.threads += 1;
    if stays_on_record(tx, &row, forgotten)? {
        pruning.records += 1;
        row.pruned_at = Some(tx.now());
        return Ok(Ok(row));
    }
    pruning.take("threads", 1, 320 + row.title.len() as u64);
    for mut mail in MailRow::of_thread(tx, row.seq)? {
        mail.thread = None;
        mail.update(tx)?;
    }
    Ok(Err(row.seq))
}

/// Deletes a mail's bytes and its search words. The record that it came stays.
pub fn mail(db: &Connection, mut mail: MailRow, pruning: &mut Pruning) -> Result<(), StoreError> {
    if mail.raw == MailRow::PRUNED_BYTES {
        return Ok(());
    }
    sweep::list_for_deletion(db, &mail.raw)?;
    db.prepare_cached("DELETE FROM mail_words WHERE rowid = ?")?.execute([mail.seq])?;
    mail.raw = MailRow::PRUNED_BYTES;
    mail.update(db)?;
    pruning.mails += 1;
    Ok(())
}

/// Whether anything refers to the thread, so that its row has to stay. Forks that are deleted too do not count.
fn stays_on_record(db: &Connection, row: &ThreadRow, forgotten: &[i64]) -> Result<bool, StoreError> {
    if on_record(db, row.seq)? {
        return Ok(true);
    }
    let any = |sql| rows::exists(db, sql, [row.seq]);
    let forks: Vec<i64> = rows::column(db, "SELECT seq FROM threads WHERE origin = ?", [row.seq])?;
    Ok(any("SELECT 1 FROM lessons WHERE thread = ?1 OR learner = ?1 LIMIT 1")?
        || any("SELECT 1 FROM sources WHERE thread = ? LIMIT 1")?
        || forks.iter().any(|fork| !forgotten.contains(fork))
        || memory::caused_by(db, &row.id)?)
}
