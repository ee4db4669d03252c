//! Parses `key=value` by a JSON schema: strings verbatim, everything else as JSON; one bare word for a list of strings
//! is a list of one. Pure.

use super::failure::Failure;
use crate::text::{self, Visible, suggest};
use serde_json::{Map, Value};

/// How deep `$ref` and alternatives are followed, so that a schema that refers to itself ends.
const DEEPEST: usize = 8;

/// The pairs as an object. A key that the schema does not know is refused, with the nearest one as a hint, unless it is
/// in `also`.
pub(super) fn read(pairs: &[String], schema: &Value, also: &Value) -> Result<Map<String, Value>, Failure> {
    let mut read = Map::new();
    for pair in pairs {
        let Some((key, typed)) = pair.split_once('=') else {
            return Err(Failure::usage(format!(
                "`{}` is not key=value; write the key, an equals sign and the value, as in `{}=…`",
                Visible::line(pair),
                known_keys(schema, also).first().map_or("key", String::as_str)
            )));
        };
        let Some(property) = property(schema, also, key) else {
            return Err(unknown(key, &known_keys(schema, also)));
        };
        let value = value(key, typed, schema, property)?;
        if read.insert(key.to_owned(), value).is_some() {
            return Err(Failure::usage(format!("`{key}` is given twice; give it once")));
        }
    }
    Ok(read)
}

/// Refuses an object that lacks a key the schema requires.
pub(super) fn check_required(read: &Map<String, Value>, schema: &Value) -> Result<(), Failure> {
    let mut required = array(resolve(schema, schema), "required").filter_map(Value::as_str);
    match required.find(|key| !read.contains_key(*key)) {
        Some(key) => Err(Failure::usage(format!("`{key}` is missing; write `{key}=…`"))),
        None => Ok(()),
    }
}

fn value(key: &str, typed: &str, root: &Value, property: &Value) -> Result<Value, Failure> {
    let verbatim = || Value::String(text::sanitize_typed(typed));
    match property_kind(root, property, 0) {
        PropertyKind::Text => Ok(verbatim()),
        PropertyKind::Texts => Ok(match serde_json::from_str(typed) {
            Ok(list @ Value::Array(_)) => text::sanitize_typed_json(list),
            _ => Value::Array(vec![verbatim()]),
        }),
        PropertyKind::Anything => {
            Ok(serde_json::from_str(typed).map_or_else(|_| verbatim(), text::sanitize_typed_json))
        }
        PropertyKind::Json(expected) => {
            serde_json::from_str(typed).map(text::sanitize_typed_json).map_err(|_| {
                let typed: String = typed.chars().take(60).collect();
                Failure::usage(format!(
                    "`{key}`: `{}` is not {expected}; write it as JSON",
                    Visible::line(&typed)
                ))
            })
        }
    }
}

/// What a property takes.
enum PropertyKind {
    Text,
    Texts,
    Json(String),
    Anything,
}

fn property_kind(root: &Value, schema: &Value, depth: usize) -> PropertyKind {
    let schema = resolve(root, schema);
    if depth > DEEPEST {
        return PropertyKind::Anything;
    }
    let constants = schema.get("const").into_iter().chain(array(schema, "enum"));
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => constants.filter(|value| !value.is_null()).map(type_of).collect(),
    };
    if types.contains(&"string") {
        return PropertyKind::Text;
    }
    if types.contains(&"array") {
        let items = schema.get("items").map(|items| property_kind(root, items, depth + 1));
        return if matches!(items, Some(PropertyKind::Text)) {
            PropertyKind::Texts
        } else {
            PropertyKind::Json("a list".to_owned())
        };
    }
    let named: Vec<&str> = types.iter().copied().filter(|word| *word != "null").collect();
    if let Some(first) = named.first() {
        let article = if first.starts_with(['i', 'o']) { "an" } else { "a" };
        return PropertyKind::Json(format!("{article} {}", named.join(" or ")));
    }
    let mut others = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|word| array(schema, word));
    let first = others.find_map(|other| match property_kind(root, other, depth + 1) {
        PropertyKind::Anything => None,
        kind => Some(kind),
    });
    first.unwrap_or(PropertyKind::Anything)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn array<'v>(schema: &'v Value, word: &str) -> impl Iterator<Item = &'v Value> {
    schema.get(word).and_then(Value::as_array).into_iter().flatten()
}

/// The schema a `$ref` inside the same document points to.
fn resolve<'v>(root: &'v Value, mut schema: &'v Value) -> &'v Value {
    for _ in 0..DEEPEST {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
        match target.and_then(|pointer| root.pointer(pointer)) {
            Some(resolved) => schema = resolved,
            None => break,
        }
    }
    schema
}

/// The schema of one key; `None` if the key is not allowed.
fn property<'v>(schema: &'v Value, also: &Value, key: &str) -> Option<&'v Value> {
    let schema = resolve(schema, schema);
    let property = schema.get("properties").and_then(|properties| properties.get(key));
    property.or_else(|| match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => None,
        Some(others) => Some(others),
        // If the schema declares no keys, all are allowed. If it declares some, another key is a typo.
        None if schema.get("properties").is_none() || also.get(key).is_some() => Some(&Value::Bool(true)),
        None => None,
    })
}

fn known_keys(schema: &Value, also: &Value) -> Vec<String> {
    let of = |value: Option<&Value>| -> Vec<String> {
        value.and_then(Value::as_object).map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    };
    let mut keys = of(resolve(schema, schema).get("properties"));
    let more = of(Some(also)).into_iter().filter(|key| property(schema, also, key).is_some());
    let more: Vec<String> = more.filter(|key| !keys.contains(key)).collect();
    keys.extend(more);
    keys
}

fn unknown(key: &str, known: &[String]) -> Failure {
    let hint = suggest(key, known, "there are none to set");
    let key: String = key.chars().take(60).collect();
    Failure::usage(format!("there is no key `{}`; {hint}", Visible::line(&key)))
}

#[cfg(test)]
#[path = "pairs_tests.rs"]
mod tests;
