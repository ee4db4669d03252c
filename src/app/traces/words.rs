//! What a model was told and answered, if the config asks for contents: bounded, and without secrets.

use super::wire::Attribute;
use crate::inbox::CallView;
use crate::llm::Redactor;
use serde_json::{Value, json};

/// Longer texts are cut, in bytes.
const TEXT: usize = 8 * 1024;
/// Only the newest part of a longer conversation is sent, in bytes.
const CONVERSATION: usize = 64 * 1024;

/// The messages of a call, as attributes.
pub(super) fn message_attributes(call: &CallView, redactor: &Redactor) -> Vec<(&'static str, Attribute)> {
    let text = |text: &str| json!({ "type": "text", "content": cut(&redactor.text(text)) });
    let mut attributes = Vec::new();
    if !call.system.is_empty() {
        attributes.push(("gen_ai.system_instructions", json!([text(&call.system)])));
    }
    let (mut messages, mut room) = (Vec::new(), CONVERSATION);
    for (who, content) in call.messages.iter().rev() {
        let message = json!({ "role": role(who), "parts": [text(content)] });
        let size = message.to_string().len();
        if size > room && !messages.is_empty() {
            let earlier =
                format!("… ({} earlier messages are left out)", call.messages.len() - messages.len());
            messages.push(json!({ "role": "system", "parts": [text(&earlier)] }));
            break;
        }
        room = room.saturating_sub(size);
        messages.push(message);
    }
    messages.reverse();
    attributes.push(("gen_ai.input.messages", Value::Array(messages)));
    if call.answer.is_some() || !call.calls.is_empty() {
        let answer_text = call.answer.as_deref().filter(|answer_text| !answer_text.is_empty());
        let mut parts: Vec<Value> = answer_text.map(text).into_iter().collect();
        for (name, args) in &call.calls {
            let args = redactor.value(args.clone()).to_string();
            parts.push(json!({ "type": "tool_call", "name": redactor.text(name), "arguments": cut(&args) }));
        }
        let finish = if call.calls.is_empty() { "stop" } else { "tool_call" };
        let answer = json!([{ "role": "assistant", "parts": parts, "finish_reason": finish }]);
        attributes.push(("gen_ai.output.messages", answer));
    }
    attributes.into_iter().map(|(key, value)| (key, value.to_string().into())).collect()
}

/// The role, in the words of OpenTelemetry's conventions.
fn role(who: &str) -> &str {
    if who.starts_with("tool") { "tool" } else { who }
}

fn cut(text: &str) -> String {
    if text.len() <= TEXT {
        return text.to_owned();
    }
    let end = (0..=TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{} … ({} bytes more)", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(messages: Vec<(String, String)>) -> CallView {
        CallView {
            task: "t".to_owned(),
            model: "m".to_owned(),
            system: "Be kind. password: canary-1".to_owned(),
            messages,
            rules: Value::Null,
            answer: Some("Yes, sk-canary0123456789abcdef".to_owned()),
            calls: vec![("send".to_owned(), json!({ "to": "bob", "api_key": "canary-2" }))],
            error: None,
            missing: None,
        }
    }

    #[test]
    fn words_are_bounded_and_without_secrets() {
        let long = (0..200).map(|n| ("user".to_owned(), format!("{n} {}", "ü".repeat(TEXT)))).collect();
        let attributes = message_attributes(&call(long), &Redactor::default());
        let all: String = attributes.iter().map(|(key, value)| format!("{key} {value:?}")).collect();
        assert!(!all.contains("canary"), "{all}");
        assert!(all.len() < 2 * CONVERSATION, "{}", all.len());
        assert!(
            all.contains("earlier messages are left out")
                && all.contains("199 ü")
                && all.contains("bytes more")
        );
        let keys: Vec<&str> = attributes.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"]);
    }
}
