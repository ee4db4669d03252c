//! Queries to the inbox, their results, and the reasons why something was not done.

use super::{DecidedBy, ItemKind, Outcome, Refusal, SeenHash, Status};
use crate::graph::{Decision, Hash, InputError, InterruptId, Kind};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// Which items to list, and where to start.
#[derive(Clone, Debug, Default)]
pub struct ItemQuery {
    /// Only this kind; results are listed only when asked for.
    pub kind: Option<ItemKind>,
    /// Snoozed items instead of the others.
    pub snoozed: bool,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// Which threads to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Only with this status.
    pub status: Option<Status>,
    /// Only of this workflow; a name that ends in `/` means a server with all its graphs.
    pub workflow: Option<String>,
    /// Only with mail to this account.
    pub account: Option<String>,
    /// Only threads that contain these words.
    pub search: Option<String>,
    /// List the best matches first, and only one page of them.
    pub best_first: bool,
    /// Only with mail or questions from people with this in their name or address.
    pub from: Option<String>,
    /// Only threads that asked something of this kind.
    pub kind: Option<Kind>,
    /// Only threads that ended like this, in the words of [`ThreadLine::outcome_or_status`](super::ThreadLine::outcome_or_status).
    pub ending: Option<String>,
    /// Only threads started at least this long ago.
    pub older: Option<Duration>,
    /// Only threads started within this time.
    pub newer: Option<Duration>,
    /// Whether to list threads that the engine starts itself.
    pub engine: EngineThreads,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// Whether to list threads that the engine starts itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineThreads {
    /// Together with the others.
    #[default]
    Listed,
    Hidden,
    /// Without the others.
    Only,
}

/// What threads can be filtered by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// The workflows that have threads.
    pub workflows: Vec<String>,
    /// The accounts whose mail is in threads.
    pub accounts: Vec<String>,
    /// The servers whose threads are listed too.
    pub servers: Vec<String>,
}

/// A decision that is about to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRequest {
    /// Any unique prefix of an id.
    pub interrupt: InterruptId,
    pub decision: Decision,
    /// The card it is bound to; `None` binds it to nothing.
    pub shown: Option<SeenHash>,
    /// Whether we may learn from it.
    pub learn: bool,
    pub by: DecidedBy,
}

impl DecisionRequest {
    /// A decision made on the screen, on the card with this hash.
    pub fn on_screen(interrupt: InterruptId, hash: Hash, decision: Decision, learn: bool) -> Self {
        Self { interrupt, decision, shown: Some(SeenHash::Whole(hash)), learn, by: DecidedBy::Tui }
    }
}

/// The inbox in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// Open and not snoozed, by kind, in the order of `Kind::ALL`.
    #[serde(serialize_with = "by_name")]
    pub open: Vec<(String, u64)>,
    /// Open and snoozed.
    pub snoozed: u64,
    /// Threads by status, in the order of `Status::ALL`.
    #[serde(serialize_with = "by_name")]
    pub threads: Vec<(String, u64)>,
    /// Whether all driving is paused.
    pub paused: bool,
    /// The id of the driving process, if there is one.
    pub driver: Option<u32>,
    /// Threads that wait for an unreachable model server.
    pub waiting_for_model: u64,
}

impl Overview {
    /// How many items of a kind are open and not snoozed.
    pub fn open_of(&self, kind: ItemKind) -> u64 {
        count(&self.open, kind.word())
    }

    pub fn threads_in(&self, status: Status) -> u64 {
        count(&self.threads, status.word())
    }
}

fn by_name<S: Serializer>(counts: &[(String, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().map(|(name, count)| (name, count)))
}

fn count(counts: &[(String, u64)], name: &str) -> u64 {
    counts.iter().find(|(word, _)| word == name).map_or(0, |(_, count)| *count)
}

/// Why a request to the inbox was not carried out.
#[derive(Debug, thiserror::Error)]
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
    #[error("`{id}` matches {count} ids ({some}); give more letters")]
    Ambiguous { id: String, count: usize, some: String },
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
    /// The store, the disk or the network failed.
    #[error("{0}")]
    Failed(String),
}

/// The result of each of several decisions.
pub type BatchResults = Vec<(InterruptId, Result<Outcome, InboxError>)>;
