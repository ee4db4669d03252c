//! Prunes batch by batch, so that a decision made meanwhile waits for one batch at most.

use super::Inbox;
use super::mail::Mail;
use crate::engine::driver::fail_point;
use crate::engine::store::{Swept, Vacuum};
use crate::inbox::{InboxError, PruneQuery, Pruned, Pruning};
use crate::text::io_error_text;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How often, and how far apart, we look for a moment when no thread is running.
const MOMENTS: (u32, Duration) = (20, Duration::from_millis(100));

/// Deletes old threads.
#[derive(Clone, Copy)]
pub struct Prune<'a>(pub(super) &'a Inbox);

impl Prune<'_> {
    /// What pruning would remove.
    pub async fn plan(self, query: PruneQuery) -> Result<Pruning, InboxError> {
        self.0.blocking(move |inbox| inbox.store().prune().plan(&query)).await
    }

    /// Deletes what the query names and copies of opened attachments that are as old, and shrinks the file. If the
    /// process dies, the next prune does the rest.
    pub async fn run(self, query: PruneQuery) -> Result<Pruned, InboxError> {
        let store = self.0.store().clone();
        let before = store.statistics().file_bytes();
        let (mut taken, mut left) = (Pruning::default(), Vec::new());
        let root_query = query.clone();
        let mut roots = self.0.blocking(move |inbox| inbox.store().prune().prunable(&root_query)).await?;
        while !roots.is_empty() {
            fail_point("before_prune_batch");
            let (rest, part) = store.prune().batch(query.clone(), roots).await?;
            fail_point("after_prune_batch");
            taken.add(part);
            roots = rest;
        }
        loop {
            let part = store.prune().left_mails(query.clone()).await?;
            fail_point("after_prune_mails");
            if part.mails == 0 {
                break;
            }
            taken.add(part);
        }
        if !self.sweep_bytes().await? {
            left.push("unused contents: threads are running, so the next prune deletes them".to_owned());
        }
        let old = SystemTime::from(query.before);
        match self.0.blocking(move |inbox| Ok(delete_older(&Mail(inbox).opened_copies(), old))).await? {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                left.push(format!("copies of opened attachments: {}", io_error_text(&error)));
            }
            Ok(()) | Err(_) => {}
        }
        match store.statistics().vacuum().await {
            Ok(Vacuum::Done) => {}
            Ok(Vacuum::NoRoom { place, needs, free }) => left.push(format!(
                "the file keeps its size: a copy takes {} MB in {}, and {} MB are free there",
                needs.div_ceil(1_000_000),
                place.display(),
                free / 1_000_000
            )),
            Err(InboxError::Busy) => {
                left.push(
                    "the file keeps its size: another process is using it; prune again later".to_owned(),
                );
            }
            Err(error) => return Err(error),
        }
        Ok(Pruned { taken, before, after: store.statistics().file_bytes(), left })
    }

    /// Deletes bytes that nothing refers to; `false` if threads were always running.
    async fn sweep_bytes(self) -> Result<bool, InboxError> {
        let store = self.0.store();
        store.prune().mark_blobs().await?;
        let (mut moments, apart) = MOMENTS;
        loop {
            match store.prune().sweep_blobs().await? {
                Swept::Some => {}
                Swept::Clean => return Ok(true),
                Swept::Busy if moments == 0 => return Ok(false),
                Swept::Busy => {
                    moments -= 1;
                    tokio::time::sleep(apart).await;
                }
            }
            fail_point("after_sweep");
        }
    }
}

/// Deletes the files in a folder that were last changed before a time, and the folders that are empty then.
fn delete_older(folder: &Path, before: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        if meta.is_dir() {
            delete_older(&entry.path(), before)?;
        } else if meta.modified()? < before {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
