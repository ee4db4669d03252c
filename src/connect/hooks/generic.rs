//! sayso's own hook format: the question as a JSON object on stdin, the answer as one on stdout.

use crate::inbox::door::NewRequest;
use crate::text::{Visible, nearest, when};
use serde_json::{Map, Value};
use std::time::Duration;

/// Fields that may be given in addition to those of `start request`.
const OURS: [&str; 4] = ["key", "expires", "timeout", "cwd"];

/// Every field, as listed in docs/agents.md.
const FIELDS: [&str; 11] =
    ["title", "text", "action", "args", "schema", "allow", "source", "cwd", "key", "expires", "timeout"];

/// Fields of `start request` that are accepted as well, for callers who know them.
const INNER: [&str; 3] = ["folder", "expires_in", "notice"];

/// Reads a question, and how long to wait for its answer.
pub fn read(request: &Value) -> Result<(NewRequest, Option<Duration>), String> {
    let Some(object) = request.as_object() else {
        return Err("stdin is not a JSON object; write it like {\"title\": \"Deploy?\"}".to_owned());
    };
    refuse_unknown(object)?;
    let text = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not text")),
    };
    let timeout = match object.get("timeout") {
        None | Some(Value::Null) => None,
        Some(seconds) => {
            let seconds = seconds.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            Some(seconds.ok_or_else(|| "`timeout` is not a number of seconds".to_owned())?)
        }
    };
    let mut input = object.clone();
    input.retain(|name, value| !OURS.contains(&name.as_str()) && !value.is_null());
    if let Some(expires) = text("expires")? {
        input.insert("expires_in".to_owned(), Value::from(when::parse_duration(&expires)?.as_secs()));
    }
    if let Some(folder) = text("cwd")? {
        input.entry("folder").or_insert(Value::from(folder));
    }
    Ok((NewRequest { input: Value::Object(input), key: text("key")? }, timeout))
}

/// Refuses an unknown field and lists the fields of this format; its writer would not know those of `start request`.
fn refuse_unknown(object: &Map<String, Value>) -> Result<(), String> {
    let is_known = |name: &str| FIELDS.contains(&name) || INNER.contains(&name);
    let Some((name, _)) = object.iter().find(|(name, value)| !value.is_null() && !is_known(name)) else {
        return Ok(());
    };
    let hint = nearest(name, FIELDS).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    let fields = FIELDS.map(|field| format!("`{field}`")).join(", ");
    let name = Visible::line(name);
    Err(format!("there is no field `{name}`; {hint}there are {fields}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_is_read_or_refused() {
        let input =
            json!({"title": "Go?", "key": "k", "expires": "1h", "timeout": 2.5, "cwd": "/a", "text": null});
        let (asking, timeout) = read(&input).unwrap();
        assert_eq!(asking.input, json!({"title": "Go?", "expires_in": 3600, "folder": "/a"}));
        assert_eq!((asking.key.as_deref(), timeout), (Some("k"), Some(Duration::from_millis(2500))));
        for (input, expected) in [
            (json!(3), "not a JSON object"),
            (json!({"title": "t", "key": 3}), "`key`"),
            (json!({"title": "t", "timeout": "x"}), "`timeout`"),
            (json!({"title": "t", "timeout": -1}), "`timeout`"),
            (json!({"title": "t", "expires": "soon"}), "`soon`"),
            (json!({"titel": "t"}), "no field `titel`; did you mean `title`? there are `title`, `text`"),
            (json!({"title": "t", "x": 1}), "no field `x`; there are `title`, `text`"),
        ] {
            assert!(read(&input).unwrap_err().contains(expected), "{input}");
        }
    }

    #[test]
    fn the_fields_are_those_of_the_docs() {
        let page = include_str!("../../../docs/agents.md");
        let (_, documented) = page.split_once("`title` is required; ").unwrap();
        let (documented, _) = documented.split_once("are optional.").unwrap();
        let documented = format!("`title` {documented}");
        for field in FIELDS {
            assert!(documented.contains(&format!("`{field}`")), "{field}");
        }
        let refused = read(&json!({"title": "t", "x": 1})).unwrap_err();
        for inner in INNER.into_iter().chain(["asked", "hidden"]) {
            assert!(!refused.contains(&format!("`{inner}`")), "{inner}");
        }
        assert!(read(&json!({"title": "t", "folder": "/a"})).is_ok());
    }
}
