//! What was learned, as screens and scripts see it. The field names are a contract: we add but never rename.

use super::RowLine;
use crate::engine::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The workflow that learns from answers, after the driver has collected some.
pub const LEARNING_WORKFLOW: &str = "memory";

/// The workflow that asks about a row.
pub const ROW_WORKFLOW: &str = "row";

/// Why a version was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCause {
    /// `default`, `answer`, `edit`, `revert` …
    pub kind: String,
    /// The thread whose answer we learned it from.
    pub thread: Option<ThreadId>,
    pub interrupt: Option<InterruptId>,
}

/// One version of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryVersion {
    /// Whose preferences, and about what.
    pub namespace: String,
    /// Counts from 1.
    pub version: u64,
    /// The full text.
    pub profile: String,
    pub updated_at: Timestamp,
    pub cause: MemoryCause,
}

/// A profile in its current version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryView {
    #[serde(flatten)]
    pub newest: MemoryVersion,
    /// Lines that learning may not drop, oldest pin first.
    pub pinned: Vec<String>,
}

/// A line of the list: a profile, or a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MemoryItem {
    Profile(MemoryLine),
    Row(RowLine),
}

/// A profile as one line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryLine {
    /// Whose preferences, and about what.
    pub namespace: String,
    /// How many times it was written.
    pub version: u64,
    /// The full text.
    pub profile: String,
    pub updated_at: Timestamp,
    /// `default`, `answer`, `edit`, `revert` …
    pub cause: String,
}
