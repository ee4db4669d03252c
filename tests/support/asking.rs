//! The request that tests send to models: a few words, and a tool to call.

use sayso::agent::llm::{Choice, Request, ToolSpec};
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
