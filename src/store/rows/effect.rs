//! An effect's row.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::{Cells, damaged};
use crate::graph::EffectState;
use rusqlite::{Connection, Row, params};

/// An effect.
#[derive(Clone, Debug)]
pub(in crate::store) struct EffectRow {
    pub seq: i64,
    pub thread: i64,
    pub step: i64,
    pub name: String,
    pub basis: String,
    pub state: EffectState,
    pub frozen: [u8; 32],
    pub outcome: String,
    pub begun_at: i64,
    pub ended_at: Option<i64>,
}

impl EffectRow {
    fn seal(&self) -> Digest {
        Seal::of("effects")
            .int(self.seq)
            .int(self.thread)
            .int(self.step)
            .text(&self.name)
            .text(&self.basis)
            .text(self.state.word())
            .bytes(&self.frozen)
            .text(&self.outcome)
            .int(self.begun_at)
            .maybe_int(self.ended_at)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let effect = Self {
            seq: cells.next()?,
            thread: cells.next()?,
            step: cells.next()?,
            name: cells.next()?,
            basis: cells.next()?,
            state: cells.word("effect state", EffectState::from_word)?,
            frozen: cells.next()?,
            outcome: cells.next()?,
            begun_at: cells.next()?,
            ended_at: cells.next()?,
        };
        if cells.digest()? != effect.seal() {
            return damaged(format!("effect `{}` is not as it was written", effect.name));
        }
        Ok(effect)
    }

    pub(in crate::store) fn find(
        db: &Connection,
        thread: i64,
        step: i64,
        name: &str,
    ) -> Result<Option<Self>, StoreError> {
        let mut found =
            db.prepare_cached("SELECT * FROM effects WHERE thread = ? AND step = ? AND name = ?")?;
        let mut rows = found.query(params![thread, step, name])?;
        rows.next()?.map(Self::read).transpose()
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM effects")?
            .query_row([], |r| r.get(0))?;
        db.prepare_cached(
            "INSERT INTO effects (seq, thread, step, name, basis, state, frozen, outcome, begun_at, ended_at, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.seq,
            self.thread,
            self.step,
            self.name,
            self.basis,
            self.state.word(),
            self.frozen,
            self.outcome,
            self.begun_at,
            self.ended_at,
            self.seal().bytes(),
        ])?;
        Ok(())
    }

    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE effects SET state = ?, outcome = ?, ended_at = ?, digest = ? WHERE seq = ?",
        )?
        .execute(params![
            self.state.word(),
            self.outcome,
            self.ended_at,
            self.seal().bytes(),
            self.seq
        ])?;
        Ok(())
    }
}
