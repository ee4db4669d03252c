//! When a decision may be made. Pure, so that the screen, the command line and servers follow the same rules.

use crate::engine::graph::{Allow, Decision, Hash, Labels};
use crate::text::one_of;
use crate::text::schema::{Misfit, Schema};
use serde_json::Value;

/// The hash of the card a person saw.
#[derive(Clone, Debug, PartialEq)]
pub enum SeenHash {
    /// From the screen.
    Whole(Hash),
    /// Typed by a person: all of it, or a prefix of at least eight digits.
    Typed(String),
}

impl SeenHash {
    /// Whether the seen card is the one with this hash.
    pub fn is_of(&self, hash: &Hash) -> bool {
        match self {
            SeenHash::Whole(seen) => seen == hash,
            SeenHash::Typed(typed) => hash.matches(typed),
        }
    }
}

/// Why a decision on an open interrupt is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The card that was shown is not the current one.
    #[error("the card has changed since it was shown; look at it again")]
    Stale,
    /// The interrupt does not take this answer.
    #[error("this cannot be answered with {0}; it takes {1}")]
    NotAllowed(&'static str, String),
    /// Edited arguments do not fit the schema.
    #[error("{0}")]
    Args(String),
    /// The response has no text.
    #[error("the answer is empty; say something, or use ignore")]
    Empty,
}

/// Whether `decision` may be made on an interrupt that allows `allow` and currently has the hash `hash`.
///
/// `shown` is what the person saw; `None` binds the decision to nothing.
pub fn check(
    decision: &Decision,
    allow: Allow,
    schema: &Value,
    hash: &Hash,
    shown: Option<&SeenHash>,
) -> Result<(), Refusal> {
    if shown.is_some_and(|shown| !shown.is_of(hash)) {
        return Err(Refusal::Stale);
    }
    if !allow.permits(decision) {
        let answers = one_of(allow.answers(&Labels::default()).map(|(word, _)| word));
        return Err(Refusal::NotAllowed(decision.word(), answers));
    }
    match decision {
        Decision::Accept | Decision::Ignore | Decision::Draft => Ok(()),
        Decision::Respond { text } if text.trim().is_empty() => Err(Refusal::Empty),
        Decision::Respond { .. } => Ok(()),
        Decision::Edit { args } => check_args(schema, args).map_err(Refusal::Args),
    }
}

/// Whether `args` fit `schema`; the error names the field.
pub fn check_args(schema: &Value, args: &Value) -> Result<(), String> {
    let checked = Schema::new(schema).map_err(|why| format!("the tool's own schema is broken: {why}"))?;
    match checked.misfits(args).first() {
        None => Ok(()),
        Some(misfit) => {
            let field = misfit.at.trim_start_matches('/').replace('/', ".");
            let wrong = sentence(schema, args, misfit);
            Err(if field.is_empty() { wrong } else { format!("`{field}`: {wrong}") })
        }
    }
}

/// What is wrong with one of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgError {
    /// Its name; empty if it is about all of them.
    pub field: String,
    /// Whether it is not there at all.
    pub is_missing: bool,
    pub text: String,
}

/// Everything that is wrong with `args`.
pub fn check_fields(schema: &Value, args: &Value) -> Vec<ArgError> {
    let checked = match Schema::new(schema) {
        Ok(checked) => checked,
        Err(why) => {
            let text = format!("the tool's own schema is broken: {why}");
            return vec![ArgError { field: String::new(), is_missing: false, text }];
        }
    };
    let wrong = |misfit: &Misfit| match &misfit.missing {
        Some(name) if misfit.at.is_empty() => {
            ArgError { field: name.clone(), is_missing: true, text: "is required".to_owned() }
        }
        _ => ArgError { field: field(misfit), is_missing: false, text: sentence(schema, args, misfit) },
    };
    checked.misfits(args).iter().map(wrong).collect()
}

fn field(misfit: &Misfit) -> String {
    misfit.at.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned()
}

/// The error for people, who should not have to read a pattern: if we have no example, what the schema says about the
/// field.
fn sentence(schema: &Value, args: &Value, misfit: &Misfit) -> String {
    let Some(pattern) = &misfit.pattern else { return misfit.text.clone() };
    let written = args.pointer(&misfit.at).unwrap_or_default();
    let about = schema["properties"][field(misfit)]["description"].as_str();
    match (format_example(pattern), about) {
        (Some(example), _) => format!("{written} should be written {example}"),
        (None, Some(about)) => format!("{written} does not fit. {about}"),
        (None, None) => format!("{written} does not fit"),
    }
}

/// How to write what a pattern asks for, with an example for common patterns.
fn format_example(pattern: &str) -> Option<&'static str> {
    Some(if pattern.contains('@') {
        "like an address, ann@example.org"
    } else if pattern.starts_with(r"^\d{4}-\d{2}-\d{2}$") {
        "like a day, 2026-05-04"
    } else if pattern.starts_with(r"^\d{4}-\d{2}-\d{2}") {
        "like a time, 2026-05-04T14:00:00+02:00"
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(decision: Decision, shown: Option<&str>) -> Result<(), Refusal> {
        let schema = json!({"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}});
        let allow = Allow { respond: false, ..Allow::ALL };
        let shown = shown.map(|typed| SeenHash::Typed(typed.to_owned()));
        check(&decision, allow, &schema, &Hash::of("send", &json!({"to": "a"}), &[]), shown.as_ref())
    }

    #[test]
    fn decisions_are_checked() {
        assert_eq!(refused(Decision::Accept, None), Ok(()));
        assert_eq!(refused(Decision::Accept, Some("0000000000")), Err(Refusal::Stale));
        let respond = refused(Decision::Respond { text: "x".into() }, None).unwrap_err();
        assert_eq!(
            respond.to_string(),
            "this cannot be answered with respond; it takes accept, edit or ignore"
        );
        assert_eq!(refused(Decision::Edit { args: json!({"to": "b"}) }, None), Ok(()));
        let wrong = refused(Decision::Edit { args: json!({"to": 3}) }, None).unwrap_err().to_string();
        assert!(wrong.starts_with("`to`: 3 is not of type"), "{wrong}");
        let fields = check_fields(&json!({"properties": {"to": {"type": "string"}}}), &json!({"to": 3}));
        assert_eq!(fields[0].field, "to");
        let shaped = json!({"properties": {"to": {"type": "string", "pattern": "^[^@]+@[^@]+$"}}});
        let wrong = check_args(&shaped, &json!({"to": "nobody"})).unwrap_err();
        assert!(
            wrong.starts_with("`to`: \"nobody\" should be written") && !wrong.contains("[^@]"),
            "{wrong}"
        );
        let missing = refused(Decision::Edit { args: json!({}) }, None).unwrap_err().to_string();
        assert!(missing.contains("\"to\" is a required property"), "{missing}");
    }
}
