//! Nulls that stand for "left out". Strict mode makes a model name every property, and many models say null for an
//! optional one without being made to. A null is dropped where its property is optional and takes no null itself; every
//! other null stays, and the check decides.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// How deep schemas are followed. What is deeper stays as it is.
const MAX_DEPTH: usize = 300;

/// How many references and unions are followed to learn whether null is taken.
const NULL_DEPTH: usize = 12;

/// How many places are visited: unions of unions have more ways through them than anybody can walk.
const MAX_VISITS: usize = 100_000;

/// Drops the nulls of optional properties from `value`, at every depth.
pub(super) fn drop_nulls(schema: &Value, value: &mut Value) {
    if holds_null(value) {
        Dropper { root: schema, choices: HashMap::new(), visits: 0 }.visit("", value, 0);
    }
}

/// Whether a property of an object with these schema `fields` may be left out.
pub(super) fn is_optional(fields: &Map<String, Value>, name: &str) -> bool {
    let required = fields.get("required").and_then(Value::as_array);
    !required.is_some_and(|names| names.iter().any(|one| one == name))
}

/// Whether `schema`, which is part of `root`, takes null.
pub(super) fn takes_null(schema: &Value, root: &Value) -> bool {
    takes_null_within(schema, root, NULL_DEPTH)
}

fn takes_null_within(schema: &Value, root: &Value, depth: usize) -> bool {
    let Value::Object(fields) = schema else { return schema != &Value::Bool(false) };
    let Some(depth) = depth.checked_sub(1) else { return false };
    let takes = |schema: &Value| takes_null_within(schema, root, depth);
    fields.iter().all(|(word, value)| match (word.as_str(), value) {
        ("type", Value::Array(types)) => types.contains(&json!("null")),
        ("type", name) => name == "null",
        ("enum", Value::Array(values)) => values.contains(&Value::Null),
        ("const", value) => value.is_null(),
        ("$ref", target) => target_of(target).and_then(|at| root.pointer(at)).is_some_and(takes),
        ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter().any(takes),
        ("allOf", Value::Array(all)) => all.iter().all(takes),
        _ => true,
    })
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(fields) => fields.values().any(holds_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The place in its own document that a reference names.
fn target_of(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix('#')
}

struct Dropper<'a> {
    root: &'a Value,
    /// What the choices of unions take, by the place of each.
    choices: HashMap<String, Option<Validator>>,
    visits: usize,
}

impl Dropper<'_> {
    /// Drops from `value` what the schema at the place `at` lets be left out.
    fn visit(&mut self, at: &str, value: &mut Value, depth: usize) {
        let root = self.root;
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            return;
        }
        let Some(schema) = root.pointer(at).and_then(Value::as_object) else { return };
        if let Some(target) = schema.get("$ref").and_then(target_of) {
            self.visit(target, value, depth + 1);
        }
        match value {
            Value::Object(given) => {
                let none = Map::new();
                let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
                given.retain(|name, inner| {
                    let left_out = |property| is_optional(schema, name) && !takes_null(property, root);
                    !(inner.is_null() && properties.get(name).is_some_and(left_out))
                });
                for (name, inner) in given {
                    if properties.contains_key(name) {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        self.visit(&format!("{at}/properties/{name}"), inner, depth + 1);
                    } else {
                        self.visit(&format!("{at}/additionalProperties"), inner, depth + 1);
                    }
                }
            }
            Value::Array(items) => {
                let at = format!("{at}/items");
                items.iter_mut().for_each(|item| self.visit(&at, item, depth + 1));
            }
            _ => {}
        }
        let count = |word: &str| schema.get(word).and_then(Value::as_array).map_or(0, Vec::len);
        for part in 0..count("allOf") {
            self.visit(&format!("{at}/allOf/{part}"), value, depth + 1);
        }
        for word in ["anyOf", "oneOf"] {
            for choice in 0..count(word) {
                let at = format!("{at}/{word}/{choice}");
                let mut without = value.clone();
                self.visit(&at, &mut without, depth + 1);
                if self.fits(&at, &without) {
                    *value = without;
                    break;
                }
            }
        }
    }

    /// Whether `value` fits the schema at the place `at`.
    fn fits(&mut self, at: &str, value: &Value) -> bool {
        let root = self.root;
        let validator = self.choices.entry(at.to_owned()).or_insert_with(|| {
            // With a name of its own, the schema's references still lead to where they led.
            let mut whole = root.clone();
            whole["$id"] = json!("urn:whole");
            let part = json!({"$defs": {"whole": whole}, "$ref": format!("urn:whole#{at}")});
            jsonschema::validator_for(&part).ok()
        });
        validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_of_themselves_come_to_an_end() {
        let node = json!({"oneOf": [
            {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#"}}, "x": {"type": "string"}}},
            {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#"}}, "y": {"type": "string"}}},
        ]});
        let mut value = json!({"x": null});
        for _ in 0..30 {
            value = json!({"and": [value]});
        }
        drop_nulls(&node, &mut value);
        let ring = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(!takes_null(&ring, &ring));
        drop_nulls(&ring, &mut value);
    }

    fn dropped(schema: &Value, mut value: Value) -> Value {
        drop_nulls(schema, &mut value);
        value
    }

    #[test]
    fn schemas_say_whether_they_take_null() {
        let root = json!({"$defs": {
            "text": {"type": "string"}, "maybe": {"type": ["string", "null"]}, "loop": {"$ref": "#/$defs/loop"},
        }});
        for (schema, takes) in [
            (json!({}), true),
            (json!(true), true),
            (json!(false), false),
            (json!({"type": "null"}), true),
            (json!({"type": "string"}), false),
            (json!({"enum": ["a", null]}), true),
            (json!({"type": "string", "enum": ["a", null]}), false),
            (json!({"const": "a"}), false),
            (json!({"$ref": "#/$defs/text"}), false),
            (json!({"$ref": "#/$defs/maybe"}), true),
            (json!({"$ref": "#/$defs/none"}), false),
            (json!({"$ref": "#/$defs/loop"}), false),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), true),
            (json!({"oneOf": [{"const": "a"}, {"const": "b"}]}), false),
            (json!({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}), false),
        ] {
            assert_eq!(takes_null(&schema, &root), takes, "{schema}");
        }
    }

    #[test]
    fn only_optional_properties_are_dropped() {
        let schema = json!({
            "type": "object",
            "properties": {"a/b": {"type": "object", "properties": {"c": {"type": "string"}}}, "d": {"type": "string"}},
            "required": ["d"],
            "additionalProperties": {"type": "object", "properties": {"e": {"type": "string"}}},
        });
        let said = json!({"a/b": {"c": null}, "d": null, "free": {"e": null}, "other": null});
        assert_eq!(dropped(&schema, said), json!({"a/b": {}, "d": null, "free": {}, "other": null}));
        assert_eq!(dropped(&schema, json!([null])), json!([null]));
    }

    #[test]
    fn of_a_union_the_choice_that_fits_counts() {
        let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": {"oneOf": [
            {"properties": {"is": {"const": "leaf"}, "name": {"type": ["string", "null"]}}, "required": ["is"]},
            {"properties": {"is": {"const": "pair"}, "name": {"type": "string"}, "of": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
             "required": ["is"]},
        ]}}});
        let leaf = json!({"is": "leaf", "name": null});
        let said =
            json!({"is": "pair", "name": null, "of": [leaf, {"is": "pair", "name": null, "of": null}]});
        assert_eq!(dropped(&schema, said), json!({"is": "pair", "of": [leaf, {"is": "pair"}]}));
        let neither = json!({"is": "tree", "name": null});
        assert_eq!(dropped(&schema, neither.clone()), neither);
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        let root = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "x": {"type": "string"}}});
        let said = json!({"next": {"next": {"x": null}, "x": null}, "x": "y"});
        assert_eq!(dropped(&root, said), json!({"next": {"next": {}}, "x": "y"}));
        let endless = json!({"$ref": "#"});
        assert_eq!(dropped(&endless, json!({"x": null})), json!({"x": null}));
    }
}
