//! The person in the model's place: a question whose form offers the tools by their schemas.

use crate::agent::llm::{Reply, ToolCall, ToolSpec};
use crate::engine::graph::{Allow, Decision, Interrupt, Kind, Labels};
use crate::inbox::{YOUR_TURN, proposal};
use crate::text::short_line;
use serde_json::{Map, Value, json};

/// The field of its form that names the tool.
const TOOL: &str = "do";

/// The argument of its question that holds what the last step found.
pub(super) const FOUND: &str = "found";

/// Asks the person for what a model would be asked: this wish. They may do what the labels name.
pub fn your_turn(title: &str, wish: &str, args: &Value, labels: Labels) -> Interrupt {
    let mut interrupt = proposal(YOUR_TURN, Kind::Question, YOUR_TURN, args, title);
    interrupt.gist = short_line(&format!("You are the model here: {}.", wish.trim_end_matches('.')), 160);
    interrupt.allow = Allow { accept: labels.accept.is_some(), edit: labels.edit.is_some(), ..Allow::ALL };
    interrupt.labels = labels;
    interrupt
}

/// Asks for a step with one of these tools, and shows what the last step found. Words are what a model says without a
/// call.
pub fn your_step(title: &str, tools: &[ToolSpec], end_label: &str, found: &str) -> Interrupt {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let labels = Labels {
        edit: names.first().map(|_| "take the step".to_owned()),
        ..Labels::new("", "answer in words", end_label)
    };
    let wish = if names.is_empty() { "answer in words".to_owned() } else { names.join(", ") };
    let mut args = json!({ TOOL: names });
    if !found.is_empty() {
        args[FOUND] = Value::from(found);
    }
    let mut interrupt = your_turn(title, &wish, &args, labels);
    interrupt.schema = form_schema(tools);
    interrupt.edit_from = Some(json!({ TOOL: names.first() }));
    interrupt
}

/// One form for all tools: which of them, and the arguments of each. The arguments must fit the tool that was chosen.
fn form_schema(tools: &[ToolSpec]) -> Value {
    let part = |tool: &ToolSpec, key: &str| tool.schema.get(key).cloned().unwrap_or_default();
    let (mut fields, mut definitions) = (Map::new(), Map::new());
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    fields.insert(TOOL.to_owned(), json!({ "enum": names }));
    let mut choices = Vec::new();
    for tool in tools {
        let properties = part(tool, "properties").as_object().cloned().unwrap_or_default();
        let mut own_fields = json!({ TOOL: { "const": tool.name } });
        for (name, schema) in properties {
            own_fields[&name] = schema.clone();
            fields.entry(name).or_insert(schema);
        }
        let mut required = part(tool, "required").as_array().cloned().unwrap_or_default();
        required.push(Value::from(TOOL));
        definitions.extend(part(tool, "$defs").as_object().cloned().unwrap_or_default());
        let then = json!({ "properties": own_fields, "required": required, "additionalProperties": false });
        choices.push(json!({ "if": { "properties": { TOOL: { "const": tool.name } } }, "then": then }));
    }
    json!({
        "type": "object", "properties": fields, "required": [TOOL], "allOf": choices, "$defs": definitions,
    })
}

/// The person's answer as a model would have given it; nothing if they end the work.
pub fn reply(decision: &Decision) -> Option<Reply> {
    match decision {
        Decision::Respond { text } => Some(Reply { text: text.clone(), ..Reply::default() }),
        Decision::Edit { args } => {
            let mut args = args.clone();
            let tool = args.as_object_mut()?.remove(TOOL)?;
            let (id, name) = ("me".to_owned(), tool.as_str()?.to_owned());
            let calls = vec![ToolCall { id, name, args, signature: None }];
            Some(Reply { calls, ..Reply::default() })
        }
        Decision::Accept | Decision::Ignore | Decision::Draft => None,
    }
}
