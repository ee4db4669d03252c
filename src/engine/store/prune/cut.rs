//! Prunes a single thread.

use crate::engine::store::log::Tx;
use crate::engine::store::prune::retention::on_record;
use crate::engine::store::prune::sweep;
use crate::engine::store::rows::{self, MailRow, ThreadRow};
use crate::engine::store::{StoreError, log, memory};
use crate::inbox::Pruning;
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// The rows deleted with a thread: the table, and which of them.
const PARTS: [(&str, &str); 4] = [
    ("snapshots", "thread = ?"),
    ("calls", "thread = ?"),
    ("prompts", "call IN (SELECT seq FROM spans WHERE thread = ?)"),
    ("spans", "thread = ?"),
];

/// Counts what pruning a thread would delete.
pub fn count(
    db: &Connection,
    row: &ThreadRow,
    forgotten: &mut Vec<i64>,
    plan: &mut Pruning,
) -> Result<(), StoreError> {
    plan.threads += 1;
    if stays_on_record(db, row, forgotten)? {
        plan.records += 1;
    } else {
        forgotten.push(row.seq);
    }
    let mails = MailRow::of_thread(db, row.seq)?;
    plan.mails += mails.iter().filter(|mail| mail.raw != MailRow::PRUNED_BYTES).count() as u64;
    Ok(())
}

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
    for entry in log::verified_stream(tx, row.seq, row.seq)? {
        if entry.kind.can_be_pruned() && entry.body.is_some() {
            tx.prepare_cached("UPDATE log SET body = NULL, steps = NULL, sum = ?2 WHERE seq = ?1")?
                .execute(params![entry.seq, entry.sum()])?;
        }
    }
    for (table, own) in PARTS {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE {own}"))?.execute([row.seq])?;
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
