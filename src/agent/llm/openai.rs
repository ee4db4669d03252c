//! OpenAI's chat completions, as OpenAI, Gemini, OpenRouter, llama.cpp, vLLM and LM Studio speak it.
//!
//! Servers lack different features. If a 400 complains about one, it is left out from then on: JSON schemas (then a
//! forced tool, then words in the prompt), `tool_choice`, `stream_options`, `temperature`, the name of the token limit.

use serde_json::{Map, Value, json};

use super::wire::{Args, Fault, Framing, KeyHeader, OutputMode, PartialReply, Piece, Protocol, Quirks};
use super::{
    Choice, Message, ModelSettings, OnText, OutputSchema, Request, Stop, ToolCall, ToolSpec, schema,
};

/// Gemini's token for a call. It refuses a conversation whose calls have lost theirs.
const SIGNATURE: &str = "/extra_content/google/thought_signature";

pub(super) struct OpenAi {
    /// OpenAI itself, which names the token limit differently from everybody who copied it.
    original: bool,
}

impl OpenAi {
    pub fn new(settings: &ModelSettings) -> Self {
        let base =
            settings.base_url.as_deref().unwrap_or_else(|| settings.provider.base_url().unwrap_or_default());
        Self { original: base.contains("://api.openai.com") }
    }
}

impl Protocol for OpenAi {
    fn url(&self, base: &str, _: &ModelSettings) -> String {
        format!("{base}/chat/completions")
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Bearer
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn quirks(&self) -> Quirks {
        Quirks { completion_tokens: self.original, ..Quirks::default() }
    }

    fn body(&self, settings: &ModelSettings, request: &Request, quirks: Quirks) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("stream".into(), json!(true));
        if !quirks.no_stream_options {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        let limit = request.max_tokens.unwrap_or(settings.max_output_tokens);
        let limit_name = if quirks.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit_name.into(), json!(limit));
        if let Some(temperature) = settings.temperature.filter(|_| !quirks.no_temperature) {
            body.insert("temperature".into(), json!(temperature));
        }
        let mut system = request.system.clone();
        let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
        let mut choice = (request.choice == Choice::Required).then(|| json!("required"));
        if let Some(output) = &request.output {
            match quirks.output {
                OutputMode::Schema => {
                    body.insert("response_format".into(), response_format(output));
                }
                OutputMode::Tool => {
                    tools.push(tool(&ToolSpec {
                        name: output.name.clone(),
                        description: "Give the answer.".into(),
                        schema: output.schema.clone(),
                    }));
                    choice = Some(json!({"type": "function", "function": {"name": output.name}}));
                }
                OutputMode::Text => system = in_words(&system, &output.schema),
            }
        }
        if !tools.is_empty() {
            body.insert("tools".into(), Value::Array(tools));
            if let Some(choice) = choice.filter(|_| !quirks.no_tool_choice) {
                body.insert("tool_choice".into(), choice);
            }
        }
        body.insert("messages".into(), conversation(&system, &request.messages, message_with_calls, result));
        Value::Object(body)
    }

    fn read(&self, draft: &mut PartialReply, frame: &Value, on_text: OnText<'_>) -> Result<(), Fault> {
        draft.set_model(frame.get("model").and_then(Value::as_str));
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
            draft.usage.input = count("/prompt_tokens").unwrap_or(draft.usage.input);
            draft.usage.output = count("/completion_tokens").unwrap_or(draft.usage.output);
            let cached = count("/prompt_tokens_details/cached_tokens");
            draft.usage.cached = cached.unwrap_or(draft.usage.cached);
        }
        // We asked for one choice only.
        let Some(choice) = frame.pointer("/choices/0") else { return Ok(()) };
        // A server that does not stream sends `message` instead of `delta`.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty()) {
            return Err(Fault::Refused(refusal.to_owned()));
        }
        match delta.get("content") {
            Some(Value::String(text)) => draft.say(text, on_text)?,
            Some(Value::Array(parts)) => {
                for text in parts.iter().filter_map(|part| part.get("text")?.as_str()) {
                    draft.say(text, on_text)?;
                }
            }
            _ => {}
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.map(Vec::as_slice).unwrap_or_default() {
            let function = call.get("function").unwrap_or(call);
            draft.call(Piece {
                index: call.get("index").and_then(Value::as_u64),
                id: call.get("id").and_then(Value::as_str),
                name: function.get("name").and_then(Value::as_str),
                args: Args::from(function.get("arguments")),
                signature: call.pointer(SIGNATURE).and_then(Value::as_str),
            })?;
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            None | Some("") => {}
            Some("length") => draft.end(Stop::Length),
            Some("content_filter") => return Err(Fault::Refused("a content filter stopped it".into())),
            Some("error") => return Err(Fault::Cut("the server stopped with an error".into())),
            Some(_) => draft.end(Stop::End),
        }
        Ok(())
    }

    fn adapt(&self, sent: Quirks, request: &Request, complaint: &str) -> Option<Quirks> {
        let names = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        if names(&["max_completion_tokens", "max_tokens"]) {
            let swapped = names(&["max_tokens"]) != sent.completion_tokens;
            return swapped.then_some(Quirks { completion_tokens: !sent.completion_tokens, ..sent });
        }
        if !sent.no_stream_options && names(&["stream_options", "include_usage"]) {
            return Some(Quirks { no_stream_options: true, ..sent });
        }
        if !sent.no_temperature && names(&["temperature"]) {
            return Some(Quirks { no_temperature: true, ..sent });
        }
        let schema_words = ["response_format", "json_schema", "json schema", "structured output", "grammar"];
        if request.output.is_some() && sent.output == OutputMode::Schema && names(&schema_words) {
            return Some(Quirks { output: OutputMode::Tool, ..sent });
        }
        let tool_words = ["tool", "function"];
        if request.output.is_some() && sent.output == OutputMode::Tool && names(&tool_words) {
            return Some(Quirks { output: OutputMode::Text, ..sent });
        }
        if !sent.no_tool_choice && request.choice != Choice::Auto && names(&["tool_choice", "tool choice"]) {
            return Some(Quirks { no_tool_choice: true, ..sent });
        }
        None
    }
}

fn response_format(output: &OutputSchema) -> Value {
    let strict = schema::strict(&output.schema);
    let spec = json!({
        "name": output.name,
        "strict": strict.is_some(),
        "schema": strict.as_ref().unwrap_or(&output.schema),
    });
    json!({"type": "json_schema", "json_schema": spec})
}

/// The instructions with the wanted schema in words, for servers that support nothing better.
pub(super) fn in_words(system: &str, schema: &Value) -> String {
    let words =
        format!("Answer with one JSON object that fits this JSON schema, and with nothing else: {schema}");
    if system.is_empty() { words } else { format!("{system}\n\n{words}") }
}

pub(super) fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
    })
}

/// The instructions and the messages, which Ollama takes in the same form apart from calls and their results.
pub(super) fn conversation(
    system: &str,
    messages: &[Message],
    message_with_calls: fn(&str, &[ToolCall]) -> Value,
    result: fn(&str, &str, &str) -> Value,
) -> Value {
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let instructions = (!system.is_empty()).then(|| said("system", system));
    let messages = messages.iter().map(|message| match message {
        Message::User { text } => said("user", text),
        Message::Assistant { text, calls } if calls.is_empty() => said("assistant", text),
        Message::Assistant { text, calls } => message_with_calls(text, calls),
        Message::Tool { call_id, name, text, .. } => result(call_id, name, text),
    });
    instructions.into_iter().chain(messages).collect()
}

fn message_with_calls(text: &str, calls: &[ToolCall]) -> Value {
    let sent_call = |call: &ToolCall| {
        let function = json!({"name": call.name, "arguments": call.args.to_string()});
        let mut sent = json!({"id": call.id, "type": "function", "function": function});
        if let Some(signature) = &call.signature {
            sent["extra_content"] = json!({"google": {"thought_signature": signature}});
        }
        sent
    };
    let calls: Vec<Value> = calls.iter().map(sent_call).collect();
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}

fn result(call_id: &str, _: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": call_id, "content": text})
}
