//! What a person approves, as a hash.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// What an approval is bound to: SHA-256 over the action, the arguments and whatever was shown with them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash of a proposal.
    pub fn of(action: &str, args: &Value, shown_with: &[String]) -> Self {
        let mut text = String::new();
        text.push('[');
        canonical(&Value::from(action), &mut text);
        text.push(',');
        canonical(args, &mut text);
        text.push(',');
        canonical(&Value::from(shown_with.to_vec()), &mut text);
        text.push(']');
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// From raw bytes, from the store.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// Whether `typed` is this hash: all of it, or a prefix of at least eight digits.
    pub fn matches(&self, typed: &str) -> bool {
        typed.len() >= 8 && self.to_string().starts_with(&typed.to_ascii_lowercase())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// Writes `value` as JSON with sorted keys and no spaces, so that equal values are equal bytes.
pub fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (i, (key, value)) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(&Value::from(key.as_str()), out);
                out.push(':');
                canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hash_ignores_key_order_and_sees_everything_else() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":[true,{"d":2,"c":null}]}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"b":[true,{"c":null,"d":2}],"a":1}"#).unwrap();
        let hash = Hash::of("send", &one, &[]);
        assert_eq!(hash, Hash::of("send", &two, &[]));
        assert_ne!(hash, Hash::of("sent", &two, &[]));
        assert_ne!(hash, Hash::of("send", &two, &["mail".into()]));
        assert_ne!(hash, Hash::of("send", &json!({"a": "1", "b": []}), &[]));
        assert!(hash.matches(&hash.to_string()[..8]));
        assert!(!hash.matches(&hash.to_string()[..7]));
    }
}
