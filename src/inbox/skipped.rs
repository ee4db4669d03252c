//! Mail that was not shown, and why.

use crate::engine::graph::ThreadId;
use jiff::Timestamp;
use serde::Serialize;
use std::fmt;

/// Which skipped mails to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedQuery {
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// A mail that the model or a rule ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// The thread that triaged it, which can also reclassify it.
    pub thread: Option<ThreadId>,
    /// The mail's subject.
    pub title: String,
    /// The name with the address, such as `Ines Ruiz <ines@example.org>`; only the address if the name can't be shown.
    pub sender: String,
    /// Why it was not shown.
    pub reason: String,
    /// Whether triage was unsure about it.
    pub unsure: bool,
    /// When it was sent, or when it came if its date is missing or in the future.
    pub at: Timestamp,
    /// When it came, by which the list is ordered.
    #[serde(skip)]
    pub came_at: Timestamp,
    /// The start of its text; empty if its bytes were deleted.
    pub text: String,
    /// The digest of its bytes.
    #[serde(skip)]
    pub raw: [u8; 32],
}

/// How much mail was skipped recently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkippedCount {
    pub mails: u64,
    /// How many of them triage was unsure about.
    pub unsure: u64,
}

impl fmt::Display for SkippedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} skipped", self.mails)?;
        if self.unsure > 0 { write!(f, ", {} unsure", self.unsure) } else { Ok(()) }
    }
}
