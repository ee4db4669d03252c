//! Mail that was not shown, and why.

use crate::graph::ThreadId;
use jiff::Timestamp;
use serde::Serialize;

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
    /// When it came.
    pub at: Timestamp,
    /// How its text begins; empty where its bytes were let go of.
    pub text: String,
    /// The digest of its bytes.
    #[serde(skip)]
    pub raw: [u8; 32],
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
