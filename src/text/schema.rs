//! Values checked against JSON schemas, with sentences for people and for models.
//!
//! Promises: nothing is fetched, whatever a schema refers to; patterns take no more time than the text is long; a
//! masked sentence holds nothing of the value but names of properties. A pattern that looks around is refused.

use boon::{CompileError, Compiler, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::error::Error;

pub use boon::Type as JsonType;

/// The address a schema gets here.
const HERE: &str = "here:///schema";

/// A schema that values can be checked against.
pub struct Schema {
    written: Value,
    schemas: Schemas,
    index: SchemaIndex,
}

/// One thing in a value that its schema refuses.
#[derive(Debug)]
pub struct Misfit {
    /// Where, as a JSON pointer.
    pub at: String,
    /// What is wrong, with the value there.
    pub text: String,
    /// The same without it.
    pub masked: String,
    /// The types that would do there; empty if it is not for the type.
    pub types: Vec<JsonType>,
    /// The pattern that a text there should have.
    pub pattern: Option<String>,
    /// The property that is missing there.
    pub missing: Option<String>,
}

struct Nowhere;

impl UrlLoader for Nowhere {
    fn load(&self, _: &str) -> Result<Value, Box<dyn Error>> {
        Err("it is not part of the schema".into())
    }
}

impl Schema {
    /// The error says why it is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let why = |error: CompileError| match error {
            CompileError::ValidationError { src, .. } => match found(&src, schema).into_iter().next() {
                Some(Misfit { at, text, .. }) if !at.is_empty() => format!("at {at}: {text}"),
                Some(misfit) => misfit.text,
                None => "its keywords have wrong values".to_owned(),
            },
            CompileError::LoadUrlError { url, .. } => format!("{url} is not part of it"),
            other => other.to_string().replace(HERE, "it"),
        };
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(Nowhere));
        compiler.add_resource(HERE, schema.clone()).map_err(why)?;
        let mut schemas = Schemas::new();
        let index = compiler.compile(HERE, &mut schemas).map_err(why)?;
        Ok(Self { written: schema.clone(), schemas, index })
    }

    pub fn fits(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }

    /// All that is wrong with a value; nothing if it fits.
    pub fn misfits(&self, value: &Value) -> Vec<Misfit> {
        let error = self.schemas.validate(value, self.index).err();
        let mut misfits = error.map(|error| found(&error, value)).unwrap_or_default();
        for pattern in misfits.iter_mut().filter_map(|misfit| misfit.pattern.as_mut()) {
            *pattern = self.pattern(pattern);
        }
        misfits
    }

    /// The pattern at this address, as it is written.
    fn pattern(&self, address: &str) -> String {
        let at = address.split_once('#').map(|(_, at)| percent_decode_str(at).decode_utf8_lossy());
        let there = at.and_then(|at| self.written.pointer(&at)?.get("pattern")?.as_str());
        there.unwrap_or_default().to_owned()
    }
}

fn found(error: &ValidationError<'_, '_>, root: &Value) -> Vec<Misfit> {
    let at = error.instance_location.to_string();
    let misfit = |says: &dyn Fn(&str) -> String| Misfit {
        text: says(&root.pointer(&at).unwrap_or_default().to_string()),
        masked: says("value"),
        types: types(&error.kind),
        pattern: None,
        missing: None,
        at: at.clone(),
    };
    match &error.kind {
        // Of several choices, none fits: what is wrong with each of them helps nobody.
        ErrorKind::Group | ErrorKind::Schema { .. } | ErrorKind::Reference { .. } | ErrorKind::AllOf
            if !error.causes.is_empty() =>
        {
            error.causes.iter().flat_map(|cause| found(cause, root)).collect()
        }
        ErrorKind::Required { want } => want
            .iter()
            .map(|name| Misfit {
                missing: Some((*name).to_owned()),
                ..misfit(&|_| format!("\"{name}\" is a required property"))
            })
            .collect(),
        // The pattern is in another dialect here, so its address is kept.
        ErrorKind::Pattern { want, .. } => {
            let pattern = Some(error.schema_url.to_owned());
            vec![Misfit { pattern, ..misfit(&|shown| format!("{shown} does not match {want}")) }]
        }
        kind => vec![misfit(&|shown| sentence(kind, shown))],
    }
}

/// Of a union, a list is not named: its other choices would then be forgotten.
fn types(kind: &ErrorKind<'_, '_>) -> Vec<JsonType> {
    use JsonType::{Boolean, Integer, Null, Number, Object, String};
    match kind {
        ErrorKind::Type { want, .. } => want.iter().collect(),
        ErrorKind::AnyOf | ErrorKind::OneOf(None) | ErrorKind::Enum { .. } => {
            vec![Null, Boolean, Number, Integer, String, Object]
        }
        _ => Vec::new(),
    }
}

fn sentence(kind: &ErrorKind<'_, '_>, shown: &str) -> String {
    let than = |word: &str, want: usize, one: &str, more: &str| {
        format!("{shown} has {word} than {want} {}", if want == 1 { one } else { more })
    };
    match kind {
        ErrorKind::Type { want, .. } => {
            let names: Vec<String> = want.iter().map(|name| format!("\"{name}\"")).collect();
            format!("{shown} is not of type {}", names.join(" or "))
        }
        ErrorKind::Enum { want } => {
            let first: Vec<String> = want.iter().take(5).map(Value::to_string).collect();
            let more = want.len().saturating_sub(first.len());
            let rest = if more > 0 { format!(" or {more} others") } else { String::new() };
            format!("{shown} is not one of {}{rest}", first.join(", "))
        }
        ErrorKind::Const { want } => format!("{shown} is not {want}"),
        ErrorKind::AdditionalProperties { got } => {
            let names: Vec<String> = got.iter().map(|name| format!("'{name}'")).collect();
            let were = if names.len() == 1 { "was" } else { "were" };
            format!("{} {were} unexpected", names.join(", "))
        }
        ErrorKind::PropertyName { prop } => format!("'{prop}' is not allowed as a name"),
        ErrorKind::AnyOf | ErrorKind::OneOf(None) => format!("{shown} fits none of its choices"),
        ErrorKind::OneOf(Some(_)) => format!("{shown} fits more than one of its choices"),
        ErrorKind::FalseSchema | ErrorKind::Not => format!("{shown} is not allowed"),
        ErrorKind::Minimum { want, .. } => format!("{shown} is less than the minimum of {want}"),
        ErrorKind::Maximum { want, .. } => format!("{shown} is more than the maximum of {want}"),
        ErrorKind::ExclusiveMinimum { want, .. } => format!("{shown} is not more than {want}"),
        ErrorKind::ExclusiveMaximum { want, .. } => format!("{shown} is not less than {want}"),
        ErrorKind::MultipleOf { want, .. } => format!("{shown} is not a multiple of {want}"),
        ErrorKind::MinLength { want, .. } => than("fewer", *want, "character", "characters"),
        ErrorKind::MaxLength { want, .. } => than("more", *want, "character", "characters"),
        ErrorKind::MinItems { want, .. } => than("fewer", *want, "item", "items"),
        ErrorKind::MaxItems { want, .. } => than("more", *want, "item", "items"),
        ErrorKind::MinProperties { want, .. } => than("fewer", *want, "property", "properties"),
        ErrorKind::MaxProperties { want, .. } => than("more", *want, "property", "properties"),
        ErrorKind::AdditionalItems { got } => format!("its last {got} items were unexpected"),
        ErrorKind::UniqueItems { .. } => format!("{shown} holds the same twice"),
        ErrorKind::Format { want: "regex", .. } => format!("{shown} is no pattern that can be checked"),
        ErrorKind::Format { want, .. } => format!("{shown} is not a \"{want}\""),
        ErrorKind::DependentRequired { prop, missing } | ErrorKind::Dependency { prop, missing } => {
            format!("with \"{prop}\" it also needs {missing:?}")
        }
        _ => format!("{shown} does not fit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(schema: Value, value: Value) -> Vec<(String, String, String)> {
        let misfits = Schema::new(&schema).unwrap().misfits(&value);
        misfits.into_iter().map(|one| (one.at, one.text, one.masked)).collect()
    }

    #[test]
    fn what_is_wrong_is_said_where_it_is_and_without_the_value_if_wanted() {
        let text = json!({"type": "string"});
        for (schema, value, at, expected) in [
            (json!({"properties": {"a/b": text}}), json!({"a/b": 7}), "/a~1b", "7 is not of type \"string\""),
            (
                json!({"items": {"type": ["integer", "null"]}}),
                json!(["x"]),
                "/0",
                "\"x\" is not of type \"null\" or \"integer\"",
            ),
            (json!({"required": ["to"]}), json!({}), "", "\"to\" is a required property"),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"b": 1}),
                "",
                "'b' was unexpected",
            ),
            (
                json!({"properties": {"a": {}}, "unevaluatedProperties": false}),
                json!({"b": 1}),
                "/b",
                "1 is not allowed",
            ),
            (json!({"enum": ["a", 2]}), json!("b"), "", "\"b\" is not one of \"a\", 2"),
            (json!({"const": 3}), json!(4), "", "4 is not 3"),
            (json!({"anyOf": [text, {"required": ["a"]}]}), json!({}), "", "{} fits none of its choices"),
            (json!({"oneOf": [true, true]}), json!(1), "", "1 fits more than one of its choices"),
            (json!({"allOf": [{"minimum": 2}]}), json!(1), "", "1 is less than the minimum of 2"),
            (
                json!({"$ref": "#/$defs/x", "$defs": {"x": {"maxLength": 1}}}),
                json!("ab"),
                "",
                "\"ab\" has more than 1 character",
            ),
            (json!({"pattern": "^\\d$"}), json!("٣"), "", "\"٣\" does not match ^[0-9]$"),
            (json!({"minItems": 2}), json!([1]), "", "[1] has fewer than 2 items"),
            (json!({"uniqueItems": true}), json!([1, 1.0]), "", "[1,1.0] holds the same twice"),
            (json!({"not": {"type": "null"}}), json!(null), "", "null is not allowed"),
            (
                json!({"propertyNames": {"maxLength": 1}}),
                json!({"ab": 1}),
                "",
                "'ab' is not allowed as a name",
            ),
        ] {
            let found = said(schema.clone(), value.clone());
            assert_eq!(
                (found.len(), found[0].0.as_str(), found[0].1.as_str()),
                (1, at, expected),
                "{schema}"
            );
            let there = value.pointer(at).unwrap().to_string();
            assert_eq!(found[0].2, expected.replacen(&there, "value", 1), "{schema}");
            assert!(!Schema::new(&schema).unwrap().fits(&value), "{schema}");
        }
        let schema = json!({"properties": {"a b": {"anyOf": [{"pattern": "^\\d$"}], "pattern": "^\\w\\d$"}}});
        let misfits = Schema::new(&schema).unwrap().misfits(&json!({"a b": "-1"}));
        let patterns: Vec<&str> = misfits.iter().filter_map(|one| one.pattern.as_deref()).collect();
        assert_eq!(patterns, ["^\\w\\d$", "^\\d$"], "as they are written");
        let all = said(json!({"required": ["a", "b"], "properties": {"c": text}}), json!({"c": 1}));
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(said(json!({"format": "email"}), json!("no")).is_empty(), "a format is a remark");
    }

    #[test]
    fn what_is_no_schema_is_refused_and_nothing_is_fetched() {
        let file = format!("file://{}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
        for (schema, expected) in [
            (json!({"properties": {"a": {"type": "text"}}}), "at /properties/a/type: "),
            (json!({"properties": 7}), "at /properties: 7 is not of type \"object\""),
            (json!({"$ref": file}), "is not part of it"),
            (json!({"$ref": "https://example.org/s.json"}), "is not part of it"),
            (json!({"$ref": "#/$defs/none"}), "not found"),
            (json!({"$schema": "https://example.org/draft"}), "is not part of it"),
            (json!({"pattern": "^(?!x)"}), "at /pattern: \"^(?!x)\" is no pattern that can be checked"),
            (json!({"properties": {"a": {"pattern": "["}}}), "at /properties/a/pattern: \"[\" is no pattern"),
            (json!(7), "7 is not of type"),
        ] {
            let why = Schema::new(&schema).err().unwrap();
            assert!(why.contains(expected) && !why.contains("here:"), "{schema}: {why}");
        }
        // What leads back to itself at the same place can never be checked to its end.
        assert!(!Schema::new(&json!({"$ref": "#"})).unwrap().fits(&json!(1)));
        let tree = Schema::new(&json!({"additionalProperties": {"$ref": "#"}, "type": "object"})).unwrap();
        assert!(tree.fits(&json!({"a": {"b": {}}})) && !tree.fits(&json!({"a": {"b": 1}})));
    }
}
