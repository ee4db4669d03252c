//! Coerces an answer to its schema, if there is only one way to do it: placeholders for "left out" are dropped, a number
//! in quotes becomes a number, a word in another case becomes that word, one value becomes a list of one, and the
//! reverse.
//!
//! A null is dropped if its property is optional and does not accept null; an empty text if its property is optional.
//! Values that fit stay as they are. Values that cannot be made to fit stay too: the check decides.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::{Map, Number, Value, json};

use super::Habit;
use super::habit::note;
use crate::text::words::letters_and_digits;

/// How deep schemas are followed. Deeper values stay as they are.
const MAX_DEPTH: usize = 300;

/// How many references and unions are followed to find out whether null is accepted.
const NULL_DEPTH: usize = 12;

/// How many places are visited: unions of unions have too many paths to walk them all.
const MAX_VISITS: usize = 100_000;

/// What happens to keys that a closed object does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    /// They stay, and the check refuses them. Empty ones say nothing and are dropped.
    Refuse,
    /// They are dropped.
    Drop,
}

/// Coerces `value`, at every depth, and returns what had to be corrected.
pub(super) fn coerce(schema: &Value, value: &mut Value, extra: UnknownKeys) -> Vec<Habit> {
    let mut coercion = Coercion {
        root: schema,
        choices: HashMap::new(),
        visits: 0,
        extra,
        gently: false,
        habits: Vec::new(),
    };
    coercion.visit("", value, 0);
    coercion.habits
}

/// Whether a property of an object with these schema `fields` may be left out.
pub(super) fn is_optional(fields: &Map<String, Value>, name: &str) -> bool {
    let required = fields.get("required").and_then(Value::as_array);
    !required.is_some_and(|names| names.iter().any(|one| one == name))
}

/// Whether `schema`, which is part of `root`, accepts null.
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

/// The place in the same document that a reference points to.
fn target_of(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix('#')
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

struct Coercion<'a> {
    root: &'a Value,
    /// Validators for the choices of unions, by their places.
    choices: HashMap<String, Option<Validator>>,
    visits: usize,
    extra: UnknownKeys,
    /// Drops only nulls that stand for "left out", and changes nothing else.
    gently: bool,
    habits: Vec<Habit>,
}

impl Coercion<'_> {
    /// Coerces `value` to the schema at the place `at`.
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
        if !self.gently {
            note(&mut self.habits, to_word(schema, value));
            note(&mut self.habits, to_type(schema, value));
        }
        match value {
            Value::Object(object) => {
                let none = Map::new();
                let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
                self.leave_out(schema, properties, object);
                for (name, inner) in object {
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
            let places: Vec<String> =
                (0..count(word)).map(|choice| format!("{at}/{word}/{choice}")).collect();
            // A choice that accepts the value as it is comes before one it must be coerced to.
            if !self.choose(&places, value, depth, true) && !self.gently {
                self.choose(&places, value, depth, false);
            }
        }
    }

    /// Takes the first choice of a union that the value fits.
    fn choose(&mut self, places: &[String], value: &mut Value, depth: usize, gently: bool) -> bool {
        let before = (self.gently, self.habits.clone());
        self.gently = gently || before.0;
        for at in places {
            let mut coerced = value.clone();
            self.visit(at, &mut coerced, depth + 1);
            if self.fits(at, &coerced) {
                *value = coerced;
                self.gently = before.0;
                return true;
            }
            self.habits.clone_from(&before.1);
        }
        self.gently = before.0;
        false
    }

    /// Drops placeholders for "left out", and keys that the object does not know.
    fn leave_out(
        &mut self,
        schema: &Map<String, Value>,
        properties: &Map<String, Value>,
        object: &mut Map<String, Value>,
    ) {
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let (root, extra, gently) = (self.root, self.extra, self.gently);
        let mut habits = Vec::new();
        object.retain(|name, inner| match properties.get(name) {
            Some(property) if is_optional(schema, name) => {
                let left_out = match &*inner {
                    Value::Null => (!takes_null(property, root)).then_some(Habit::NullOptional),
                    _ => (is_blank(inner) && !gently).then_some(Habit::EmptyOptional),
                };
                habits.extend(left_out);
                left_out.is_none()
            }
            Some(_) => true,
            None => {
                let dropped = closed && !gently && (extra == UnknownKeys::Drop || is_blank(inner));
                habits.extend(dropped.then_some(Habit::ExtraKeys));
                !dropped
            }
        });
        note(&mut self.habits, habits);
    }

    /// Whether `value` fits the schema at the place `at`.
    fn fits(&mut self, at: &str, value: &Value) -> bool {
        let root = self.root;
        let validator = self.choices.entry(at.to_owned()).or_insert_with(|| {
            // The schema gets an id, so that its references still lead to the same places.
            let mut full = root.clone();
            full["$id"] = json!("urn:whole");
            let part = json!({"$defs": {"whole": full}, "$ref": format!("urn:whole#{at}")});
            jsonschema::validator_for(&part).ok()
        });
        validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}

/// Replaces the value with one of the given words, if it is that word in another spelling.
fn to_word(schema: &Map<String, Value>, value: &mut Value) -> Option<Habit> {
    let allowed = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(allowed)), _) => allowed.as_slice(),
        (_, Some(only)) => std::slice::from_ref(only),
        _ => return None,
    };
    let spelled = value.as_str().filter(|_| !allowed.contains(value)).map(letters_and_digits)?;
    if allowed.contains(&Value::Null) && ["", "null", "none"].contains(&spelled.as_str()) {
        *value = Value::Null;
        return Some(Habit::NullOptional);
    }
    let mut same =
        allowed.iter().filter(|one| one.as_str().is_some_and(|one| letters_and_digits(one) == spelled));
    let (Some(word), None) = (same.next(), same.next()) else { return None };
    *value = word.clone();
    Some(Habit::OtherCase)
}

/// Converts the value to a type the schema wants, if there is only one way.
fn to_type(schema: &Map<String, Value>, value: &mut Value) -> Option<Habit> {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let wants = |name: &str| types.contains(&name);
    let (coerced, habit) = match &*value {
        Value::String(text) if !wants("string") => from_text(text.trim(), &wants)?,
        Value::Number(number) if !wants("number") && !wants("integer") && wants("string") => {
            (Value::String(number.to_string()), Habit::NumbersAsText)
        }
        // 3.0 is a whole number, but not every reader knows that.
        Value::Number(number) if number.is_f64() && wants("integer") && !wants("number") => {
            (Value::Number(to_integer(number.as_f64()?)?), Habit::NumbersAsText)
        }
        Value::Bool(flag) if !wants("boolean") && wants("string") => {
            (Value::String(flag.to_string()), Habit::NumbersAsText)
        }
        Value::Array(items) if !wants("array") && items.len() == 1 && !items[0].is_null() => {
            (items[0].clone(), Habit::ListForOne)
        }
        Value::Number(_) | Value::Bool(_) | Value::Object(_) if !takes(value, &types) && wants("array") => {
            (json!([value]), Habit::OneForList)
        }
        _ => return None,
    };
    *value = coerced;
    // The result may need coercing itself: a list of one may hold a number in quotes.
    Some(to_type(schema, value).filter(|_| habit == Habit::ListForOne).unwrap_or(habit))
}

fn takes(value: &Value, types: &[&str]) -> bool {
    let type_names: &[&str] = match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Number(_) => &["number", "integer"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
    };
    type_names.iter().any(|name| types.contains(name))
}

fn from_text(text: &str, wants: &dyn Fn(&str) -> bool) -> Option<(Value, Habit)> {
    if wants("integer") || wants("number") {
        let number = text.parse::<i64>().map(Number::from).ok();
        let number = number.or_else(|| {
            let real = text.parse::<f64>().ok().filter(|real| real.is_finite())?;
            if wants("number") { Number::from_f64(real) } else { to_integer(real) }
        });
        if let Some(number) = number {
            return Some((Value::Number(number), Habit::NumbersAsText));
        }
    }
    if wants("boolean") {
        let parsed =
            [("true", true), ("false", false)].into_iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
        if let Some((_, parsed)) = parsed {
            return Some((Value::Bool(parsed), Habit::NumbersAsText));
        }
    }
    if wants("null") && ["null", "none"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some((Value::Null, Habit::NullOptional));
    }
    if wants("object") || wants("array") {
        let packed = super::lenient_json::value(text).map(|(value, _)| value);
        let packed =
            packed.filter(|value| value.is_object() && wants("object") || value.is_array() && wants("array"));
        if let Some(packed) = packed {
            return Some((packed, Habit::PackedArguments));
        }
    }
    wants("array").then(|| (json!([text]), Habit::OneForList))
}

/// `real` as a whole number, if it is one.
fn to_integer(real: f64) -> Option<Number> {
    let small = real.abs() < 9_007_199_254_740_992.0;
    (real.fract() == 0.0 && small).then(|| Number::from(real as i64))
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
        coerce(&node, &mut value, UnknownKeys::Refuse);
        let ring = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(!takes_null(&ring, &ring));
        coerce(&ring, &mut value, UnknownKeys::Refuse);
    }

    fn coerced(schema: &Value, mut value: Value) -> Value {
        coerce(schema, &mut value, UnknownKeys::Refuse);
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
        let value = json!({"a/b": {"c": null}, "d": null, "free": {"e": " "}, "other": null});
        assert_eq!(coerced(&schema, value), json!({"a/b": {}, "d": null, "free": {}, "other": null}));
        assert_eq!(coerced(&schema, json!({"d": ""})), json!({"d": ""}));
        assert_eq!(coerced(&schema, json!([null])), json!([null]));
    }

    #[test]
    fn of_a_union_the_choice_that_fits_counts() {
        let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": {"oneOf": [
            {"properties": {"is": {"const": "leaf"}, "name": {"type": ["string", "null"]}}, "required": ["is"]},
            {"properties": {"is": {"const": "pair"}, "name": {"type": "string"}, "of": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
             "required": ["is"]},
        ]}}});
        let leaf = json!({"is": "leaf", "name": null});
        let value =
            json!({"is": "pair", "name": null, "of": [leaf, {"is": "pair", "name": null, "of": null}]});
        assert_eq!(coerced(&schema, value), json!({"is": "pair", "of": [leaf, {"is": "pair"}]}));
        let neither = json!({"is": "tree", "name": null});
        assert_eq!(coerced(&schema, neither.clone()), neither);
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        let root = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "x": {"type": "string"}}});
        let value = json!({"next": {"next": {"x": null}, "x": null}, "x": "y"});
        assert_eq!(coerced(&root, value), json!({"next": {"next": {}}, "x": "y"}));
        let endless = json!({"$ref": "#"});
        assert_eq!(coerced(&endless, json!({"x": null})), json!({"x": null}));
    }

    #[test]
    fn values_take_the_type_that_is_wanted() {
        let text = json!({"type": "string"});
        let list = json!({"type": "array", "items": {"type": "integer"}});
        for (schema, original, expected, habit) in [
            (json!({"type": "integer"}), json!("45"), json!(45), Habit::NumbersAsText),
            (json!({"type": "integer"}), json!(45.0), json!(45), Habit::NumbersAsText),
            (json!({"type": "number"}), json!(" 0.5 "), json!(0.5), Habit::NumbersAsText),
            (json!({"type": "boolean"}), json!("True"), json!(true), Habit::NumbersAsText),
            (text.clone(), json!(7), json!("7"), Habit::NumbersAsText),
            (json!({"enum": ["allTime", "week"]}), json!("ALL_TIME"), json!("allTime"), Habit::OtherCase),
            (json!({"enum": ["a", null]}), json!("None"), json!(null), Habit::NullOptional),
            (text.clone(), json!(["a"]), json!("a"), Habit::ListForOne),
            (list.clone(), json!(3), json!([3]), Habit::OneForList),
            (list.clone(), json!("[1, 2]"), json!([1, 2]), Habit::PackedArguments),
            (json!({"type": "array", "items": text}), json!("a@b.c"), json!(["a@b.c"]), Habit::OneForList),
            (json!({"type": "object"}), json!("{\"a\": 1}"), json!({"a": 1}), Habit::PackedArguments),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
                json!("3"),
                json!(3),
                Habit::NumbersAsText,
            ),
        ] {
            let mut value = original.clone();
            assert_eq!(
                (coerce(&schema, &mut value, UnknownKeys::Refuse), value),
                (vec![habit], expected),
                "{schema} {original}"
            );
        }
    }

    #[test]
    fn what_fits_or_fits_no_way_stays() {
        for (schema, value) in [
            (json!({"type": ["string", "integer"]}), json!("45")),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("45")),
            (json!({"type": "integer"}), json!("ten")),
            (json!({"type": "integer"}), json!(1.5)),
            (json!({"enum": ["a", "A"]}), json!("á")),
            (json!({"enum": ["a-b", "a_b"]}), json!("AB")),
            (json!({"type": "string"}), json!(["a", "b"])),
            (json!({"type": "string"}), json!({"a": 1})),
        ] {
            assert_eq!(coerced(&schema, value.clone()), value, "{schema}");
        }
    }

    #[test]
    fn unknown_keys_are_dropped_where_they_may_be() {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
        let original = json!({"a": "x", "why": "because", "note": null});
        assert_eq!(coerced(&schema, original.clone()), json!({"a": "x", "why": "because"}));
        let mut value = original;
        assert_eq!(coerce(&schema, &mut value, UnknownKeys::Drop), [Habit::ExtraKeys]);
        assert_eq!(value, json!({"a": "x"}));
        let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let mut value = json!({"b": 1});
        assert_eq!((coerce(&open, &mut value, UnknownKeys::Drop), value), (vec![], json!({"b": 1})));
    }
}
