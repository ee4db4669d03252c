//! `ask.category`, `ask.select`, `ask.params`: what they are asked for, and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The input of all three tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskFacts {
    pub query: String,
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
