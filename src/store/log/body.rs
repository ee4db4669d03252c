//! What entries say, kind by kind. Their JSON is a file format: members are added with a default, never renamed.

use crate::graph::{Basis, BatchId, Decision, EffectState, Event, Hash, ThreadId, Warning};
use crate::inbox::{By, MemoryCause, NextView, Status};
use crate::store::StoreError;
use crate::store::rows::ThreadRow;
use crate::text::{digest_from_hex, hex};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A thread began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Started {
    pub id: ThreadId,
    pub workflow: String,
    pub fingerprint: String,
    pub title: String,
    /// Where it begins.
    pub node: String,
    pub step_limit: i64,
    /// Its first updates, a JSON array; a fork has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<Box<RawValue>>,
    /// What its starter calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Forked>,
    /// The process in which a person started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
}

/// Who started a thread, at which step, and whether it waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct Parent {
    pub thread: i64,
    pub step: i64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub joined: bool,
}

/// What a fork shares with another thread: its steps up to this one, the last of them in that entry. What it asks and
/// where it goes on stands in an entry of its own, with no step in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct Forked {
    pub thread: i64,
    pub step: i64,
    pub entry: i64,
}

/// A thread took steps: what entered before a node, then the node's own. The steps themselves are kept beside this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Stepped {
    /// The number of the first of them.
    pub n: i64,
    /// How many they are.
    pub count: i64,
    /// How many of them came after a person, or somebody else outside, was last heard; nothing where nobody was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_heard: Option<i64>,
    pub next: NextView,
    /// It ended without a result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub abandoned: bool,
    /// Its end is a result to be read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub result: bool,
    /// What it had produced no longer counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_output: bool,
    /// What it is about, where that has changed; so with the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The answers and arrivals it took up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<i64>,
    /// The questions that wait for an answer after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<i64>,
    /// What has reached the thread and is still to be heard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<i64>,
}

impl Stepped {
    /// Steps from number `n` on that change nothing but where the thread goes.
    pub(in crate::store) fn new(n: i64, steps: &[Step], next: NextView) -> Self {
        let heard = steps.iter().rposition(|step| matches!(step.node.as_str(), "ANSWERS" | "ARRIVED"));
        Self {
            n,
            count: steps.len() as i64,
            since_heard: heard.map(|at| (steps.len() - at - 1) as i64),
            next,
            abandoned: false,
            result: false,
            no_output: false,
            title: None,
            output: None,
            fingerprint: None,
            takes: Vec::new(),
            open: Vec::new(),
            unheard: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Step {
    /// A node's full name, or ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// A JSON array.
    pub updates: Box<RawValue>,
    /// How long its node worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<i64>,
}

/// A question says more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Amended {
    pub warning: Warning,
    pub bind: String,
}

/// A question was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Decided {
    pub decision: Decision,
    pub by: By,
    #[serde(with = "hash_word")]
    pub shown: Hash,
    #[serde(default, skip_serializing_if = "is_default")]
    pub unlearned: bool,
    /// Which of what the program offered it is to remember, by its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
    /// How long the thread is held, now that nothing is open any more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hold_ms: i64,
    pub from: i64,
}

/// The last answer to a question was taken back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Undone {
    pub because: Because,
    pub from: i64,
}

/// Why an answer was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum Because {
    /// A person took it back.
    Person,
    /// Something arrived that it did not know of.
    Arrival,
    /// The grant that had given it no longer covers it.
    GrantEnded,
    /// Its thread was stopped.
    Stopped,
    /// It had been held for too long when a driver came.
    HeldTooLong,
}

impl Because {
    /// What became of the answer.
    pub(in crate::store) fn words(self) -> &'static str {
        match self {
            Because::Person => "taken back",
            Because::Arrival => "asked again: news came",
            Because::GrantEnded => "asked again: the grant ended",
            Because::Stopped => "thread stopped",
            Because::HeldTooLong => "asked again: held too long",
        }
    }
}

/// A question is over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Closed {
    pub why: String,
}

/// An effect is about to happen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct EffectBegun {
    pub step: i64,
    pub name: String,
    /// By what right, with the arguments that are carried out.
    pub basis: Basis,
    /// SHA-256 of the bytes that are about to leave; a blob.
    pub bytes: String,
    /// The hash of what was approved, with the arguments that are carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<String>,
    pub from: i64,
}

/// How far an effect has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct EffectEnded {
    pub state: EffectState,
    pub outcome: Value,
}

/// Something reached a thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Arrived {
    pub event: Event,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
}

/// Something a person did that says nothing more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Did {
    pub from: i64,
}

/// What was decided about a thread's trouble was carried out, or it ended with its parent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::store) struct Settled {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<i64>,
    /// What reached it and nobody hears any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<i64>,
    /// How many more steps it may take.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_steps: i64,
    /// How many more budgets it has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_budgets: i64,
    /// It ended so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Status>,
}

/// A question is out of sight until a time, or its time runs by the policy's clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Snoozed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<i64>,
}

/// A grant was ended. A built-in one goes by its name, and may have no earlier entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Revoked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<String>,
    pub from: i64,
}

/// Something may be done without asking.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Granted {
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

/// How far a grant goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum Scope {
    /// One thread. A fork of it is another one.
    Thread(ThreadId),
    /// Mail of one sender, bare and in lower case.
    Sender(String),
    /// Whatever the built-in grant of that name covers.
    Builtin,
    /// What a program does.
    Agent(AgentScope),
}

/// What a program may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct AgentScope {
    /// Which program, as it calls itself.
    pub by: String,
    /// In which session alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub allows: Allows,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum Allows {
    /// Commands; each of them alone.
    Commands(Vec<CommandScope>),
    /// Changes to files inside this folder, none of which is hidden.
    Edits { folder: String },
    /// The tool, from this folder.
    Tool { folder: String },
}

/// Commands that a program may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct CommandScope {
    /// In which folder, exactly.
    pub folder: String,
    /// The words they begin with.
    pub words: Vec<String>,
    /// Whether more words may follow.
    pub more: bool,
}

/// A memory has a new version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Learned {
    pub namespace: String,
    pub version: u64,
    pub profile: String,
    pub cause: MemoryCause,
    pub from: i64,
}

/// A line of a memory was pinned, or let go.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Pin {
    pub namespace: String,
    pub line: String,
    pub from: i64,
}

/// The bodies of old threads are gone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::store) struct Pruned {
    /// Those to which nothing had happened since then.
    pub older_than: i64,
    pub statuses: Vec<String>,
    /// Those of which a record is left, as lists show them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<ThreadRow>,
    /// The streams of those that are gone altogether.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<i64>,
    /// How many mails lost their bytes.
    pub mails: u64,
    pub from: i64,
}

/// The digest an effect's bytes go by.
pub(in crate::store) fn bytes_word(digest: &[u8; 32]) -> String {
    hex(digest)
}

/// The digest a word means.
pub(in crate::store) fn bytes_of(word: &str) -> Result<[u8; 32], StoreError> {
    digest_from_hex(word)
        .ok_or_else(|| StoreError::Damaged(format!("`{}` is not a digest", word.escape_debug())))
}

mod hash_word {
    use super::*;
    use serde::de::Error;

    pub(in crate::store) fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(hash)
    }

    pub(in crate::store) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
        let word = String::deserialize(from)?;
        bytes_of(&word).map(Hash::from_bytes).map_err(D::Error::custom)
    }
}
