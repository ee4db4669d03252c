//! A tool that is about to be used, and the question it becomes.

use super::elicitation::Elicitation;
use super::questions::Questions;
use super::{Agent, reviewer, session};
use crate::graph::{Remember, Waiting};
use crate::service::Asking;
use crate::text::{Visible, truncate};
use crate::tools::process::Process;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// Columns of a title.
pub(super) const TITLE: usize = 200;

/// At which point of a call an agent asks. What it takes for an answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// Before every call: Claude Code, Codex.
    PreToolUse,
    /// Where it would ask itself: Claude Code, Codex.
    PermissionRequest,
    /// Where it would ask itself, by the tool of `--permission-prompt-tool`: Claude Code.
    Prompted,
    /// Before every call that its policy lets pass: Gemini CLI.
    BeforeTool,
    /// Before a call, where nobody else can be asked: opencode.
    Tool,
    /// Beside its own dialog: opencode.
    Permission,
    /// A question to the person, beside its own dialog: opencode.
    Question,
    /// An MCP server wants to know something: Claude Code.
    Elicitation,
    /// Beside its own dialog, by the app-server, about a command or changes to files: Codex.
    Approval,
    /// The same about permissions for the rest of the turn: Codex.
    Permissions,
    /// The same about what it wants to know itself: Codex.
    Input,
    /// The same about what an MCP server wants to know, or is to do: Codex.
    Form,
}

/// A tool that is about to be used.
#[derive(Debug, PartialEq)]
pub struct Call {
    pub(super) agent: Agent,
    pub(super) point: Point,
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    /// One line for the list, where tool and input do not make it.
    pub(super) title: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) key: Option<String>,
    pub(super) session: Option<String>,
    /// The sub-agent that asks.
    pub(super) helper: Option<String>,
    pub(super) transcript: Option<String>,
    /// Nobody sits before the agent, so it cannot ask anybody itself.
    pub(super) headless: bool,
    pub(super) questions: Option<Questions>,
    pub(super) elicitation: Option<Elicitation>,
    /// What the agent offers to remember.
    pub(super) remember: Vec<Remember>,
    /// No grant answers it, and none is offered.
    pub(super) each_time: bool,
}

impl Call {
    /// The question it becomes where this process waits for the answer.
    pub fn asking(&self, timeout: Duration) -> Asking {
        let mut input = self.question();
        input["asker"] = json!(Process::own());
        input["waiting"] = json!(Waiting { gives_up_in: Some(timeout.as_secs()) });
        // Somebody who is killed while waiting cannot close the question; it ends by itself.
        input["expires_in"] = Value::from(timeout.as_secs().saturating_add(10).min(86_400 * 366));
        Asking { input, key: self.key.clone() }
    }

    /// Whether Codex's app-server asks its clients the same, if the hook that was told this event has no answer. Where
    /// a reviewer of Codex's own would answer instead of the person, it does not.
    pub fn is_asked_by_server_too(&self, event: &Value) -> bool {
        let turn = event.get("turn_id").and_then(Value::as_str);
        let (Some(transcript), Some(turn)) = (&self.transcript, turn) else { return false };
        self.agent == Agent::Codex
            && self.point == Point::PermissionRequest
            // Apps may have a reviewer each.
            && !self.tool.starts_with("mcp__codex_apps")
            && reviewer::is_the_person(Path::new(transcript), turn)
    }

    /// What is asked, whoever waits for it.
    pub(super) fn question(&self) -> Value {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        let action: String = self.tool.chars().take(80).map(plain).collect();
        let mut input = json!({
            "title": self.title(),
            "action": action,
            "source": self.agent.name(),
            "folder": self.folder,
            "session": self.session(),
            "by_tool": self.point == Point::Prompted,
        });
        if !self.remember.is_empty() {
            input["remember"] = json!(self.remember);
        }
        if self.each_time {
            input["each_time"] = Value::Bool(true);
        }
        match (&self.questions, &self.elicitation) {
            (_, Some(asked)) => {
                input["text"] = Value::from(asked.text());
                input["args"] = Value::Object(asked.fields());
                input["schema"] = asked.schema();
                input["allow"] = asked.allow();
            }
            (Some(questions), None) => {
                input["text"] = Value::from(questions.text());
                input["args"] = Value::Object(questions.fields());
                input["schema"] = questions.schema();
                input["allow"] = json!(["edit", "respond", "ignore"]);
            }
            (None, None) => {
                input["args"] = Value::Object(self.input.clone());
                if !self.takes_edits() || self.input.is_empty() {
                    input["allow"] = json!(["accept", "respond", "ignore"]);
                }
            }
        }
        input
    }

    /// Whether changed arguments are honoured.
    fn takes_edits(&self) -> bool {
        match self.point {
            Point::PreToolUse | Point::Prompted | Point::BeforeTool | Point::Tool => true,
            Point::PermissionRequest => self.agent == Agent::ClaudeCode,
            Point::Permission | Point::Question | Point::Elicitation => false,
            Point::Approval | Point::Permissions | Point::Input | Point::Form => false,
        }
    }

    fn session(&self) -> Option<Value> {
        let branch = self.folder.as_deref().and_then(|folder| session::branch(Path::new(folder)));
        let prompt = self.transcript.as_deref().and_then(|path| session::last_prompt(Path::new(path)));
        Some(json!({
            "id": self.session.as_deref()?,
            "helper": self.helper,
            "branch": branch,
            "prompt": prompt,
        }))
    }

    fn title(&self) -> String {
        let text = |name: &str| self.input.get(name).and_then(Value::as_str);
        let first =
            |text: &str| text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        let file = ["file_path", "filepath", "path", "notebook_path", "url"].into_iter().find_map(text);
        let asked = self.title.clone().or_else(|| self.elicitation.as_ref().map(Elicitation::title));
        let asked = asked.or_else(|| self.questions.as_ref().map(Questions::title));
        let title = match (asked, text("command"), file) {
            (Some(asked), ..) => asked,
            (None, Some(command), _) => format!("$ {}", first(command)),
            (None, None, Some(file)) => format!("{} {}", self.tool, first(file)),
            (None, None, None) => format!("Use {}", self.tool),
        };
        truncate(Visible::line(&title).as_str(), TITLE).into_owned()
    }
}
