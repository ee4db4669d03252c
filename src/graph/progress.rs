//! What the driving process shows while a node runs. None of it is kept.

use super::ThreadId;
use std::sync::Arc;

/// A moment in a node's life.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A node began.
    Started {
        /// Whose.
        thread: ThreadId,
        node: String,
    },
    /// The model said some more.
    Text {
        /// Whose.
        thread: ThreadId,
        /// The new piece.
        delta: String,
    },
    /// Long work got further.
    Bar {
        /// Whose.
        thread: ThreadId,
        /// What is being done.
        what: String,
        /// How much is done.
        done: u64,
        /// Of how much.
        total: u64,
    },
    /// A node ended, one way or another.
    Finished {
        /// Whose.
        thread: ThreadId,
    },
}

/// Where progress goes. It must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;
