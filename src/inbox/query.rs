//! What a person can ask of the inbox, what comes back, and why something was not done.

use super::{By, Item, ItemKind, Outcome, Refusal, Status, ThreadLine};
use crate::graph::{Decision, Hash, InputError, InterruptId, Kind};
use serde::Serialize;
use std::time::Duration;

/// Which items to list, and where in the list to begin.
#[derive(Clone, Debug, Default)]
pub struct ItemQuery {
    /// Only this kind; results are listed only when asked for.
    pub kind: Option<ItemKind>,
    /// The snoozed ones instead of the others.
    pub snoozed: bool,
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// A page of items, oldest first.
#[derive(Clone, Debug, Default)]
pub struct ItemPage {
    /// The items; `text` is empty here, a card gives it.
    pub items: Vec<Item>,
    /// Rows that could not be trusted, each named in a sentence.
    pub damaged: Vec<String>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<i64>,
    /// The place of the last item; what is asked later stands after it.
    pub last: Option<i64>,
}

/// Which threads to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Only of this status.
    pub status: Option<Status>,
    /// Only of this workflow; a name that ends in `/` is that of a server, with all its graphs.
    pub workflow: Option<String>,
    /// Only with mail of this account.
    pub account: Option<String>,
    /// Only where these words occur.
    pub search: Option<String>,
    /// Those that match the words best come first, and only one page of them.
    pub best_first: bool,
    /// Only with mail or questions of whoever has this in their name or address.
    pub from: Option<String>,
    /// Only where something of this kind was asked.
    pub kind: Option<Kind>,
    /// Only those that ended like this, in the words of [`ThreadLine::standing`].
    pub standing: Option<String>,
    /// Only where nothing has happened for so long.
    pub older: Option<Duration>,
    /// Only where something happened within this time.
    pub newer: Option<Duration>,
    /// Whether threads that the engine starts for itself are listed.
    pub engine: EngineThreads,
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// Whether threads that the engine starts for itself are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineThreads {
    /// Among the others.
    #[default]
    Listed,
    Hidden,
    /// Nothing but them.
    Only,
}

/// What threads can be narrowed to, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// The workflows there are threads of.
    pub workflows: Vec<String>,
    /// The accounts whose mail is in threads.
    pub accounts: Vec<String>,
    /// The servers whose threads are listed too.
    pub servers: Vec<String>,
}

/// A page of threads, newest first.
#[derive(Clone, Debug, Default)]
pub struct ThreadPage {
    pub threads: Vec<ThreadLine>,
    /// Rows that could not be trusted, each named in a sentence.
    pub damaged: Vec<String>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<i64>,
    /// What the person may have meant, where nothing holds the words they searched for.
    pub near: Option<String>,
}

/// The hash of the card a person saw.
#[derive(Clone, Debug, PartialEq)]
pub enum SeenHash {
    /// As the screen had it.
    Whole(Hash),
    /// As somebody typed it: all of it, or a beginning of at least eight digits.
    Typed(String),
}

impl SeenHash {
    /// Whether the card they saw is the one with this hash.
    pub fn is_of(&self, hash: &Hash) -> bool {
        match self {
            SeenHash::Whole(seen) => seen == hash,
            SeenHash::Typed(typed) => hash.matches(typed),
        }
    }
}

/// A decision about to be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Decide {
    /// On what; any unique beginning of an id.
    pub interrupt: InterruptId,
    /// The answer.
    pub decision: Decision,
    /// What it is bound to; `None` binds it to nothing.
    pub shown: Option<SeenHash>,
    /// Whether something may be learned from it.
    pub learn: bool,
    /// Who decides.
    pub by: By,
}

impl Decide {
    /// A decision at the screen, on the card with this hash.
    pub fn on_screen(interrupt: InterruptId, hash: Hash, decision: Decision, learn: bool) -> Self {
        Self { interrupt, decision, shown: Some(SeenHash::Whole(hash)), learn, by: By::Tui }
    }
}

/// The inbox in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// Open and not snoozed, by kind, in the order of `Kind::ALL`.
    pub open: Vec<(String, u64)>,
    /// Open and snoozed.
    pub snoozed: u64,
    /// Threads by status, in the order of `Status::ALL`.
    pub threads: Vec<(String, u64)>,
    /// Whether all driving is paused.
    pub paused: bool,
    /// The process that drives, if one does.
    pub driver: Option<u32>,
    /// Threads that wait for a model server that cannot be reached.
    pub waiting_for_model: u64,
}

impl Overview {
    /// How many of a kind are open and not snoozed.
    pub fn open_of(&self, kind: ItemKind) -> u64 {
        count(&self.open, kind.word())
    }

    /// How many threads have a status.
    pub fn threads_in(&self, status: Status) -> u64 {
        count(&self.threads, status.word())
    }
}

fn count(counts: &[(String, u64)], wanted: &str) -> u64 {
    counts.iter().find(|(word, _)| word == wanted).map_or(0, |(_, count)| *count)
}

/// Why something that was asked of the inbox was not done.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// Nothing goes by that name.
    #[error("there is no {what} `{id}`; {hint}")]
    NotFound {
        /// `interrupt`, `thread`, `workflow` …
        what: &'static str,
        /// What was asked for.
        id: String,
        /// What to do.
        hint: String,
    },
    /// Several go by that beginning.
    #[error("`{id}` matches {count} ids ({some}); give one more letter")]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// How many there are.
        count: usize,
        /// Some of them.
        some: String,
    },
    /// It was open once.
    #[error("`{id}` is no longer open: {why}")]
    NotOpen {
        /// The interrupt or thread.
        id: String,
        /// What became of it.
        why: String,
    },
    /// The card shown is not the card as it stands.
    #[error("`{id}` has changed since it was shown; look at it again with `sayso view {id}`")]
    Stale {
        /// The interrupt.
        id: String,
    },
    /// An answer it does not take, or arguments that do not fit.
    #[error("`{id}`: {refusal}")]
    Refused {
        /// The interrupt.
        id: String,
        refusal: Refusal,
    },
    /// A start input that does not fit.
    #[error("{workflow}: {error}")]
    Input {
        workflow: String,
        /// What is wrong.
        error: InputError,
    },
    /// Not possible as things stand.
    #[error("{0}")]
    Conflict(String),
    /// The store, the disk or the network failed.
    #[error("{0}")]
    Failed(String),
}

/// What became of each of several decisions.
pub type Together = Vec<(InterruptId, Result<Outcome, InboxError>)>;
