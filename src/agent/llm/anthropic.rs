//! Anthropic's messages. Data is requested through a forced tool, which all of their models know.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use super::wire::{Args, Fault, Framing, KeyHeader, OutputMode, PartialReply, Piece, Protocol, Quirks};
use super::{Choice, Message, ModelSettings, OnText, Request, Stop};

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn url(&self, base: &str, _: &ModelSettings) -> String {
        format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base))
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Named("x-api-key")
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn quirks(&self) -> Quirks {
        Quirks { output: OutputMode::Tool, ..Quirks::default() }
    }

    fn body(&self, settings: &ModelSettings, request: &Request, quirks: Quirks) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(settings.name));
        body.insert("stream".into(), json!(true));
        body.insert("max_tokens".into(), json!(request.max_tokens.unwrap_or(settings.max_output_tokens)));
        if let Some(temperature) = settings.temperature.filter(|_| !quirks.no_temperature) {
            body.insert("temperature".into(), json!(temperature));
        }
        let mut system = request.system.clone();
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}))
            .collect();
        let mut choice = match &request.choice {
            Choice::Auto => None,
            Choice::Required => Some(json!({"type": "any"})),
        };
        if let Some(output) = &request.output {
            match quirks.output {
                OutputMode::Schema | OutputMode::Tool => {
                    tools.push(json!({
                        "name": output.name, "description": "Give the answer.", "input_schema": output.schema,
                    }));
                    choice = Some(json!({"type": "tool", "name": output.name}));
                }
                OutputMode::Text => system = super::openai::in_words(&system, &output.schema),
            }
        }
        if tools.is_empty() {
            // A conversation with calls has to define their tools, even where none is offered any more.
            tools = called_tools(request);
            choice = Some(json!({"type": "none"}));
        }
        if !tools.is_empty() {
            body.insert("tools".into(), Value::Array(tools));
            if let Some(choice) = choice.filter(|_| !quirks.no_tool_choice) {
                body.insert("tool_choice".into(), choice);
            }
        }
        if !system.is_empty() {
            // The instructions are the same from mail to mail.
            body.insert("system".into(), json!([cached(&system)]));
        }
        body.insert("messages".into(), messages(request));
        Value::Object(body)
    }

    fn read(&self, draft: &mut PartialReply, frame: &Value, on_text: OnText<'_>) -> Result<(), Fault> {
        let index = frame.get("index").and_then(Value::as_u64);
        match frame.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = frame.get("message").unwrap_or(&Value::Null);
                draft.set_model(message.get("model").and_then(Value::as_str));
                usage(draft, message.get("usage"));
            }
            "content_block_start" => {
                if let Some(content) = frame.get("content_block") {
                    block(draft, index, content, on_text)?;
                }
            }
            "content_block_delta" => {
                let delta = frame.get("delta").unwrap_or(&Value::Null);
                match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
                    "text_delta" => {
                        draft.say(delta.get("text").and_then(Value::as_str).unwrap_or_default(), on_text)?;
                    }
                    "input_json_delta" => {
                        draft.call(Piece {
                            index,
                            args: Args::from(delta.get("partial_json")),
                            ..Piece::default()
                        })?;
                    }
                    // Thoughts and their signatures are not part of the answer.
                    _ => {}
                }
            }
            "message_delta" => {
                usage(draft, frame.get("usage"));
                stop(draft, frame.pointer("/delta/stop_reason"))?;
            }
            "message_stop" => {
                if !draft.ended() {
                    draft.end(Stop::End);
                }
                draft.close();
            }
            // A whole message from a server or proxy that does not stream.
            "message" => {
                draft.set_model(frame.get("model").and_then(Value::as_str));
                usage(draft, frame.get("usage"));
                let blocks = frame.get("content").and_then(Value::as_array);
                for (n, content) in (0..).zip(blocks.map(Vec::as_slice).unwrap_or_default()) {
                    block(draft, Some(n), content, on_text)?;
                }
                stop(draft, frame.get("stop_reason"))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn adapt(&self, sent: Quirks, request: &Request, complaint: &str) -> Option<Quirks> {
        if !sent.no_temperature && complaint.contains("temperature") {
            return Some(Quirks { no_temperature: true, ..sent });
        }
        // Models that think cannot be forced to call a tool, and some proxies know no tools.
        let about_tools = complaint.contains("tool");
        if request.output.is_some() && sent.output != OutputMode::Text && about_tools {
            return Some(Quirks { output: OutputMode::Text, ..sent });
        }
        if !sent.no_tool_choice && request.choice != Choice::Auto && complaint.contains("tool_choice") {
            return Some(Quirks { no_tool_choice: true, ..sent });
        }
        None
    }
}

fn block(
    draft: &mut PartialReply,
    index: Option<u64>,
    content: &Value,
    on_text: OnText<'_>,
) -> Result<(), Fault> {
    match content.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text" => draft.say(content.get("text").and_then(Value::as_str).unwrap_or_default(), on_text),
        "tool_use" => {
            // In a stream, the input begins as an empty object, and its text follows.
            let complete_input =
                content.get("input").filter(|input| input.as_object().is_some_and(|o| !o.is_empty()));
            draft.call(Piece {
                index,
                id: content.get("id").and_then(Value::as_str),
                name: content.get("name").and_then(Value::as_str),
                args: Args::from(
                    complete_input.or_else(|| content.get("input").filter(|input| input.is_string())),
                ),
                signature: None,
            })
        }
        _ => Ok(()),
    }
}

fn usage(draft: &mut PartialReply, usage: Option<&Value>) {
    let Some(usage) = usage else { return };
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    if let Some(fresh) = count("input_tokens") {
        // `input_tokens` leaves out cached tokens; our count includes everything that was read.
        let read = count("cache_read_input_tokens").unwrap_or(0);
        let written = count("cache_creation_input_tokens").unwrap_or(0);
        draft.usage.input = fresh.saturating_add(read).saturating_add(written);
        draft.usage.cached = read;
    }
    draft.usage.output = count("output_tokens").unwrap_or(draft.usage.output);
}

fn stop(draft: &mut PartialReply, reason: Option<&Value>) -> Result<(), Fault> {
    match reason.and_then(Value::as_str) {
        None => {}
        Some("max_tokens" | "model_context_window_exceeded") => draft.end(Stop::Length),
        Some("refusal") => return Err(Fault::Refused("the model declined".into())),
        Some(_) => draft.end(Stop::End),
    }
    Ok(())
}

/// The tools that were called so far, by name.
fn called_tools(request: &Request) -> Vec<Value> {
    let calls = request.messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        Message::User { .. } | Message::Tool { .. } => None,
    });
    let names: BTreeSet<&str> = calls.flatten().map(|call| call.name.as_str()).collect();
    names.into_iter().map(|name| json!({"name": name, "input_schema": {"type": "object"}})).collect()
}

/// Results of calls have the user's role here, and roles must alternate, so neighbours are joined.
fn messages(request: &Request) -> Value {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let (role, blocks) = match message {
            Message::User { text } if at == 0 => ("user", opening_blocks(text, request.repeated)),
            Message::User { text } => ("user", text_block(text)),
            Message::Assistant { text, calls } => {
                let mut blocks = text_block(text);
                blocks.extend(calls.iter().map(
                    |call| json!({"type": "tool_use", "id": plain_id(&call.id), "name": call.name, "input": call.args}),
                ));
                ("assistant", blocks)
            }
            Message::Tool { call_id, text, failed, .. } => {
                let content = if text.is_empty() { "(nothing)" } else { text };
                let block = json!({
                    "type": "tool_result", "tool_use_id": plain_id(call_id), "content": content, "is_error": failed,
                });
                ("user", vec![block])
            }
        };
        if blocks.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    out.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// The id of a call with the characters the server takes: another server, which is not strict, may have chosen it.
fn plain_id(id: &str) -> String {
    let plain = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c.to_string(),
        other => format!("_{:x}_", u32::from(other)),
    };
    id.chars().map(plain).collect()
}

/// A text that the provider keeps for the calls that begin with the same.
fn cached(text: &str) -> Value {
    json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
}

/// The first message, parted where later calls go on differently.
fn opening_blocks(text: &str, repeated: usize) -> Vec<Value> {
    let (same, rest) = text.split_at(text.floor_char_boundary(repeated));
    if same.trim().is_empty() {
        return text_block(text);
    }
    std::iter::once(cached(same)).chain(text_block(rest)).collect()
}

/// The server refuses empty text blocks.
fn text_block(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": text})] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_with_calls_defines_their_tools_to_the_end() {
        let args = json!({"text": "x"});
        let call = super::super::ToolCall { id: "c1".into(), name: "search".into(), args, signature: None };
        let asked = Message::Assistant { text: String::new(), calls: vec![call.clone()] };
        let request = Request::default().user("Why?");
        assert!(called_tools(&request).is_empty());
        let request = request.message(asked).message(Message::result(&call, "found"));
        assert_eq!(called_tools(&request), [json!({"name": "search", "input_schema": {"type": "object"}})]);
    }

    #[test]
    fn what_later_calls_repeat_is_marked_for_the_cache() {
        let opening = |text: &str, repeated: usize| {
            let request =
                Request::default().user(text).message(Message::assistant("Why?")).repeated(repeated);
            messages(&request)[0]["content"].clone()
        };
        let plain = |text: &str| json!({"type": "text", "text": text});
        assert_eq!(opening("The files. Now?", 10), json!([cached("The files."), plain(" Now?")]));
        assert_eq!(opening("The files.", 99), json!([cached("The files.")]));
        assert_eq!(opening("Once", 0), json!([plain("Once")]));
        // Never within a character.
        assert_eq!(opening("éa", 1), json!([plain("éa")]));
    }
}
