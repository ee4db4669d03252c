//! Rows: what sayso does with mail by itself. Each is a stream of the log, folded into one line of a list.

use crate::engine::graph::InterruptId;
use crate::engine::store::log::{EntryKind, NewEntry, Taught, Tx};
use crate::engine::store::mail::intake::line;
use crate::engine::store::record::project::{apply, changed_row};
use crate::engine::store::rows::{MailRow, TaughtRow, ThreadRow, readable, time};
use crate::engine::store::threads::start::{NewThread, start};
use crate::engine::store::{Memory, StoreError};
use crate::inbox::{MailLine, MemoryRow, RowChange, RowDecision, RowKey, RowLine};
use rusqlite::{Connection, params};

impl Memory<'_> {
    /// All rows, those that only count answers included, by what they are about.
    pub fn rows(self) -> Result<Vec<RowLine>, StoreError> {
        self.0.read(|db| {
            let rows = TaughtRow::select(db, "ORDER BY key", [])?;
            rows.iter().map(|row| row_line(db, row.parse()?)).collect()
        })
    }

    /// The row about this mail, and what it did.
    pub fn row(self, key: &RowKey) -> Result<Option<RowLine>, StoreError> {
        self.0.read(|db| {
            let row = TaughtRow::find(db, key)?.map(|row| row.parse()).transpose()?;
            row.map(|row| row_line(db, row)).transpose()
        })
    }

    /// Changes a row, and returns what is left of it. What changes nothing is not recorded.
    pub async fn change_row(self, key: RowKey, change: RowChange) -> Result<Option<MemoryRow>, StoreError> {
        self.0.write(move |tx| change_row(tx, &key, change)).await
    }

    /// Rows that a person is to be asked about, but for those that cannot be read.
    pub fn rows_to_ask_about(self) -> Result<Vec<MemoryRow>, StoreError> {
        let parse = |row: TaughtRow| readable("a row of the memory", &row.key, row.parse());
        self.0.read(|db| {
            Ok(TaughtRow::select(db, "WHERE asks = 1", [])?.into_iter().filter_map(parse).collect())
        })
    }

    /// Starts the thread that asks about a row, unless somebody has.
    pub async fn ask_about_row(self, new: NewThread, key: RowKey, step_limit: i64) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                if TaughtRow::find(tx, &key)?.is_some_and(|row| row.asks) {
                    start(tx, &new, step_limit)?;
                    change_row(tx, &key, RowChange::Asked)?;
                }
                Ok(())
            })
            .await
    }

    /// The newest mails that a row decided.
    pub fn mails_of_row(self, key: &RowKey, limit: usize) -> Result<Vec<MailLine>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.read(|db| {
            let newest = "WHERE row = ? ORDER BY seq DESC LIMIT ?";
            let mails = MailRow::select(db, newest, params![key.to_string(), limit])?;
            mails.into_iter().map(|mail| line(db, mail)).collect()
        })
    }

    /// The rows that this answer made or confirmed.
    pub fn rows_from(self, interrupt: &InterruptId) -> Result<Vec<RowKey>, StoreError> {
        self.0.read(|db| {
            let rows = TaughtRow::select(db, "WHERE instr(row, ?) > 0 ORDER BY key", [interrupt.as_str()])?;
            let rows = rows.iter().map(TaughtRow::parse).collect::<Result<Vec<MemoryRow>, _>>()?;
            let says_so = |row: &MemoryRow| {
                row.decisions.iter().any(|decision| decision.interrupt.as_ref() == Some(interrupt))
            };
            Ok(rows.into_iter().filter(says_so).map(|row| row.key).collect())
        })
    }
}

fn row_line(db: &Connection, row: MemoryRow) -> Result<RowLine, StoreError> {
    let (applied, last): (i64, Option<i64>) = db
        .prepare_cached("SELECT count(*), max(came_at) FROM mails WHERE row = ?")?
        .query_row([row.key.to_string()], |cells| Ok((cells.get(0)?, cells.get(1)?)))?;
    let subject = match &row.key {
        RowKey::Conversation(thread) => ThreadRow::find(db, thread).ok().map(|thread| thread.title),
        RowKey::Sender(_) | RowKey::List(_) | RowKey::Domain(_) | RowKey::Kind(_) => None,
    };
    Ok(RowLine { row, applied_at: last.map(time).transpose()?, applied: applied.cast_unsigned(), subject })
}

fn change_row(tx: &Tx<'_>, key: &RowKey, change: RowChange) -> Result<Option<MemoryRow>, StoreError> {
    let listed = TaughtRow::find(tx, key)?;
    let before = listed.as_ref().map(TaughtRow::parse).transpose()?;
    let counted = |decision: &RowDecision| before.as_ref().is_some_and(|row| row.counts(decision));
    if matches!(&change, RowChange::Decided { decision, .. } if counted(decision)) {
        return Ok(before);
    }
    let after = changed_row(tx, listed.as_ref(), key, change.clone(), i64::MAX)?;
    if before == after {
        return Ok(after);
    }
    let (stream, last) = (listed.as_ref().map(|row| row.seq), listed.as_ref().map(|row| row.last));
    let taught = Taught { key: key.clone(), change, from: tx.opened()? };
    let entry = tx.append(NewEntry::new(stream, EntryKind::Taught, last, &taught)?)?;
    apply(tx, &entry)?;
    Ok(after)
}
