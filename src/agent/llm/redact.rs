//! Removes secrets from text that leaves the process: errors and cassettes.
//!
//! Known secrets are removed wherever they are. So is everything that looks like one: prefixes of well-known keys,
//! `Bearer …`, `password = …`, credentials in addresses, private keys, long random runs. It removes too much rather
//! than too little, and always the same, so that a redacted request can be compared with another.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

const GONE: &str = "[redacted]";

/// How the keys of well-known services begin.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "pk_live_",
    "rk_live_",
    "whsec_",
    "AIza",
    "ya29.",
    "1//0",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "hf_",
    "gsk_",
    "xai-",
    "pplx-",
    "npm_",
    "pypi-",
    "dop_v1_",
    "eyJ",
    "SG.",
    "AGE-SECRET-KEY-",
    "shpat_",
    "r8_",
];

/// Names whose value is a secret.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "api_key",
    "api-key",
    "apikey",
    "authorization",
    "cookie",
    "private_key",
    "credential",
    "access_key",
    "auth_token",
    "access_token",
    "refresh_token",
    "id_token",
    "x-goog-api-key",
];

/// Removes secrets from text.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Vec<SecretString>,
}

impl Redactor {
    /// Knows these secrets besides what looks like one. Secrets shorter than four bytes are not looked for.
    pub fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let secrets = secrets
            .into_iter()
            .map(|secret| SecretString::from(secret.expose_secret().trim().to_owned()))
            .filter(|secret| secret.expose_secret().len() >= 4)
            .collect();
        Self { secrets }
    }

    /// `text` without secrets.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            if text.contains(secret.expose_secret()) {
                text = text.replace(secret.expose_secret(), GONE);
            }
        }
        tokens(&addresses(&private_keys(text)))
    }

    /// `value` without secrets in its strings, in its keys, and under keys that name a secret.
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| {
                    let value = match value {
                        Value::String(_) if names_secret(&key) => Value::String(GONE.into()),
                        other => self.value(other),
                    };
                    (self.text(&key), value)
                })
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "token" || NAMES.iter().any(|part| name.contains(part))
}

/// Removes blocks from `BEGIN … PRIVATE KEY` to their end, or to the end of the text.
fn private_keys(mut text: String) -> String {
    while let Some(begin) = text.find("-----BEGIN ") {
        let Some(kind) = text[begin..].find("PRIVATE KEY-----") else { break };
        let rest = begin + kind + "PRIVATE KEY-----".len();
        let end = text[rest..].find("-----END ").map_or(text.len(), |at| {
            let from = rest + at + "-----END ".len();
            text[from..].find("-----").map_or(text.len(), |tail| from + tail + 5)
        });
        text.replace_range(begin..end, GONE);
    }
    text
}

/// Removes the credentials from `scheme://user:password@host`.
fn addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let stop = tail.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(tail.len());
        rest = match tail[..stop].rfind('@') {
            Some(sign) if tail[..sign].contains(':') => {
                out.push_str(GONE);
                &tail[sign..]
            }
            _ => tail,
        };
    }
    out.push_str(rest);
    out
}

fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-+/=.~%".contains(c)
}

/// Looks at each run of key characters together with the words before it.
fn tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(in_token) {
        let (gap, tail) = rest.split_at(start);
        out.push_str(gap);
        let end = tail.find(|c| !in_token(c)).unwrap_or(tail.len());
        let (token, next) = tail.split_at(end);
        // `name=value` without a space is one run.
        match token.split_once('=') {
            Some((name, value)) if names_secret(name) && value.len() >= 4 => {
                out.push_str(name);
                out.push('=');
                out.push_str(GONE);
            }
            _ if announced(&out, token) || looks_secret(token) => out.push_str(GONE),
            _ => out.push_str(token),
        }
        rest = next;
    }
    out.push_str(rest);
    out
}

/// Whether the text before the token says that a secret follows.
fn announced(before: &str, token: &str) -> bool {
    if token.len() < 4 {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or(before);
    let lower: String = line.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let lower = lower.to_ascii_lowercase();
    if ["bearer ", "basic "].iter().any(|word| lower.ends_with(word)) && token.len() >= 8 {
        return true;
    }
    let bare = lower.trim_end_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
    let Some(name) = bare.strip_suffix([':', '=']) else { return false };
    let name = name.trim_end_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
    let name = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).next().unwrap_or("");
    names_secret(name) && !matches!(token.to_ascii_lowercase().as_str(), "bearer" | "basic")
}

fn looks_secret(token: &str) -> bool {
    if PREFIXES.iter().any(|prefix| token.starts_with(prefix) && token.len() >= prefix.len() + 12) {
        return true;
    }
    // A run of random characters. Words joined by dashes or slashes do not count.
    token.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let has = |test: fn(&char) -> bool| run.chars().any(|c| test(&c));
        let digits = has(char::is_ascii_digit);
        let mixed = digits && has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
        let hex = digits && run.chars().all(|c| c.is_ascii_hexdigit());
        (run.len() >= 20 && mixed) || (run.len() >= 32 && hex)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_gone() {
        let rows = [
            "key sk-CANARYabcdefghijklmnop here",
            "Authorization: Bearer CANARYtoken1",
            "password = CANARY",
            "PASSWORD=CANARY and more",
            "{\"api_key\": \"CANARY-1\"}",
            "see https://ada:CANARY@host.example/path",
            "-----BEGIN RSA PRIVATE KEY-----\nCANARY\nCANARY\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nCANARY",
            "token AIzaSyCANARY0123456789abcdef",
            "id Zx91CANARYkq72LmNoPq0r4 end",
            "https://x.example/?access_token=CANARY",
        ];
        for row in rows {
            let text = Redactor::default().text(row);
            assert!(!text.contains("CANARY") && text.contains(GONE), "{text}");
        }
    }

    #[test]
    fn ordinary_words_stay() {
        for text in [
            "Your password was changed on Monday.",
            "The meeting is at 14:30 in room B-12/4, see https://example.org/a/b?c=d",
            "ada@example.org wrote to bob@example.org: 1,234 tokens, max_tokens 64",
            "Basic facts: the secret is out",
            "src/agent/llm/wire/redact-and-record.rs",
        ] {
            assert_eq!(Redactor::default().text(text), text);
        }
    }

    #[test]
    fn known_secrets_and_telling_keys_are_gone_from_data() {
        let redactor = Redactor::new([SecretString::from("plain canary words")]);
        let value =
            json!({"a": ["the plain canary words"], "client_secret": "canary", "plain canary words": 1});
        assert!(!redactor.value(value).to_string().contains("canary"));
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing_more(text in "[a-zA-Z0-9:=@/ \"\n.-]{0,80}(password: |Bearer |://a:b@)?[a-zA-Z0-9]{0,40}") {
            let once = Redactor::default().text(&text);
            prop_assert_eq!(Redactor::default().text(&once), once);
        }

        #[test]
        fn a_known_secret_never_stays(head in ".{0,40}", tail in ".{0,40}") {
            let redactor = Redactor::new([SecretString::from("canary-7")]);
            let redacted = redactor.text(&format!("{head}canary-7{tail}"));
            prop_assert!(!redacted.contains("canary-7"));
        }
    }
}
