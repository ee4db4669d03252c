//! Effects: what is done to the outside, and the record that keeps it from being done twice.

use super::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How far an effect has come. The same words stand in the journal and in `show`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EffectState {
    /// The intent is durable; the first byte may have left.
    Begun,
    /// It happened.
    Done,
    /// It surely did not happen.
    NotDone,
    /// It may have happened, and only a person can find out.
    InDoubt,
    /// A person said that it happened.
    Settled,
}

impl EffectState {
    /// The word used in JSON and in the store.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The state a word means.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

/// By what right an effect happens: a person's decision or a grant. There is no third way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Basis {
    /// A person accepted or edited the interrupt this node's thread has just been answered on.
    Decision {
        /// The interrupt's key.
        key: String,
        /// The arguments about to be carried out; they must be the approved ones.
        args: Value,
    },
    /// A person approved it as a draft, so it may be kept but must not leave.
    Draft {
        /// The interrupt's key.
        key: String,
        /// The arguments about to be kept; they must be the shown ones.
        args: Value,
    },
    /// The answers themselves are what leaves: everything this node's thread has just been answered on, however.
    Answers {
        /// By each interrupt's key the arguments about to be carried out; null where nothing is, as with words.
        given: BTreeMap<String, Value>,
    },
    /// A listed grant covers it.
    Grant {
        /// The grant's name.
        name: String,
    },
}

/// What is about to be done, committed before the first byte leaves.
#[derive(Clone, Debug)]
pub struct Intent {
    /// Unique within the step.
    pub name: String,
    /// By what right.
    pub basis: Basis,
    /// Exactly what will be done; a later attempt uses these bytes and no others.
    pub frozen: Vec<u8>,
}

/// What the journal knows of an effect when its node comes to it.
#[derive(Clone, Debug)]
pub enum Begun {
    /// Nothing: the intent is now durable, go ahead.
    New,
    /// An earlier attempt got this far, with these bytes.
    Earlier {
        /// How far.
        state: EffectState,
        /// The bytes frozen then.
        frozen: Vec<u8>,
        /// What came of it, where something did.
        outcome: Value,
    },
}

/// Why the journal refused.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The thread moved on while the node ran: a decision was taken back, or it was stopped.
    #[error("the thread has moved on")]
    Moved,
    /// The name was used before in this step.
    #[error("the effect name `{0}` was used twice in one step")]
    Twice(String),
    /// What would be done is not what was approved.
    #[error("{0}")]
    NotApproved(String),
    /// The store failed.
    #[error("{0}")]
    Storage(String),
}

/// Where intents, outcomes and repeatable results of one step are kept.
pub trait Journal: Send + Sync {
    /// The result of a repeatable call that an earlier attempt at this step finished.
    fn recorded(&self, name: &str) -> Option<Value>;
    /// Keeps such a result, without waiting for the disk.
    fn record(&self, name: &str, result: &Value);
    /// Commits an intent, or tells what an earlier attempt left.
    fn begin<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<Begun, JournalError>>;
    /// Commits how far an effect has come.
    fn settle<'a>(
        &'a self,
        name: &'a str,
        state: EffectState,
        outcome: &'a Value,
    ) -> BoxFuture<'a, Result<(), JournalError>>;
}

/// Why an effect did not succeed; which of the two decides whether it may be tried again.
#[derive(Debug, thiserror::Error)]
pub enum EffectError {
    /// It surely did not happen, and trying again may help.
    #[error("{0}")]
    NotDone(String),
    /// It surely did not happen, and trying again would not help.
    #[error("{0}")]
    Refused(String),
    /// It may have happened.
    #[error("{0}")]
    Unknown(String),
}

/// What looking for an effect's traces found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It happened, with this outcome.
    Done(Value),
    /// It did not happen.
    NotDone,
    /// It cannot be told.
    Unknown(String),
}

/// Something done to the outside that must not be repeated blindly.
pub trait Effect: Send + Sync {
    /// Does it, with exactly these bytes.
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>>;
    /// Looks for its traces after a crash or an unclear answer.
    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Found>;
}
