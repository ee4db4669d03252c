//! Mail that was not shown, and why.

use crate::graph::ThreadId;
use jiff::Timestamp;
use serde::Serialize;
use std::fmt;

/// Which of them are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedQuery {
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// A mail that the model or a rule ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// The thread that triaged it; to be reclassified by it.
    pub thread: Option<ThreadId>,
    /// Its subject.
    pub title: String,
    /// Who wrote it.
    pub sender: String,
    /// Why it was not shown.
    pub reason: String,
    /// Whether triage was not sure of it.
    pub unsure: bool,
    /// When it came.
    pub at: Timestamp,
    /// How its text begins; empty where its bytes were let go of.
    pub text: String,
    /// The digest of its bytes.
    #[serde(skip)]
    pub raw: [u8; 32],
}

/// How much mail was not shown lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkippedCount {
    pub mails: u64,
    /// Of how many of them triage was not sure.
    pub unsure: u64,
}

impl fmt::Display for SkippedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} skipped", self.mails)?;
        if self.unsure > 0 { write!(f, ", {} unsure", self.unsure) } else { Ok(()) }
    }
}

/// A page of them, newest first.
#[derive(Clone, Debug, Default)]
pub struct SkippedPage {
    pub mails: Vec<SkippedLine>,
    /// Rows that could not be trusted, each named in a sentence.
    pub damaged: Vec<String>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<i64>,
}
