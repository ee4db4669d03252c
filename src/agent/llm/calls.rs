//! The calls that a model wrote into its text, as local models do whose server does not read them.

use serde::Deserialize;
use serde_json::Value;

use super::{ToolCall, ToolSpec, lenient_json};

#[derive(Deserialize)]
struct WrittenCall {
    name: String,
    #[serde(alias = "parameters")]
    arguments: Value,
}

/// The calls that a text ends with after a `<tool_call>` tag, or that are all of it. JSON that names no offered tool is
/// just text. The second value is what was said before them.
pub(super) fn in_text(text: &str, tools: &[ToolSpec]) -> Option<(Vec<ToolCall>, String)> {
    let text = lenient_json::without_thoughts(text);
    let text = lenient_json::in_fence(text).map_or(text, |(_, inner)| inner);
    let (words, written) = text.split_once("<tool_call>").unwrap_or(("", text));
    let written = written.replace("<tool_call>", "").replace("</tool_call>", "");
    let mut calls = Vec::new();
    for call in serde_json::Deserializer::from_str(&written).into_iter::<WrittenCall>() {
        let WrittenCall { name, arguments: args } = call.ok()?;
        tools.iter().find(|tool| tool.name == name).filter(|_| args.is_object())?;
        calls.push(ToolCall { id: format!("text_{}", calls.len()), name, args, signature: None });
    }
    (!calls.is_empty()).then(|| (calls, words.trim().to_owned()))
}

/// Drops calls that appear twice in one answer.
pub(super) fn drop_doubles(calls: &mut Vec<ToolCall>) {
    let mut seen = Vec::new();
    calls.retain(|call| {
        let call = (call.name.clone(), call.args.clone());
        let is_new = !seen.contains(&call);
        seen.push(call);
        is_new
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<ToolSpec> {
        let tool = |name: &str| ToolSpec { name: name.into(), description: String::new(), schema: json!({}) };
        vec![tool("write_email"), tool("done")]
    }

    #[test]
    fn calls_in_text_are_calls_of_offered_tools_only() {
        let args = json!({"to": ["a"]});
        for text in [
            r#"{"name": "write_email", "arguments": {"to": ["a"]}}"#,
            "```json\n{\"name\": \"write_email\", \"parameters\": {\"to\": [\"a\"]}}\n```",
            "<think>hm</think><tool_call>\n{\"name\": \"write_email\", \"arguments\": {\"to\": [\"a\"]}}\n</tool_call>",
        ] {
            let (calls, words) = in_text(text, &tools()).unwrap();
            assert_eq!(
                (calls.len(), &calls[0].name[..], &calls[0].args, &words[..]),
                (1, "write_email", &args, ""),
                "{text}"
            );
        }
        let tagged = "<tool_call>{\"name\": \"done\", \"arguments\": {}}</tool_call>\n";
        let (calls, words) = in_text(&format!("I write.\n{tagged}{tagged}"), &tools()).unwrap();
        assert_eq!((calls.len(), calls[1].id.as_str(), words.as_str()), (2, "text_1", "I write."));
        for words in [
            r#"{"name": "send_money", "arguments": {}}"#,
            r#"Call {"name": "done", "arguments": {}} when you are done."#,
            r#"{"name": "done"}"#,
            "done",
            "",
            "<tool_call>{\"name\": \"done\", \"argum",
        ] {
            assert!(in_text(words, &tools()).is_none(), "{words}");
        }
    }
}
