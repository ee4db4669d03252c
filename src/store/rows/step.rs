//! A step's row, chained to the one before it.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::{Cells, damaged, json};
use crate::inbox::NextView;
use rusqlite::{Connection, Row, params};

/// A step, and the digest of the one before it.
#[derive(Clone, Debug)]
pub(in crate::store) struct StepRow {
    pub thread: i64,
    pub n: i64,
    pub node: String,
    pub updates: String,
    pub next: String,
    pub at: i64,
    /// How long its node worked, for people; nothing where no node did.
    pub ms: Option<i64>,
    pub digest: Digest,
}

impl StepRow {
    fn seal(&self, before: Digest) -> Digest {
        Seal::of("steps")
            .bytes(before.bytes())
            .int(self.thread)
            .int(self.n)
            .text(&self.node)
            .text(&self.updates)
            .text(&self.next)
            .int(self.at)
            .later_int(self.ms)
            .done()
    }

    /// Reads a step whose predecessor has the digest `before`.
    pub(in crate::store) fn read(row: &Row<'_>, before: Digest) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let _seq: i64 = cells.next()?;
        let step = Self {
            thread: cells.next()?,
            n: cells.next()?,
            node: cells.next()?,
            updates: cells.next()?,
            next: cells.next()?,
            at: cells.next()?,
            digest: cells.digest()?,
            ms: cells.next()?,
        };
        if step.digest != step.seal(before) {
            return damaged(format!(
                "step {} of thread number {} is not as it was written",
                step.n, step.thread
            ));
        }
        Ok(step)
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection, before: Digest) -> Result<(), StoreError> {
        self.digest = self.seal(before);
        db.prepare_cached(
            "INSERT INTO steps (thread, n, node, updates, next, at, digest, ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.thread,
            self.n,
            self.node,
            self.updates,
            self.next,
            self.at,
            self.digest.bytes(),
            self.ms,
        ])?;
        Ok(())
    }

    pub(in crate::store) fn next(&self) -> Result<NextView, StoreError> {
        json(&format!("the way out of step {}", self.n), &self.next)
    }
}
