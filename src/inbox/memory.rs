//! What was learned, as screens and scripts see it. The field names are a contract: added to, never renamed.

use crate::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The workflow that learns from answers, once the driver has gathered some.
pub const LEARNING_WORKFLOW: &str = "memory";

/// Why a version came to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCause {
    /// `default`, `answer`, `edit`, `revert` …
    pub kind: String,
    /// The thread whose answer taught it.
    pub thread: Option<ThreadId>,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// One version of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryVersion {
    /// Whose preferences about what.
    pub namespace: String,
    /// Counts from 1.
    pub version: u64,
    /// The whole profile.
    pub profile: String,
    /// When it was written.
    pub updated_at: Timestamp,
    pub cause: MemoryCause,
}

/// A profile as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryView {
    #[serde(flatten)]
    pub newest: MemoryVersion,
    /// Lines that nothing learned may drop, oldest pin first.
    pub pinned: Vec<String>,
}

/// A profile as one line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryLine {
    /// Whose preferences about what.
    pub namespace: String,
    /// How often it was written.
    pub version: u64,
    /// The whole profile.
    pub profile: String,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// `default`, `answer`, `edit`, `revert` …
    pub cause: String,
}
