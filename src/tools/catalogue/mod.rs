//! Catalogues: the operations of an API, as data.
//!
//! Promises: parameters are checked against the operation's schema before a request is made from them; a request is a
//! pure function of the operation, the server and the parameters; a catalogue file is checked when it is read. Some
//! catalogues are built in; others are in the data folder.
//!
//! Does not decide who may ask for what, and holds no secrets: they are fetched when a request is sent, and stored in
//! none.

mod catalogue_store;
mod check;
mod fill;
mod host_health;
mod openapi;
mod schema;

pub use catalogue_store::{CatalogueError, CatalogueStore, Source};
pub use fill::ApiRequest;
pub use host_health::ApiHosts;

use crate::config::Api;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The operations of an API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Catalogue {
    /// One short word.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it offers, in a sentence.
    pub about: String,
    /// Base URLs that paths are appended to.
    pub hosts: Vec<String>,
    /// Where to find the list of its servers, for an API with many.
    pub host_list: Option<HostList>,
    /// How to ask a server whether it is healthy.
    pub health: Option<Health>,
    /// Query parameters of every request.
    pub always: BTreeMap<String, String>,
    /// Where in an answer the data is, as a JSON pointer; empty for the whole answer.
    pub data: String,
    /// Synonyms: words that mean the same as others.
    pub same: BTreeMap<String, String>,
    /// The kinds of things it knows.
    pub entities: BTreeMap<String, EntityKind>,
    /// How to send its key, if it needs one.
    pub auth: Option<Auth>,
    pub operations: Vec<Operation>,
}

/// Where to find a list of servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostList {
    pub url: String,
    /// Where in the answer the list is, as a JSON pointer.
    pub at: String,
}

/// How to ask a server whether it is healthy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Health {
    /// The path to ask.
    pub path: String,
    /// Where in the answer `false` means unhealthy, as a JSON pointer.
    pub at: String,
}

/// How to send a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case", deny_unknown_fields)]
pub enum Auth {
    /// As a header field.
    Header {
        name: String,
    },
    Query {
        name: String,
    },
    /// As a bearer token.
    Bearer,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EntityKind {
    /// The operation that finds things of this kind by name.
    pub search: Option<String>,
    /// The parameter of that operation that takes the name.
    pub parameter: String,
    /// The field with a thing's id.
    pub id: String,
    /// The fields with its names. A thing without any of them is of another kind.
    pub names: Vec<String>,
    /// How to show it on one line.
    pub line: Option<Line>,
    /// The details to show of one thing: label and field.
    pub fields: Vec<(String, String)>,
}

/// How to show a thing on one line: where each part is found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// Its title: the first of these fields that exists.
    pub title: Vec<String>,
    /// Its owner or author.
    pub by: Option<String>,
    /// Its recipient.
    pub to: Option<String>,
    /// The short name of a person.
    pub handle: Option<String>,
    pub kind: Option<String>,
    /// Figures: the field, and what it counts.
    pub figures: Vec<(String, String)>,
}

/// Something an API can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Operation {
    /// One word, unique in its catalogue.
    pub id: String,
    pub catalogue: String,
    /// The group it belongs to.
    pub category_name: String,
    /// Its name among all operations of all APIs.
    pub tool_name: String,
    /// The API's own name for it.
    pub api_name: String,
    pub api_description: String,
    pub required_parameters: Vec<Parameter>,
    pub optional_parameters: Vec<Parameter>,
    /// GET, POST …
    pub method: String,
    /// Its path, with `{name}` for each parameter.
    pub api_url: String,
    /// The kind of thing it returns, one or many.
    pub returns: String,
    /// Words that ask for it; they count when operations are ranked.
    pub asks: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    pub description: String,
    /// string, integer, number, boolean, array or object.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(rename = "in")]
    pub place: ParameterLocation,
    /// The value used if none is given.
    pub default: Value,
    /// The allowed values; empty if any is allowed.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// The kind of thing whose id it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// What joins the items of a list in a URL; if empty, the parameter is repeated for each item.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub separator: String,
    /// Its full schema, if the fields above do not say everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterLocation {
    #[default]
    Query,
    Path,
    Header,
    /// A field of the JSON body.
    Body,
    /// The whole JSON body.
    WholeBody,
}

impl Catalogue {
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// How its key is sent: as the config says, else as the API says, else as a bearer token. A key that is configured
    /// is always sent; many documents do not mention one.
    pub fn auth_with(&self, settings: &Api) -> Option<Auth> {
        let named = settings.key_header.clone().map(|name| Auth::Header { name });
        let usual = || settings.key.is_some().then_some(Auth::Bearer);
        named.or_else(|| self.auth.clone()).or_else(usual)
    }

    pub fn data_of<'v>(&self, answer: &'v Value) -> &'v Value {
        answer.pointer(&self.data).unwrap_or(answer)
    }
}

impl Operation {
    /// Its name among the operations of all catalogues.
    pub fn name(&self) -> String {
        format!("{}/{}", self.catalogue, self.id)
    }

    /// All parameters, the required ones first.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.required_parameters.iter().chain(&self.optional_parameters)
    }

    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters().find(|parameter| parameter.name == name)
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        super::http::Method::from_word(&self.method).is_some_and(super::http::Method::reads)
    }

    /// The JSON schema of its parameters; with `complete`, required parameters must be present.
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
            // An empty string counts as missing.
            schema.insert("minLength".to_owned(), json!(1));
        }
        Value::Object(schema)
    }
}
