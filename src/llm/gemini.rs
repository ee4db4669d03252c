//! Google's Gemini through `streamGenerateContent`. It reads an OpenAPI subset of JSON schema, identifies calls by name
//! instead of by number, and wants each call's signature back with the call.

use serde_json::{Map, Value, json};

use super::wire::{Args, Fault, Framing, KeyHeader, OutputMode, PartialReply, Piece, Protocol, Quirks};
use super::{Choice, Message, ModelSettings, OnText, Request, Stop, schema};

pub(super) struct Gemini;

impl Protocol for Gemini {
    fn url(&self, base: &str, settings: &ModelSettings) -> String {
        let base = base.strip_suffix("/v1beta").unwrap_or(base);
        let name = settings.name.strip_prefix("models/").unwrap_or(&settings.name);
        format!("{base}/v1beta/models/{name}:streamGenerateContent?alt=sse")
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Named("x-goog-api-key")
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn body(&self, settings: &ModelSettings, request: &Request, quirks: Quirks) -> Value {
        let mut body = Map::new();
        let mut generation = Map::new();
        let limit = request.max_tokens.unwrap_or(settings.max_output_tokens);
        generation.insert("maxOutputTokens".into(), json!(limit));
        if let Some(temperature) = settings.temperature.filter(|_| !quirks.no_temperature) {
            generation.insert("temperature".into(), json!(temperature));
        }
        let declare = |name: &str, description: &str, shape: &Value| {
            let mut tool = json!({"name": name, "description": description});
            let shape = schema::subset(shape);
            // An object without properties is refused, so a tool without arguments gets no parameters.
            if shape.pointer("/properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty()) {
                tool["parameters"] = shape;
            }
            tool
        };
        let mut tools: Vec<Value> =
            request.tools.iter().map(|tool| declare(&tool.name, &tool.description, &tool.schema)).collect();
        let mut calling = match &request.choice {
            Choice::Auto => None,
            Choice::Required => Some(json!({"mode": "ANY"})),
            Choice::Tool(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
        };
        let mut system = request.system.clone();
        if let Some(output) = &request.output {
            match quirks.output {
                OutputMode::Schema => {
                    generation.insert("responseMimeType".into(), json!("application/json"));
                    generation.insert("responseSchema".into(), schema::subset(&output.schema));
                }
                OutputMode::Tool => {
                    tools.push(declare(&output.name, "Give the answer.", &output.schema));
                    calling = Some(json!({"mode": "ANY", "allowedFunctionNames": [output.name]}));
                }
                OutputMode::Text => system = super::openai::in_words(&system, &output.schema),
            }
        }
        if !tools.is_empty() {
            body.insert("tools".into(), json!([{"functionDeclarations": tools}]));
            if let Some(calling) = calling.filter(|_| !quirks.no_tool_choice) {
                body.insert("toolConfig".into(), json!({"functionCallingConfig": calling}));
            }
        }
        if !system.is_empty() {
            body.insert("systemInstruction".into(), json!({"parts": [{"text": system}]}));
        }
        body.insert("generationConfig".into(), Value::Object(generation));
        body.insert("contents".into(), contents(&request.messages));
        Value::Object(body)
    }

    fn read(&self, draft: &mut PartialReply, frame: &Value, on_text: OnText<'_>) -> Result<(), Fault> {
        // Without `alt=sse` (if a proxy drops it), the answer is one list of the same objects.
        if let Value::Array(frames) = frame {
            return frames.iter().try_for_each(|frame| self.read(draft, frame, on_text));
        }
        draft.set_model(frame.get("modelVersion").and_then(Value::as_str));
        if let Some(usage) = frame.get("usageMetadata") {
            let count = |key: &str| usage.get(key).and_then(Value::as_u64);
            draft.usage.input = count("promptTokenCount").unwrap_or(draft.usage.input);
            let output = count("candidatesTokenCount");
            let thought = count("thoughtsTokenCount");
            if output.is_some() || thought.is_some() {
                draft.usage.output = output.unwrap_or(0).saturating_add(thought.unwrap_or(0));
            }
            draft.usage.cached = count("cachedContentTokenCount").unwrap_or(draft.usage.cached);
        }
        if let Some(reason) = frame.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            return Err(Fault::Refused(format!("the prompt was blocked ({reason})")));
        }
        let Some(candidate) = frame.pointer("/candidates/0") else { return Ok(()) };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.map(Vec::as_slice).unwrap_or_default() {
            if part.get("thought").and_then(Value::as_bool) == Some(true) {
                continue;
            }
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                draft.say(text, on_text)?;
            }
            if let Some(call) = part.get("functionCall") {
                draft.call(Piece {
                    index: None,
                    id: call.get("id").and_then(Value::as_str),
                    // Every call arrives whole, so one without a name still counts as a call; it ends as a bad call.
                    name: Some(
                        call.get("name").and_then(Value::as_str).filter(|n| !n.is_empty()).unwrap_or(" "),
                    ),
                    args: Args::from(call.get("args")),
                    signature: part.get("thoughtSignature").and_then(Value::as_str),
                })?;
            }
        }
        match candidate.get("finishReason").and_then(Value::as_str) {
            None | Some("FINISH_REASON_UNSPECIFIED") => {}
            Some("STOP") => draft.end(Stop::End),
            Some("MAX_TOKENS") => draft.end(Stop::Length),
            Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => {
                return Err(Fault::Garbled("the model tried a call that cannot be read".into()));
            }
            Some(
                reason @ ("SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"),
            ) => {
                return Err(Fault::Refused(format!("the answer was blocked ({reason})")));
            }
            Some(_) => draft.end(Stop::End),
        }
        Ok(())
    }

    fn adapt(&self, sent: Quirks, request: &Request, complaint: &str) -> Option<Quirks> {
        let names = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        let schema_words = [
            "response_schema",
            "responseschema",
            "json mode",
            "response_mime_type",
            "responsemimetype",
            "schema",
        ];
        if request.output.is_some() && sent.output == OutputMode::Schema && names(&schema_words) {
            return Some(Quirks { output: OutputMode::Tool, ..sent });
        }
        if request.output.is_some() && sent.output == OutputMode::Tool && names(&["function", "tool"]) {
            return Some(Quirks { output: OutputMode::Text, ..sent });
        }
        None
    }
}

fn contents(messages: &[Message]) -> Value {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, parts) = match message {
            Message::User { text } => ("user", vec![json!({"text": text})]),
            Message::Assistant { text, calls } => {
                let words = (!text.is_empty()).then(|| json!({"text": text}));
                let calls = calls.iter().map(|call| {
                    let mut part = json!({"functionCall": {"name": call.name, "args": call.args}});
                    if let Some(signature) = &call.signature {
                        part["thoughtSignature"] = json!(signature);
                    }
                    part
                });
                ("model", words.into_iter().chain(calls).collect())
            }
            Message::Tool { name, text, failed, .. } => {
                let key = if *failed { "error" } else { "result" };
                ("user", vec![json!({"functionResponse": {"name": name, "response": {key: text}}})])
            }
        };
        if parts.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ => out.push((role, parts)),
        }
    }
    out.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}
