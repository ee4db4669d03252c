//! `ask.category`, `ask.select`, `ask.params`: take a question and the operations there are, and choose among them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The input of all three tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AskFacts {
    pub query: String,
    /// The previous question, if this one follows up on it; else empty.
    pub before: String,
    /// What the person added to the question, oldest first.
    pub said: Vec<String>,
    /// The operations to choose from: all for `category`, the candidates for `select`, the chosen one for `params`.
    pub operations: Vec<OperationFacts>,
    /// Synonyms: words and the words they stand for.
    pub same: BTreeMap<String, String>,
    /// The kind of thing the question names, once known.
    pub entity_type: Option<String>,
    /// The thing's name, once known.
    pub entity_name: Option<String>,
    /// The result of the first request, if this is about a second one.
    pub first: Value,
    /// What was wrong with the previous answer.
    pub error: Option<String>,
}

/// An API operation that can be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperationFacts {
    /// Its unique name.
    pub name: String,
    /// Its display name, which `category` chooses from.
    pub tool_name: String,
    pub category: String,
    pub description: String,
    /// Words that ask for it.
    pub asks: Vec<String>,
    /// The kind of thing it returns.
    pub returns: String,
    pub parameters: Vec<ParameterFacts>,
}

/// A parameter of an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParameterFacts {
    pub name: String,
    pub description: String,
    /// string, integer, number, boolean, array or object.
    pub kind: String,
    pub required: bool,
    /// The allowed values; empty if any value is.
    pub values: Vec<Value>,
    /// The value used if none is given.
    pub default: Value,
    /// The kind of thing whose id it takes.
    pub entity: Option<String>,
    /// Words that come before its value; empty if any may.
    pub after: Vec<String>,
}

/// How much a question takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One request.
    #[default]
    Simple,
    /// Two requests, whose answers belong together.
    Complex,
}

/// The answer of `ask.category`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CategoryAnswer {
    /// The sort of question, in a word or two.
    pub query_type: String,
    /// The operations that may answer it, by `tool_name`, best first; empty if none does.
    pub categories: Vec<String>,
    /// Whether it is about one thing that it names.
    pub is_entity_query: bool,
    /// That thing's name, as the person wrote it.
    #[serde(default)]
    pub entity_name: Option<String>,
    #[serde(default)]
    pub entity_type: Option<String>,
    pub complexity: Complexity,
}

/// The answer of `ask.select`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectAnswer {
    /// The operation to ask, by `name`.
    pub api: String,
    /// The operation to ask next.
    #[serde(default)]
    pub secondary_api: Option<String>,
}

/// The answer of `ask.params`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParamsAnswer {
    /// The values the question gives; the others are left out.
    pub parameters: Map<String, Value>,
}
