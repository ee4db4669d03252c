//! Checks what an asker hands in against the limits before anything is stored.
//!
//! Words for the person are made visible. Arguments are kept as they came and made visible only when they are shown; if
//! they are accepted without an edit, they go back unchanged.

use super::state::{RequestInput, Way};
use super::surroundings;
use crate::engine::graph::InputError;
use crate::inbox::{check_args, schema_like};
use crate::text::schema::Schema;
use crate::text::{Visible, hidden_count};
use crate::tools::moment::Moment;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

const MAX_TITLE: usize = 300;
const MAX_TEXT: usize = 256 * 1024;
const MAX_ARGS: usize = 1024 * 1024;
const MAX_SCHEMA: usize = 256 * 1024;
const MAX_NAME: usize = 80;
const MAX_ACTION: usize = 300;
const MAX_FOLDER: usize = 4096;
const MAX_WAIT: u64 = 366 * 24 * 3600;

/// Completes and checks an input that has the right types.
pub(super) fn prepare(input: Value, now: Timestamp) -> Result<Value, InputError> {
    let input_error = |error: serde_json::Error| InputError::Whole(error.to_string());
    let mut request: RequestInput = serde_json::from_value(input).map_err(input_error)?;
    request.hidden = hidden(&request);
    request.title = line("title", &request.title, MAX_TITLE)?;
    if request.title.trim().is_empty() {
        return Err(InputError::field("title", "say in one line what you ask"));
    }
    request.text = match request.text.take() {
        Some(text) if text.len() > MAX_TEXT => {
            let text = format!("{} bytes are too many; at most {MAX_TEXT} are taken", text.len());
            return Err(InputError::field("text", text));
        }
        Some(text) if text.trim().is_empty() => None,
        Some(text) => Some(Visible::new(&text).into_string()),
        None => None,
    };
    request.source = request.source.take().map(|name| line("source", &name, MAX_NAME)).transpose()?;
    request.folder = request.folder.take().map(|name| line("folder", &name, MAX_FOLDER)).transpose()?;
    if let Some(session) = &mut request.session {
        session.id = line("session", &session.id, MAX_FOLDER)?;
        for text in [&mut session.helper, &mut session.branch, &mut session.prompt].into_iter().flatten() {
            *text = line("session", text, MAX_FOLDER)?;
        }
    }
    for remember in &mut request.remember {
        remember.words = line("remember", &remember.words, MAX_FOLDER)?;
    }
    if let Some(action) = &request.action {
        check_action(action)?;
    }
    if request.action.is_none() && (request.args.is_some() || request.schema.is_some()) {
        return Err(InputError::field("action", "arguments belong to an action; name it"));
    }
    if let Some(args) = &request.args {
        check_given_args(args)?;
    }
    check_schema(&mut request)?;
    check_allow(&request)?;
    if request.expires_in.is_some_and(|seconds| seconds == 0 || seconds > MAX_WAIT) {
        return Err(InputError::field("expires_in", "a request lasts a second at least, and a year at most"));
    }
    let patience = request.waiting.and_then(|waiting| waiting.gives_up_in);
    if patience.is_some_and(|seconds| seconds > MAX_WAIT) {
        return Err(InputError::field("waiting", "nobody waits longer than a year"));
    }
    surroundings::look(&mut request);
    request.asked = Some(Moment::now(now));
    serde_json::to_value(request).map_err(input_error)
}

/// How many of the shown characters are invisible.
fn hidden(request: &RequestInput) -> u64 {
    let texts = [Some(&request.title), request.text.as_ref()].into_iter().flatten();
    let mut count: usize = texts.map(|text| hidden_count(text)).sum();
    let mut remaining: Vec<&Value> = request.args.iter().flat_map(Map::values).collect();
    while let Some(value) = remaining.pop() {
        match value {
            Value::String(text) => count += hidden_count(text),
            Value::Array(items) => remaining.extend(items),
            Value::Object(fields) => remaining.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    count as u64
}

fn line(name: &str, text: &str, max: usize) -> Result<String, InputError> {
    let count = text.chars().count();
    if count > max {
        return Err(InputError::field(
            name,
            format!("{count} characters are too many; at most {max} are taken"),
        ));
    }
    Ok(Visible::line(text).into_string().trim().to_owned())
}

/// An action is a plain word, so it cannot look like another action or like a path to one.
fn check_action(action: &str) -> Result<(), InputError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if action.is_empty() || action.len() > MAX_ACTION || !action.chars().all(is_plain) {
        let text = format!("a word of letters, digits, `_`, `-` and `.`, at most {MAX_ACTION}, is needed");
        return Err(InputError::field("action", text));
    }
    Ok(())
}

fn check_given_args(args: &Map<String, Value>) -> Result<(), InputError> {
    let args = Value::Object(args.clone());
    let size = args.to_string().len();
    if size > MAX_ARGS {
        return Err(InputError::field(
            "args",
            format!("{size} bytes are too many; at most {MAX_ARGS} are taken"),
        ));
    }
    match unshowable_name(&args) {
        Some(name) => {
            let name = Visible::line(name);
            Err(InputError::field("args", format!("the name `{name}` holds characters that cannot be shown")))
        }
        None => Ok(()),
    }
}

/// Finds a name that is not shown as it is: two such names could look the same, and only one would be seen.
fn unshowable_name(value: &Value) -> Option<&str> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        Value::Array(items) => items.iter().find_map(unshowable_name),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let is_shown = Visible::line(name).as_str() == name;
            if is_shown { unshowable_name(value) } else { Some(name.as_str()) }
        }),
    }
}

/// Arguments must fit their schema from the start, so that the person can accept whatever they can edit.
fn check_schema(request: &mut RequestInput) -> Result<(), InputError> {
    let Some(schema) = &request.schema else {
        request.schema = request.args.as_ref().map(schema_of);
        return Ok(());
    };
    let size = schema.to_string().len();
    if size > MAX_SCHEMA {
        return Err(InputError::field(
            "schema",
            format!("{size} bytes are too many; at most {MAX_SCHEMA} are taken"),
        ));
    }
    if !schema.is_object() {
        return Err(InputError::field("schema", "a JSON schema is an object"));
    }
    if let Err(error) = Schema::new(schema) {
        return Err(InputError::field("schema", format!("this is not a JSON schema: {error}")));
    }
    let args = Value::Object(request.args.clone().unwrap_or_default());
    check_args(schema, &args).map_err(|text| InputError::field("args", text))
}

/// The schema of arguments that came without one: the same names, the same types.
fn schema_of(args: &Map<String, Value>) -> Value {
    let properties: Map<String, Value> =
        args.iter().map(|(name, value)| (name.clone(), schema_like(value))).collect();
    let mut names: Vec<&String> = args.keys().collect();
    // A form shows them in this order, and what is replaced comes before its replacement.
    names.sort_by_key(|name| {
        let old = name.strip_prefix("new").map(|rest| format!("old{rest}"));
        match old.filter(|old| args.contains_key(old)) {
            Some(old) => (old, true),
            None => ((*name).clone(), false),
        }
    });
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn check_allow(request: &RequestInput) -> Result<(), InputError> {
    if request.question && request.allow().accept {
        return Err(InputError::field("question", "a question is answered; leave `accept` out of `allow`"));
    }
    match &request.allow {
        Some(ways) if ways.is_empty() => Err(InputError::field("allow", "name one answer at least")),
        Some(ways) if ways.contains(&Way::Edit) && request.args.is_none() => {
            Err(InputError::field("allow", "without arguments there is nothing to edit"))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(input: Value, name: &str, expected: &str) {
        let error = prepare(input, Timestamp::UNIX_EPOCH).unwrap_err();
        let InputError::Field { field, text } = &error else { panic!("{error}") };
        assert!(field == name && text.contains(expected), "{error}");
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_the_field() {
        refused(json!({"title": " \t "}), "title", "one line");
        refused(json!({"title": "x".repeat(301)}), "title", "301 characters");
        refused(json!({"title": "t", "text": "x".repeat(MAX_TEXT + 1)}), "text", "too many");
        refused(json!({"title": "t", "source": "x".repeat(81)}), "source", "81 characters");
        for action in ["", "send mail", "email/write", "ünder", "a\u{200b}b", &"x".repeat(301)] {
            refused(json!({"title": "t", "action": action}), "action", "a word");
        }
        refused(json!({"title": "t", "args": {}}), "action", "name it");
        let big = json!({"title": "t", "action": "a", "args": {"x": "y".repeat(MAX_ARGS)}});
        refused(big, "args", "too many");
        for args in [json!({"a\tb": 1}), json!({"a": [{"\u{200b}": 1}]})] {
            refused(json!({"title": "t", "action": "a", "args": args}), "args", "cannot be shown");
        }
        refused(json!({"title": "t", "action": "a", "schema": 3}), "schema", "an object");
        let wrong = json!({"title": "t", "action": "a", "schema": {"type": "nonsense"}});
        refused(wrong, "schema", "not a JSON schema");
        let unfit = json!({"title": "t", "action": "a", "args": {"n": "x"}, "schema":
            {"properties": {"n": {"type": "integer"}}}});
        refused(unfit, "args", "`n`");
        refused(json!({"title": "t", "allow": []}), "allow", "one answer");
        refused(json!({"title": "t", "action": "a", "question": true}), "question", "is answered");
        refused(json!({"title": "t", "allow": ["edit"]}), "allow", "nothing to edit");
        refused(json!({"title": "t", "expires_in": 0}), "expires_in", "a second");
    }

    #[test]
    fn old_text_comes_before_new_text() {
        let edit = json!({"file_path": "f", "new_string": "b", "old_string": "a", "replace_all": false});
        let names = schema_of(edit.as_object().unwrap())["required"].clone();
        assert_eq!(names, json!(["file_path", "old_string", "new_string", "replace_all"]));
        let write = json!({"new_source": "x", "cell": 1, "path": "p"});
        assert_eq!(schema_of(write.as_object().unwrap())["required"], json!(["cell", "new_source", "path"]));
    }

    #[test]
    fn words_are_visible_and_arguments_stay_as_they_came() {
        let input = json!({
            "title": "a\u{1b}[2Jb\nc", "text": "x\u{202e}y", "source": "s\u{7}", "folder": "/a\u{200b}b",
            "action": "run", "args": {"k": "v\u{9b}\r\n"}, "asked": {"wall_ms": -5},
        });
        let mut prepared = prepare(input, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(prepared["args"].take(), json!({"k": "v\u{9b}\r\n"}));
        assert!(!prepared.to_string().chars().any(crate::text::is_hidden), "{prepared}");
        assert!(!prepared["title"].as_str().unwrap().contains('\n'));
        assert_eq!(prepared["asked"]["wall_ms"], 0);
        assert_eq!(prepared["hidden"], 3);
        assert_eq!(prepared["schema"]["additionalProperties"], false);
    }
}
