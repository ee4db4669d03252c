//! The request that tests send to models: a few words, and a tool to call.

use sayso::agent::llm::{self, Choice, Model, ModelError, OnText, Reply, Request, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub fn tool() -> ToolSpec {
    ToolSpec {
        name: "write_email".into(),
        description: "Write a mail.".into(),
        schema: json!({
            "type": "object",
            "properties": {"to": {"type": "array", "items": {"type": "string"}}, "content": {"type": "string"}},
            "required": ["to", "content"],
            "additionalProperties": false,
        }),
    }
}

pub fn request() -> Request {
    Request::new("test", json!({"never": "sent-facts"})).system("You help.").user("Say hello.")
}

/// A request that wants the tool called.
pub fn required() -> Request {
    request().tool(tool()).choice(Choice::Required)
}

/// A checked answer, by a caller that objects to nothing.
pub async fn propose(model: &dyn Model, request: &Request, on_text: OnText<'_>) -> Result<Reply, ModelError> {
    llm::propose(model, request, &|_| Ok(()), on_text).await
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Ignore,
    Notify,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triage {
    pub reasoning: String,
    pub classification: Class,
}
