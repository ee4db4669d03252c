//! What an agent reports about a call that ran. Each agent has its own format, and some leave out the exit code.

use super::Agent;
use crate::inbox::door::Report;
use serde_json::Value;

/// How many characters of an error we keep.
const LONGEST: usize = 2000;

/// How many files we keep.
const FILES: usize = 50;

/// Reads the report from an event after a call.
pub(super) fn read(agent: Agent, event: &Value) -> Report {
    let response = event.get("tool_response").or_else(|| event.get("toolResponse")).unwrap_or(&Value::Null);
    let error = event.get("error").or_else(|| response.get("error")).and_then(words);
    let exit_code = match agent {
        Agent::Claude => claude_code(response, error.as_deref()),
        Agent::Gemini => response.get("llmContent").and_then(Value::as_str).and_then(gemini),
        Agent::Opencode => response.get("exit").and_then(Value::as_i64),
        // It reports only the output.
        Agent::Codex => None,
    };
    let error = error.or_else(|| {
        let interrupted = response.get("interrupted") == Some(&Value::Bool(true));
        interrupted.then(|| "interrupted".to_owned())
    });
    Report { exit_code, files: files(response), error }
}

fn words(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("message")?.as_str())?;
    Some(text.chars().take(LONGEST).collect()).filter(|text: &String| !text.is_empty())
}

/// A failed command starts with its exit code; a command with reported output did not fail.
fn claude_code(response: &Value, error: Option<&str>) -> Option<i64> {
    match error {
        Some(error) => error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok(),
        None => {
            let ran =
                response.get("stdout").is_some() && response.get("interrupted") != Some(&Value::Bool(true));
            ran.then_some(0)
        }
    }
}

/// The exit code is below the output, among the last lines.
fn gemini(text: &str) -> Option<i64> {
    let line = text.lines().rev().take(5).find_map(|line| line.strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}

fn files(response: &Value) -> Vec<String> {
    let one = ["filePath", "file_path", "filepath"].iter().find_map(|name| response.get(name)?.as_str());
    // A file that was only read has neither a patch nor new text.
    let changed = ["structuredPatch", "oldString", "diff"].iter().any(|name| response.get(name).is_some());
    let several = response.get("files").and_then(Value::as_array).into_iter().flatten();
    let several = several.filter_map(|file| file.as_str().or_else(|| file.get("filePath")?.as_str()));
    one.filter(|_| changed).into_iter().chain(several).take(FILES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_agent_s_words_are_read() {
        let of = |agent, event: Value| {
            let report = read(agent, &event);
            (report.words(), report.error.is_some())
        };
        let claude = |event| of(Agent::Claude, event);
        let ran = json!({"stdout": "hello", "stderr": "", "interrupted": false});
        assert_eq!(claude(json!({"tool_response": ran})), ("exit code 0".to_owned(), false));
        assert_eq!(claude(json!({"error": "Exit code 3\nhello"})), ("exit code 3".to_owned(), true));
        let stopped = json!({"stdout": "", "interrupted": true});
        assert_eq!(claude(json!({"tool_response": stopped})), ("failed: interrupted".to_owned(), true));
        let written = json!({"type": "create", "filePath": "/a/b.rs", "structuredPatch": []});
        assert_eq!(claude(json!({"tool_response": written})).0, "changed /a/b.rs");
        assert_eq!(claude(json!({"tool_response": {"filePath": "/a/b.rs"}})).0, "done");
        let shell = "Output: Exit Code: 9\nExit Code: 3\nProcess Group PGID: 4\n</untrusted_context>";
        assert_eq!(of(Agent::Gemini, json!({"tool_response": {"llmContent": shell}})).0, "exit code 3");
        assert_eq!(of(Agent::Codex, json!({"tool_response": "hello\n"})).0, "done");
        assert_eq!(of(Agent::Opencode, json!({"tool_response": {"exit": 1}})).0, "exit code 1");
        assert_eq!(claude(json!({})).0, "done");
    }
}
