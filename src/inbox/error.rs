//! Why something was not done: one error from the store to the screen, with a kind and a sentence.

use super::Refusal;
use crate::engine::graph::{InputError, NodeError};
use std::path::PathBuf;

/// How many ids are named when several match.
const SHOWN_IDS: usize = 4;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Look again: it does not exist, is no longer open, or has changed since it was shown.
    Gone,
    /// Ask for something else.
    Wrong,
    /// Wait until the state allows it.
    Conflict,
    /// The database, the disk or the network failed.
    Failed,
}

/// Why something was not done. Nothing was written in any of these cases.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InboxError {
    /// Nothing has that name.
    #[error("there is no {what} `{id}`; {hint}")]
    NotFound {
        /// `interrupt`, `thread`, `workflow` …
        what: &'static str,
        id: String,
        /// What to do.
        hint: String,
    },
    /// Several ids start like that.
    #[error("`{id}` matches {} ids ({}); give more letters", some.len(), shown_ids(some))]
    Ambiguous {
        id: String,
        /// The ids it could mean.
        some: Vec<String>,
    },
    /// It is no longer open.
    #[error("`{id}` is no longer open: {why}")]
    NotOpen {
        /// The interrupt or thread.
        id: String,
        why: String,
    },
    /// The card has changed since it was shown.
    #[error("`{id}` has changed since it was shown; look at it again with `sayso show {id}`")]
    Stale { id: String },
    /// The answer is not allowed, or its arguments do not fit the schema.
    #[error("`{id}`: {refusal}")]
    Refused { id: String, refusal: Refusal },
    /// The start input does not fit.
    #[error("{workflow}: {error}")]
    Input { workflow: String, error: InputError },
    /// Not possible in the current state.
    #[error("{0}")]
    Conflict(String),
    /// An attachment that can run programs when it is opened.
    #[error("{0} can run programs when it is opened, so it is not saved without asking")]
    RunsPrograms(String),
    /// What would be carried out is not what was approved.
    #[error("{0}")]
    NotApproved(String),
    /// The thread moved on since it was read.
    #[error("the thread has moved on since it was read")]
    Moved,
    /// A row is not what was written. The text names the row.
    #[error("the database is damaged: {0}; run `sayso doctor` to see how far, and restore a backup")]
    Damaged(String),
    /// The file was written by a newer sayso.
    #[error(
        "{} was written by a newer sayso (format {found}, this one knows {known}); update sayso. The file was not touched",
        path.display()
    )]
    Newer {
        path: PathBuf,
        /// The version it has.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// The file is not a sayso database.
    #[error("{} is not a sayso database ({why}); name another data folder with --data", path.display())]
    NotOurs {
        path: PathBuf,
        /// What it looks like.
        why: String,
    },
    /// A file where the data folder should be.
    #[error("{} is a file, not a folder; name a data folder with --data", .0.display())]
    NotAFolder(PathBuf),
    /// Nothing can be written here.
    #[error("the data folder can only be viewed: {0}")]
    ViewOnly(String),
    /// The disk is full; the caller may try again.
    #[error("the disk is full; nothing was written. Free some space and try again")]
    Full,
    /// The disk failed; the writer has stopped for good.
    #[error("the disk failed ({0}); nothing more is written. Check the disk, then start again")]
    Disk(String),
    /// Another process kept the database locked.
    #[error("another process has kept the database locked for too long; try again")]
    Busy,
    /// Any other error from SQLite.
    #[error("the database said: {0}")]
    Sql(String),
    /// Something outside failed: a server, a file, a program.
    #[error("{0}")]
    Failed(String),
}

/// A node that could not read or write what it needs has failed.
impl From<InboxError> for NodeError {
    fn from(error: InboxError) -> Self {
        NodeError::failed(error)
    }
}

impl InboxError {
    /// There is no such thing; says where to look for those there are.
    pub fn unknown(what: &'static str, id: String) -> Self {
        let hint = match what {
            "interrupt" | "item" => "`sayso list` shows what is open",
            "grant" => "`sayso grants` shows them all",
            "memory" | "row" => "`sayso memory list` shows them all",
            "version" => "`sayso memory history` shows them all",
            "session" => "`sayso sessions` lists those that run",
            "mailbox" => "`sayso activity` shows them all",
            "model call" => "open its thread again to see those it has",
            _ => "`sayso threads` shows them all",
        };
        InboxError::NotFound { what, id, hint: hint.to_owned() }
    }

    /// A decision breaks a rule.
    pub fn refused(id: String, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Stale => InboxError::Stale { id },
            refusal => InboxError::Refused { id, refusal },
        }
    }

    pub fn kind(&self) -> ErrorKind {
        match self {
            InboxError::NotFound { .. } | InboxError::NotOpen { .. } | InboxError::Stale { .. } => {
                ErrorKind::Gone
            }
            InboxError::Ambiguous { .. } | InboxError::Refused { .. } | InboxError::Input { .. } => {
                ErrorKind::Wrong
            }
            InboxError::Conflict(_) | InboxError::RunsPrograms(_) => ErrorKind::Conflict,
            InboxError::NotApproved(_)
            | InboxError::Moved
            | InboxError::Damaged(_)
            | InboxError::Newer { .. }
            | InboxError::NotOurs { .. }
            | InboxError::NotAFolder(_)
            | InboxError::ViewOnly(_)
            | InboxError::Full
            | InboxError::Disk(_)
            | InboxError::Busy
            | InboxError::Sql(_)
            | InboxError::Failed(_) => ErrorKind::Failed,
        }
    }
}

fn shown_ids(ids: &[String]) -> String {
    let shown = ids.iter().take(SHOWN_IDS).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN_IDS { format!("{shown}, …") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_names_what_is_not_there_is_told_where_to_look() {
        for (what, hint) in [
            ("thread", "`sayso threads`"),
            ("mailbox", "`sayso activity`"),
            ("model call", "open its thread again"),
        ] {
            let text = InboxError::unknown(what, "x".to_owned()).to_string();
            assert!(text.starts_with(&format!("there is no {what} `x`; {hint}")), "{text}");
        }
    }
}
