//! JSON schemas: made from types, used to check answers, and adapted to what each provider accepts.

use crate::text::schema::Schema;
use crate::text::words::clip;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::coerce::coerce;

/// How many complaints a model is told at once.
const MAX_COMPLAINTS: usize = 5;

/// The longest single complaint.
const MAX_COMPLAINT: usize = 300;

/// The schema of `T`, without the parts that only schema tools read.
pub(super) fn of<T: JsonSchema>() -> Value {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let mut value = Value::from(schema);
    if let Value::Object(fields) = &mut value {
        fields.remove("$schema");
        fields.remove("title");
    }
    value
}

/// What is wrong with a value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Complaints {
    /// With the offending values, for the model that wrote them.
    pub full: String,
    /// Without them, for errors and logs.
    pub masked: String,
}

impl Complaints {
    /// A complaint that holds no values.
    pub fn same(text: String) -> Self {
        Self { full: text.clone(), masked: text }
    }
}

/// Coerces what a model said to the schema, and checks that it fits. Everything a model says passes through here
/// before anybody sees it, so that the same thing is shown, hashed and carried out.
pub(super) fn accept(schema: &Value, mut value: Value) -> Result<Value, Complaints> {
    let checked = Schema::new(schema).map_err(|why| {
        Complaints::same(clip(&format!("the tool's own schema is not usable: {why}"), MAX_COMPLAINT))
    })?;
    coerce(schema, &checked, &mut value);
    let mut full = Vec::new();
    let mut masked = Vec::new();
    for misfit in checked.misfits(&value).into_iter().take(MAX_COMPLAINTS) {
        let at = if misfit.at.is_empty() { String::new() } else { format!("at {}: ", misfit.at) };
        full.push(clip(&format!("{at}{}", misfit.text), MAX_COMPLAINT));
        masked.push(clip(&format!("{at}{}", misfit.masked), MAX_COMPLAINT));
    }
    if full.is_empty() {
        Ok(value)
    } else {
        Err(Complaints { full: full.join("; "), masked: masked.join("; ") })
    }
}

/// The schema as OpenAI's strict mode wants it: every object closed, every property required, and null for optional
/// ones; [`accept`] drops the nulls again. `None` if the schema cannot be put that way (maps with free keys).
pub(super) fn strict(schema: &Value) -> Option<Value> {
    match schema {
        Value::Object(fields) => {
            let mut out = Map::new();
            let required = fields.get("required").and_then(Value::as_array);
            let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
            for (key, value) in fields {
                let value = match key.as_str() {
                    "properties" | "$defs" | "definitions" => {
                        let Value::Object(inner) = value else { return None };
                        let mut closed = Map::new();
                        for (name, schema) in inner {
                            let is_optional = key == "properties" && !required.contains(&name.as_str());
                            let schema = strict(schema)?;
                            closed.insert(name.clone(), if is_optional { nullable(schema) } else { schema });
                        }
                        Value::Object(closed)
                    }
                    // Words that strict mode does not know; our own validator still checks them.
                    "format" | "default" | "minimum" | "maximum" | "minLength" | "maxLength" | "examples" => {
                        continue;
                    }
                    "additionalProperties" if value.is_object() || value == &json!(true) => return None,
                    "enum" | "const" | "required" | "type" => value.clone(),
                    _ => strict(value)?,
                };
                out.insert(key.clone(), value);
            }
            let object = out.contains_key("properties") || out.get("type") == Some(&json!("object"));
            if object {
                let properties = out.get("properties")?.as_object()?;
                let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
                out.insert("required".into(), Value::Array(names));
                out.insert("additionalProperties".into(), json!(false));
            }
            Some(Value::Object(out))
        }
        Value::Array(items) => items.iter().map(strict).collect::<Option<Vec<_>>>().map(Value::Array),
        other => Some(other.clone()),
    }
}

/// The same schema, but it also accepts null.
fn nullable(mut schema: Value) -> Value {
    let choices = ["type", "anyOf"].iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    if choices.into_iter().any(|one| *one == "null" || *one == json!({"type": "null"})) {
        return schema;
    }
    let named = schema.get("type").and_then(Value::as_str).map(str::to_owned);
    let scalar = named.filter(|name| ["string", "number", "integer", "boolean"].contains(&name.as_str()));
    let has_more = ["const", "$ref", "anyOf", "oneOf", "allOf"].iter().any(|word| schema.get(word).is_some());
    let Some(name) = scalar.filter(|_| !has_more) else {
        return json!({"anyOf": [schema, {"type": "null"}]});
    };
    schema["type"] = json!([name, "null"]);
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Class {
        /// Not worth showing.
        Ignore,
        /// Worth showing.
        Notify,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Answer {
        class: Class,
        gist: String,
        due: Option<String>,
        tags: Vec<String>,
    }

    #[test]
    fn complaints_say_where_and_masked_ones_hold_no_values() {
        let schema = of::<Answer>();
        let good = json!({"class": "notify", "gist": "g", "tags": []});
        assert_eq!(accept(&schema, good.clone()), Ok(good));
        let bad = json!({"class": "canary-value", "gist": [1, 2], "tags": ["x"]});
        let bad = accept(&schema, bad).unwrap_err();
        assert!(bad.full.contains("/class") && bad.full.contains("canary-value"), "{}", bad.full);
        assert!(bad.masked.contains("/gist") && !bad.masked.contains("canary-value"), "{}", bad.masked);
    }

    #[test]
    fn strict_closes_objects_and_gives_up_on_maps() {
        let strict_answer = strict(&of::<Answer>()).unwrap();
        assert_eq!(strict_answer["additionalProperties"], json!(false));
        let mut names: Vec<_> =
            strict_answer["required"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["class", "due", "gist", "tags"]);
        let optional = json!({"type": "object", "properties": {
            "size": {"type": "integer"}, "only": {"type": "string", "const": "a"}, "names": {"type": "array", "items": {"type": "string"}},
        }});
        assert_eq!(
            strict(&optional).unwrap()["properties"],
            json!({
                "size": {"type": ["integer", "null"]},
                "only": {"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]},
                "names": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            })
        );
        assert!(strict(&of::<std::collections::BTreeMap<String, String>>()).is_none());
    }
}
