//! Projections: how each log entry changes the tables that lists and drivers read.
//!
//! Only [`apply`] writes them, both live and when they are rebuilt, except whether a thread is running, which the log
//! does not record. It reads the entry and the current projections, and nothing else.

use crate::engine::store::StoreError;
use crate::engine::store::log::{self, Entry, EntryKind, Granted, Learned, Pruned, Revoked, Taught, Tx};
use crate::engine::store::record::first_rows::first_row;
use crate::engine::store::record::listed::{Listed, living_children};
use crate::engine::store::rows::{Awaits, GrantRow, Runnable, TaughtRow};
use crate::inbox::{BUILTIN_GRANTS, MemoryRow, RowChange, RowKey, Status};
use rusqlite::{Connection, params};

/// The projections, each with the column that identifies a row.
pub const TABLES: [(&str, &str); 7] = [
    ("threads", "id"),
    ("interrupts", "id"),
    ("effects", "seq"),
    ("grants", "id"),
    ("memory", "seq"),
    ("taught", "key"),
    ("pauses", "seq"),
];

/// Updates the projections with this entry.
pub fn apply(tx: &Tx<'_>, entry: &Entry) -> Result<(), StoreError> {
    // The remains of a pruned thread are in the `pruned` entry.
    if entry.body.is_none() {
        return Ok(());
    }
    match entry.kind {
        EntryKind::Opened | EntryKind::Pinned | EntryKind::Unpinned => Ok(()),
        EntryKind::Paused | EntryKind::Resumed => {
            tx.everything_moved();
            execute(tx, "INSERT OR REPLACE INTO pauses (seq, last) VALUES (1, ?)", [entry.seq])
        }
        EntryKind::Started => {
            let row = first_row(entry.seq, entry.at, entry.parse_body()?);
            row.put(tx)?;
            tx.moved(Runnable::of(&row));
            Ok(())
        }
        EntryKind::Granted => granted(tx, entry, entry.parse_body()?),
        EntryKind::Revoked => revoked(tx, entry, &entry.parse_body()?),
        EntryKind::Restored => {
            execute(tx, "UPDATE grants SET revoked_at = NULL WHERE seq = ?", [entry.stream])
        }
        EntryKind::Learned => learned(tx, entry, &entry.parse_body()?),
        EntryKind::Taught => taught(tx, entry, entry.parse_body()?),
        EntryKind::Pruned => pruned(tx, entry, entry.parse_body()?),
        _ => {
            let mut listed = Listed::by_seq(tx, entry.stream)?;
            listed.apply(tx, entry)?;
            save(tx, listed, entry)
        }
    }
}

/// Writes a thread's rows, of which `entry` is the last, and wakes its parent if it has ended now.
pub fn save(tx: &Tx<'_>, listed: Listed, entry: &Entry) -> Result<(), StoreError> {
    let (parent, ends) = (listed.row.parent.zip(listed.row.parent_step), listed.ends_now());
    listed.save(tx)?;
    match parent {
        Some((parent, step)) if ends => wake_parent(tx, entry, parent, step),
        _ => Ok(()),
    }
}

fn execute(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<(), StoreError> {
    db.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

/// A parent continues when the last child it waits for has ended.
fn wake_parent(tx: &Tx<'_>, child: &Entry, parent: i64, step: i64) -> Result<(), StoreError> {
    let mut listed = Listed::by_seq(tx, parent)?;
    let row = &mut listed.row;
    let waits = row.awaits == Awaits::Children && row.steps - 1 == step && !row.status.ended();
    if !waits || living_children(tx, parent, step)? > 0 {
        return Ok(());
    }
    (row.version, row.updated_at) = (child.seq, child.at);
    if row.status == Status::Joining {
        row.status = Status::Ready;
    }
    listed.save(tx)
}

fn granted(db: &Connection, entry: &Entry, body: Granted) -> Result<(), StoreError> {
    GrantRow { seq: entry.stream, id: body.id, tool: body.tool, revoked_at: None, used: 0 }.put(db)
}

fn revoked(db: &Connection, entry: &Entry, body: &Revoked) -> Result<(), StoreError> {
    let builtin = body.builtin.as_deref().filter(|_| entry.prev.is_none());
    let Some(builtin) = builtin.and_then(|id| BUILTIN_GRANTS.iter().find(|builtin| builtin.id == id)) else {
        execute(db, "UPDATE grants SET revoked_at = ?2 WHERE seq = ?1", [entry.stream, entry.at])?;
        return Ok(());
    };
    let (id, tool) = (builtin.id.to_owned(), builtin.tool.to_owned());
    GrantRow { seq: entry.stream, id, tool, revoked_at: Some(entry.at), used: 0 }.put(db)
}

fn learned(db: &Connection, entry: &Entry, body: &Learned) -> Result<(), StoreError> {
    execute(
        db,
        "INSERT OR REPLACE INTO memory (seq, stream, namespace, version, thread) VALUES (?, ?, ?, ?, ?)",
        params![entry.seq, entry.stream, body.namespace, body.version.cast_signed(), body.cause.thread],
    )
}

fn taught(tx: &Tx<'_>, entry: &Entry, body: Taught) -> Result<(), StoreError> {
    let before = TaughtRow::find(tx, &body.key)?;
    if let Some(before) = &before {
        execute(tx, "DELETE FROM taught WHERE seq = ?", [before.seq])?;
    }
    let Some(row) = changed_row(tx, before.as_ref(), &body.key, body.change, entry.seq)? else {
        return Ok(());
    };
    let json = serde_json::to_string(&row).map_err(|e| StoreError::Sql(e.to_string()))?;
    let (seq, last, asks) = (entry.stream, entry.seq, row.question().is_some());
    if asks {
        tx.everything_moved();
    }
    TaughtRow { seq, key: body.key.to_string(), last, asks, row: json }.put(tx)
}

/// What a row of the memory is after a change that is at this place of the log, or will be.
pub fn changed_row(
    db: &Connection,
    before: Option<&TaughtRow>,
    key: &RowKey,
    change: RowChange,
    place: i64,
) -> Result<Option<MemoryRow>, StoreError> {
    match before {
        Some(before) if matches!(change, RowChange::TakenBack { .. }) => {
            let mut changes = Vec::new();
            for entry in log::stream(db, before.seq, 0)?.into_iter().take_while(|entry| entry.seq < place) {
                changes.push(entry.parse_body::<Taught>()?.change);
            }
            changes.push(change);
            Ok(MemoryRow::folded(key, changes))
        }
        before => Ok(MemoryRow::changed(before.map(TaughtRow::parse).transpose()?, key, change)),
    }
}

fn pruned(tx: &Tx<'_>, entry: &Entry, body: Pruned) -> Result<(), StoreError> {
    // The steps that closed these questions have lost their bodies.
    tx.memory().forget_threads();
    let threads: Vec<i64> = body.kept.iter().map(|row| row.seq).collect();
    let threads = serde_json::to_string(&threads).map_err(|e| StoreError::Sql(e.to_string()))?;
    execute(
        tx,
        "UPDATE interrupts SET status = 'closed', acted = 0, stamp = ?2 WHERE thread IN (SELECT value FROM json_each(?1))",
        params![threads, entry.seq],
    )?;
    for row in body.kept {
        execute(tx, "DELETE FROM threads WHERE seq = ?", [row.seq])?;
        row.put(tx)?;
    }
    for thread in body.gone {
        execute(tx, "DELETE FROM threads WHERE seq = ?", [thread])?;
    }
    Ok(())
}
