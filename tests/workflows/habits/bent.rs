//! The same reply with a habit, in each wire format.

use super::habit::Habit;
use super::script::next;
use crate::support::model_server::Play;
use crate::support::wire::{self, call_frames, closing};
use sayso::agent::llm::{Message, Provider, Reply, Request};
use serde_json::{Map, Value, json};

/// What a model says before it answers in another language.
pub const FOREIGN: &str = "Gern, hier ist die Antwort:";

/// An answer on its way to a wire. Data is a call where the wire asks for it by one.
#[derive(Clone, Default)]
struct Said {
    text: String,
    /// Names and the JSON text of the arguments.
    calls: Vec<(String, String)>,
    cut: bool,
}

/// The answer with the habit, or `None` where the habit has no place in such an answer.
pub fn bent(habit: Habit, provider: Provider, request: &Request, reply: &Reply, first: bool) -> Option<Play> {
    let straight = said(provider, request, reply);
    let kind = if request.output.is_some() {
        Kind::Data
    } else if reply.calls.is_empty() {
        Kind::Words
    } else {
        Kind::Calls
    };
    let mut bent = straight.clone();
    match (habit, kind) {
        (Habit::ProseAfterWork, Kind::Calls) => {
            let args = &reply.calls[0].args;
            match reply.calls[0].name.as_str() {
                "done" => bent = words("Everything is taken care of."),
                "finish" => bent = words(args["answer"].as_str()?),
                _ => return None,
            }
        }
        (Habit::ProseWithCall, Kind::Calls) => bent.text = "I will do that now.".to_owned(),
        (Habit::ProseWithCall, Kind::Data) => bent.text = format!("I have looked at it. {}", straight.text),
        (Habit::Fence, Kind::Data) => {
            bent = words(&format!("Sure!\n```json\n{}\n```\nAnything else?", reply.text));
        }
        (Habit::Fence, Kind::Words) => bent = words(&format!("```markdown\n{}\n```", reply.text)),
        (Habit::Thoughts, _) => {
            bent.text = format!("<think>Is it {{\"a\": 1}}?\nNo.</think>\n\n{}", straight.text);
        }
        (Habit::LooseJson, Kind::Data | Kind::Calls) if first => bent = bent.each_json(loosely),
        (Habit::WrappedAnswer, Kind::Data) if first => {
            bent = bent.each_json(|json| format!("{{\"answer\": {json}}}"));
        }
        (Habit::NullOptional, _) => {
            return shaped(provider, request, reply, &|value, schema| fill(value, schema, &Value::Null));
        }
        (Habit::EmptyOptional, _) => {
            return shaped(provider, request, reply, &|value, schema| fill(value, schema, &json!("")));
        }
        (Habit::MissingOptional, Kind::Data | Kind::Calls) => {}
        (Habit::NumbersAsText, _) => return shaped(provider, request, reply, &|value, _| texts(value)),
        (Habit::OtherCase, _) if first => return shaped(provider, request, reply, &upper),
        (Habit::OneForList, _) => {
            return shaped(provider, request, reply, &|value, _| {
                if let Value::Array(items) = value
                    && items.len() == 1
                    && !items[0].is_object()
                {
                    *value = items[0].clone();
                }
            });
        }
        (Habit::ListForOne, _) => {
            return shaped(provider, request, reply, &|value, _| {
                if value.is_string() || value.is_number() {
                    *value = json!([value]);
                }
            });
        }
        (Habit::ExtraKeys, _) if first => {
            return shaped(provider, request, reply, &|value, schema| {
                if let Value::Object(fields) = value
                    && schema.get("properties").is_some()
                {
                    fields.insert("explanation".into(), json!("because it fits"));
                }
            });
        }
        (Habit::ToolName, Kind::Calls | Kind::Data) if first && !bent.calls.is_empty() => {
            let upper = bent.calls[0].0.contains('_');
            for (name, _) in &mut bent.calls {
                *name = if upper { name.to_uppercase() } else { format!("functions.{name}") };
            }
        }
        (Habit::CallAsText, Kind::Calls) => {
            let call = &reply.calls[0];
            let json = json!({"name": call.name, "arguments": call.args});
            bent = words(&format!("<tool_call>\n{json}\n</tool_call>"));
        }
        (Habit::SeveralCalls, Kind::Calls) => {
            let next = said(provider, request, &next(request, reply)?);
            bent.calls.extend(next.calls);
        }
        (Habit::SameCall, Kind::Calls) if first => match last_call(request) {
            Some((name, args)) => bent = Said { calls: vec![(name, args)], ..Said::default() },
            None => bent.calls.extend(straight.calls.clone()),
        },
        (Habit::PackedArguments, Kind::Calls | Kind::Data) => {
            bent = bent.each_json(|json| json!(json).to_string())
        }
        (Habit::UnknownTool, _) if first => {
            bent = Said {
                calls: vec![("search_web".into(), json!({"query": "boxes"}).to_string())],
                ..Said::default()
            };
        }
        (Habit::Refusal, _) => return Some(refusal(provider)),
        (Habit::OtherLanguage, _) => {
            if kind == Kind::Words {
                bent.text = format!("{FOREIGN} {}", bent.text);
            } else {
                return shaped(provider, request, reply, &foreign);
            }
        }
        (Habit::EmptyAnswer, _) if first => bent = Said::default(),
        (Habit::CutAnswer, _) if first => {
            bent = bent.each_json(|json| json.chars().take(json.chars().count() / 2).collect());
            if kind == Kind::Words {
                bent.text = bent.text.chars().take(20).collect();
            }
            bent.cut = true;
        }
        (Habit::LongContext, _) if first => {
            return Some(wire::error(provider, 400, "the prompt is too long: it exceeds the context length"));
        }
        _ => return None,
    }
    Some(play(provider, &bent))
}

/// The answer as it is.
pub fn unbent(provider: Provider, request: &Request, reply: &Reply) -> Play {
    play(provider, &said(provider, request, reply))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Words,
    Data,
    Calls,
}

fn words(text: &str) -> Said {
    Said { text: text.to_owned(), ..Said::default() }
}

fn said(provider: Provider, request: &Request, reply: &Reply) -> Said {
    let calls = reply.calls.iter().map(|call| (call.name.clone(), call.args.to_string())).collect();
    match &request.output {
        Some(output) if provider == Provider::Anthropic => {
            Said { calls: vec![(output.name.clone(), reply.text.clone())], ..Said::default() }
        }
        _ => Said { text: reply.text.clone(), calls, cut: false },
    }
}

impl Said {
    /// The same with the JSON in it written otherwise.
    fn each_json(mut self, write: impl Fn(&str) -> String) -> Self {
        for (_, args) in &mut self.calls {
            *args = write(args);
        }
        if self.text.starts_with('{') {
            self.text = write(&self.text);
        }
        self
    }
}

fn play(provider: Provider, said: &Said) -> Play {
    let reason = match (said.cut, said.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    };
    let mut frames = wire::text_frames(provider, &[&said.text]);
    let end = closing(provider, reason);
    frames.truncate(frames.len() - closing(provider, "stop").len());
    for (n, (name, args)) in said.calls.iter().enumerate() {
        frames.extend(call_frames(provider, n, name, args));
    }
    frames.extend(end);
    wire::as_play(provider, &frames)
}

/// How each wire says that the model declines; on one of them there are only words for it.
fn refusal(provider: Provider) -> Play {
    let frames = match provider {
        Provider::Openai => vec![json!({"choices": [{"delta": {"refusal": "I cannot help with that."}}]})],
        Provider::Anthropic => vec![
            json!({"type": "message_start", "message": {"model": "tiny-1"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "refusal"}}),
            json!({"type": "message_stop"}),
        ],
        _ => wire::text_frames(provider, &["I am sorry, but I cannot help with that."]),
    };
    wire::as_play(provider, &frames)
}

type Change<'a> = &'a dyn Fn(&mut Value, &Value);

/// The answer with its data or arguments changed, value by value; `None` where nothing changes.
fn shaped(provider: Provider, request: &Request, reply: &Reply, change: Change<'_>) -> Option<Play> {
    let mut reply = reply.clone();
    let before = reply.clone();
    if let Some(output) = &request.output {
        let mut value: Value = serde_json::from_str(&reply.text).ok()?;
        walk(&mut value, &output.schema, &output.schema, change);
        reply.text = value.to_string();
    }
    for call in &mut reply.calls {
        let schema = &request.tools.iter().find(|tool| tool.name == call.name)?.schema;
        walk(&mut call.args, schema, schema, change);
    }
    (reply != before).then(|| unbent(provider, request, &reply))
}

/// Changes what is inside first, and never the whole.
fn walk(value: &mut Value, schema: &Value, root: &Value, change: Change<'_>) {
    let schema = resolved(schema, root);
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let schema = resolved(&schema["properties"][name.as_str()], root);
                walk(inner, schema, root, change);
                if !inner.is_object() {
                    change(inner, schema);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, &schema["items"], root, change)),
        _ => {}
    }
    if value.is_object() {
        change(value, schema);
    }
}

fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let target = schema["$ref"].as_str().and_then(|at| root.pointer(at.strip_prefix('#')?));
    target.unwrap_or(schema)
}

fn fill(value: &mut Value, schema: &Value, with: &Value) {
    let (Value::Object(fields), Some(properties)) = (value, schema["properties"].as_object()) else { return };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for name in properties.keys().filter(|name| !required.contains(&json!(name))) {
        fields.entry(name.clone()).or_insert_with(|| with.clone());
    }
}

fn texts(value: &mut Value) {
    if value.is_number() || value.is_boolean() {
        *value = json!(value.to_string());
    }
}

fn upper(value: &mut Value, schema: &Value) {
    let own = |schema: &Value| schema["enum"].as_array().is_some_and(|words| words.contains(value));
    let constants = ["oneOf", "anyOf"].iter().filter_map(|word| schema[*word].as_array()).flatten();
    if own(schema) || constants.into_iter().any(|one| one["const"] == *value) {
        *value = json!(value.as_str().unwrap_or_default().to_uppercase());
    }
    if let Value::Array(items) = value {
        items.iter_mut().for_each(|item| upper(item, &schema["items"]));
    }
}

/// Sentences in another language; names, ids and given words stay what they are.
fn foreign(value: &mut Value, schema: &Value) {
    let free = schema.get("enum").is_none() && schema.get("pattern").is_none();
    if let Value::String(text) = value
        && free
        && text.contains(' ')
    {
        *text = format!("{FOREIGN} {text}");
    }
}

/// The call that was made just before.
fn last_call(request: &Request) -> Option<(String, String)> {
    let mut messages = request.messages.iter().rev();
    let Some(Message::Tool { failed: false, .. }) = request.messages.last() else { return None };
    messages.find_map(|message| match message {
        Message::Assistant { calls, .. } => {
            calls.last().map(|call| (call.name.clone(), call.args.to_string()))
        }
        _ => None,
    })
}

/// With a comment, single quotes nowhere, a comma too many, and a line break where none belongs.
fn loosely(json: &str) -> String {
    let fields: Map<String, Value> = serde_json::from_str(json).unwrap();
    let mut out = String::from("{ // as asked\n");
    for (name, value) in fields {
        out += &format!("  {}: {value},\n", json!(name));
    }
    out + "}"
}
