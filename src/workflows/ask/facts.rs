//! `ask.category`, `ask.select`, `ask.params`: a question and what can be asked, in; a choice among them, out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What all three tasks read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AskFacts {
    /// The question.
    pub query: String,
    /// The question before it, for one that goes on from there; empty where there is none.
    pub before: String,
    /// What the person added to the question, oldest first.
    pub said: Vec<String>,
    /// What can be asked: everything for `category`, what came into question for `select`, the one for `params`.
    pub operations: Vec<OperationFacts>,
    /// Words that mean the same as others.
    pub same: BTreeMap<String, String>,
    /// The kind of thing the question names, once that is known.
    pub entity_type: Option<String>,
    /// The thing's name, once that is known.
    pub entity_name: Option<String>,
    /// What came of the first request, where this is about a second one.
    pub first: Value,
    /// What was wrong with the last answer.
    pub error: Option<String>,
}

/// Something that can be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperationFacts {
    /// Its name among all.
    pub name: String,
    /// What it is called: what `category` chooses from.
    pub tool_name: String,
    /// What it is about.
    pub category: String,
    /// What it does.
    pub description: String,
    /// Words that ask for it.
    pub asks: Vec<String>,
    /// The kind of thing it gives.
    pub returns: String,
    /// What it is told.
    pub parameters: Vec<ParameterFacts>,
}

/// What an operation is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParameterFacts {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// string, integer, number, boolean, array or object.
    pub kind: String,
    /// Whether it must be told.
    pub required: bool,
    /// The values there are; empty where any may be.
    pub values: Vec<Value>,
    /// What is meant where nothing is said.
    pub default: Value,
    /// The kind of thing whose id it takes.
    pub entity: Option<String>,
    /// Words that stand before its value; empty where any may.
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
    /// What sort of question it is, in a word or two.
    pub query_type: String,
    /// What may answer it, by `tool_name`, best first; empty where nothing does.
    pub categories: Vec<String>,
    /// Whether it is about one thing that it names.
    pub is_entity_query: bool,
    /// That thing's name, as the person wrote it.
    #[serde(default)]
    pub entity_name: Option<String>,
    /// That thing's kind.
    #[serde(default)]
    pub entity_type: Option<String>,
    /// How much it takes.
    pub complexity: Complexity,
}

/// The answer of `ask.select`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectAnswer {
    /// What is asked, by `name`.
    pub api: String,
    /// What is asked next.
    #[serde(default)]
    pub secondary_api: Option<String>,
}

/// The answer of `ask.params`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParamsAnswer {
    /// What the question says; what it does not say is left out.
    pub parameters: Map<String, Value>,
}
