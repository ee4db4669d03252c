//! Prunes old threads, so that the file stays small over years of use.
//!
//! Promises: only whole families (a thread and everything it started) of ended threads are pruned, and none that is
//! still needed (see [`retention`]). What was asked, decided and done stays on record for ever. So does every mail's
//! row, so that no mail is taken in twice and nobody becomes a stranger. Each batch is one transaction that leaves the
//! file consistent; if the process dies between two batches, the next prune does the rest.
//!
//! Deleted: log bodies of steps and events, snapshots, model calls, their search words, the bytes of mails, and other
//! bytes that nothing refers to any more. The digests of the log bodies stay, so that the chain still holds.

mod cut;
mod retention;
mod sweep;

use crate::engine::store::log::{EntryKind, NewEntry, Pruned, Tx};
use crate::engine::store::record::project::apply;
use crate::engine::store::rows::{self, MailRow, ThreadRow, damaged};
use crate::engine::store::{Prune, StoreError};
use crate::inbox::{PruneQuery, Pruning};
use retention::Needed;
use rusqlite::{Connection, params};
use std::collections::HashSet;

pub use sweep::Swept;

/// A batch ends with the family that brings it to this many steps, so that other writers get their turn.
const BATCH: i64 = 2_000;

/// How many mails without a thread are pruned at once.
const MAILS: i64 = 500;

/// The families that can be pruned, newest first, so that forks go before the threads they share steps with.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<i64>);

impl Roots {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Prune<'_> {
    /// What pruning would delete, without deleting it.
    pub fn plan(self, query: &PruneQuery) -> Result<Pruning, StoreError> {
        self.0.read(|db| {
            let mut plan = Pruning::default();
            let (mut gone, mut forgotten) = (HashSet::new(), Vec::new());
            for root in roots(db, query)? {
                match family_of(db, root, query, &gone)? {
                    Ok(family) => {
                        for row in family.iter().rev() {
                            cut::count(db, row, &mut forgotten, &mut plan)?;
                            gone.insert(row.seq);
                        }
                    }
                    Err(needed) => plan.keep(needed.reason()),
                }
            }
            plan.mails += left_mails(db, query, i64::MAX)?.len() as u64;
            Ok(plan)
        })
    }

    /// The families that can be pruned now.
    pub fn prunable(self, query: &PruneQuery) -> Result<Roots, StoreError> {
        self.0.read(|db| {
            let (mut roots_found, mut gone) = (Vec::new(), HashSet::new());
            for root in roots(db, query)? {
                if let Ok(family) = family_of(db, root, query, &gone)? {
                    gone.extend(family.iter().map(|row| row.seq));
                    roots_found.push(root);
                }
            }
            Ok(Roots(roots_found))
        })
    }

    /// Prunes some of them in one transaction. Returns the remaining ones and what was deleted.
    pub async fn batch(self, query: PruneQuery, roots: Roots) -> Result<(Roots, Pruning), StoreError> {
        self.0
            .write(move |db| {
                let Roots(mut remaining) = roots;
                let (mut pruning, mut weight) = (Pruning::default(), 0);
                let (mut kept, mut gone) = (Vec::new(), Vec::new());
                let mut cut = HashSet::new();
                remaining.reverse();
                while weight < BATCH {
                    let Some(root) = remaining.pop() else { break };
                    // Checked again, because somebody may have forked or continued it since.
                    if let Ok(family) = family_of(db, root, &query, &cut)? {
                        weight += family.iter().map(|row| row.steps + 1).sum::<i64>();
                        for row in family.into_iter().rev() {
                            cut.insert(row.seq);
                            match cut::thread(db, row, &gone, &mut pruning)? {
                                Ok(record) => kept.push(record),
                                Err(forgotten) => gone.push(forgotten),
                            }
                        }
                    }
                }
                remaining.reverse();
                append_pruned(db, &query, &pruning, kept, gone)?;
                Ok((Roots(remaining), pruning))
            })
            .await
    }

    /// Deletes the bytes of some old mails that were left alone; `mails` is 0 if there are no more.
    pub async fn left_mails(self, query: PruneQuery) -> Result<Pruning, StoreError> {
        self.0
            .write(move |db| {
                let mut pruning = Pruning::default();
                for mail in left_mails(db, &query, MAILS)? {
                    cut::mail(db, mail, &mut pruning)?;
                }
                append_pruned(db, &query, &pruning, Vec::new(), Vec::new())?;
                Ok(pruning)
            })
            .await
    }
}

/// Records what was pruned, in the same transaction.
fn append_pruned(
    tx: &Tx<'_>,
    query: &PruneQuery,
    pruning: &Pruning,
    kept: Vec<ThreadRow>,
    gone: Vec<i64>,
) -> Result<(), StoreError> {
    if pruning.threads == 0 && pruning.mails == 0 {
        return Ok(());
    }
    let statuses: Vec<String> = query.statuses.iter().map(|status| status.word().to_owned()).collect();
    let (older_than, mails) = (query.before.as_millisecond(), pruning.mails);
    let pruned = Pruned { older_than, statuses, kept, gone, mails, from: tx.opened()? };
    let entry = tx.append(NewEntry::new(None, EntryKind::Pruned, None, &pruned)?)?;
    apply(tx, &entry)
}

fn roots(db: &Connection, query: &PruneQuery) -> Result<Vec<i64>, StoreError> {
    let mut roots: Vec<i64> = Vec::new();
    for status in query.statuses.iter().filter(|status| status.ended()) {
        let old = "SELECT seq FROM threads
                   WHERE status = ? AND parent IS NULL AND pruned_at IS NULL AND updated_at < ?";
        roots.extend(rows::column::<i64>(db, old, params![status, query.before.as_millisecond()])?);
    }
    roots.sort_unstable_by(|a, b| b.cmp(a));
    roots.dedup();
    Ok(roots)
}

/// A thread and everything it started, oldest first, or why they are still needed; threads in `gone` count as pruned.
fn family_of(
    db: &Connection,
    root: i64,
    query: &PruneQuery,
    gone: &HashSet<i64>,
) -> Result<Result<Vec<ThreadRow>, Needed>, StoreError> {
    let read = || {
        let family = ThreadRow::select(
            db,
            "WHERE seq IN (
                WITH RECURSIVE family (seq) AS (
                    SELECT ?1 UNION SELECT t.seq FROM threads t JOIN family f ON t.parent = f.seq
                )
                SELECT seq FROM family
             ) ORDER BY seq",
            [root],
        )?;
        for row in &family {
            if let Some(needed) = retention::needed(db, row, query, gone)? {
                return Ok(Err(needed));
            }
        }
        Ok(Ok(family))
    };
    match read() {
        // Threads that cannot be trusted are left for a person to look at.
        Err(StoreError::Damaged(_)) => Ok(Err(Needed::Damaged)),
        other => other,
    }
}

/// Mails that were left alone, are old enough, and still have their bytes.
fn left_mails(db: &Connection, query: &PruneQuery, limit: i64) -> Result<Vec<MailRow>, StoreError> {
    let mails = rows::query(
        db,
        "SELECT * FROM mails WHERE thread IS NULL AND state IN ('left', 'sent') AND came_at < ? AND raw <> ? ORDER BY seq LIMIT ?",
        params![query.before.as_millisecond(), MailRow::PRUNED_BYTES, limit],
        |row| match MailRow::read(row) {
            Err(StoreError::Damaged(_)) => Ok(None),
            read => read.map(Some),
        },
    )?;
    Ok(mails.into_iter().flatten().collect())
}

/// Checks that a pruned thread has no step bodies left.
pub fn check_pruned(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    let steps = "SELECT count(*) FROM log WHERE stream = ? AND kind = 'stepped' AND body IS NOT NULL";
    let step_count: i64 = rows::one(db, steps, [row.seq])?;
    if step_count == 0 && row.status.ended() {
        Ok(())
    } else {
        damaged(format!("thread {} was pruned, and {step_count} of its steps are on record", row.id))
    }
}
