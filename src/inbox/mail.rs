//! Mails and mailboxes as screens and scripts see them. The field names are a contract: we add but never rename.

use super::Status;
use crate::engine::graph::ThreadId;
use jiff::Timestamp;
use serde::Serialize;

/// Which mails to list.
#[derive(Clone, Debug, Default)]
pub struct MailQuery {
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// A mail as one line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MailLine {
    /// Identifies the mail wherever it is found again.
    pub identity: String,
    /// The account that received it; empty for mail that a person handed in.
    pub account: String,
    /// The sender's address.
    pub from: String,
    pub subject: String,
    pub came_at: Timestamp,
    /// `asked`, `thread`, `sent`, `left` or `unreadable`.
    pub state: String,
    /// The thread that handles it.
    pub thread: Option<ThreadId>,
    /// The status of that thread.
    pub status: Option<Status>,
    /// Triage's verdict.
    pub class: Option<String>,
    pub reason: Option<String>,
    /// What became of it.
    pub outcome: Option<String>,
    /// When it was handled.
    pub handled_at: Option<Timestamp>,
}

/// The health of a mailbox or a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// Its name in the config; servers are called `server NAME`.
    pub source: String,
    /// When it was last checked.
    pub checked_at: Option<Timestamp>,
    /// When a check last succeeded.
    pub ok_at: Option<Timestamp>,
    /// What is wrong now, in a sentence.
    pub error: Option<String>,
}

impl SourceLine {
    /// The prefix of servers' names among sources; no mailbox's name contains a space.
    pub const SERVER: &'static str = "server ";

    /// Whether the last check succeeded although something is wrong: only a part of it could not be looked at.
    pub fn is_partial(&self) -> bool {
        self.error.is_some() && self.ok_at.is_some() && self.ok_at == self.checked_at
    }

    pub fn is_server(&self) -> bool {
        self.source.starts_with(Self::SERVER)
    }
}
