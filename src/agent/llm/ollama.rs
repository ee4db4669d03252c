//! Ollama through its own `/api/chat`, one JSON object per line. We don't use its OpenAI-compatible API, which cannot
//! set the window size and silently shortens a prompt that does not fit.

use serde_json::{Map, Value, json};

use super::wire::{Args, Fault, Framing, KeyHeader, OutputMode, PartialReply, Piece, Protocol, Quirks};
use super::{ModelSettings, OnText, Request, Stop, ToolCall, openai};

/// The window for a short conversation, and the largest one requested if none is configured.
const SMALL_WINDOW: u32 = 4096;
const LARGE_WINDOW: u32 = 65_536;

pub(super) struct Ollama;

impl Protocol for Ollama {
    fn url(&self, base: &str, _: &ModelSettings) -> String {
        let base = base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base);
        format!("{base}/api/chat")
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Bearer
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn body(&self, settings: &ModelSettings, request: &Request, quirks: Quirks) -> Value {
        let limit = request.max_tokens.unwrap_or(settings.max_output_tokens);
        let mut options = Map::new();
        options.insert("num_predict".into(), json!(limit));
        if let Some(temperature) = settings.temperature {
            options.insert("temperature".into(), json!(temperature));
        }
        let mut system = request.system.clone();
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("stream".into(), json!(true));
        if let Some(output) = &request.output {
            match quirks.output {
                OutputMode::Schema => {
                    body.insert("format".into(), output.schema.clone());
                }
                OutputMode::Tool | OutputMode::Text => system = openai::in_words(&system, &output.schema),
            }
        }
        // A call cannot be required.
        let tools: Vec<Value> = request.tools.iter().map(openai::tool).collect();
        if !tools.is_empty() {
            body.insert("tools".into(), Value::Array(tools));
        }
        let messages = openai::conversation(&system, &request.messages, message_with_calls, result);
        body.insert("messages".into(), messages);
        let size = Value::Object(body.clone()).to_string().len();
        let window = settings.context_window.unwrap_or_else(|| window(size, limit));
        options.insert("num_ctx".into(), json!(window));
        body.insert("options".into(), Value::Object(options));
        Value::Object(body)
    }

    fn read(&self, draft: &mut PartialReply, frame: &Value, on_text: OnText<'_>) -> Result<(), Fault> {
        draft.set_model(frame.get("model").and_then(Value::as_str));
        let message = frame.get("message").unwrap_or(&Value::Null);
        if let Some(text) = message.get("content").and_then(Value::as_str) {
            draft.say(text, on_text)?;
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for call in calls.map(Vec::as_slice).unwrap_or_default() {
            let function = call.get("function").unwrap_or(call);
            // Each call arrives whole; its index, if there is one, counts only within the frame.
            draft.call(Piece {
                index: None,
                id: call.get("id").and_then(Value::as_str),
                name: Some(
                    function.get("name").and_then(Value::as_str).filter(|n| !n.is_empty()).unwrap_or(" "),
                ),
                args: Args::from(function.get("arguments")),
                signature: None,
            })?;
        }
        if frame.get("done").and_then(Value::as_bool) == Some(true) {
            let count = |key: &str| frame.get(key).and_then(Value::as_u64).unwrap_or(0);
            draft.usage.input = count("prompt_eval_count");
            draft.usage.output = count("eval_count");
            match frame.get("done_reason").and_then(Value::as_str) {
                Some("length") => draft.end(Stop::Length),
                _ => draft.end(Stop::End),
            }
            draft.close();
        }
        Ok(())
    }

    fn adapt(&self, sent: Quirks, request: &Request, complaint: &str) -> Option<Quirks> {
        let about_schema = ["format", "schema", "grammar"].iter().any(|word| complaint.contains(word));
        (request.output.is_some() && sent.output == OutputMode::Schema && about_schema)
            .then_some(Quirks { output: OutputMode::Text, ..sent })
    }
}

/// A window that fits the conversation and its answer, in powers of two: a new size reloads the model.
fn window(bytes: usize, answer: u32) -> u32 {
    let tokens = u32::try_from(bytes / 3).unwrap_or(u32::MAX).saturating_add(answer);
    tokens.clamp(SMALL_WINDOW, LARGE_WINDOW).next_power_of_two()
}

fn message_with_calls(text: &str, calls: &[ToolCall]) -> Value {
    let sent_call = |call: &ToolCall| json!({"function": {"name": call.name, "arguments": call.args}});
    let calls: Vec<Value> = calls.iter().map(sent_call).collect();
    json!({"role": "assistant", "content": text, "tool_calls": calls})
}

fn result(_: &str, name: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_name": name, "content": text})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow_in_steps_and_end() {
        assert_eq!(window(300, 100), 4096);
        assert_eq!(window(30_000, 4096), 16_384);
        assert_eq!(window(usize::MAX, u32::MAX), LARGE_WINDOW);
    }
}
