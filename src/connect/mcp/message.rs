//! JSON-RPC 2.0 as the protocol uses it. Pure.

use serde_json::{Value, json};

/// The protocol versions that begin with a handshake, as this server does; the last is our own.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version both sides speak: the client's if we know it, otherwise ours.
pub(super) fn version(requested: Option<&str>) -> &'static str {
    let [.., ours] = VERSIONS;
    VERSIONS.into_iter().find(|version| Some(*version) == requested).unwrap_or(ours)
}

/// A message from a client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// A request, which needs an answer.
    Request { id: Value, method: String, params: Value },
    /// A notification, which needs none.
    Notice { method: String, params: Value },
    /// An invalid message; this is the answer.
    Bad(Value),
}

/// The messages in a line: one, several in a list, or none if it is empty.
pub(super) fn read(line: &[u8]) -> Vec<Message> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Vec::new();
    }
    match serde_json::from_slice(line) {
        Ok(Value::Array(all)) if !all.is_empty() => all.into_iter().filter_map(parse_one).collect(),
        Ok(value) => parse_one(value).into_iter().collect(),
        Err(wrong) => vec![Message::Bad(error(Value::Null, -32700, &format!("this is not JSON: {wrong}")))],
    }
}

fn parse_one(mut value: Value) -> Option<Message> {
    let id = value.get("id").cloned();
    let Some(method) = value.get("method").and_then(Value::as_str).map(str::to_owned) else {
        // A response to a request; but this server sends none.
        let answers = value.get("result").is_some() || value.get("error").is_some();
        let bad = || Message::Bad(error(Value::Null, -32600, "a request has a method"));
        return (!answers).then(bad);
    };
    let params = value.get_mut("params").map_or(Value::Null, Value::take);
    match id {
        None => Some(Message::Notice { method, params }),
        Some(id @ (Value::String(_) | Value::Number(_))) => Some(Message::Request { id, method, params }),
        Some(_) => {
            Some(Message::Bad(error(Value::Null, -32600, "the id of a request is a text or a number")))
        }
    }
}

/// The response to a request.
pub(super) fn reply(id: Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// An error response.
pub(super) fn error(id: Value, code: i64, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let request = read(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
        assert_eq!(
            request,
            [Message::Request { id: json!(7), method: "ping".to_owned(), params: Value::Null }]
        );
        assert!(matches!(&read(br#"{"method":"x","params":{}}"#)[..], [Message::Notice { .. }]));
        assert_eq!(read(b" \n"), []);
        assert_eq!(read(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), []);
        for (line, code) in [("{", -32700), ("[]", -32600), ("3", -32600), (r#"{"id":1}"#, -32600)] {
            let [Message::Bad(bad)] = &read(line.as_bytes())[..] else { panic!("{line}") };
            assert_eq!(bad["error"]["code"], code, "{line}");
        }
        assert_eq!(read(br#"[{"id":1,"method":"a"},{"method":"b"}]"#).len(), 2);
        assert!(matches!(&read(br#"{"id":null,"method":"a"}"#)[..], [Message::Bad(_)]));
    }

    #[test]
    fn a_version_is_agreed_on() {
        assert_eq!(version(Some("2025-03-26")), "2025-03-26");
        assert_eq!(version(Some("2031-01-01")), "2025-11-25");
        assert_eq!(version(None), "2025-11-25");
    }
}
