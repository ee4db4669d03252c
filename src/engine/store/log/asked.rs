//! A question in the log, as it was asked.

use super::body::is_default;
use crate::engine::graph::{Allow, Grantable, Hash, Interrupt, InterruptId, Labels, Waiting, Warning};
use crate::engine::store::StoreError;
use crate::engine::store::rows::{allowed, time};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question, as it was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    pub id: InterruptId,
    /// The step that asked it, or that failed.
    pub step: i64,
    pub key: String,
    pub kind: crate::engine::graph::Kind,
    pub action: String,
    pub args: Value,
    /// Its schema, which many questions share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaRef>,
    /// What an edit starts from, if not the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_from: Option<Value>,
    pub allow: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    pub labels: Labels,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gist: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub irreversible: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub harmless: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binds: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub grantable: Grantable,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Set if the engine asks about the thread itself: a sentence that says why it cannot continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// A schema by its number, with the beginning of its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaRef {
    pub number: i64,
    pub begins: String,
}

/// The bit after those of the allowed answers: whether news closes the question.
pub const YIELDS: u8 = 1 << 5;

impl Asked {
    pub fn new(step: i64, schema: Option<SchemaRef>, trouble: Option<String>, interrupt: &Interrupt) -> Self {
        let Allow { accept, edit, respond, ignore, draft } = interrupt.allow;
        let bits = [accept, edit, respond, ignore, draft, interrupt.yields];
        Self {
            id: InterruptId::random(),
            step,
            key: interrupt.key.clone(),
            kind: interrupt.kind,
            action: interrupt.action.clone(),
            args: interrupt.args.clone(),
            schema,
            edit_from: interrupt.edit_from.clone(),
            allow: bits.iter().rev().fold(0, |all, bit| all << 1 | u8::from(*bit)),
            labels: interrupt.labels.clone(),
            title: interrupt.title.clone(),
            gist: interrupt.gist.clone(),
            warnings: interrupt.warnings.clone(),
            source: interrupt.source.clone(),
            irreversible: interrupt.irreversible,
            harmless: interrupt.harmless,
            binds: interrupt.binds.clone(),
            grantable: interrupt.grantable.clone(),
            snoozed_until: interrupt.snoozed_until.map(jiff::Timestamp::as_millisecond),
            waiting: interrupt.waiting,
            trouble,
        }
    }

    pub fn allow(&self) -> Allow {
        allowed(i64::from(self.allow))
    }

    /// When the program that waits for the answer gives up, if the question was asked at `asked_at`.
    pub fn gives_up_at(&self, asked_at: i64) -> Result<Option<Timestamp>, StoreError> {
        let seconds = self.waiting.and_then(|waiting| waiting.gives_up_in);
        let wait_ms = seconds.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000));
        wait_ms.map(|wait_ms| time(asked_at.saturating_add(wait_ms))).transpose()
    }

    /// Whether news closes it.
    pub fn yields(&self) -> bool {
        self.allow & YIELDS != 0
    }

    pub fn is_trouble(&self) -> bool {
        self.trouble.is_some()
    }

    /// What a person approves: a hash over the action, the arguments and what is shown with them.
    pub fn hash(&self) -> Hash {
        Hash::of(&self.action, &self.args, &self.binds)
    }

    /// Adds a warning and binds the hash to its cause, so that a card drawn earlier is stale.
    pub fn warn(&mut self, warning: &Warning, bind: &str) {
        if !self.warnings.contains(warning) {
            self.warnings.push(warning.clone());
        }
        self.binds.push(bind.to_owned());
    }
}
