//! Starts threads.

use crate::engine::graph::ThreadId;
use crate::engine::store::log::{EntryKind, Forked, NewEntry, Parent, Started, Tx};
use crate::engine::store::record::append::raw;
use crate::engine::store::record::project::apply;
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::{StoreError, Threads};
use rusqlite::Connection;

/// A thread about to be started.
#[derive(Clone, Debug)]
pub struct NewThread {
    pub id: ThreadId,
    pub workflow: String,
    pub fingerprint: String,
    /// Its first node.
    pub entry: String,
    /// Its first updates, a JSON array.
    pub updates: String,
    pub title: String,
    /// The key its starter chose; empty if a person starts it. Threads without a parent have unique keys.
    pub key: String,
}

/// Starts a thread without a parent.
pub fn start(tx: &Tx<'_>, new: &NewThread, step_limit: i64) -> Result<ThreadRow, StoreError> {
    begin(tx, &started(new, None, step_limit)?)
}

/// Starts a thread of another one's. Whoever is in the model's place there is here, too.
pub fn start_child(
    tx: &Tx<'_>,
    new: &NewThread,
    parent: Parent,
    by_person: bool,
    step_limit: i64,
) -> Result<ThreadRow, StoreError> {
    begin(tx, &Started { by_person, ..started(new, Some(parent), step_limit)? })
}

fn started(new: &NewThread, parent: Option<Parent>, step_limit: i64) -> Result<Started, StoreError> {
    Ok(Started {
        id: new.id.clone(),
        workflow: new.workflow.clone(),
        fingerprint: new.fingerprint.clone(),
        title: new.title.clone(),
        node: new.entry.clone(),
        step_limit,
        updates: Some(raw(&new.updates)?),
        key: (parent.is_some() || !new.key.is_empty()).then(|| new.key.clone()),
        parent,
        origin: None,
        from: None,
        by_person: false,
    })
}

/// Starts a thread that shares the first steps of another.
pub fn start_fork(
    tx: &Tx<'_>,
    origin: &ThreadRow,
    forked: Forked,
    step_limit: i64,
) -> Result<ThreadRow, StoreError> {
    let started = Started {
        id: ThreadId::random(),
        workflow: origin.workflow.clone(),
        fingerprint: origin.fingerprint.clone(),
        title: origin.title.clone(),
        node: origin.node.clone(),
        step_limit,
        updates: None,
        key: None,
        parent: None,
        origin: Some(forked),
        from: Some(tx.opened()?),
        by_person: origin.by_person,
    };
    begin(tx, &started)
}

fn begin(tx: &Tx<'_>, started: &Started) -> Result<ThreadRow, StoreError> {
    let entry = tx.append(NewEntry::new(None, EntryKind::Started, None, started)?)?;
    apply(tx, &entry)?;
    ThreadRow::by_seq(tx, entry.seq)
}

/// Deletes the draft under a key, if there is one.
pub fn delete_draft(db: &Connection, key: &str) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM drafts WHERE key = ?")?.execute([key])?;
    Ok(())
}

impl Threads<'_> {
    pub async fn start(self, new: NewThread, step_limit: i64) -> Result<ThreadId, StoreError> {
        self.0.write(move |tx| Ok(start(tx, &new, step_limit)?.id)).await
    }

    /// Starts a thread on behalf of a person and records the process it came from.
    /// They may be in the model's place from the start. What they typed for it is no draft any more.
    pub async fn start_for_person(
        self,
        new: NewThread,
        by_person: bool,
        draft: Option<String>,
        step_limit: i64,
    ) -> Result<ThreadId, StoreError> {
        self.0
            .write(move |tx| {
                let from = Some(tx.opened()?);
                if let Some(key) = draft {
                    delete_draft(tx, &key)?;
                }
                Ok(begin(tx, &Started { from, by_person, ..started(&new, None, step_limit)? })?.id)
            })
            .await
    }
}
