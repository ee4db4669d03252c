//! Errors, grouped by who has to fix them: the author of a graph, the person who starts a thread, or time.

use super::JournalError;
use std::time::Duration;

/// A malformed graph; its author has to fix it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BuildError {
    /// Two nodes have the same name.
    #[error("two nodes are named `{0}`")]
    Twice(String),
    /// A reserved name, an empty name, or a name with a slash (only mounts make those).
    #[error(
        "`{0}` is not a node name: names are not empty, hold no slash and are not START, ANSWERS, JOIN or ARRIVED"
    )]
    Name(String),
    /// An edge to a node that does not exist.
    #[error("node `{node}` has an edge to `{target}`, which does not exist")]
    UnknownTarget {
        /// Where the edge begins.
        node: String,
        target: String,
    },
    #[error("node `{0}` cannot be reached from the entry")]
    Unreachable(String),
    #[error("node `{0}` cannot reach the end")]
    Endless(String),
}

/// A start input or an answer that does not fit.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum InputError {
    /// A field that does not fit its type.
    #[error("`{field}`: {text}")]
    Field {
        /// The path of the bad field.
        field: String,
        /// What is wrong with it.
        text: String,
    },
    /// The whole input does not fit.
    #[error("{0}")]
    Whole(String),
}

impl InputError {
    /// What is wrong with one field.
    pub fn field(name: &str, text: impl Into<String>) -> Self {
        Self::Field { field: name.to_owned(), text: text.into() }
    }
}

/// A stored state or update that this build cannot read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("cannot read {what} of workflow `{workflow}` at `{path}`: {text}")]
pub struct FoldError {
    /// `state` or `update`.
    pub what: &'static str,
    pub workflow: String,
    /// The path of the bad field.
    pub path: String,
    /// What is wrong with it.
    pub text: String,
}

/// Why a node returned no command.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// May succeed next time: retried with backoff, then trouble `failed`.
    #[error("{text}")]
    Transient {
        /// What went wrong, for people.
        text: String,
        /// How long the other side asked us to wait before a retry.
        retry_after: Option<Duration>,
    },
    /// A server that threads need cannot be reached: retried until it can be, and reported once for all threads.
    #[error("{text}")]
    Unreachable {
        /// The server's address.
        server: String,
        /// What went wrong, for people.
        text: String,
    },
    /// Trying again would not help: trouble `failed`.
    #[error("{text}")]
    Failed {
        /// What went wrong, for people.
        text: String,
    },
    /// Whether it went well cannot be known, so a person decides: trouble `failed`.
    #[error("{text}")]
    Unchecked {
        /// What is not known, for people.
        text: String,
    },
    /// A budget would be exceeded: trouble `budget`. Accepting grants the same amount again.
    #[error("{text}")]
    Budget {
        /// Which budget, for people.
        text: String,
    },
    /// An effect may or may not have happened: trouble `in_doubt`.
    #[error("it is not known whether `{effect}` was done: {text}")]
    InDoubt {
        /// The effect's name.
        effect: String,
        /// What is known.
        text: String,
    },
    /// The journal refused.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl NodeError {
    /// An error that may pass.
    pub fn transient(error: impl std::fmt::Display) -> Self {
        Self::Transient { text: error.to_string(), retry_after: None }
    }

    /// An error that will not pass by itself.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed { text: error.to_string() }
    }
}
