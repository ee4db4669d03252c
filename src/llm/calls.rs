//! Finds the tool that a call means, and the calls that a model wrote into its text.

use serde_json::Value;

use super::{Habit, ToolCall, ToolSpec, lenient_json};
use crate::text::words::letters_and_digits;

/// Whether a name that a model wrote means this tool: it may be in another case, or have a prefix such as `functions.`.
pub(super) fn means(written: &str, tool: &str) -> bool {
    if written == tool {
        return true;
    }
    let tool = letters_and_digits(tool);
    let last = written.rsplit(['.', ':', '/']).next().unwrap_or(written);
    let after = written.rsplit_once("__").map_or(written, |(_, name)| name);
    !tool.is_empty() && [written, last, after].iter().any(|name| letters_and_digits(name) == tool)
}

/// The one offered tool that a name means.
pub(super) fn find<'t>(tools: &'t [ToolSpec], name: &str) -> Option<&'t ToolSpec> {
    if let Some(exact) = tools.iter().find(|tool| tool.name == name) {
        return Some(exact);
    }
    let mut matching = tools.iter().filter(|tool| means(name, &tool.name));
    match (matching.next(), matching.next()) {
        (Some(tool), None) => Some(tool),
        _ => None,
    }
}

/// The calls that a text consists of: in `<tool_call>` tags, or if all of it is the JSON of one. JSON that names no
/// offered tool is just text. The second value is the rest of the text.
pub(super) fn in_text(text: &str, tools: &[ToolSpec]) -> Option<(Vec<ToolCall>, String)> {
    let (bare, _) = lenient_json::without_thoughts(text);
    let mut calls = Vec::new();
    let mut besides = String::new();
    let mut rest = bare;
    while let Some((before, after)) = rest.split_once("<tool_call>") {
        let (inside, next) = after.split_once("</tool_call>").unwrap_or((after, ""));
        besides.push_str(before);
        rest = next;
        calls.extend(written(&lenient_json::value(inside.trim())?.0, tools)?);
    }
    besides.push_str(rest);
    if calls.is_empty() {
        let trimmed = bare.trim();
        let fenced = trimmed.strip_prefix("```").and_then(|inner| inner.strip_suffix("```"));
        let trimmed =
            fenced.map_or(trimmed, |inner| inner.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
        calls = written(&lenient_json::value(trimmed.trim())?.0, tools)?;
        besides.clear();
    }
    for (at, call) in calls.iter_mut().enumerate() {
        call.id = format!("text_{at}");
    }
    Some((calls, besides.trim().to_owned()))
}

/// Reads calls from JSON, in the forms that models use.
fn written(value: &Value, tools: &[ToolSpec]) -> Option<Vec<ToolCall>> {
    if let Value::Array(all) = value {
        let each: Option<Vec<Vec<ToolCall>>> = all.iter().map(|one| written(one, tools)).collect();
        return each.map(|each| each.concat()).filter(|calls| !calls.is_empty());
    }
    if let Some(all @ Value::Array(_)) = value.get("tool_calls") {
        return written(all, tools);
    }
    let value = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let name = ["name", "tool", "tool_name", "function"].iter().find_map(|key| value.get(key)?.as_str())?;
    let args = ["arguments", "parameters", "args", "input"].iter().find_map(|key| value.get(key))?;
    let args = match args {
        Value::String(packed) => lenient_json::value(packed)?.0,
        other => other.clone(),
    };
    let tool = find(tools, name).filter(|_| args.is_object())?;
    Some(vec![ToolCall { id: String::new(), name: tool.name.clone(), args, signature: None }])
}

/// Drops calls that appear twice in one answer.
pub(super) fn drop_doubles(calls: &mut Vec<ToolCall>) -> Option<Habit> {
    let before = calls.len();
    let mut unique: Vec<ToolCall> = Vec::new();
    for call in calls.drain(..) {
        if !unique.iter().any(|other| other.name == call.name && other.args == call.args) {
            unique.push(call);
        }
    }
    *calls = unique;
    (calls.len() < before).then_some(Habit::SameCall)
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
    fn names_are_known_by_prefix_and_case_and_no_nearer() {
        for name in [
            "write_email",
            "Write_Email",
            "writeEmail",
            "functions.write_email",
            "mail__write_email",
            "a:b/write-email",
        ] {
            assert_eq!(find(&tools(), name).map(|tool| tool.name.as_str()), Some("write_email"), "{name}");
        }
        for name in ["write_emails", "email", "undone", "", "write", "functions."] {
            assert!(find(&tools(), name).is_none(), "{name}");
        }
    }

    #[test]
    fn calls_in_text_are_calls_of_offered_tools_only() {
        let args = json!({"to": ["a"]});
        for text in [
            r#"{"name": "write_email", "arguments": {"to": ["a"]}}"#,
            r#"[{"name": "write_email", "parameters": "{\"to\": [\"a\"]}"}]"#,
            r#"{"type": "function", "function": {"name": "functions.write_email", "arguments": {"to": ["a"],}}}"#,
            "```json\n{\"tool\": \"write_email\", \"args\": {\"to\": [\"a\"]}}\n```",
            "<think>hm</think><tool_call>\n{\"name\": \"write_email\", \"arguments\": {\"to\": [\"a\"]}}\n</tool_call>",
        ] {
            let (calls, besides) = in_text(text, &tools()).unwrap();
            assert_eq!(
                (calls.len(), &calls[0].name[..], &calls[0].args, &besides[..]),
                (1, "write_email", &args, ""),
                "{text}"
            );
        }
        let message = "I write.\n<tool_call>{\"name\": \"done\", \"arguments\": {}}</tool_call>";
        assert_eq!(in_text(message, &tools()).unwrap().1, "I write.");
        for words in [
            r#"{"name": "send_money", "arguments": {}}"#,
            r#"Call {"name": "done", "arguments": {}} when you are done."#,
            r#"{"name": "done"}"#,
            "done",
            "<tool_call>{\"name\": \"done\", \"argum",
        ] {
            assert!(in_text(words, &tools()).is_none(), "{words}");
        }
    }
}
