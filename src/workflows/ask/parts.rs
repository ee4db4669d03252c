//! The parts of a question's state.

use crate::tools::catalogue::Operation;
use crate::workflows::analyze::facts::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFailure {
    pub node: String,
    pub text: String,
}

/// What a question started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initial {
    pub query: String,
    /// Whether to ask for a next question.
    pub follow_up: bool,
}

/// How much a question takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One request.
    #[default]
    Simple,
    /// Two requests, whose answers belong together.
    Complex,
}

/// A thing that a question names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    pub kind: String,
    /// The API's id for it.
    pub id: String,
    /// The name people use.
    pub name: String,
    /// Who it belongs to, or another name of it.
    #[serde(default)]
    pub about: String,
}

/// A question or an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    pub role: Role,
    pub text: String,
    /// The same as a table, for an answer that is a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The digests of the whole answers it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Its list, and how far it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<ListPosition>,
}

/// A whole answer, stored until it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    pub digest: String,
    /// The next page, from the `Link` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_link: Option<String>,
}

/// A list that was shown up to a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListPosition {
    pub api: String,
    /// The operation that returned it.
    pub operation: String,
    pub heading: String,
    /// The digest of the whole answer.
    pub digest: String,
    /// How many entries of that answer were shown.
    pub told: usize,
    /// How many entries it has.
    pub total: usize,
    /// How many entries earlier pages showed.
    pub before: usize,
    /// How the list goes on after that answer.
    pub next: Next,
}

/// How a list goes on at its server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Next {
    /// The answer does not say.
    Unknown,
    /// That was all.
    End,
    /// There may be more if the operation gets these parameters.
    At { parameters: Map<String, Value> },
}

/// A list as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The heading row.
    pub head: Vec<String>,
    /// The other rows.
    pub rows: Vec<Vec<String>>,
}

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
    pub purpose: Purpose,
    pub operation: Operation,
    pub parameters: Map<String, Value>,
}
