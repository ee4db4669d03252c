//! Old threads let go of, so that years of use stay small.
//!
//! Promises: only whole families (a thread and all it started) of ended threads go, and none that anybody still
//! needs (see [`needs`]). What was asked, decided and done stays on record for ever, and so does every mail's row, so
//! that no mail is taken in twice and nobody becomes a stranger. Each batch is one transaction that leaves the file
//! whole; a process that dies between two of them leaves work for the next prune and nothing else.
//!
//! What goes: steps, snapshots, times, model calls, the words to find them by, the bytes of mails, and other bytes
//! that nobody refers to any more.

mod cut;
mod needs;
mod sweep;

use super::audit::{self, Fact};
use super::rows::{MailRow, ThreadRow, damaged};
use super::{Store, StoreError};
use crate::inbox::{PruneQuery, Pruning};
use crate::text::hex;
use needs::Needed;
use rusqlite::{Connection, params};
use std::collections::HashSet;

pub use sweep::Swept;
pub(super) use sweep::hold_on;

/// A batch ends with the family that brings it to so many steps, so that others get their turn in between.
const BATCH: i64 = 2_000;

/// So many mails without a thread are let go of at once.
const MAILS: i64 = 500;

/// The families that can go, newest first: whoever shares the beginning of an older thread is gone before it.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<i64>);

impl Roots {
    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Store {
    /// What pruning would take, without taking it.
    pub fn prune_plan(&self, query: &PruneQuery) -> Result<Pruning, StoreError> {
        self.read(|db| {
            let mut plan = Pruning::default();
            let mut gone = HashSet::new();
            let mut loose = HashSet::new();
            for root in roots(db, query)? {
                match family_of(db, root, query, &gone)? {
                    Ok(family) => {
                        for row in &family {
                            cut::count(db, row, &mut plan, &mut loose)?;
                            gone.insert(row.seq);
                        }
                    }
                    Err(needed) => plan.keep(needed.words()),
                }
            }
            let mut mails = HashSet::new();
            for mail in left_mails(db, query, i64::MAX)? {
                plan.mails += 1;
                loose.insert(mail.raw);
                mails.insert(mail.seq);
            }
            sweep::count(db, loose, &gone, &mails, &mut plan)?;
            Ok(plan)
        })
    }

    /// The families that can go now.
    pub fn prunable(&self, query: &PruneQuery) -> Result<Roots, StoreError> {
        self.read(|db| {
            let (mut found, mut gone) = (Vec::new(), HashSet::new());
            for root in roots(db, query)? {
                if let Ok(family) = family_of(db, root, query, &gone)? {
                    gone.extend(family.iter().map(|row| row.seq));
                    found.push(root);
                }
            }
            Ok(Roots(found))
        })
    }

    /// Lets some of them go, in one transaction, and gives the rest with what went.
    pub async fn prune_batch(&self, query: PruneQuery, roots: Roots) -> Result<(Roots, Pruning), StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let Roots(mut left) = roots;
            let (mut taken, mut weight, mut heads) = (Pruning::default(), 0, String::new());
            left.reverse();
            while weight < BATCH {
                let Some(root) = left.pop() else { break };
                // Looked at again: somebody may have forked it, or gone on with it, since.
                if let Ok(family) = family_of(db, root, &query, &HashSet::new())? {
                    weight += family.iter().map(|row| row.steps + 1).sum::<i64>();
                    for row in &family {
                        heads.push_str(&format!("{} {}\n", row.id, hex(row.head.bytes())));
                    }
                    cut::family(db, family, now, &mut taken)?;
                }
            }
            left.reverse();
            told(db, &query, &taken, &heads, now)?;
            Ok((Roots(left), taken))
        })
        .await
    }

    /// Lets go of the bytes of some old mails that were left alone; `threads` is nothing where there are no more.
    pub async fn prune_left_mails(&self, query: PruneQuery) -> Result<Pruning, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let mut taken = Pruning::default();
            for mail in left_mails(db, &query, MAILS)? {
                cut::mail(db, mail, &mut taken)?;
            }
            told(db, &query, &taken, "", now)?;
            Ok(taken)
        })
        .await
    }
}

/// What goes is told in the transaction in which it goes.
fn told(
    db: &Connection,
    query: &PruneQuery,
    taken: &Pruning,
    heads: &str,
    now: i64,
) -> Result<(), StoreError> {
    if taken.threads == 0 && taken.mails == 0 {
        return Ok(());
    }
    let pruned = Fact::Pruned {
        older_than: query.before.as_millisecond(),
        statuses: query.statuses.iter().map(|status| status.word().to_owned()).collect(),
        threads: taken.threads,
        records: taken.records,
        mails: taken.mails,
        heads: audit::sha(heads),
    };
    audit::record(db, &pruned, now)
}

fn roots(db: &Connection, query: &PruneQuery) -> Result<Vec<i64>, StoreError> {
    let mut roots: Vec<i64> = Vec::new();
    for status in query.statuses.iter().filter(|status| status.ended()) {
        let mut found = db.prepare_cached(
            "SELECT seq FROM threads WHERE status = ? AND parent IS NULL AND pruned_at IS NULL AND updated_at < ?",
        )?;
        let mut rows = found.query(params![status.word(), query.before.as_millisecond()])?;
        while let Some(row) = rows.next()? {
            roots.push(row.get(0)?);
        }
    }
    roots.sort_unstable_by(|a, b| b.cmp(a));
    roots.dedup();
    Ok(roots)
}

/// A thread and all it started, oldest first, or what somebody still needs of them; `gone` counts as pruned.
fn family_of(
    db: &Connection,
    root: i64,
    query: &PruneQuery,
    gone: &HashSet<i64>,
) -> Result<Result<Vec<ThreadRow>, Needed>, StoreError> {
    let read = || {
        let mut found = db.prepare_cached(
            "WITH RECURSIVE family (seq) AS (
                SELECT ?1 UNION SELECT t.seq FROM threads t JOIN family f ON t.parent = f.seq
             )
             SELECT * FROM threads WHERE seq IN (SELECT seq FROM family) ORDER BY seq",
        )?;
        let mut rows = found.query([root])?;
        let mut family = Vec::new();
        while let Some(row) = rows.next()? {
            family.push(ThreadRow::read(row)?);
        }
        for row in &family {
            if let Some(needed) = needs::needed(db, row, query, gone)? {
                return Ok(Err(needed));
            }
        }
        Ok(Ok(family))
    };
    match read() {
        // What cannot be trusted is left for a person to look at.
        Err(StoreError::Damaged(_)) => Ok(Err(Needed::Damaged)),
        other => other,
    }
}

/// Mails that were left alone, came before, and still have their bytes.
fn left_mails(db: &Connection, query: &PruneQuery, limit: i64) -> Result<Vec<MailRow>, StoreError> {
    let mut found = db.prepare_cached(
        "SELECT * FROM mails WHERE thread IS NULL AND state = 'left' AND came_at < ? AND raw <> ? ORDER BY seq LIMIT ?",
    )?;
    let mut rows = found.query(params![query.before.as_millisecond(), MailRow::LET_GO, limit])?;
    let mut mails = Vec::new();
    while let Some(row) = rows.next()? {
        match MailRow::read(row) {
            Ok(mail) => mails.push(mail),
            Err(StoreError::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(mails)
}

/// Why nothing can be done with a thread whose steps are gone.
pub(super) fn refuse_pruned(row: &ThreadRow) -> Result<(), StoreError> {
    match row.pruned_at {
        None => Ok(()),
        Some(_) => Err(StoreError::Conflict(pruned_text(row))),
    }
}

/// What is said of a thread whose steps are gone.
pub(super) fn pruned_text(row: &ThreadRow) -> String {
    let when = row.pruned_at.and_then(|at| super::rows::time(at).ok());
    let when = when.map_or(String::new(), |at| at.strftime(" on %Y-%m-%d").to_string());
    format!(
        "thread `{}` was pruned{when}: its steps are gone, its decisions and effects are on record",
        row.id
    )
}

/// A pruned thread has no step of its own left.
pub(super) fn check_pruned(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    let own: i64 = db
        .prepare_cached("SELECT count(*) FROM steps WHERE thread = ?")?
        .query_row([row.seq], |found| found.get(0))?;
    if own == 0 && row.status.ended() {
        Ok(())
    } else {
        damaged(format!("thread {} was pruned, and {own} of its steps are on record", row.id))
    }
}
