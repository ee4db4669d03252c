//! What was learned, for a person to read and change.
//!
//! A namespace can be given by its whole name or a unique last part.

use super::Inbox;
use crate::inbox::{InboxError, MemoryLine, MemoryVersion, MemoryView};
use crate::text;

/// What was learned.
#[derive(Clone, Copy)]
pub struct Memory<'a>(pub(super) &'a Inbox);

impl Memory<'_> {
    /// The newest version of each profile.
    pub async fn list(self) -> Result<Vec<MemoryLine>, InboxError> {
        let read = |inbox: &Inbox| {
            let memory = inbox.store().memory();
            let mut lines = Vec::new();
            for namespace in memory.namespaces()? {
                lines.extend(memory.newest(&namespace)?.map(|newest| MemoryLine {
                    namespace: newest.namespace,
                    version: newest.version,
                    profile: newest.profile,
                    updated_at: newest.updated_at,
                    cause: newest.cause.kind,
                }));
            }
            Ok(lines)
        };
        self.0.blocking(read).await
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
