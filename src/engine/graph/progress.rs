//! What the driving process shows while a node runs. Nothing here is stored.

use super::ThreadId;
use std::sync::Arc;

/// A moment in a node's life.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A node began.
    Started { thread: ThreadId, node: String },
    /// The model produced more text.
    Text {
        thread: ThreadId,
        /// The new piece.
        delta: String,
    },
    /// Long work made progress.
    Bar {
        thread: ThreadId,
        /// Names the work.
        what: String,
        done: u64,
        total: u64,
    },
    /// A node ended, successfully or not.
    Finished { thread: ThreadId },
    /// It ended because a server cannot be reached, and will be tried again.
    Unreachable { thread: ThreadId, server: String },
}

/// Receives progress. It must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;
