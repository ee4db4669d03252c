//! Arguments as they came, compared with arguments as they are shown.

use crate::text::{hex, hidden_count};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// What an approval is bound to: the bytes that run, not just the text shown for them.
pub(super) fn digest(args: Option<&Map<String, Value>>) -> String {
    let bytes = args.map(|args| Value::Object(args.clone()).to_string()).unwrap_or_default();
    format!("original:{}", hex(&Sha256::digest(bytes.as_bytes())))
}

/// Says where the shown text differs from what came, one sentence per argument.
pub(super) fn differences(args: &Map<String, Value>) -> Vec<String> {
    let mut sentences = Vec::new();
    for (name, value) in args {
        collect(name, value, &mut sentences);
    }
    sentences
}

fn collect(path: &str, value: &Value, sentences: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| collect(&format!("{path}[{n}]"), item, sentences));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| collect(&format!("{path}.{name}"), item, sentences));
        }
        Value::String(text) => sentences.extend(difference(text).map(|what| format!("`{path}` has {what}."))),
    }
}

fn difference(text: &str) -> Option<String> {
    let windows = text.matches("\r\n").count();
    let bare = text.matches('\r').count() - windows;
    let hidden = hidden_count(text);
    let parts = [
        (windows, "Windows line end (CRLF)", "Windows line ends (CRLF)"),
        (bare, "bare carriage return", "bare carriage returns"),
        (hidden, "hidden character, shown as a placeholder", "hidden characters, shown as placeholders"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_digest_is_of_what_came() {
        let digest_of = |args: Value| digest(args.as_object());
        assert_ne!(digest_of(json!({"a": "x\r\n"})), digest_of(json!({"a": "x\n"})));
        assert_ne!(digest_of(json!({"a": "x\u{ad}"})), digest_of(json!({"a": "x⟨U+00AD⟩"})));
        assert_eq!(digest_of(json!({"a": "x", "b": 1})), digest_of(json!({"b": 1, "a": "x"})));
    }

    #[test]
    fn differences_are_named() {
        let differences_in = |args: Value| differences(args.as_object().unwrap());
        assert_eq!(differences_in(json!({"content": "plain\ntext\t"})), Vec::<String>::new());
        let args =
            json!({"content": "a\r\nb\r\n\u{1b}[0m", "edits": [{"new": "x\ry"}], "soft": "a\u{ad}\u{ad}b"});
        assert_eq!(
            differences_in(args),
            [
                "`content` has 2 Windows line ends (CRLF) and 1 hidden character, shown as a placeholder.",
                "`edits[0].new` has 1 bare carriage return.",
                "`soft` has 2 hidden characters, shown as placeholders.",
            ]
        );
    }
}
