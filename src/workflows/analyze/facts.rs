//! What an analysis is about: the question, and what was said.

use serde::{Deserialize, Serialize};

/// What `analyze.initial`, `analyze.followup` and `analyze.final` are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalyzeFacts {
    /// What the person wants to know.
    pub query: String,
    /// The person's newest words: the query at first, then each answer.
    pub input: String,
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who spoke.
    pub role: Role,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Agent,
}
