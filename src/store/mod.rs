//! One SQLite file: the only place where worker, screen and command line meet, in one process or in several.
//!
//! The record is one append-only log (see [`log`]); lists and counters are projections of it (see [`project`]), and
//! whether something may be done is judged from the log alone (see [`recent`]).
//!
//! What is promised: a write that was answered is on the disk (WAL, `synchronous=FULL`); writes that wait for
//! the same fsync share it; a write that rests on something another one changed is refused, not merged; the log is
//! chained and other rows that matter carry a digest, so that damage is named when it is read and never passed on; and
//! others learn *that* something changed, never what: they read.
//!
//! What is not here: what a state or an update means (they are JSON text), mail, and any decision about what
//! to do next. Rows and bytes go in, rows and bytes come out.

mod activity;
mod arrive;
mod batch;
mod begin;
mod blobs;
mod commit;
mod contacts;
mod decide;
mod effects;
mod error;
mod errors;
mod expiry;
mod fork;
mod grants;
mod keyed;
mod ledger;
mod lessons;
mod lists;
mod load;
mod lock;
mod log;
mod mails;
mod memory;
mod narrow;
mod notice;
mod open;
mod past;
mod project;
mod prompts;
mod prune;
mod recent;
mod repeated_text;
mod rows;
mod schema;
mod screen;
mod seal;
mod search;
mod settings;
mod skipped;
mod snapshots;
mod sources;
mod space;
mod spans;
mod traces;
mod trouble;
mod verify;
mod view;
mod writer;

pub use crate::inbox::{MemoryCause, MemoryVersion};
pub use arrive::Arrival;
pub use batch::Undone;
pub use begin::Begun;
pub use commit::{Commit, Committed, NewStep, NewThread, NextStep};
pub use decide::Holds;
pub use effects::EffectIntent;
pub use error::StoreError;
pub use expiry::{PolicyClock, Unanswered};
pub use ledger::{HandedIn, MAIL_EVENT, Waiting};
pub use lessons::{NewLesson, OpenLesson};
pub use lists::{Counts, StoredItem};
pub use load::{Granted, Have, Loaded, Runnable, Tail, ToDo};
pub use lock::{DriverLock, Taken};
pub use log::AuditChecked;
pub use mails::{Before, NewMail, Road, StoredMail, TakenIn};
pub use notice::Watcher;
pub use open::{Clock, FILE, Mode, Store};
pub use past::PastDecision;
pub use prompts::{Prompt, StoredPrompt};
pub use prune::{Roots, Swept};
pub use recent::LastStep;
pub use repeated_text::{RepeatQuery, RepeatedText};
pub use rows::{Awaits, MailState, Phase};
pub use schema::VERSION;
pub use seal::Digest;
pub use sources::StoredSource;
pub use space::Vacuum;
pub use spans::{Call, Lap, Laps, Span};
pub use traces::{TraceCursor, Traced, TracedEffect, Untold, UntoldSpan};
pub use trouble::NewTrouble;
pub use verify::Verified;
pub use view::StoredThread;

/// The version of the SQLite library that is built in.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
