//! Makes the schemas of an OpenAPI document self-contained: references are expanded, and 3.0 keywords become JSON
//! Schema.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// How deep schemas are expanded. Anything deeper accepts any value, and so does a schema that refers to itself: a tree
/// with parents and children would otherwise grow with every level.
const DEEPEST: usize = 12;

/// How many parts an expanded schema may have.
const MAX_PARTS: usize = 4_000;

/// The state while expanding a schema.
struct Expansion {
    /// How many parts it has so far.
    parts: usize,
    depth: usize,
    /// The references that led here.
    inside: Vec<String>,
}

/// A document whose references can be followed.
pub(super) struct Schemas<'d> {
    pub document: &'d Value,
}

impl<'d> Schemas<'d> {
    pub fn new(document: &'d Value) -> Self {
        Self { document }
    }

    /// Follows references inside the document; other values are returned unchanged.
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
        let target = to
            .strip_prefix('#')
            .and_then(|pointer| self.document.pointer(&percent_decode_str(pointer).decode_utf8_lossy()));
        Some(target.ok_or_else(|| format!("`{to}` leads outside the document or nowhere")))
    }

    /// A schema with its references expanded.
    pub fn expanded(&self, schema: &Value) -> Result<Value, String> {
        self.write_out(schema, &mut Expansion { parts: 0, depth: 0, inside: Vec::new() })
    }

    /// Expands a schema inside another one.
    fn inner(&self, schema: &Value, expansion: &mut Expansion) -> Result<Value, String> {
        expansion.depth += 1;
        let written = self.write_out(schema, expansion);
        expansion.depth -= 1;
        written
    }

    fn write_out(&self, schema: &Value, expansion: &mut Expansion) -> Result<Value, String> {
        expansion.parts += 1;
        if expansion.parts > MAX_PARTS {
            return Err("its schema is too large".to_owned());
        }
        if expansion.depth > DEEPEST {
            return Ok(json!({}));
        }
        if let Some(to) = schema.get("$ref").and_then(Value::as_str) {
            if expansion.inside.iter().any(|outer| outer == to) {
                return Ok(json!({}));
            }
            let Some(target) = self.target(schema) else { return Ok(json!({})) };
            expansion.inside.push(to.to_owned());
            let written = self.inner(target?, expansion);
            expansion.inside.pop();
            return written;
        }
        let Value::Object(fields) = schema else { return Ok(schema.clone()) };
        let mut out = Map::new();
        for (word, value) in fields {
            let value = match word.as_str() {
                "properties" | "patternProperties" => {
                    let Value::Object(inner) = value else { continue };
                    let mut written = Map::new();
                    for (name, schema) in inner {
                        written.insert(name.clone(), self.inner(schema, expansion)?);
                    }
                    Value::Object(written)
                }
                "items" | "additionalProperties" | "not" => self.inner(value, expansion)?,
                "oneOf" | "anyOf" | "allOf" | "prefixItems" => {
                    let Value::Array(inner) = value else { continue };
                    let written: Result<Vec<Value>, String> =
                        inner.iter().map(|schema| self.inner(schema, expansion)).collect();
                    Value::Array(written?)
                }
                "type" | "enum" | "const" | "required" | "minimum" | "maximum" | "minLength"
                | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "multipleOf" | "default"
                | "description" | "readOnly" | "exclusiveMinimum" | "exclusiveMaximum" => value.clone(),
                // Keywords that only tools read, and patterns, whose dialects differ.
                _ => continue,
            };
            out.insert(word.clone(), value);
        }
        bounds(&mut out);
        merge(&mut out);
        if fields.get("nullable") == Some(&json!(true)) {
            nullable(&mut out);
        }
        Ok(Value::Object(out))
    }
}

/// Merges the objects of an `allOf` into one, so that each field becomes its own parameter. If two of them disagree
/// about a field, or say more than which fields there are, they stay unmerged.
fn merge(schema: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = schema.get("allOf") else { return };
    let mut merged = schema.clone();
    merged.remove("allOf");
    for part in parts {
        let Value::Object(part) = part else { return };
        for (word, value) in part {
            match (word.as_str(), merged.get_mut(word)) {
                ("properties", Some(Value::Object(fields))) => {
                    let Value::Object(more) = value else { return };
                    for (name, field) in more {
                        if fields.get(name).is_some_and(|other| other != field) {
                            return;
                        }
                        fields.insert(name.clone(), field.clone());
                    }
                }
                ("required", Some(Value::Array(names))) => {
                    let more = value.as_array().into_iter().flatten();
                    let more: Vec<Value> = more.filter(|name| !names.contains(name)).cloned().collect();
                    names.extend(more);
                }
                ("description" | "readOnly", Some(_)) => {}
                (_, Some(same)) if same == value => {}
                (_, Some(_)) => return,
                (_, None) => {
                    merged.insert(word.clone(), value.clone());
                }
            }
        }
    }
    *schema = merged;
}

/// In 3.0, a boolean next to the bound makes it exclusive.
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
