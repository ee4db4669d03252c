//! `analyze.initial`, `analyze.followup`, `analyze.final`: facts in, Markdown text out.

use serde::{Deserialize, Serialize};

/// The input of all three tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalyzeFacts {
    /// What the person wants to know.
    pub query: String,
    /// The files read, in a stable order.
    #[serde(default)]
    pub files: Vec<FileFacts>,
    /// The conversation so far, oldest first, `input` not included.
    #[serde(default)]
    pub history: Vec<Turn>,
    /// The person's newest words: the query at first, then each answer.
    #[serde(default)]
    pub input: String,
}

/// One file of the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Its path within the folder.
    pub name: String,
    /// Its text.
    pub text: String,
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
