//! Tells the errors of servers apart, and makes them fit to be shown.

use crate::text::words::clip;
use std::time::Duration;

use serde_json::Value;

use crate::agent::llm::{Message, ModelError, Redactor, Request};
use crate::text::Visible;

/// The longest excerpt of a server's message in an error.
const EXCERPT: usize = 200;

/// A run of this many characters that is also in the prompt counts as a quote from it.
const ECHO: usize = 24;

/// Why a stream gave no answer.
#[derive(Debug, PartialEq)]
pub enum Fault {
    /// It ended too early.
    Cut(String),
    /// It is not in the provider's format.
    Garbled(String),
    /// It is over a cap.
    TooLarge(String),
    /// The model declined, in its own or the filter's words.
    Refused(String),
    /// The token limit left nothing usable.
    OutOfTokens,
    /// The server reported an error inside the stream.
    Server(ProviderError),
}

/// An error as the server words it.
#[derive(Debug, Default, PartialEq)]
pub struct ProviderError {
    /// A number like a status, if the body has one.
    pub status: Option<u16>,
    /// The provider's code or type (`overloaded_error`, `RESOURCE_EXHAUSTED`), lower case.
    pub code: String,
    /// Its sentence, raw.
    pub message: String,
    /// More data (Google's retry delays).
    pub details: Value,
}

impl ProviderError {
    /// The status this error would have had outside a stream.
    pub fn likely_status(&self) -> u16 {
        let rows = [
            ("authentication", 401),
            ("permission", 403),
            ("not_found", 404),
            ("rate_limit", 429),
            ("too_large", 413),
            ("invalid_request", 400),
        ];
        let by_code = rows.iter().find(|(word, _)| self.code.contains(word)).map(|(_, status)| *status);
        self.status.or(by_code).unwrap_or(500)
    }
}

/// Reads an error's body in any of the common forms; a body that is not JSON is the message.
pub(super) fn parse_error(body: &[u8]) -> ProviderError {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => find_error(&value).unwrap_or_default(),
        Err(_) => {
            let text = String::from_utf8_lossy(body);
            // An HTML page comes from a proxy or a wrong address, and tells people nothing.
            let html = text.trim_start().starts_with('<');
            ProviderError {
                message: if html { String::new() } else { text.into_owned() },
                ..ProviderError::default()
            }
        }
    }
}

/// An error inside a stream of frames.
pub(super) fn in_frame(value: &Value) -> Option<Fault> {
    let error = value.get("error").or_else(|| value.get(0)?.get("error"))?;
    if error.is_null() {
        return None;
    }
    find_error(value).map(Fault::Server)
}

fn find_error(value: &Value) -> Option<ProviderError> {
    let value = value.get(0).unwrap_or(value);
    let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    };
    let message = match error {
        Value::String(text) => text.clone(),
        _ => [text(error.get("message")), text(error.get("detail")), text(value.get("message"))]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    };
    let codes: Vec<String> =
        ["code", "type", "status"].into_iter().map(|key| text(error.get(key)).to_lowercase()).collect();
    let status = error.get("code").and_then(Value::as_u64).and_then(|n| u16::try_from(n).ok());
    Some(ProviderError {
        status: status.filter(|n| (400..600).contains(n)),
        code: codes.join(" ").trim().to_owned(),
        message,
        details: error.get("details").cloned().unwrap_or_default(),
    })
}

/// Which error a refusal is. Servers differ in status and words, so both are checked.
pub(super) fn classify(
    model: &str,
    status: u16,
    reported: &ProviderError,
    retry_after: Option<Duration>,
    why: String,
) -> ModelError {
    let model = model.to_owned();
    let message = reported.message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| message.contains(w) || reported.code.contains(w));
    let unpaid = has(&["insufficient_quota", "insufficient credit", "credit balance", "billing"]);
    let bad_key = has(&["api_key_invalid", "api key not valid", "invalid_api_key", "authentication_error"]);
    let too_long = has(&[
        "context_length_exceeded",
        "exceed_context_size",
        "context length",
        "context window",
        "context size",
        "maximum context",
        "prompt is too long",
        "too many tokens",
        "input token count",
    ]);
    match status {
        401..=403 => ModelError::Unauthorised { model, why },
        429 if unpaid => ModelError::Unauthorised { model, why },
        400 | 413 | 422 if bad_key || unpaid => ModelError::Unauthorised { model, why },
        400 | 413 | 422 | 500 if too_long => ModelError::ContextTooLong { model, why },
        413 => ModelError::ContextTooLong { model, why },
        429 => ModelError::RateLimited { model, retry_after, why },
        _ if has(&["rate_limit", "resource_exhausted"]) => {
            ModelError::RateLimited { model, retry_after, why }
        }
        400 | 422 if has(&["content_filter", "content_policy", "content management policy"]) => {
            ModelError::Refused { model, why }
        }
        408 | 409 | 425 | 500 | 502..=599 => ModelError::Overloaded { model, retry_after, why },
        300..=399 => {
            let why = "it answers with a redirect, which is not followed: set base_url to the final address";
            ModelError::Rejected { model, status, why: why.into() }
        }
        _ => ModelError::Rejected { model, status, why },
    }
}

/// A server's sentence, short, visible, without secrets, and without the prompt it may quote.
pub(super) fn excerpt(message: &str, redactor: &Redactor, request: &Request) -> String {
    // Looks at more than an excerpt, so that a secret at its edge is seen whole.
    let text = clip(message, EXCERPT * 4);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = clip(&redactor.text(Visible::new(&text).as_str()), EXCERPT);
    if echoes(&text, request) { "(its message repeats the prompt and is left out)".into() } else { text }
}

fn echoes(text: &str, request: &Request) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut prompts = vec![squeeze(&request.system)];
    for message in &request.messages {
        match message {
            Message::User { text } | Message::Tool { text, .. } => prompts.push(squeeze(text)),
            Message::Assistant { text, calls } => {
                prompts.push(squeeze(text));
                prompts.extend(calls.iter().map(|call| call.args.to_string()));
            }
        }
    }
    let chars: Vec<char> = text.chars().collect();
    chars.windows(ECHO).any(|window| {
        let run: String = window.iter().collect();
        prompts.iter().any(|prompt| prompt.contains(&run))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn code(status: u16, body: &str) -> &'static str {
        classify("m", status, &parse_error(body.as_bytes()), None, String::new()).code()
    }

    #[test]
    fn refusals_are_told_apart() {
        let rows = [
            (401, r#"{"error":{"message":"Incorrect API key"}}"#, "unauthorised"),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#,
                "unauthorised",
            ),
            (
                429,
                r#"{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}"#,
                "unauthorised",
            ),
            (429, r#"{"error":{"message":"slow down"}}"#, "rate_limited"),
            (400, r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#, "context_too_long"),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
                "context_too_long",
            ),
            (
                400,
                r#"{"error":{"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
                "context_too_long",
            ),
            (413, "", "context_too_long"),
            (500, r#"{"error":"boom"}"#, "overloaded"),
            (529, r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, "overloaded"),
            (404, r#"{"error":"model 'x' not found"}"#, "rejected"),
            (400, r#"{"error":{"code":"content_filter","message":"filtered"}}"#, "refused"),
            (307, "", "rejected"),
            (502, "<html>Bad gateway</html>", "overloaded"),
        ];
        for (status, body, want) in rows {
            assert_eq!(code(status, body), want, "{status} {body}");
        }
    }

    #[test]
    fn excerpts_hold_no_key_no_prompt_and_no_page() {
        let redactor = Redactor::new(Some("canary-key-123".to_owned().into()));
        let request = Request::default().system("You triage the mail of Ada Lovelace, countess.");
        let text = excerpt("bad key canary-key-123 given", &redactor, &request);
        assert!(!text.contains("canary"), "{text}");
        let text =
            excerpt("cannot parse: You triage the mail\n of Ada Lovelace, countess.", &redactor, &request);
        assert!(!text.contains("Lovelace"), "{text}");
        assert_eq!(parse_error(b"<html>secret page</html>").message, "");
        assert!(excerpt(&"x".repeat(5000), &redactor, &request).chars().count() <= EXCERPT + 1);
    }

    #[test]
    fn errors_inside_a_stream_are_seen() {
        assert!(in_frame(&json!({"choices": [], "error": null})).is_none());
        let Some(Fault::Server(error)) = in_frame(&json!({"error": {"code": 503, "message": "busy"}})) else {
            panic!("not seen")
        };
        assert_eq!((error.status, error.message.as_str()), (Some(503), "busy"));
    }
}
