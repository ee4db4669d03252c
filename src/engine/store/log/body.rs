//! The bodies of log entries, by kind. Their JSON is a file format: members are added with a default, never renamed.

use crate::engine::graph::{
    ActPattern, Authorization, BatchId, Decision, EffectState, Event, Hash, ThreadId, Waiting, Warning,
};
use crate::engine::store::StoreError;
use crate::engine::store::rows::{Awaits, ThreadRow};
use crate::inbox::{DecidedBy, MemoryCause, NextView, RowChange, RowKey, SetAside, Status};
use crate::text::{digest_from_hex, hex};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A thread began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Started {
    pub id: ThreadId,
    pub workflow: String,
    pub fingerprint: String,
    pub title: String,
    /// Its first node.
    pub node: String,
    pub step_limit: i64,
    /// Its first updates, a JSON array; a fork has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<Box<RawValue>>,
    /// The key its starter gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Forked>,
    /// The process in which a person started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// Whether a person is in the model's place from its beginning, as in the thread it comes from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
}

impl Started {
    /// Stands in for what a pruned thread began as.
    pub fn forgotten() -> Self {
        Self {
            id: ThreadId::random(),
            workflow: String::new(),
            fingerprint: String::new(),
            title: String::new(),
            node: String::new(),
            step_limit: 0,
            updates: None,
            key: None,
            parent: None,
            origin: None,
            from: None,
            by_person: false,
        }
    }
}

/// The thread that started another and waits for its result, and at which step it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub thread: i64,
    pub step: i64,
}

/// What a fork shares with another thread: the steps up to `step`, the last of them in `entry`. What the fork asks and
/// where it continues is in its own entry, which contains no steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    pub thread: i64,
    pub step: i64,
    pub entry: i64,
}

/// A thread took steps: first what it took in, then its node's step. The steps themselves are stored next to this body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stepped {
    /// The number of the first step.
    pub n: i64,
    /// How many steps there are.
    pub count: i64,
    /// How many of the steps came after the last answer or event. `None` if there was neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_heard: Option<i64>,
    pub next: NextView,
    /// The thread ended without a result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub abandoned: bool,
    /// The thread ended with a result to read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub result: bool,
    /// Its earlier output is no longer valid.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_output: bool,
    /// The title, if it changed. The same goes for the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The entries of the answers and events it took in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<i64>,
    /// The questions still open after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<i64>,
    /// Events that have reached the thread but are not taken in yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_events: Vec<i64>,
}

impl Stepped {
    /// How the thread ended, if it did.
    pub fn ended(&self) -> Option<Status> {
        match (&self.next, self.abandoned) {
            (_, true) => Some(Status::Abandoned),
            (NextView::End { .. }, false) => Some(Status::Done),
            _ => None,
        }
    }

    /// The next node, if there is one, and what is awaited before it starts.
    pub fn next_node(&self) -> (Option<&str>, Awaits) {
        match &self.next {
            NextView::Goto { goto } => (Some(goto), Awaits::Nothing),
            NextView::Ask { then, .. } => (Some(then), Awaits::Answers),
            NextView::Spawn { then, .. } => (Some(then), Awaits::Children),
            NextView::End { .. } => (None, Awaits::Nothing),
        }
    }

    /// Steps starting at number `n` that change nothing but where the thread goes next.
    pub fn new(n: i64, steps: &[Step], next: NextView) -> Self {
        let last_heard = steps.iter().rposition(|step| matches!(step.node.as_str(), "ANSWERS" | "ARRIVED"));
        Self {
            n,
            count: steps.len() as i64,
            since_heard: last_heard.map(|at| (steps.len() - at - 1) as i64),
            next,
            abandoned: false,
            result: false,
            no_output: false,
            title: None,
            output: None,
            fingerprint: None,
            takes: Vec::new(),
            open: Vec::new(),
            waiting_events: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// A node's full name, or ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// A JSON array.
    pub updates: Box<RawValue>,
    /// How long its node ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<i64>,
}

/// A warning was added to a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Amended {
    pub warning: Warning,
    pub bind: String,
    /// What a person approves now.
    #[serde(with = "hash_word")]
    pub hash: Hash,
}

/// A question was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    pub decision: Decision,
    pub by: DecidedBy,
    #[serde(with = "hash_word")]
    pub shown: Hash,
    #[serde(default, skip_serializing_if = "is_default")]
    pub unlearned: bool,
    /// The index of the offered option that the program is to remember.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
    /// How long the thread is held if no question is open any more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hold_ms: i64,
    /// The title with the person's arguments, if they changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The word for what was done, if the person's arguments changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    pub from: i64,
}

/// The last answer to a question was taken back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Undone {
    pub because: UndoReason,
    pub from: i64,
}

/// Why an answer was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoReason {
    /// A person took it back.
    Person,
    /// Something arrived that was not known when the answer was given.
    Arrival,
    /// The grant that had given it no longer covers it.
    GrantEnded,
    /// Its thread was stopped.
    Stopped,
    /// It had been held for too long when a driver started.
    HeldTooLong,
    /// A fork, or the thread it was forked from, had done the same meanwhile.
    DoneElsewhere,
    /// Its thread was set aside with its mail.
    SetAside,
}

impl UndoReason {
    /// Tells people what happened to the answer.
    pub fn label(self) -> &'static str {
        match self {
            UndoReason::Person => "taken back",
            UndoReason::Arrival => "asked again: news came",
            UndoReason::GrantEnded => "asked again: the grant ended",
            UndoReason::Stopped => "thread stopped",
            UndoReason::HeldTooLong => "asked again: held too long",
            UndoReason::DoneElsewhere => "asked again: a fork has done this already",
            UndoReason::SetAside => "taken back: the mail went away",
        }
    }
}

/// A person ended the hold of a thread's answers; they stand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Released {
    pub by: DecidedBy,
    pub from: i64,
}

/// A question was closed without an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closed {
    pub why: String,
}

/// An effect is about to happen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EffectBegun {
    pub step: i64,
    pub name: String,
    /// What permits it, with the arguments that are carried out.
    pub basis: Authorization,
    /// SHA-256 of the bytes about to be sent; they are stored as a blob.
    pub bytes: String,
    /// The hash of what was approved, with the arguments that are carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<String>,
    pub from: i64,
}

/// The state an effect has reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EffectEnded {
    pub state: EffectState,
    pub outcome: Value,
}

/// Something reached a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrived {
    pub event: Event,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
}

/// Something a person did, without further details.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PersonAction {
    pub from: i64,
}

/// A person took the model's place in a thread, or gave it back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handed {
    pub to_person: bool,
    pub from: i64,
}

/// The decision about a thread's trouble was carried out, or the thread ended with its parent or its mail.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Resolved {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<i64>,
    /// Events that will never be taken in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<i64>,
    /// How many more steps it may take.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_steps: i64,
    /// How many times its budget was granted again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_budgets: i64,
    /// The status it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Status>,
    /// Why it was set aside, if it can be reopened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<SetAside>,
}

/// A thread that was set aside goes on where it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reopened {
    /// The questions that are open again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<i64>,
    /// The questions that had been answered and acted on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<i64>,
    pub from: i64,
}

/// A question is hidden until a time, or was found overdue at one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snoozed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdue: Option<i64>,
}

/// Who waits for the answer to a question from now on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Waited {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
}

/// A grant was revoked. A built-in grant is identified by its name and may have no earlier entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Revoked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<String>,
    pub from: i64,
}

/// Something may be done without asking.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Granted {
    pub id: String,
    pub tool: String,
    pub scope: Scope,
    /// The card it was given from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    pub from: i64,
}

/// What a grant covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One thread, but not its forks.
    Thread(ThreadId),
    /// Mail from one sender: the bare address in lower case.
    Sender(String),
    /// Whatever the built-in grant with that name covers.
    Builtin,
    /// Calls by a program.
    Agent(AgentScope),
}

/// What a program may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentScope {
    /// The program, by the name it gives itself.
    pub by: String,
    /// If set, only in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it may do, all of it in this order.
    pub acts: Vec<ActPattern>,
}

/// A memory has a new version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Learned {
    pub namespace: String,
    pub version: u64,
    pub profile: String,
    pub cause: MemoryCause,
    pub from: i64,
}

/// A row of the memory was made, confirmed, corrected or changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Taught {
    pub key: RowKey,
    pub change: RowChange,
    pub from: i64,
}

/// A line of a memory was pinned or unpinned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pin {
    pub namespace: String,
    pub line: String,
    pub from: i64,
}

/// The bodies of old threads were deleted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pruned {
    /// Only threads that had not changed since then.
    pub older_than: i64,
    pub statuses: Vec<String>,
    /// Threads that still have a record, as lists show them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<ThreadRow>,
    /// The streams of threads that are gone completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<i64>,
    /// How many mails lost their bytes.
    pub mails: u64,
    pub from: i64,
}

/// The digest of an effect's bytes, as hex.
pub fn digest_hex(digest: &[u8; 32]) -> String {
    hex(digest)
}

/// Parses a digest from hex.
pub fn parse_digest(word: &str) -> Result<[u8; 32], StoreError> {
    digest_from_hex(word)
        .ok_or_else(|| StoreError::Damaged(format!("`{}` is not a digest", word.escape_debug())))
}

mod hash_word {
    use super::*;
    use serde::de::Error;

    pub fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(hash)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
        let word = String::deserialize(from)?;
        parse_digest(&word).map(Hash::from_bytes).map_err(D::Error::custom)
    }
}
