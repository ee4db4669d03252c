//! A decision's row.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::{Cells, InterruptRow, damaged, json};
use crate::graph::{BatchId, Decision, Hash};
use crate::inbox::By;
use rusqlite::{Connection, Row, params};
use serde_json::Value;

/// A decision.
#[derive(Clone, Debug)]
pub(in crate::store) struct DecisionRow {
    pub seq: i64,
    pub interrupt: i64,
    pub decision: Decision,
    pub learn: bool,
    pub by: By,
    /// What was shown: the first half of the interrupt's hash then.
    pub shown: [u8; 16],
    pub at: i64,
    pub undone_at: Option<i64>,
    pub consumed: bool,
    pub executed: Option<String>,
    pub batch: Option<BatchId>,
}

impl DecisionRow {
    /// As much of a hash as a decision keeps.
    pub(in crate::store) fn half(hash: &Hash) -> [u8; 16] {
        let mut half = [0; 16];
        half.copy_from_slice(&hash.bytes()[..16]);
        half
    }

    fn args(&self) -> Option<String> {
        match &self.decision {
            Decision::Accept | Decision::Ignore | Decision::Draft => None,
            Decision::Edit { args } => Some(args.to_string()),
            Decision::Respond { text } => Some(Value::from(text.as_str()).to_string()),
        }
    }

    fn seal(&self) -> Digest {
        Seal::of("decisions")
            .int(self.seq)
            .int(self.interrupt)
            .text(self.decision.word())
            .maybe_text(self.args().as_deref())
            .int(i64::from(self.learn))
            .text(&self.by.to_string())
            .bytes(&self.shown)
            .int(self.at)
            .maybe_int(self.undone_at)
            .int(i64::from(self.consumed))
            .maybe_text(self.executed.as_deref())
            .later_text(self.batch.as_ref().map(BatchId::as_str))
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let (seq, interrupt) = (cells.next()?, cells.next()?);
        let what = format!("decision number {seq}");
        let (word, args): (String, Option<String>) = (cells.next()?, cells.next()?);
        let args = args.map(|text| json::<Value>(&what, &text)).transpose()?;
        let decision = match (word.as_str(), args) {
            ("accept", None) => Decision::Accept,
            ("ignore", None) => Decision::Ignore,
            ("draft", None) => Decision::Draft,
            ("edit", Some(args)) => Decision::Edit { args },
            ("respond", Some(Value::String(text))) => Decision::Respond { text },
            _ => return damaged(format!("{what} has no valid type")),
        };
        let mut read = Self {
            seq,
            interrupt,
            decision,
            learn: cells.next()?,
            by: cells.word("decider", By::from_word)?,
            shown: cells.next()?,
            at: cells.next()?,
            undone_at: cells.next()?,
            consumed: cells.next()?,
            executed: cells.next()?,
            batch: None,
        };
        let digest = cells.digest()?;
        let batch: Option<String> = cells.next()?;
        read.batch = batch.as_deref().and_then(|word| BatchId::parse(word).ok());
        // A name that cannot be read is no name: the digest, or this, tells.
        if digest != read.seal() || batch.is_some() != read.batch.is_some() {
            return damaged(format!("{what} is not as it was written"));
        }
        Ok(read)
    }

    /// The decision in force on an interrupt.
    pub(in crate::store) fn in_force(db: &Connection, interrupt: &InterruptRow) -> Result<Self, StoreError> {
        match Self::all(db, interrupt.seq)?.into_iter().rfind(|decision| decision.undone_at.is_none()) {
            Some(decision) => Ok(decision),
            None => damaged(format!("the decision on interrupt {} is missing", interrupt.id)),
        }
    }

    /// Every decision ever taken on an interrupt, undone ones included, oldest first.
    pub(in crate::store) fn all(db: &Connection, interrupt: i64) -> Result<Vec<Self>, StoreError> {
        let mut found = db.prepare_cached("SELECT * FROM decisions WHERE interrupt = ? ORDER BY seq")?;
        let mut rows = found.query([interrupt])?;
        let mut decisions = Vec::new();
        while let Some(row) = rows.next()? {
            decisions.push(Self::read(row)?);
        }
        Ok(decisions)
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM decisions")?
            .query_row([], |r| r.get(0))?;
        db.prepare_cached(
            "INSERT INTO decisions (seq, interrupt, type, args, learn, by, hash, at, undone_at, consumed, executed, batch,
                digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.seq,
            self.interrupt,
            self.decision.word(),
            self.args(),
            self.learn,
            self.by.to_string(),
            self.shown,
            self.at,
            self.undone_at,
            self.consumed,
            self.executed,
            self.batch.as_ref().map(BatchId::as_str),
            self.seal().bytes(),
        ])?;
        Ok(())
    }

    /// Writes what can change: that it was undone, acted on, and how.
    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE decisions SET undone_at = ?, consumed = ?, executed = ?, digest = ? WHERE seq = ?",
        )?
        .execute(params![
            self.undone_at,
            self.consumed,
            self.executed,
            self.seal().bytes(),
            self.seq
        ])?;
        Ok(())
    }
}
