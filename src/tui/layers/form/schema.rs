//! What a schema says about the fields of a form: which there are, in which order, and which of them have a place beside
//! what is chosen in another.

use super::Purpose;
use super::field::{Field, FieldKind, MAIL_ORDER, resolve};
use crate::text::Visible;
use jiff::Zoned;
use serde_json::{Map, Value};

/// The fields for an object of this schema, filled in with `args`.
pub fn fields(purpose: Purpose, schema: &Value, args: &Value, now: &Zoned) -> Vec<Field> {
    let mut rest = args.as_object().cloned().unwrap_or_default();
    let mut fields = Vec::new();
    for (name, property, required) in properties(schema) {
        let value = rest.remove(&name);
        fields.push(Field::new(schema, &name, &property, value.as_ref(), required, now));
    }
    // Arguments the schema does not name can be edited as well: what is executed is what was seen.
    for (name, value) in rest {
        fields.push(Field::new(&Value::Null, &name, &Value::Null, Some(&value), false, now));
    }
    // Fields that cannot be changed come last.
    fields.sort_by_key(|field| field.kind == FieldKind::Fixed);
    if purpose == Purpose::Start {
        fields.iter_mut().for_each(|field| field.rejects_empty = !field.optional);
    }
    leave_out(schema, &mut fields);
    fields
}

/// The arguments an object schema names, with their schemas and whether they are required: first those that say which
/// others there are, then those of a mail in their usual order, otherwise required ones.
fn properties(root: &Value) -> Vec<(String, Value, bool)> {
    let (schema, _) = resolve(root, root);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let empty = Map::new();
    let schemas = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut fields: Vec<(String, Value, bool)> = schemas
        .iter()
        .map(|(name, schema)| (name.clone(), schema.clone(), required.contains(&name.as_str())))
        .collect();
    let is_mail = schemas.contains_key("to") && schemas.contains_key("subject");
    let conditions = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let conditions = conditions.filter_map(|one| one.pointer("/if/properties")?.as_object());
    let decisive: Vec<&String> = conditions.flat_map(Map::keys).collect();
    let mail_position =
        |name: &str| MAIL_ORDER.iter().position(|other| *other == name).unwrap_or(MAIL_ORDER.len());
    fields.sort_by_key(|(name, ..)| {
        let position = if is_mail { mail_position(name) } else { 0 };
        let required_position = required.iter().position(|other| other == name).unwrap_or(usize::MAX);
        (!decisive.contains(&name), position, required_position)
    });
    fields
}

/// Leaves out the fields for which the schema has no place beside what is chosen in others, and says of the rest what
/// they are for then.
pub fn leave_out(schema: &Value, fields: &mut [Field]) {
    let conditions = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let is_chosen = |name: &str, wanted: &Value| {
        let field = fields.iter().find(|field| field.name == name);
        field.is_some_and(|field| {
            wanted.get("const").and_then(Value::as_str) == Some(field.editor.text().trim())
        })
    };
    let chosen = conditions.filter(|one| {
        let wanted = one.pointer("/if/properties").and_then(Value::as_object);
        wanted.is_some_and(|wanted| wanted.iter().all(|(name, wanted)| is_chosen(name, wanted)))
    });
    for then in chosen.filter_map(|one| one.get("then")).collect::<Vec<_>>() {
        let is_closed = then.get("additionalProperties") == Some(&Value::Bool(false));
        for field in &mut *fields {
            let own = then.get("properties").and_then(|properties| properties.get(&field.name));
            field.is_left_out = is_closed && own.is_none();
            let about = own.and_then(|own| own.get("description")).and_then(Value::as_str);
            field.help =
                about.map_or(std::mem::take(&mut field.help), |about| Visible::line(about).into_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_fields_of_a_mail_stand_as_people_expect() {
        let schema = json!({
            "required": ["to", "subject", "content"],
            "properties": {
                "attachments": {}, "bcc": {}, "cc": {}, "content": {}, "priority": {}, "remind_after": {},
                "subject": {}, "to": {},
            },
        });
        let names: Vec<String> = properties(&schema).into_iter().map(|(name, ..)| name).collect();
        let expected = ["to", "cc", "bcc", "subject", "content", "attachments", "remind_after", "priority"];
        assert_eq!(names, expected);
        let schema = json!({
            "required": ["tool"],
            "properties": {"to": {}, "subject": {}, "tool": {}},
            "allOf": [{"if": {"properties": {"tool": {"const": "mail"}}}, "then": {"required": ["to"]}}],
        });
        let names: Vec<String> = properties(&schema).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["tool", "to", "subject"], "what the others depend on is asked first");
    }

    #[test]
    fn fields_of_another_choice_are_left_out() {
        let branch = |tool: &str, field: &str| {
            let own = json!({"tool": {"const": tool, "description": format!("To {tool}.")}, field: {}});
            let then = json!({"properties": own, "additionalProperties": false});
            json!({"if": {"properties": {"tool": {"const": tool}}}, "then": then})
        };
        let schema = json!({
            "properties": {"tool": {"enum": ["read", "find"]}, "path": {}, "words": {}},
            "allOf": [branch("read", "path"), branch("find", "words")],
        });
        let field = |(name, about, required): &(String, Value, bool)| {
            Field::new(&schema, name, about, None, *required, &Zoned::default())
        };
        let mut fields: Vec<Field> = properties(&schema).iter().map(field).collect();
        for (chosen, left_out) in [("read", "words"), ("find", "path")] {
            fields[0].editor.set(chosen);
            leave_out(&schema, &mut fields);
            let names: Vec<&str> =
                fields.iter().filter(|field| field.is_left_out).map(|field| field.name.as_str()).collect();
            assert_eq!(names, [left_out]);
            assert_eq!(fields[0].help, format!("To {chosen}."));
        }
    }
}
