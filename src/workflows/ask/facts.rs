//! `ask.select`, `ask.params`, `ask.answer`: what they are asked for, and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The input of all three tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskFacts {
    pub query: String,
}

/// The answer of `ask.select`, and of `ask.params`, where the operation is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChosenRequest {
    /// The operation to ask, by its name; `None` if none answers the question.
    pub api: Option<String>,
    /// The values the question gives; a thing is given by its name.
    pub parameters: Map<String, Value>,
    /// The operation to ask next.
    pub secondary_api: Option<String>,
    /// What is left to do with the reply.
    pub rest: Option<String>,
}

/// An answer in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WordedAnswer {
    /// One to three sentences.
    pub words: String,
    /// How each figure was computed that the reply does not hold. Later ones may use the results of earlier ones.
    #[serde(default)]
    pub computations: Vec<Computation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Computation {
    pub by: Operator,
    /// The figures, two or more, from left to right.
    pub of: Vec<f64>,
    pub result: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Operator {
    #[serde(rename = "+")]
    Plus,
    #[serde(rename = "-")]
    Minus,
    #[serde(rename = "*")]
    Times,
    #[serde(rename = "/")]
    Over,
}
