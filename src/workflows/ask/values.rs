//! Reads and prints values as a person writes them.

use crate::text::schema::Schema;
use crate::text::words::letters_and_digits;
use crate::text::{Visible, nearest};
use crate::tools::catalogue::Parameter;
use serde_json::Value;

/// The value that the words give a parameter; the error says why they give none.
pub(super) fn read(parameter: &Parameter, words: &str) -> Result<Value, String> {
    let words = words.trim();
    if !parameter.values.is_empty() {
        let is_same = |value: &&Value| letters_and_digits(&plain(value)) == letters_and_digits(words);
        if let Some(value) = parameter.values.iter().find(is_same) {
            return Ok(value.clone());
        }
        let names: Vec<String> = parameter.values.iter().map(plain).collect();
        let near = nearest(words, names.iter().map(String::as_str));
        let hint = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
        return Err(format!("“{}” is not one of them.{hint}", Visible::line(words)));
    }
    let value = match parameter.kind.as_str() {
        "integer" => words.replace(',', "").parse::<i64>().map(Value::from).ok(),
        "number" => words.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
        "boolean" => match words.to_lowercase().as_str() {
            "true" | "yes" | "y" | "on" => Some(Value::Bool(true)),
            "false" | "no" | "n" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        "array" => Some(match serde_json::from_str(words) {
            Ok(list @ Value::Array(_)) => list,
            _ => words.split(',').map(|one| Value::from(one.trim())).collect(),
        }),
        "object" => serde_json::from_str::<Value>(words).ok().filter(Value::is_object),
        _ => (!words.is_empty()).then(|| Value::from(words)),
    };
    let value = value.ok_or_else(|| format!("“{}” is not a {}.", Visible::line(words), parameter.kind))?;
    let schema = parameter.schema();
    let schema = Schema::new(&schema).map_err(|why| format!("its schema is broken: {why}"))?;
    match schema.misfits(&value).first() {
        None => Ok(value),
        Some(misfit) => Err(format!("That does not work: {}.", Visible::line(&misfit.text))),
    }
}

/// A value without quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_become_values_of_the_right_type() {
        let parameter = |kind: &str, values: Value| Parameter {
            kind: kind.into(),
            values: values.as_array().unwrap().clone(),
            maximum: (kind == "integer").then_some(1000.0),
            ..Parameter::default()
        };
        for (kind, values, words, expected) in [
            ("string", json!([]), " tea ", Some(json!("tea"))),
            ("string", json!([]), " ", None),
            ("string", json!(["week", "allTime"]), "All time", Some(json!("allTime"))),
            ("string", json!(["week", "allTime"]), "weak", None),
            ("integer", json!([]), "1,000", Some(json!(1000))),
            ("integer", json!([]), "1001", None),
            ("integer", json!([]), "ten", None),
            ("number", json!([]), "0.5", Some(json!(0.5))),
            ("boolean", json!([]), "Yes", Some(json!(true))),
            ("boolean", json!([]), "maybe", None),
            ("array", json!([]), "a, b", Some(json!(["a", "b"]))),
            ("object", json!([]), "{\"a\": 1}", Some(json!({"a": 1}))),
            ("object", json!([]), "a", None),
        ] {
            assert_eq!(read(&parameter(kind, values), words).ok(), expected, "{kind} {words}");
        }
        let why = read(&parameter("string", json!(["week", "month"])), "wek").unwrap_err();
        assert!(why.contains("Did you mean week?"), "{why}");
    }
}
