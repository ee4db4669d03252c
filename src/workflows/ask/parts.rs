//! What a question's state is made of.

use crate::tools::catalogue::Operation;
use crate::workflows::analyze::facts::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erred {
    pub node: String,
    pub text: String,
}

/// What a question began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initial {
    /// The question.
    pub query: String,
    /// Whether the next question is asked for.
    pub follow_up: bool,
}

/// A thing that a question names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    pub kind: String,
    /// What the API knows it by.
    pub id: String,
    /// What people know it by.
    pub name: String,
    /// Whose it is, or another name it has.
    #[serde(default)]
    pub about: String,
}

/// A question or an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// The same as a table, for an answer that is a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The digests of the whole answers it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Lists of which only the beginning was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<More>,
}

/// A whole answer that is kept until it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub digest: String,
    /// Where the next page is, by the `Link` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_link: Option<String>,
}

/// A list that was told up to a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct More {
    pub api: String,
    /// What was asked of it.
    pub operation: String,
    /// What the list is called.
    pub heading: String,
    /// The digest of the whole answer.
    pub digest: String,
    /// How many entries of that answer were told.
    pub told: usize,
    /// How many there are in it.
    pub total: usize,
    /// How many were told of earlier pages.
    #[serde(default)]
    pub before: usize,
    /// How it goes on behind that answer.
    #[serde(default)]
    pub next: Next,
}

/// How a list goes on at its server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Next {
    /// Nobody can say.
    #[default]
    Unknown,
    /// That was all.
    End,
    /// There may be more, if the operation is told this.
    At { parameters: Map<String, Value> },
}

/// A further page of a list, while it is fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turning {
    /// What the list is called.
    pub heading: String,
    /// How many were told of it.
    pub before: usize,
    /// The other lists of the same answer.
    pub others: Vec<More>,
}

impl Default for Said {
    fn default() -> Self {
        Self { role: Role::User, text: String::new(), table: None, kept: Vec::new(), more: Vec::new() }
    }
}

/// A list as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The heading row.
    pub head: Vec<String>,
    /// The other rows.
    pub rows: Vec<Vec<String>>,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To find the thing the question names.
    Resolve,
    /// To answer the question.
    Answer,
    /// To answer its second part.
    Second,
}

/// A request that is about to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// What it is for.
    pub purpose: Purpose,
    /// What is asked.
    pub operation: Operation,
    /// What it is told.
    pub parameters: Map<String, Value>,
}
