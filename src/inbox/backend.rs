//! The one door between people and threads.

use super::{
    Activity, ActivityQuery, By, CallView, Card, ErrorLine, GrantLine, GrantRequest, Item, ItemKind,
    MailPage, MailQuery, MemoryLine, MemoryVersion, MemoryView, Outcome, PruneQuery, Pruned, Pruning,
    Refusal, SkippedPage, SkippedQuery, SourceLine, Status, StepStates, Storage, ThreadLine, ThreadView,
    UsageView,
};
use crate::graph::{BoxFuture, Decision, InputError, InterruptId, Shape, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

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
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
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
}

/// A decision about to be taken.
#[derive(Clone, Debug)]
pub struct Decide {
    /// On what; any unique beginning of an id.
    pub interrupt: InterruptId,
    /// The answer.
    pub decision: Decision,
    /// The hash the person saw, where it is to be bound.
    pub shown: Option<String>,
    /// Whether something may be learned from it.
    pub learn: bool,
    /// Who decides.
    pub by: By,
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

/// Why a backend did not do as it was told.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
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
    #[error("`{id}` is the beginning of {count} ids ({some}); give one more letter")]
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
pub type Together = Vec<(InterruptId, Result<Outcome, BackendError>)>;

type Reply<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

/// Everything a screen or a script can ask for. Nobody draws from a store directly.
pub trait Backend: Send + Sync {
    /// A page of the inbox.
    fn items(&self, query: ItemQuery) -> Reply<'_, ItemPage>;
    /// One item with its card.
    fn card(&self, id: InterruptId) -> Reply<'_, (Item, Card)>;
    /// A result nobody has filed away, with its card as the thread's last state draws it.
    fn result(&self, thread: ThreadId) -> Reply<'_, (Item, Card)>;
    /// Takes a decision.
    fn decide(&self, decide: Decide) -> Reply<'_, Outcome>;
    /// Takes a decision back.
    fn undo(&self, id: InterruptId) -> Reply<'_, Outcome>;
    /// Takes decisions that a person confirmed as one. Each is taken or refused by itself; those taken can be taken
    /// back together, from any process. The answers stand in the order of `decides`.
    fn decide_together(&self, decides: Vec<Decide>) -> Reply<'_, Together>;
    /// Takes back everything that was decided together with this one and is not acted on yet; each that was is
    /// named with the reason. A decision taken alone is taken back alone.
    fn undo_batch(&self, id: InterruptId) -> Reply<'_, Together>;
    /// Allows what a card offers to allow ([`Item::grantable`]) from now on. The card is open, or was accepted.
    fn grant(&self, request: GrantRequest) -> Reply<'_, GrantLine>;
    /// Everything that may be done without asking: built in, by the config, and given by the person, newest last.
    fn grants(&self) -> Reply<'_, Vec<GrantLine>>;
    /// Ends a grant, or switches a built-in one off; what it had answered and is not acted on is asked again.
    fn revoke(&self, id: String) -> Reply<'_, GrantLine>;
    /// Switches a built-in grant on again.
    fn restore(&self, id: String) -> Reply<'_, GrantLine>;
    /// Corrects what a thread took its mail for; it runs again from there.
    fn reclassify(&self, thread: ThreadId, class: String) -> Reply<'_, Outcome>;
    /// A page of the mail that was not shown.
    fn skipped(&self, query: SkippedQuery) -> Reply<'_, SkippedPage>;
    /// What was learned, the newest version of each profile.
    fn memory(&self) -> Reply<'_, Vec<MemoryLine>>;
    /// One profile as it stands. A namespace goes by its whole name or a unique last part, here and below.
    fn memory_show(&self, namespace: String) -> Reply<'_, MemoryView>;
    /// All versions of a profile, newest first.
    fn memory_history(&self, namespace: String) -> Reply<'_, Vec<MemoryVersion>>;
    /// Writes a profile anew, on top of the version that was read; refused where somebody was quicker, and where
    /// a pinned line is missing.
    fn memory_edit(&self, namespace: String, read: u64, profile: String) -> Reply<'_, MemoryView>;
    /// Pins a line of a profile, or lets it go: by its text, a part of it that no other line has, or its number.
    fn memory_pin(&self, namespace: String, line: String, pinned: bool) -> Reply<'_, MemoryView>;
    /// Makes an earlier version the newest again.
    fn memory_revert(&self, namespace: String, version: u64) -> Reply<'_, MemoryView>;
    /// Puts an interrupt out of sight until a time, or back into it.
    fn snooze(&self, id: InterruptId, until: Option<Timestamp>) -> Reply<'_, Item>;
    /// Starts a thread.
    fn start(&self, workflow: String, input: Value) -> Reply<'_, Outcome>;
    /// Goes on after a result.
    fn proceed(&self, thread: ThreadId, words: String) -> Reply<'_, Outcome>;
    /// Files a result away.
    fn file_away(&self, thread: ThreadId) -> Reply<'_, Outcome>;
    /// Begins a new thread from a step of another.
    fn fork(&self, thread: ThreadId, step: u64) -> Reply<'_, Outcome>;
    /// Stops a thread at once.
    fn stop(&self, thread: ThreadId) -> Reply<'_, Outcome>;
    /// A page of threads.
    fn threads(&self, query: ThreadQuery) -> Reply<'_, ThreadPage>;
    /// A whole thread.
    fn thread(&self, id: ThreadId) -> Reply<'_, ThreadView>;
    /// What was said in a thread, and what came of it, as its workflow draws its last state.
    fn conversation(&self, thread: ThreadId) -> Reply<'_, Card>;
    /// What a step changed, and the state after it.
    fn step_states(&self, thread: ThreadId, step: u64) -> Reply<'_, StepStates>;
    /// What a model was told and answered, by the thread and the number of the call in its trace.
    fn model_call(&self, thread: ThreadId, call: u64) -> Reply<'_, CallView>;
    /// The graph of a workflow.
    fn graph(&self, workflow: String) -> Reply<'_, Shape>;
    /// Where a thread stands.
    fn outcome(&self, id: ThreadId) -> Reply<'_, Outcome>;
    /// A page of the mail that was taken in.
    fn mails(&self, query: MailQuery) -> Reply<'_, MailPage>;
    /// How each mailbox does that was ever looked at.
    fn sources(&self) -> Reply<'_, Vec<SourceLine>>;
    /// Asks whoever drives to look at every mailbox now.
    fn fetch_mail(&self) -> Reply<'_, ()>;
    /// Pauses or resumes all driving, in every process.
    fn pause(&self, paused: bool) -> Reply<'_, ()>;
    /// What went wrong lately in any workflow, the most frequent first, for Activity: trouble, model calls that
    /// failed, and what threads remember to have gone wrong and got over. Bounded, and counted anew at each call.
    fn errors(&self) -> Reply<'_, Vec<ErrorLine>>;
    /// The inbox in numbers.
    fn overview(&self) -> Reply<'_, Overview>;
    /// What a thread's model calls have used so far.
    fn usage(&self, thread: ThreadId) -> Reply<'_, UsageView>;
    /// What went on lately.
    fn activity(&self, query: ActivityQuery) -> Reply<'_, Activity>;
    /// What is kept, by table.
    fn storage(&self) -> Reply<'_, Storage>;
    /// What pruning would take.
    fn prune_plan(&self, query: PruneQuery) -> Reply<'_, Pruning>;
    /// Lets go of old threads, and makes the file smaller.
    fn prune(&self, query: PruneQuery) -> Reply<'_, Pruned>;
    /// Changes whenever something did, here or in another process.
    fn changes(&self) -> watch::Receiver<u64>;
}
