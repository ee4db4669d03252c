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

/// One form for all tools: which of them, and the arguments of each. The arguments must fit the tool that was chosen; of
/// an argument that several have, the form itself says only what holds for all of them.
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
            fields.entry(name).and_modify(|shared| keep_shared(shared, &schema)).or_insert(schema);
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

/// Keeps of a schema what the other says, too.
fn keep_shared(schema: &mut Value, other: &Value) {
    let Some(words) = schema.as_object_mut() else { return };
    words.retain(|word, value| other.get(word) == Some(&*value));
    if !words.contains_key("properties") {
        // It says which others there may be besides these.
        words.remove("additionalProperties");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::check_args;

    #[test]
    fn what_tools_want_of_the_same_argument_does_not_mix() {
        let tool = |name: &str, id: Value| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            schema: json!({ "type": "object", "properties": { "id": id }, "required": ["id"] }),
        };
        let open = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
        let tools = [
            tool("by_number", json!({"type": "integer", "minimum": 1})),
            tool("by_name", json!({"type": "string", "minLength": 2})),
            tool("by_code", json!({"type": "string", "maxLength": 2})),
            tool("by_parts", open),
        ];
        let check =
            |schema: &Value, tool: &str, id: Value| check_args(schema, &json!({"do": tool, "id": id}));
        let schema = form_schema(&tools);
        for (tool, fits, does_not) in [
            ("by_number", json!(3), json!(0)),
            ("by_name", json!("Anna"), json!("A")),
            ("by_code", json!("A"), json!("Anna")),
            ("by_parts", json!({"a": 1}), json!({"b": 1})),
        ] {
            assert_eq!(check(&schema, tool, fits), Ok(()), "{tool}");
            assert!(check(&schema, tool, does_not).is_err(), "{tool}");
        }
        let id = |tools: &[ToolSpec]| form_schema(tools)["properties"]["id"].clone();
        assert_eq!((id(&tools[1..3]), id(&tools)), (json!({"type": "string"}), json!({})));
    }
}
