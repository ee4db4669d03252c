//! One SQLite file: the only place where driver, screen and command line meet, in one process or several.
//!
//! The record is one append-only log (see [`log`]). Lists and counters are projections of it (see [`record::project`]),
//! and whether something may be done is decided from the log alone (see [`record::since_step`]).
//!
//! Promises: a confirmed write is on disk (WAL, `synchronous=FULL`). Writes that wait for the same fsync share it. A
//! write based on something another one changed is refused, not merged. Reads trust what was committed; what leaves is
//! checked against the chained log, and `sayso doctor` checks all of it. Others learn *that* something changed,
//! never what: they read.
//!
//! Not here: the meaning of states and updates (they are JSON text), how mail is parsed, and any decision about what to
//! do next. Rows and bytes go in, rows and bytes come out.

mod action_history;
mod audit;
mod blobs;
mod decision_history;
mod effects;
mod error;
mod grant_scope;
mod grant_trial;
mod grants;
mod lock;
mod log;
mod lz4;
mod mail;
mod memory;
mod open;
mod pages;
mod prune;
mod questions;
mod record;
mod rows;
mod schema;
mod search;
mod settings;
mod statistics;
mod threads;
mod verify;
mod writer;

pub use crate::inbox::{MemoryCause, MemoryVersion};
pub use audit::AuditChecked;
pub use decision_history::PastDecision;
pub use effects::{CallResult, EffectIntent};
pub use error::StoreError;
pub use lock::{DriverLock, LockAttempt};
pub use mail::conversation::ConversationMail;
pub use mail::intake::{ConversationThreads, NewMail, Route, StoredMail, TakenIn};
pub use mail::ledger::{KeptMail, WaitingMailThread};
pub use mail::sources::StoredSource;
pub use memory::lessons::{NewLesson, OpenLesson};
pub use open::{Clock, FILE, LOCK_WAIT, Mode, Store};
pub use prune::{Roots, Swept};
pub use questions::batch::UndoResults;
pub use questions::decide::{DecisionDetails, Holds};
pub use questions::expiry::Unanswered;
pub use questions::items::{Counts, StoredItem};
pub use rows::{Awaits, MAIL_EVENT, MailState, Moved, Phase, Runnable};
pub use schema::VERSION;
pub use search::repeated_text::{RepeatQuery, RepeatedText};
pub use statistics::prompts::{Prompt, StoredPrompt};
pub use statistics::sessions::SessionChange;
pub use statistics::space::Vacuum;
pub use statistics::spans::{Call, Span, StepTiming, ThreadTimings};
pub use threads::arrive::Arrival;
pub use threads::commit::{Commit, Committed, NewStep, NextStep, StartResult};
pub use threads::load::{FoldedUpTo, GrantedAnswer, Loaded, Repeated, RunnableThreads, Tail};
pub use threads::start::NewThread;
pub use threads::trouble::NewTrouble;
pub use threads::view::StoredThread;
pub use verify::Verified;
pub use writer::Watcher;

/// The version of the built-in SQLite library.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// The features of the store, each a handle with its own methods.
macro_rules! features {
    ($($name:ident $type:ident: $doc:literal,)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy)]
            pub struct $type<'s>(&'s Store);
        )*

        impl Store {
            $(
                #[doc = $doc]
                pub fn $name(&self) -> $type<'_> {
                    $type(self)
                }
            )*
        }
    };
}

features! {
    threads Threads: "Threads: starting, driving, delivering events, listing.",
    inbox Inbox: "What waits for a person, and what people decide.",
    grants Grants: "What people allowed in advance.",
    effects Effects: "Effects on the outside world: intents before, outcomes after.",
    memory Memory: "Profiles, and the lessons still to be learned.",
    mail Mail: "Mails, mailboxes and known people.",
    search Search: "Full-text search over steps and mails.",
    statistics Statistics: "Cost and timing, for people; nothing depends on them.",
    prune Prune: "Deleting what is no longer needed.",
    audit Audit: "Integrity checks, and the log as text.",
}
