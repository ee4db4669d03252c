//! The conversation of a thread, if its state has one in LangChain's form.

use crate::text::truncate;
use serde_json::Value;

/// How much of a conversation a card shows: messages, and the width of each.
const MOST: usize = 12;
const LONGEST: usize = 2000;

/// The latest messages: role and text.
pub(super) fn last(values: &Value) -> Vec<(String, String)> {
    let all = all(values);
    let from = all.len().saturating_sub(MOST);
    all.into_iter().skip(from).map(|(who, text)| (who, truncate(&text, LONGEST).into_owned())).collect()
}

/// All messages: role and text.
pub(super) fn all(values: &Value) -> Vec<(String, String)> {
    let messages = values.get("messages").and_then(Value::as_array);
    messages.into_iter().flatten().filter_map(turn).collect()
}

fn turn(message: &Value) -> Option<(String, String)> {
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    let who = match text("type").or_else(|| text("role"))? {
        "human" | "user" => "you",
        "ai" | "assistant" => "agent",
        "tool" => text("name").unwrap_or("tool"),
        other => other,
    };
    let content = match message.get("content") {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Array(parts)) => {
            let words = parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            words.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls =
        calls.filter_map(|call| Some(format!("calls {} {}", call.get("name")?.as_str()?, call.get("args")?)));
    let content: Vec<String> =
        std::iter::once(content).filter(|content| !content.is_empty()).chain(calls).collect();
    (!content.is_empty()).then(|| (who.to_owned(), content.join("\n")))
}
