//! The form of Claude Code: a PreToolUse event comes in, a permission decision goes out.
//!
//! Liberal in what is read: names in either spelling, and everything but the tool may be missing. Strict in what is
//! written: `hookSpecificOutput` with `allow`, `deny` or `ask`, a reason, and the input where it is not the one that
//! came in.

use crate::app::Asking;
use crate::inbox::{Ending, RequestAnswer};
use crate::text::{Visible, truncate};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A hook that takes longer than ten minutes is given up by Claude Code, which then goes on without it.
pub(super) const PATIENCE: Duration = Duration::from_secs(590);

const EVENT: &str = "PreToolUse";

/// Columns of a title.
const TITLE: usize = 200;

/// A tool that is about to be used.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    tool: String,
    input: Map<String, Value>,
    folder: Option<String>,
    key: Option<String>,
}

/// Reads an event.
pub(super) fn read(event: &Value) -> Result<Call, String> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| event.get(name)?.as_str());
        found.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    if let Some(other) = text(&["hook_event_name", "hookEventName"]).filter(|name| name != EVENT) {
        let other = Visible::line(&other);
        return Err(format!("`{other}` is no event that can be decided; register the hook for {EVENT}"));
    }
    let tool = text(&["tool_name", "toolName"]).ok_or("the event names no tool (tool_name)")?;
    let input = match event.get("tool_input").or_else(|| event.get("toolInput")) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err("tool_input is not an object".to_owned()),
    };
    let session = text(&["session_id", "sessionId"]);
    let id = text(&["tool_use_id", "toolUseId"]);
    let key = session.zip(id).map(|(session, id)| format!("claude-code:{session}:{id}"));
    let folder = text(&["cwd"]);
    Ok(Call { tool, input, folder, key: key.filter(|key| key.len() <= 200) })
}

impl Call {
    /// The question it becomes.
    pub(super) fn asking(&self, timeout: Duration) -> Asking {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        let action: String = self.tool.chars().take(80).map(plain).collect();
        let input = json!({
            "title": self.title(),
            "action": action,
            "args": self.input,
            "source": "claude-code",
            "folder": self.folder,
            // Somebody who is killed while waiting cannot close the question; it ends by itself.
            "expires_in": timeout.as_secs().saturating_add(10).min(86_400 * 366),
        });
        Asking { input, key: self.key.clone() }
    }

    fn title(&self) -> String {
        let text = |name: &str| self.input.get(name).and_then(Value::as_str);
        let first =
            |text: &str| text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        let file = ["file_path", "path", "notebook_path"].into_iter().find_map(text);
        let title = match (text("command"), file) {
            (Some(command), _) => format!("$ {}", first(command)),
            (None, Some(file)) => format!("{} {}", self.tool, first(file)),
            (None, None) => format!("Use {}", self.tool),
        };
        truncate(Visible::line(&title).as_str(), TITLE).into_owned()
    }

    /// What the tool is to do.
    pub(super) fn told(&self, answer: &RequestAnswer) -> Value {
        let id = &answer.id;
        match answer.r#type {
            Some(Ending::Accept | Ending::Edit) => {
                let mut decision = decision("allow", &format!("Allowed in sayso ({id})."));
                // What was approved is what was shown: where that is not what came in, the tool is given it.
                if answer.args != Value::Object(self.input.clone()) {
                    decision["hookSpecificOutput"]["updatedInput"] = answer.args.clone();
                }
                decision
            }
            Some(Ending::Respond) => {
                let words = answer.args.as_str().unwrap_or_default();
                decision("deny", &format!("Not yet. The person answered: {words}"))
            }
            Some(Ending::Ignore) => decision("deny", "The person said no."),
            Some(Ending::Expired | Ending::Withdrawn) | None => {
                fall_back(&format!("nobody answered {id} in time"))
            }
        }
    }
}

/// The tool asks the person itself.
pub(super) fn fall_back(why: &str) -> Value {
    decision("ask", &format!("sayso could not decide: {}", Visible::line(why)))
}

fn decision(what: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": EVENT,
        "permissionDecision": what,
        "permissionDecisionReason": reason,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{InterruptId, ThreadId};
    use crate::inbox::Status;

    fn bash(command: &str) -> Value {
        json!({
            "session_id": "5e1f", "transcript_path": "/home/a/.claude/projects/x/5e1f.jsonl", "cwd": "/home/a/app",
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command, "description": "Runs the tests", "timeout": 120000},
            "tool_use_id": "toolu_01A",
        })
    }

    fn answered(ending: Option<Ending>, args: Value) -> RequestAnswer {
        RequestAnswer {
            id: InterruptId::parse("i00000001").unwrap(),
            thread: ThreadId::parse("t00000001").unwrap(),
            status: Status::Done,
            interrupts: Vec::new(),
            r#type: ending,
            args,
            by: None,
            at: None,
        }
    }

    #[test]
    fn a_call_becomes_a_question() {
        let call = read(&bash("cargo test\n--lib")).unwrap();
        let asking = call.asking(PATIENCE);
        assert_eq!(asking.key.as_deref(), Some("claude-code:5e1f:toolu_01A"));
        assert_eq!(asking.input["title"], "$ cargo test");
        assert_eq!(
            (&asking.input["action"], &asking.input["folder"]),
            (&json!("Bash"), &json!("/home/a/app"))
        );
        assert_eq!(asking.input["args"]["timeout"], 120000);
        let odd = json!({"toolName": "mcp__x__do it/now", "toolInput": null});
        assert_eq!(read(&odd).unwrap().asking(PATIENCE).input["action"], "mcp__x__do_it_now");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (event, expected) in [
            (json!([]), "no tool"),
            (json!({}), "no tool"),
            (json!({"tool_name": 3}), "no tool"),
            (json!({"tool_name": " "}), "no tool"),
            (json!({"tool_name": "Bash", "tool_input": "rm"}), "not an object"),
            (
                json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
                "register the hook for PreToolUse",
            ),
        ] {
            assert!(read(&event).unwrap_err().contains(expected), "{event}");
        }
    }

    #[test]
    fn only_a_yes_allows() {
        let call = read(&bash("cargo test")).unwrap();
        let said = |ending, args| call.told(&answered(ending, args))["hookSpecificOutput"].clone();
        let same = Value::Object(call.input.clone());
        let allowed = said(Some(Ending::Accept), same);
        assert_eq!((&allowed["permissionDecision"], allowed.get("updatedInput")), (&json!("allow"), None));
        let other = json!({"command": "cargo test --lib"});
        for ending in [Ending::Edit, Ending::Accept] {
            let edited = said(Some(ending), other.clone());
            assert_eq!((&edited["permissionDecision"], &edited["updatedInput"]), (&json!("allow"), &other));
        }
        let told = said(Some(Ending::Respond), json!("use nextest"));
        assert_eq!(told["permissionDecision"], "deny");
        assert!(told["permissionDecisionReason"].as_str().unwrap().ends_with("use nextest"));
        assert_eq!(said(Some(Ending::Ignore), Value::Null)["permissionDecision"], "deny");
        for ending in [Some(Ending::Expired), Some(Ending::Withdrawn), None] {
            assert_eq!(said(ending, Value::Null)["permissionDecision"], "ask");
        }
    }
}
