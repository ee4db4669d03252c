//! Reads a server's interrupt, which comes in one of four shapes.
//!
//! Pure. An interrupt becomes one or more actions, each a separate item; `answer.rs` makes the answer in the same
//! shape. Anything that does not fit the first three shapes has the fourth: any JSON, answered with JSON.

use crate::engine::graph::{Allow, Kind, Labels};
use crate::inbox::schema_like;
use crate::text::Visible;
use crate::text::exact::{field, members};
use crate::text::schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The longest interrupt that is shown and decided here, with its schema, in bytes.
const LONGEST: usize = 512 << 10;
/// How many actions an interrupt may ask for at once.
pub(super) const MAX_ACTIONS: usize = 50;

/// An interrupt as the server has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub id: String,
    /// Its value, as JSON text.
    pub value: String,
    /// The JSON schema of the answer, as text.
    #[serde(default)]
    pub schema: Option<String>,
}

/// The shape that the answer must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Agent Inbox: `{action_request, config, description}`, or a list of them. The answer is always a list, because
    /// Agent Inbox itself always sends one.
    Inbox,
    /// LangChain middleware: `{action_requests, review_configs}`.
    Batched,
    /// LangChain middleware, one interrupt per call: `{type: "tool_approval", …}`.
    PerCall,
    /// Any other JSON.
    Free,
}

/// One requested action.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Action {
    /// The tool's name.
    pub name: String,
    /// The arguments, as JSON text.
    pub args: String,
    /// The agent's description.
    pub description: String,
    pub kind: Kind,
    pub allow: Allow,
    /// Whether a written response replaces the tool's result; otherwise it is the reason for a refusal.
    pub responds: bool,
    pub labels: Labels,
    /// The schema of edited arguments.
    pub schema: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RemoteQuestion {
    pub shape: Shape,
    pub actions: Vec<Action>,
}

/// Reads an interrupt. `Err` is a sentence that says why it cannot be decided here.
pub(super) fn read(pending: &Pending) -> Result<RemoteQuestion, String> {
    if pending.value.len() + pending.schema.as_ref().map_or(0, String::len) > LONGEST {
        return Err(format!("what it asks is over {} KB long", LONGEST >> 10));
    }
    let Ok(value) = serde_json::from_str::<Value>(&pending.value) else {
        return Err("what it asks is nested too deeply, or is no JSON".to_owned());
    };
    let schema = pending.schema.as_ref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let schema = schema.filter(Value::is_object);
    let question = read_inbox(&pending.value, &value)
        .or_else(|| read_batched(&pending.value, &value))
        .or_else(|| read_per_call(&pending.value, &value, schema.as_ref()))
        .unwrap_or_else(|| read_free(&value, schema));
    match question.actions.len() {
        0 => Err("it asks for nothing".to_owned()),
        many if many > MAX_ACTIONS => Err(format!("it asks for {many} actions at once, over {MAX_ACTIONS}")),
        _ => Ok(question),
    }
}

fn read_inbox(text: &str, value: &Value) -> Option<RemoteQuestion> {
    let one = |text: &str, value: &Value| {
        let request = value.get("action_request")?;
        let args = field(&field(text, "action_request")?, "args");
        let config = value.get("config");
        let may = |key: &str| match config {
            Some(config) => config.get(key).and_then(Value::as_bool).unwrap_or(false),
            None => true,
        };
        let allow = Allow {
            accept: may("allow_accept"),
            edit: may("allow_edit"),
            respond: may("allow_respond"),
            ignore: may("allow_ignore"),
            draft: false,
        };
        Some(Action {
            name: request.get("action")?.as_str()?.to_owned(),
            args: args.unwrap_or_else(|| "null".to_owned()),
            description: text_of(value.get("description")),
            // If it takes neither the proposed nor edited arguments, it only waits for text.
            kind: if allow.accept || allow.edit { Kind::Approval } else { Kind::Question },
            allow,
            responds: true,
            labels: Labels::default(),
            schema: schema_of(request.get("args")),
        })
    };
    let actions = match value {
        Value::Array(values) => {
            let texts = members(text)?;
            texts.iter().zip(values).map(|(text, value)| one(text, value)).collect::<Option<Vec<_>>>()?
        }
        _ => vec![one(text, value)?],
    };
    (!actions.is_empty()).then_some(RemoteQuestion { shape: Shape::Inbox, actions })
}

fn read_batched(text: &str, value: &Value) -> Option<RemoteQuestion> {
    let requests = value.get("action_requests")?.as_array()?;
    let configs = value.get("review_configs")?.as_array()?;
    let texts = members(&field(text, "action_requests")?)?;
    let one = |(text, request): (&String, &Value)| {
        let name = request.get("name")?.as_str()?.to_owned();
        let config =
            configs.iter().find(|config| config.get("action_name").and_then(Value::as_str) == Some(&name));
        let allowed = config.and_then(|config| config.get("allowed_decisions")).and_then(Value::as_array);
        let allowed: Vec<&str> = match allowed {
            Some(allowed) => allowed.iter().filter_map(Value::as_str).collect(),
            // If it says nothing about this, allow only what is always safe: unchanged, or not at all.
            None => vec!["approve", "reject"],
        };
        Some(middleware(name, text, request, &allowed))
    };
    let actions = texts.iter().zip(requests).map(one).collect::<Option<Vec<_>>>()?;
    Some(RemoteQuestion { shape: Shape::Batched, actions })
}

fn read_per_call(text: &str, value: &Value, schema: Option<&Value>) -> Option<RemoteQuestion> {
    if value.get("type").and_then(Value::as_str) != Some("tool_approval") {
        return None;
    }
    let branches = schema.map(branches).unwrap_or_default();
    let types: Vec<&str> =
        branches.iter().filter_map(|branch| branch.pointer("/properties/type/const")?.as_str()).collect();
    let allowed = if types.is_empty() { vec!["approve", "edit", "reject", "respond"] } else { types };
    let action = middleware(value.get("name")?.as_str()?.to_owned(), text, value, &allowed);
    Some(RemoteQuestion { shape: Shape::PerCall, actions: vec![action] })
}

/// One call of the middleware: its tool, its text and value, and the decisions it takes.
fn middleware(name: String, text: &str, value: &Value, allowed: &[&str]) -> Action {
    let may = |word| allowed.contains(&word);
    let (reject, responds) = (may("reject"), may("respond"));
    let respond = if responds { "answer in its place" } else { "reject, saying why" };
    Action {
        name,
        args: field(text, "args").unwrap_or_else(|| "null".to_owned()),
        description: text_of(value.get("description")),
        kind: if may("approve") || may("edit") { Kind::Approval } else { Kind::Question },
        allow: Allow {
            accept: may("approve"),
            edit: may("edit"),
            respond: responds || reject,
            ignore: reject,
            draft: false,
        },
        responds,
        labels: Labels {
            done: Some("approved".to_owned()),
            refused: Some("rejected".to_owned()),
            words_refuse: reject && !responds,
            ..Labels::new("approve", respond, "reject")
        },
        schema: schema_of(value.get("args")),
    }
}

/// Any JSON: the answer is text, or a value under `answer`.
fn read_free(value: &Value, schema: Option<Value>) -> RemoteQuestion {
    let takes_words = schema.as_ref().is_none_or(|schema| {
        // It must accept any text, not only a few fixed words.
        Schema::new(schema)
            .is_ok_and(|schema| ["any words", "ü"].iter().all(|words| schema.fits(&json!(words))))
    });
    let preset = schema.as_ref().and_then(|schema| schema.get("default")).cloned().unwrap_or(Value::Null);
    let mut answer = Map::new();
    answer.insert("answer".to_owned(), schema.unwrap_or(Value::Bool(true)));
    let action = Action {
        name: "question".to_owned(),
        args: json!({ "answer": preset }).to_string(),
        description: question_text(value),
        kind: Kind::Question,
        allow: Allow { accept: false, edit: true, respond: takes_words, ignore: true, draft: false },
        responds: true,
        labels: Labels {
            edit: Some("answer".to_owned()),
            ..Labels::new("", "answer in words", "end the thread")
        },
        schema: json!({"type": "object", "properties": answer, "required": ["answer"], "additionalProperties": false}),
    };
    RemoteQuestion { shape: Shape::Free, actions: vec![action] }
}

/// The text of a free question: the value itself, or one of its usual fields, or nothing besides its JSON.
fn question_text(value: &Value) -> String {
    if let Value::String(text) = value {
        return text.clone();
    }
    let named = ["question", "query", "message", "prompt", "description", "text", "title"];
    let text = named.iter().find_map(|name| value.get(name)?.as_str());
    text.unwrap_or_default().to_owned()
}

fn text_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A schema for arguments with the same names and types.
fn schema_of(args: Option<&Value>) -> Value {
    let Some(Value::Object(fields)) = args else { return schema_like(args.unwrap_or(&Value::Null)) };
    let properties: Map<String, Value> =
        fields.iter().map(|(key, value)| (Visible::line(key).into_string(), schema_like(value))).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// Follows `$ref`s, at most 8, so that a cycle ends.
fn follow_refs<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut current = schema;
    for _ in 0..8 {
        let Some(path) = current.get("$ref").and_then(Value::as_str) else { break };
        let Some(target) = path.strip_prefix('#').and_then(|path| root.pointer(path)) else { break };
        current = target;
    }
    current
}

/// The decisions that a response schema allows.
fn branches(root: &Value) -> Vec<&Value> {
    let top = follow_refs(root, root);
    let several = top.get("oneOf").or_else(|| top.get("anyOf")).and_then(Value::as_array);
    match several {
        Some(several) => several.iter().map(|branch| follow_refs(root, branch)).collect(),
        None => vec![top],
    }
}
