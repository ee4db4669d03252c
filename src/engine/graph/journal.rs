//! Effects on the outside world, and the journal that keeps them from happening twice.

use super::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How far an effect has come. The journal and `show` use the same words.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EffectState {
    /// The intent is durable; the first byte may have been sent.
    Begun,
    /// It happened.
    Done,
    /// It certainly did not happen.
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
}

/// What permits an effect: a person's decision or a grant. There is no third way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Authorization {
    /// A person accepted or edited the interrupt that the thread was just answered on.
    Decision {
        /// The interrupt's key.
        key: String,
        /// The arguments about to be carried out; they must be the approved ones.
        args: Value,
    },
    /// A person approved it as a draft: it may be saved but must not be sent.
    Draft {
        /// The interrupt's key.
        key: String,
        /// The arguments about to be saved; they must be the ones shown.
        args: Value,
    },
    /// The answers themselves are sent: all that the thread has just received, whatever they say.
    Answers {
        /// The arguments to be carried out, by interrupt key; null if there are none, as for a written response.
        given: BTreeMap<String, Value>,
    },
    /// A built-in grant covers it.
    Grant {
        /// The grant's name.
        name: String,
    },
}

/// An effect that is about to happen, committed before the first byte leaves.
#[derive(Clone, Debug)]
pub struct Intent {
    /// Unique within the step.
    pub name: String,
    /// What permits it.
    pub basis: Authorization,
    /// Exactly what will be sent; a later attempt uses these bytes and no others.
    pub frozen: Vec<u8>,
}

/// What the journal knows about an effect when its node reaches it.
#[derive(Clone, Debug)]
pub enum PriorEffect {
    /// Nothing so far: the intent is now durable, go ahead.
    New,
    /// An earlier attempt got this far, with these bytes.
    Earlier {
        state: EffectState,
        /// The bytes that were frozen then.
        frozen: Vec<u8>,
        /// Its outcome, if there is one.
        outcome: Value,
    },
}

/// Why the journal refused.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The thread moved on while the node ran: a decision was undone, or the thread was stopped.
    #[error("the thread has moved on")]
    Moved,
    /// The effect name was used before in this step.
    #[error("the effect name `{0}` was used twice in one step")]
    Twice(String),
    /// The arguments are not the approved ones.
    #[error("{0}")]
    NotApproved(String),
    /// The store failed, with its own error.
    #[error("{0}")]
    Storage(Box<dyn std::error::Error + Send + Sync>),
}

/// Keeps the intents, outcomes and repeatable results of one step.
pub trait Journal: Send + Sync {
    /// The result of a repeatable call that an earlier attempt at this step finished.
    fn recorded(&self, name: &str) -> Option<Value>;
    /// Keeps the result of a repeatable call, without waiting for the disk.
    fn record(&self, name: &str, result: &Value);
    /// Commits an intent, or returns what an earlier attempt left. What certainly did not happen has then begun again.
    fn begin<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<PriorEffect, JournalError>>;
    /// Commits how far an effect has come.
    fn set_state<'a>(
        &'a self,
        name: &'a str,
        state: EffectState,
        outcome: &'a Value,
    ) -> BoxFuture<'a, Result<(), JournalError>>;
}

/// The journal of a step that may not do anything to the outside, with the reason. It forgets every call.
pub struct NoEffects(pub &'static str);

impl Journal for NoEffects {
    fn recorded(&self, _: &str) -> Option<Value> {
        None
    }

    fn record(&self, _: &str, _: &Value) {}

    fn begin<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<PriorEffect, JournalError>> {
        Box::pin(async { Err(JournalError::NotApproved(format!("`{}`: {}", intent.name, self.0))) })
    }

    fn set_state<'a>(
        &'a self,
        name: &'a str,
        _: EffectState,
        _: &'a Value,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move { Err(JournalError::NotApproved(format!("`{name}`: {}", self.0))) })
    }
}

/// Why an effect did not succeed; the variant decides whether it may be tried again.
#[derive(Debug, thiserror::Error)]
pub enum EffectError {
    /// It certainly did not happen, and trying again may help.
    #[error("{0}")]
    NotDone(String),
    /// It certainly did not happen, and trying again would not help.
    #[error("{0}")]
    Refused(String),
    /// It may have happened.
    #[error("{0}")]
    Unknown(String),
}

/// The result of looking for an effect's traces.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectTrace {
    /// It happened, with this outcome.
    Done(Value),
    /// It did not happen.
    NotDone,
    /// Nobody can tell.
    Unknown(String),
}

/// The field of an effect's outcome that says what it did not reach, as a clause after "but".
pub const SHORTFALL: &str = "shortfall";

/// Something done to the outside world that must not be repeated blindly.
pub trait Effect: Send + Sync {
    /// Performs it with exactly these bytes.
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>>;
    /// Looks for its traces after a crash or an unclear answer.
    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace>;
}
