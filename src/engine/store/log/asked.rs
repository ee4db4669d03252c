//! A question in the log, as it was asked.

use crate::engine::graph::{Allow, Hash, Interrupt, InterruptId, Warning};
use crate::engine::store::StoreError;
use crate::engine::store::rows::time;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question, as it was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    pub id: InterruptId,
    /// The step that asked it, or that failed.
    pub step: i64,
    /// All it says, but for its schema.
    #[serde(flatten)]
    pub interrupt: Interrupt,
    /// Its schema, which many questions share.
    #[serde(default, rename = "shared_schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaRef>,
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

impl Asked {
    pub fn new(step: i64, schema: Option<SchemaRef>, trouble: Option<String>, interrupt: &Interrupt) -> Self {
        let interrupt = Interrupt { schema: Value::Bool(true), granted: None, ..interrupt.clone() };
        Self { id: InterruptId::random(), step, interrupt, schema, trouble }
    }

    /// The allowed answers as bits, and after them whether news closes it.
    pub fn allow_bits(&self) -> i64 {
        let Allow { accept, edit, respond, ignore, draft } = self.interrupt.allow;
        let bits = [accept, edit, respond, ignore, draft, self.interrupt.closes_on_news];
        bits.iter().rev().fold(0, |all, bit| all << 1 | i64::from(*bit))
    }

    /// When the program that waits for the answer gives up, if the question was asked at `asked_at`.
    pub fn gives_up_at(&self, asked_at: i64) -> Result<Option<Timestamp>, StoreError> {
        let seconds = self.interrupt.waiting.and_then(|waiting| waiting.gives_up_in);
        let wait_ms = seconds.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000));
        wait_ms.map(|wait_ms| time(asked_at.saturating_add(wait_ms))).transpose()
    }

    pub fn is_trouble(&self) -> bool {
        self.trouble.is_some()
    }

    /// What a person approves: a hash over the action, the arguments and what is shown with them.
    pub fn hash(&self) -> Hash {
        Hash::of(&self.interrupt.action, &self.interrupt.args, &self.interrupt.shown_with)
    }

    /// Adds a warning and binds the hash to its cause, so that a card drawn earlier is stale.
    pub fn warn(&mut self, warning: &Warning, bind: &str) {
        if !self.interrupt.warnings.contains(warning) {
            self.interrupt.warnings.push(warning.clone());
        }
        self.interrupt.shown_with.push(bind.to_owned());
    }
}
