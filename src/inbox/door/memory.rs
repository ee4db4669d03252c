//! What was learned, for a person to read and change.
//!
//! A namespace can be given by its whole name or a unique last part; a row by the mail it is about.

use super::Inbox;
use crate::inbox::{
    InboxError, MemoryItem, MemoryLine, MemoryVersion, MemoryView, RowChange, RowKey, RowLine, RowState,
    RowView,
};
use crate::text;
use crate::workflows::email::defaults;

/// How many of the mails that a row decided are shown.
const MAILS: usize = 50;

/// What was learned.
#[derive(Clone, Copy)]
pub struct Memory<'a>(pub(super) &'a Inbox);

impl Memory<'_> {
    /// The newest version of each profile, and the rows.
    pub async fn list(self) -> Result<Vec<MemoryItem>, InboxError> {
        let read = |inbox: &Inbox| {
            let memory = inbox.store().memory();
            let mut items = Vec::new();
            for namespace in memory.namespaces()? {
                let newest = memory.newest(&namespace)?.map(|newest| MemoryLine {
                    namespace: newest.namespace,
                    version: newest.version,
                    profile: newest.profile,
                    updated_at: newest.updated_at,
                    cause: newest.cause.kind,
                });
                items.extend(newest.map(MemoryItem::Profile));
            }
            let rows = memory.rows()?.into_iter().filter(|line| line.row.state != RowState::Noticed);
            items.extend(rows.map(MemoryItem::Row));
            Ok(items)
        };
        self.0.blocking(read).await
    }

    /// A row with the mails it decided. One that only counts answers is there, too.
    pub async fn row(self, key: RowKey) -> Result<RowView, InboxError> {
        let read = move |inbox: &Inbox| {
            let memory = inbox.store().memory();
            let line = memory.row(&key)?.ok_or_else(|| unknown(&key))?;
            Ok(RowView { line, mails: memory.mails_of_row(&key, MAILS)? })
        };
        self.0.blocking(read).await
    }

    /// Makes, changes, pauses or deletes a row. Returns what is left of it.
    pub async fn change_row(self, key: RowKey, change: RowChange) -> Result<Option<RowLine>, InboxError> {
        let memory = self.0.store().memory();
        if !matches!(change, RowChange::Set { .. }) && memory.row(&key)?.is_none() {
            return Err(unknown(&key));
        }
        memory.change_row(key.clone(), change).await?;
        memory.row(&key)
    }

    /// The current version of a profile.
    pub async fn show(self, namespace: String) -> Result<MemoryView, InboxError> {
        let read = move |inbox: &Inbox| {
            let memory = inbox.store().memory();
            memory.view(&memory.resolve_namespace(&namespace)?)
        };
        self.0.blocking(read).await
    }

    /// All versions of a profile, newest first.
    pub async fn history(self, namespace: String) -> Result<Vec<MemoryVersion>, InboxError> {
        let read = move |inbox: &Inbox| {
            let memory = inbox.store().memory();
            memory.history(&memory.resolve_namespace(&namespace)?)
        };
        self.0.blocking(read).await
    }

    /// Replaces a profile, based on the version that was read; refused if it changed meanwhile, or if a pinned line is
    /// missing.
    pub async fn edit(self, namespace: String, read: u64, profile: String) -> Result<MemoryView, InboxError> {
        let memory = self.0.store().memory();
        memory.edit(memory.resolve_namespace(&namespace)?, read, text::sanitize_typed(&profile)).await
    }

    /// Pins or unpins a line of a profile: by its text, a part of it that no other line has, or its number.
    pub async fn pin(self, namespace: String, line: String, pinned: bool) -> Result<MemoryView, InboxError> {
        let memory = self.0.store().memory();
        memory.pin(memory.resolve_namespace(&namespace)?, line, pinned).await
    }

    /// Makes an earlier version the newest again.
    pub async fn revert(self, namespace: String, version: u64) -> Result<MemoryView, InboxError> {
        let memory = self.0.store().memory();
        memory.revert(memory.resolve_namespace(&namespace)?, version).await
    }
}

/// What sayso could act on by itself in text that was added to a profile: the addresses, lists and domains it names.
/// `None` if the profile says nothing about which mail to show; only a model reads the text itself.
pub fn rows_named(namespace: &str, before: &str, after: &str) -> Option<Vec<RowKey>> {
    let added = |line: &&str| !before.lines().any(|known| known.trim() == line.trim());
    let text = after.lines().filter(added).collect::<Vec<_>>().join("\n");
    (defaults::shared(namespace) == defaults::TRIAGE).then(|| RowKey::named_in(&text))
}

fn unknown(key: &RowKey) -> InboxError {
    InboxError::unknown("row", key.to_string())
}
