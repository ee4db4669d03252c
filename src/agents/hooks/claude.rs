//! The form of Claude Code: a PreToolUse event comes in, a permission decision goes out.
//!
//! Codex sends the same form and honours less of the answer: it rejects `allow` and `ask` as unsupported, and then runs
//! the command. So its events are told apart, and it is answered with nothing where the call is allowed, and with
//! `deny` where sayso cannot decide.
//!
//! Liberal in what is read: names in either spelling, and everything but the tool may be missing. Strict in what is
//! written: only what the program that asks is known to honour.

use crate::graph::InterruptId;
use crate::inbox::{Ending, RequestAnswer};
use crate::service::Asking;
use crate::text::{Visible, truncate};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Both programs give a hook ten minutes, and then go on without it.
pub const PATIENCE: Duration = Duration::from_secs(590);

const EVENT: &str = "PreToolUse";

/// The program that sent an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agent {
    ClaudeCode,
    Codex,
}

impl Agent {
    fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
        }
    }
}

/// Columns of a title.
const TITLE: usize = 200;

/// A tool that is about to be used.
#[derive(Debug, PartialEq)]
pub struct Call {
    agent: Agent,
    tool: String,
    input: Map<String, Value>,
    folder: Option<String>,
    key: Option<String>,
}

/// Reads an event.
pub fn read(event: &Value) -> Result<Call, String> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| event.get(name)?.as_str());
        found.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    if let Some(other) = text(&["hook_event_name", "hookEventName"]).filter(|name| name != EVENT) {
        let other = Visible::line(&other);
        return Err(format!("sayso cannot decide on `{other}` events; register the hook for {EVENT}"));
    }
    let tool = text(&["tool_name", "toolName"]).ok_or("the event names no tool (tool_name)")?;
    let input = match event.get("tool_input").or_else(|| event.get("toolInput")) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err("tool_input is not an object".to_owned()),
    };
    // Only Codex names the turn.
    let agent = if event.get("turn_id").is_some() { Agent::Codex } else { Agent::ClaudeCode };
    let session = text(&["session_id", "sessionId"]);
    let id = text(&["tool_use_id", "toolUseId"]);
    let key = session.zip(id).map(|(session, id)| format!("{}:{session}:{id}", agent.name()));
    let folder = text(&["cwd"]);
    Ok(Call { agent, tool, input, folder, key: key.filter(|key| key.len() <= 200) })
}

impl Call {
    /// The question it becomes.
    pub fn asking(&self, timeout: Duration) -> Asking {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        let action: String = self.tool.chars().take(80).map(plain).collect();
        let input = json!({
            "title": self.title(),
            "action": action,
            "args": self.input,
            "source": self.agent.name(),
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

    /// What the agent is told; nothing where that is how it is told to go on.
    pub fn reply(&self, answer: &RequestAnswer) -> Option<Value> {
        let id = &answer.id;
        match answer.r#type {
            Some(Ending::Accept) => match self.agent {
                Agent::ClaudeCode => Some(allow(id)),
                Agent::Codex => None,
            },
            Some(Ending::Edit) => {
                let mut decision = allow(id);
                decision["hookSpecificOutput"]["updatedInput"] = answer.args.clone();
                Some(decision)
            }
            Some(Ending::Respond) => {
                let words = answer.args.as_str().unwrap_or_default();
                Some(decision("deny", &format!("Not yet. The person answered: {words}")))
            }
            Some(Ending::Ignore) => Some(decision("deny", "The person said no.")),
            Some(Ending::Expired | Ending::Withdrawn) | None => {
                Some(self.undecided(&format!("nobody answered {id} in time")))
            }
        }
    }

    /// sayso cannot decide: the agent asks the person itself where it can, and refuses where it cannot.
    pub fn undecided(&self, why: &str) -> Value {
        let what = match self.agent {
            Agent::ClaudeCode => "ask",
            Agent::Codex => "deny",
        };
        decision(what, &format!("sayso could not decide: {}", Visible::line(why)))
    }
}

fn allow(id: &InterruptId) -> Value {
    decision("allow", &format!("Allowed in sayso ({id})."))
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
    use crate::graph::ThreadId;
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
        let said = |ending, args| call.reply(&answered(ending, args)).unwrap()["hookSpecificOutput"].clone();
        // What came in runs as it came, whatever was shown for it.
        for args in [Value::Object(call.input.clone()), json!({"command": "as shown"})] {
            let allowed = said(Some(Ending::Accept), args);
            assert_eq!(
                (&allowed["permissionDecision"], allowed.get("updatedInput")),
                (&json!("allow"), None)
            );
        }
        let other = json!({"command": "cargo test --lib"});
        let edited = said(Some(Ending::Edit), other.clone());
        assert_eq!((&edited["permissionDecision"], &edited["updatedInput"]), (&json!("allow"), &other));
        let told = said(Some(Ending::Respond), json!("use nextest"));
        assert_eq!(told["permissionDecision"], "deny");
        assert!(told["permissionDecisionReason"].as_str().unwrap().ends_with("use nextest"));
        assert_eq!(said(Some(Ending::Ignore), Value::Null)["permissionDecision"], "deny");
        for ending in [Some(Ending::Expired), Some(Ending::Withdrawn), None] {
            assert_eq!(said(ending, Value::Null)["permissionDecision"], "ask");
        }
    }

    #[test]
    fn codex_gets_only_what_it_honours() {
        let mut event = bash("cargo test");
        event["turn_id"] = json!("01a1");
        event["model"] = json!("gpt-5");
        let call = read(&event).unwrap();
        let asking = call.asking(PATIENCE);
        assert_eq!(asking.key.as_deref(), Some("codex:5e1f:toolu_01A"));
        assert_eq!(asking.input["source"], "codex");
        let said = |ending, args| call.reply(&answered(ending, args));
        assert_eq!(said(Some(Ending::Accept), Value::Null), None);
        // Changed input is taken beside `allow` alone.
        let other = json!({"command": "cargo test --lib"});
        let edited = said(Some(Ending::Edit), other.clone()).unwrap()["hookSpecificOutput"].clone();
        assert_eq!((&edited["permissionDecision"], &edited["updatedInput"]), (&json!("allow"), &other));
        for ending in [
            Some(Ending::Respond),
            Some(Ending::Ignore),
            Some(Ending::Expired),
            Some(Ending::Withdrawn),
            None,
        ] {
            let told = said(ending, Value::Null).unwrap();
            assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "deny", "{ending:?}");
        }
        assert_eq!(call.undecided("why")["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}
