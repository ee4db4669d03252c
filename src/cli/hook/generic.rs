//! sayso's own form: the question as a JSON object on stdin, the answer as one on stdout.

use crate::app::Asking;
use crate::cli::failure::Failure;
use crate::cli::when;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// What may stand beside the keys of `start request`.
const OURS: [&str; 4] = ["key", "expires", "timeout", "cwd"];

/// Reads a question, and how long to wait for its answer.
pub(super) fn read(said: &Value, now: &Timestamp) -> Result<(Asking, Option<Duration>), Failure> {
    let Some(object) = said.as_object() else {
        return Err(Failure::usage("stdin is not a JSON object; write it like {\"title\": \"Deploy?\"}"));
    };
    let text = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Failure::usage(format!("`{name}` is not text"))),
    };
    let timeout = match object.get("timeout") {
        None | Some(Value::Null) => None,
        Some(seconds) => {
            let seconds = seconds.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            Some(seconds.ok_or_else(|| Failure::usage("`timeout` is not a number of seconds"))?)
        }
    };
    let mut input = object.clone();
    input.retain(|name, value| !OURS.contains(&name.as_str()) && !value.is_null());
    if let Some(expires) = text("expires")? {
        input.insert("expires_in".to_owned(), Value::from(when::lasting(&expires, now)?.as_secs()));
    }
    if let Some(folder) = text("cwd")? {
        input.entry("folder").or_insert(Value::from(folder));
    }
    Ok((Asking { input: Value::Object(input), key: text("key")? }, timeout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_is_read_or_refused() {
        let now = Timestamp::UNIX_EPOCH;
        let said =
            json!({"title": "Go?", "key": "k", "expires": "1h", "timeout": 2.5, "cwd": "/a", "text": null});
        let (asking, timeout) = read(&said, &now).unwrap();
        assert_eq!(asking.input, json!({"title": "Go?", "expires_in": 3600, "folder": "/a"}));
        assert_eq!((asking.key.as_deref(), timeout), (Some("k"), Some(Duration::from_millis(2500))));
        for (said, expected) in [
            (json!(3), "not a JSON object"),
            (json!({"title": "t", "key": 3}), "`key`"),
            (json!({"title": "t", "timeout": "x"}), "`timeout`"),
            (json!({"title": "t", "timeout": -1}), "`timeout`"),
            (json!({"title": "t", "expires": "soon"}), "`soon`"),
        ] {
            assert!(read(&said, &now).unwrap_err().text().contains(expected), "{said}");
        }
    }
}
