//! The state of one update, and everything that can happen to it.

use crate::agent::lesson::Cause;
use crate::engine::graph::{Answer, Decision, State};
use crate::workflows::email::defaults;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the driver starts it with.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryInput {
    /// The profile that learns.
    pub namespace: String,
    /// What happened, oldest first.
    #[schemars(skip)]
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// The thread whose answer taught it last.
    #[serde(default)]
    pub thread: Option<String>,
    /// That answer's interrupt.
    #[serde(default)]
    pub interrupt: Option<String>,
}

/// An update being made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learning {
    pub namespace: String,
    /// What happened.
    pub causes: Vec<Cause>,
    /// The thread whose answer taught it last.
    pub thread: Option<String>,
    /// That answer's interrupt.
    pub interrupt: Option<String>,
    /// The version that was read.
    pub read: u64,
    /// The profile at that version.
    pub profile: String,
    /// Its pinned lines.
    pub pinned: Vec<String>,
    /// The profile after the change.
    pub proposed: String,
    /// What changes and why.
    pub reasoning: String,
    /// The person's decision: the text to store, or `Some(None)` for nothing.
    pub decided: Option<Option<String>>,
    /// How often somebody else wrote first.
    pub tries: u32,
    pub written: Option<u64>,
    pub outcome: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum LearningUpdate {
    Started(MemoryInput),
    /// The model proposed an update.
    Proposed {
        /// The version it is based on.
        read: u64,
        /// The profile at that version.
        profile: String,
        /// Its pinned lines.
        pinned: Vec<String>,
        /// The profile after the change.
        proposed: String,
        /// What changes and why.
        reasoning: String,
    },
    Decided {
        /// The text to store instead of the proposed one.
        edited: Option<String>,
        /// Whether anything is stored.
        store: bool,
    },
    /// Somebody else wrote first.
    Again,
    Ended {
        /// The version written, if one was.
        written: Option<u64>,
        outcome: String,
    },
}

impl State for Learning {
    type Input = MemoryInput;
    type Update = LearningUpdate;

    fn started(input: MemoryInput) -> LearningUpdate {
        LearningUpdate::Started(input)
    }

    fn answered(answers: Vec<Answer>) -> LearningUpdate {
        match answers.into_iter().next().map(|answer| answer.decision) {
            Some(Decision::Accept) => LearningUpdate::Decided { edited: None, store: true },
            Some(Decision::Edit { args }) => {
                let text = args.get("profile").and_then(Value::as_str).map(str::to_owned);
                LearningUpdate::Decided { edited: text, store: true }
            }
            Some(Decision::Respond { .. } | Decision::Ignore | Decision::Draft) | None => {
                LearningUpdate::Decided { edited: None, store: false }
            }
        }
    }

    fn apply(&mut self, update: LearningUpdate) {
        match update {
            LearningUpdate::Started(MemoryInput { namespace, causes, thread, interrupt }) => {
                (self.namespace, self.causes) = (namespace, causes);
                (self.thread, self.interrupt) = (thread, interrupt);
            }
            LearningUpdate::Proposed { read, profile, pinned, proposed, reasoning } => {
                (self.read, self.profile, self.pinned) = (read, profile, pinned);
                (self.proposed, self.reasoning, self.decided) = (proposed, reasoning, None);
            }
            LearningUpdate::Decided { edited, store } => {
                let text = edited.unwrap_or_else(|| self.proposed.clone());
                self.decided = Some(store.then_some(text));
            }
            LearningUpdate::Again => {
                self.tries += 1;
                self.decided = None;
            }
            LearningUpdate::Ended { written, outcome } => {
                self.written = written;
                self.outcome = Some(outcome);
            }
        }
    }

    fn title(&self) -> String {
        format!("Learning from your answers: {}", defaults::describe(&self.namespace))
    }

    fn output(&self) -> Option<Value> {
        let outcome = self.outcome.as_ref()?;
        Some(json!({
            "namespace": self.namespace,
            "version": self.written,
            "outcome": outcome,
            "reasoning": self.reasoning,
        }))
    }
}
