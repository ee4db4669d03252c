//! The schemas of an OpenAPI document, each made to stand on its own: references written out, and words of 3.0 put as
//! JSON Schema says them.

use serde_json::{Map, Value, json};

/// How deep references are written out. What refers to itself ends there, and takes anything.
const DEEPEST: usize = 12;

/// How many parts a schema may have once it is written out.
const MOST_PARTS: usize = 4_000;

/// A document whose references can be followed.
pub(super) struct Schemas<'d> {
    pub document: &'d Value,
}

impl<'d> Schemas<'d> {
    pub fn new(document: &'d Value) -> Self {
        Self { document }
    }

    /// What a reference inside the document leads to; anything else is itself.
    pub fn follow<'v>(&self, mut value: &'v Value) -> &'v Value
    where
        'd: 'v,
    {
        for _ in 0..DEEPEST {
            match self.target(value) {
                Some(Ok(target)) => value = target,
                Some(Err(_)) | None => break,
            }
        }
        value
    }

    fn target(&self, value: &Value) -> Option<Result<&'d Value, String>> {
        let to = value.get("$ref")?.as_str()?;
        let found = to.strip_prefix('#').and_then(|pointer| self.document.pointer(&decoded(pointer)));
        Some(found.ok_or_else(|| format!("`{to}` leads outside the document or nowhere")))
    }

    /// A schema with its references written out.
    pub fn whole(&self, schema: &Value) -> Result<Value, String> {
        let mut parts = 0;
        self.write_out(schema, 0, &mut parts)
    }

    fn write_out(&self, schema: &Value, depth: usize, parts: &mut usize) -> Result<Value, String> {
        *parts += 1;
        if *parts > MOST_PARTS {
            return Err("its schema is too large".to_owned());
        }
        if depth > DEEPEST {
            return Ok(json!({}));
        }
        if let Some(target) = self.target(schema) {
            return self.write_out(target?, depth + 1, parts);
        }
        let Value::Object(fields) = schema else { return Ok(schema.clone()) };
        let mut out = Map::new();
        for (word, value) in fields {
            let value = match word.as_str() {
                "properties" | "patternProperties" => {
                    let Value::Object(inner) = value else { continue };
                    let mut written = Map::new();
                    for (name, schema) in inner {
                        written.insert(name.clone(), self.write_out(schema, depth + 1, parts)?);
                    }
                    Value::Object(written)
                }
                "items" | "additionalProperties" | "not" => self.write_out(value, depth + 1, parts)?,
                "oneOf" | "anyOf" | "allOf" | "prefixItems" => {
                    let Value::Array(inner) = value else { continue };
                    let written: Result<Vec<Value>, String> =
                        inner.iter().map(|schema| self.write_out(schema, depth + 1, parts)).collect();
                    Value::Array(written?)
                }
                "type" | "enum" | "const" | "required" | "minimum" | "maximum" | "minLength"
                | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "multipleOf" | "default"
                | "description" | "readOnly" | "exclusiveMinimum" | "exclusiveMaximum" => value.clone(),
                // Words that only tools read, and patterns, whose dialects differ.
                _ => continue,
            };
            out.insert(word.clone(), value);
        }
        bounds(&mut out);
        if fields.get("nullable") == Some(&json!(true)) {
            nullable(&mut out);
        }
        Ok(Value::Object(out))
    }
}

/// In 3.0 an exclusive bound is said beside the bound, by true or false.
fn bounds(schema: &mut Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(Value::Bool(yes)) = schema.get(exclusive).cloned() {
            schema.remove(exclusive);
            if let Some(value) = schema.get(bound).cloned().filter(|_| yes) {
                schema.remove(bound);
                schema.insert(exclusive.to_owned(), value);
            }
        }
    }
}

fn nullable(schema: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// A pointer in an address: `%7B` is `{`.
fn decoded(pointer: &str) -> String {
    let mut out = Vec::new();
    let bytes = pointer.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let hex = pointer.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
