//! Reads a value that its schema refuses in the one plain way that may fit: null or an empty text means "left out",
//! JSON in quotes means what is in the quotes, a number or a boolean is a text where a text is wanted, and one value is
//! a list of one, or the reverse.
//!
//! What fits is left alone, but for an optional text that is empty. What does not fit after this either is for the
//! model to correct.

use std::collections::BTreeMap;

use crate::text::schema::{JsonType, Schema};
use serde_json::{Number, Value, json};

pub(super) fn coerce(schema: &Value, checked: &Schema, value: &mut Value) {
    read_whole_numbers(value);
    leave_out_empty(schema, schema, value);
    let mut misfits = BTreeMap::new();
    for misfit in checked.misfits(value) {
        misfits.entry(misfit.at).or_insert(misfit.types);
    }
    for (at, wanted) in misfits {
        if value.pointer(&at).is_some_and(|misfit| misfit.is_null() || is_empty_text(misfit)) {
            leave_out(value, &at);
        } else if let Some(misfit) = value.pointer_mut(&at)
            && let Some(read) = read_as(misfit, &wanted)
        {
            *misfit = read;
        }
    }
}

fn is_empty_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Drops empty texts whose property may be left out.
fn leave_out_empty(schema: &Value, root: &Value, value: &mut Value) {
    let target = schema["$ref"].as_str().and_then(|at| root.pointer(at.strip_prefix('#')?));
    let schema = target.unwrap_or(schema);
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array();
            let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
            let is_known = |name: &str| schema["properties"].get(name).is_some();
            fields.retain(|name, inner| !is_empty_text(inner) || is_required(name) || !is_known(name));
            for (name, inner) in fields {
                leave_out_empty(&schema["properties"][name.as_str()], root, inner);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| leave_out_empty(&schema["items"], root, item))
        }
        _ => {}
    }
}

fn read_as(value: &Value, wanted: &[JsonType]) -> Option<Value> {
    let wants = |json_type| wanted.contains(&json_type);
    match value {
        Value::String(text) => {
            let inner = serde_json::from_str::<Value>(text).ok().filter(|inner| match inner {
                Value::String(_) => false,
                Value::Number(_) => wants(JsonType::Number) || wants(JsonType::Integer),
                Value::Bool(_) => wants(JsonType::Boolean),
                Value::Null => wants(JsonType::Null),
                Value::Array(_) => wants(JsonType::Array),
                Value::Object(_) => wants(JsonType::Object),
            });
            inner.or_else(|| wants(JsonType::Array).then(|| json!([text])))
        }
        Value::Number(_) | Value::Bool(_) if wants(JsonType::String) => {
            Some(Value::String(value.to_string()))
        }
        Value::Number(_) | Value::Bool(_) | Value::Object(_) if wants(JsonType::Array) => {
            Some(json!([value]))
        }
        // In a union, a null may stand for "left out" one level down.
        Value::Object(fields) if wants(JsonType::Object) => {
            let named = fields.iter().filter(|(_, inner)| !inner.is_null());
            Some(named.map(|(name, inner)| (name.clone(), inner.clone())).collect())
        }
        Value::Array(items) if items.len() == 1 && !wanted.is_empty() => Some(items[0].clone()),
        _ => None,
    }
}

/// Removes the property at this place.
fn leave_out(value: &mut Value, at: &str) {
    if let Some((parent, name)) = at.rsplit_once('/')
        && let Some(Value::Object(fields)) = value.pointer_mut(parent)
    {
        fields.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
}

/// 3.0 is a whole number to a schema, but not to everyone who reads it afterwards.
fn read_whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole =
                number.as_f64().filter(|real| real.fract() == 0.0 && real.abs() < 9_007_199_254_740_992.0);
            if let Some(whole) = whole {
                *number = Number::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(read_whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(read_whole_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coerced(schema: &Value, mut value: Value) -> Value {
        coerce(schema, &Schema::new(schema).unwrap(), &mut value);
        value
    }

    #[test]
    fn blanks_that_do_not_fit_are_left_out() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a/b": {"type": "object", "properties": {"c": {"type": "string"}}}, "d": {"type": ["string", "null"]},
                "next": {"$ref": "#"}, "limit": {"type": "integer"},
            },
            "additionalProperties": {"type": "object", "properties": {"e": {"type": "string"}}},
        });
        let value =
            json!({"a/b": {"c": null}, "d": null, "free": {"e": null}, "next": {"limit": " ", "next": null}});
        assert_eq!(coerced(&schema, value), json!({"a/b": {}, "d": null, "free": {}, "next": {}}));
        let maps =
            json!({"properties": {"a": {}, "b": {}, "c": {"items": {"$ref": "#"}}}, "required": ["b"]});
        let value = json!({"a": "", "b": "", "c": [{"a": " ", "free": ""}]});
        assert_eq!(coerced(&maps, value), json!({"b": "", "c": [{"free": ""}]}));
        assert_eq!(coerced(&schema, json!([null])), json!(null));
        assert_eq!(coerced(&json!({"items": {"type": "string"}}), json!([null])), json!([null]));
    }

    #[test]
    fn in_a_union_nulls_are_left_out_if_no_choice_takes_them() {
        let schema = json!({"anyOf": [
            {"properties": {"is": {"const": "leaf"}, "name": {"type": ["string", "null"]}}, "required": ["is", "name"]},
            {"properties": {"is": {"const": "pair"}, "name": {"type": "string"}}, "required": ["is"]},
        ]});
        let leaf = json!({"is": "leaf", "name": null});
        assert_eq!(coerced(&schema, leaf.clone()), leaf);
        assert_eq!(coerced(&schema, json!({"is": "pair", "name": null})), json!({"is": "pair"}));
    }

    #[test]
    fn values_take_the_type_that_is_wanted() {
        let text = json!({"type": "string"});
        let list = json!({"type": "array", "items": {"type": "integer"}});
        for (schema, original, expected) in [
            (json!({"type": "integer"}), json!("45"), json!(45)),
            (json!({"type": "integer"}), json!(45.0), json!(45)),
            (json!({"type": "number"}), json!(" 0.5 "), json!(0.5)),
            (json!({"type": "boolean"}), json!("true"), json!(true)),
            (json!({"enum": [1, 2, null]}), json!("2"), json!(2)),
            (text.clone(), json!(7), json!("7")),
            (text.clone(), json!(["a"]), json!("a")),
            (list.clone(), json!(3), json!([3])),
            (list.clone(), json!("[1, 2]"), json!([1, 2])),
            (json!({"type": "array", "items": text}), json!("45"), json!(["45"])),
            (json!({"type": "object"}), json!("{\"a\": 1}"), json!({"a": 1})),
            (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!("3"), json!(3)),
        ] {
            assert_eq!(coerced(&schema, original.clone()), expected, "{schema} {original}");
        }
    }

    #[test]
    fn what_fits_or_fits_no_way_stays() {
        for (schema, value) in [
            (json!({"type": ["string", "integer"]}), json!("45")),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("45")),
            (json!({"type": "integer"}), json!("ten")),
            (json!({"type": "integer"}), json!(1.5)),
            (json!({"enum": ["a", "b"]}), json!("A")),
            (json!({"type": "string", "pattern": "^x"}), json!("45")),
            (json!({"type": "string"}), json!(["a", "b"])),
            (json!({"type": "string"}), json!({"a": 1})),
            (json!({"properties": {"a": {}}, "additionalProperties": false}), json!({"b": 1})),
        ] {
            assert_eq!(coerced(&schema, value.clone()), value, "{schema}");
        }
    }
}
