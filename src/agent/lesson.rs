//! What a decision teaches: the facts and the answer of `email.memory`.

use super::mail_facts::{MailFacts, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The input of a memory update.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryFacts {
    /// The profile's name; its last part counts: `response_preferences`, `cal_preferences`.
    pub namespace: String,
    /// The current profile.
    #[serde(default)]
    pub profile: String,
    /// Lines that must stay as they are.
    #[serde(default)]
    pub pinned: Vec<String>,
    /// Whose profile it is.
    #[serde(default)]
    pub user: User,
    /// What happened, oldest first.
    #[serde(default)]
    pub causes: Vec<Cause>,
}

/// One decision to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// What the person did.
    pub kind: CauseKind,
    /// The mail it was about.
    #[serde(default)]
    pub mail: Option<MailFacts>,
    /// The only model that may read about it, by its config name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// The proposed tool (`write_email`), if any.
    #[serde(default)]
    pub action: Option<String>,
    /// The arguments as proposed.
    #[serde(default)]
    pub proposed: Value,
    /// The arguments as the person edited them.
    #[serde(default)]
    pub edited: Value,
    /// The person's words.
    #[serde(default)]
    pub feedback: String,
}

impl Cause {
    /// A cause of this kind, with everything else empty.
    pub fn new(kind: CauseKind) -> Self {
        Self {
            kind,
            mail: None,
            only: None,
            action: None,
            proposed: Value::Null,
            edited: Value::Null,
            feedback: String::new(),
        }
    }
}

/// What a person did that says something about their preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A proposal was changed, then carried out.
    ProposalEdited,
    /// The person replied to a proposal in words.
    ProposalAnswered,
}

/// The answer of `email.memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryUpdate {
    /// What was changed and why, in one or two sentences.
    pub reasoning: String,
    /// The whole profile after the change.
    pub profile: String,
}
