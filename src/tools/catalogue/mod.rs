//! Catalogues: what an API can be asked, as data.
//!
//! Promised: an operation's parameters are checked against its own schema before a request is made of them; a request
//! is a pure function of the operation, the server and the parameters; what a catalogue file holds is checked when it
//! is read. Some catalogues are built in; others are kept in the data folder.
//!
//! What is not here: who may ask for what, and secrets, which are fetched when a request is sent and stand in none.

mod catalogue_store;
mod check;
mod fill;
mod host_health;
mod openapi;
mod schema;

pub use catalogue_store::{Shelf, ShelfError, Source};
pub use fill::Filled;
pub use host_health::Reach;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What an API can be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Catalogue {
    /// One short word.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What it is about, in a sentence.
    pub about: String,
    /// Its servers: addresses that paths are put behind.
    pub hosts: Vec<String>,
    /// Where the list of its servers is, for an API that many serve.
    pub host_list: Option<HostList>,
    /// How a server is asked whether it is well.
    pub health: Option<Health>,
    /// What every request says besides, in its query.
    pub always: BTreeMap<String, String>,
    /// Where in an answer the data is, as a JSON pointer; empty for the whole.
    pub data: String,
    /// Words that mean the same as others.
    pub same: BTreeMap<String, String>,
    /// The kinds of things it knows.
    pub entities: BTreeMap<String, Kind>,
    /// How its key is shown, where it needs one.
    pub auth: Option<Auth>,
    /// What can be asked.
    pub operations: Vec<Operation>,
}

/// Where a list of servers is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostList {
    /// Its address.
    pub url: String,
    /// Where in the answer the list is, as a JSON pointer.
    pub at: String,
}

/// How a server is asked whether it is well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Health {
    /// The path to ask.
    pub path: String,
    /// Where in the answer `false` says that it is not, as a JSON pointer.
    pub at: String,
}

/// How a key is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case", deny_unknown_fields)]
pub enum Auth {
    /// As a field of the header.
    Header {
        /// The field.
        name: String,
    },
    Query {
        /// The parameter.
        name: String,
    },
    /// As a bearer token.
    Bearer,
}

/// A kind of thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kind {
    /// The operation that finds things of this kind by name.
    pub search: Option<String>,
    /// Its parameter that takes the name.
    pub parameter: String,
    /// The field that holds a thing's id.
    pub id: String,
    /// The fields that hold its names. A thing that has none of them is of another kind.
    pub names: Vec<String>,
    /// How it is said on one line.
    pub line: Option<Line>,
    /// What is told of one thing: what it is called, and the field.
    pub fields: Vec<(String, String)>,
}

/// How a thing is said on one line: where each part is found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// Its title: the first of these fields that is there.
    #[serde(deserialize_with = "one_or_many")]
    pub title: Vec<String>,
    /// Whose it is.
    pub by: Option<String>,
    /// To whom it went.
    pub to: Option<String>,
    /// The short name of a person.
    pub handle: Option<String>,
    /// What sort of thing it is.
    pub kind: Option<String>,
    /// Figures: the field, and what it counts.
    pub figures: Vec<(String, String)>,
}

/// Something an API can be asked to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Operation {
    /// One word, unique in its catalogue.
    pub id: String,
    pub catalogue: String,
    /// What it is about, together with others.
    pub category_name: String,
    /// What it is called among all that can be asked.
    pub tool_name: String,
    /// What the API calls it.
    pub api_name: String,
    /// What it does.
    pub api_description: String,
    /// What it must be told.
    pub required_parameters: Vec<Parameter>,
    /// What it may be told.
    pub optional_parameters: Vec<Parameter>,
    /// How it is asked: GET, POST …
    pub method: String,
    /// Its path, with `{name}` where a parameter stands.
    pub api_url: String,
    /// The kind of thing it gives, one or many.
    pub returns: String,
    /// Words that ask for it, for rules that do not understand language.
    pub asks: Vec<String>,
}

/// What an operation is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    /// What it means.
    pub description: String,
    /// string, integer, number, boolean, array or object.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it goes.
    #[serde(rename = "in")]
    pub place: ParameterLocation,
    /// What is meant where nothing is said.
    pub default: Value,
    /// The values there are; empty where any may be.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// The least it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// The most it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// The kind of thing whose id it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Words that stand before its value in a question, for rules that do not understand language; empty where any may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// What joins the items of a list in an address; where it is empty, each of them is said by itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub separator: String,
    /// Its whole schema, where the words above do not say it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// Where a parameter goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterLocation {
    /// Behind the question mark.
    #[default]
    Query,
    Path,
    /// Into a field of the header.
    Header,
    /// Into the JSON object that goes along.
    Body,
    /// It is the JSON that goes along.
    WholeBody,
}

impl Catalogue {
    /// The operation of this id.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// The data in an answer.
    pub fn data_of<'v>(&self, answer: &'v Value) -> &'v Value {
        answer.pointer(&self.data).unwrap_or(answer)
    }
}

impl Operation {
    /// Everything it can be told, what it must be told first.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.required_parameters.iter().chain(&self.optional_parameters)
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters().find(|parameter| parameter.name == name)
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        super::http::Method::from_word(&self.method).is_some_and(super::http::Method::reads)
    }

    /// The JSON schema of its parameters; `complete` says whether what it must be told has to be there.
    pub fn schema(&self, complete: bool) -> Value {
        let properties: Map<String, Value> =
            self.parameters().map(|parameter| (parameter.name.clone(), parameter.schema())).collect();
        let required: Vec<&str> = self.required_parameters.iter().map(|one| one.name.as_str()).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if complete && !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }
}

impl Parameter {
    /// The JSON schema of its value.
    pub fn schema(&self) -> Value {
        let mut schema = match &self.schema {
            Some(Value::Object(schema)) => schema.clone(),
            _ => {
                let mut schema = Map::new();
                if !self.kind.is_empty() {
                    schema.insert("type".to_owned(), self.kind.as_str().into());
                }
                if self.kind == "array" {
                    schema.insert("items".to_owned(), json!({ "type": "string" }));
                }
                schema
            }
        };
        if !self.description.is_empty() {
            schema.insert("description".to_owned(), self.description.as_str().into());
        }
        if !self.values.is_empty() {
            schema.insert("enum".to_owned(), json!(self.values));
        }
        for (word, bound) in [("minimum", self.minimum), ("maximum", self.maximum)] {
            if let Some(bound) = bound {
                schema.insert(word.to_owned(), json!(bound));
            }
        }
        if matches!(self.kind.as_str(), "string") && self.values.is_empty() && self.schema.is_none() {
            // Nothing said is something missing.
            schema.insert("minLength".to_owned(), json!(1));
        }
        Value::Object(schema)
    }
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Either::deserialize(input)? {
        Either::One(one) => vec![one],
        Either::Many(many) => many,
    })
}
