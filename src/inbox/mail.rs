//! Mails and mailboxes as screens and scripts see them. The field names are a contract: added to, never renamed.

use super::Status;
use crate::graph::ThreadId;
use jiff::Timestamp;
use serde::Serialize;

/// Which mails to list.
#[derive(Clone, Debug, Default)]
pub struct MailQuery {
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// A page of mails, newest first.
#[derive(Clone, Debug, Default)]
pub struct MailPage {
    pub mails: Vec<MailLine>,
    /// Rows that could not be trusted, each named in a sentence.
    pub damaged: Vec<String>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<i64>,
}

/// A mail as one line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MailLine {
    /// What makes it the same mail wherever it is found again.
    pub identity: String,
    /// The account it came to; empty for mail a person handed in.
    pub account: String,
    /// The sender's address.
    pub from: String,
    pub subject: String,
    pub came_at: Timestamp,
    /// `asked`, `thread`, `left` or `unreadable`.
    pub state: String,
    /// The thread that handles it.
    pub thread: Option<ThreadId>,
    /// Where that stands.
    pub status: Option<Status>,
    /// What triage made of it.
    pub class: Option<String>,
    pub reason: Option<String>,
    /// What became of it.
    pub outcome: Option<String>,
    /// When that was.
    pub handled_at: Option<Timestamp>,
}

/// How a mailbox, a server or the place that traces go to does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// What the config calls it; a server is called `server NAME`, and where traces go `traces sent`.
    pub source: String,
    /// When it was last looked at.
    pub checked_at: Option<Timestamp>,
    /// When that last went well.
    pub ok_at: Option<Timestamp>,
    /// What is wrong now, in a sentence.
    pub error: Option<String>,
}

impl SourceLine {
    /// How the names of servers begin among sources; no mailbox's name holds a space.
    pub const SERVER: &'static str = "server ";

    /// What the place that traces are sent to is called among sources.
    pub const TRACES: &'static str = "traces sent";

    pub fn is_mailbox(&self) -> bool {
        !self.is_server() && self.source != Self::TRACES
    }

    /// Whether it is a server and not a mailbox.
    pub fn is_server(&self) -> bool {
        self.source.starts_with(Self::SERVER)
    }
}
