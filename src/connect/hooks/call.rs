//! A tool call that is about to happen, and the question it becomes.

use super::elicitation::Elicitation;
use super::questions::Questions;
use super::{Agent, reviewer, session};
use crate::connect::setup::{Places, ToolUse};
use crate::dialects::{HookPoint, Takes};
use crate::engine::graph::{Remember, Waiting};
use crate::inbox::InboxError;
use crate::inbox::door::{Inbox, NewRequest, is_warned_about};
use crate::text::short_line;
use crate::tools::process::Process;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// The widest title, in columns.
pub(super) const TITLE: usize = 200;

/// A tool call that is about to happen.
#[derive(Debug, PartialEq)]
pub struct Call {
    pub(super) agent: Agent,
    pub(super) point: HookPoint,
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    /// One line for the list, if it cannot be made from the tool and its input.
    pub(super) title: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) key: Option<String>,
    pub(super) session: Option<String>,
    /// The sub-agent that asks.
    pub(super) helper: Option<String>,
    pub(super) transcript: Option<String>,
    /// The prompt or the turn that it belongs to, as the agent names it.
    pub(super) acts_on: Option<String>,
    /// Nobody is at the agent's window, so it cannot ask anybody itself.
    pub(super) headless: bool,
    pub(super) questions: Option<Questions>,
    pub(super) elicitation: Option<Elicitation>,
    /// What the agent offers to remember.
    pub(super) remember: Vec<Remember>,
    /// No grant answers it, and none is offered.
    pub(super) each_time: bool,
    /// Why the agent itself refused the call.
    pub(super) denied: Option<String>,
}

impl Call {
    /// A call of which no more is known.
    pub(super) fn new(agent: Agent, point: HookPoint, tool: String, input: Map<String, Value>) -> Self {
        Self {
            agent,
            point,
            tool,
            input,
            title: None,
            folder: None,
            key: None,
            session: None,
            helper: None,
            transcript: None,
            acts_on: None,
            headless: false,
            questions: None,
            elicitation: None,
            remember: Vec::new(),
            each_time: false,
            denied: None,
        }
    }

    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// Whether it certainly uses our own MCP server, which asks by itself. `program` is this program with its flags.
    pub fn is_of_ours(&self, program: &[String], places: &Places) -> bool {
        let Some(folder) = self.folder.as_deref().map(Path::new).filter(|folder| folder.is_absolute()) else {
            return false;
        };
        let process = Process::starter();
        ToolUse { agent: self.agent, tool: &self.tool, folder, process }.is_of_ours(program, places)
    }

    /// The question for this call when this process waits for the answer.
    pub fn new_request(&self, timeout: Duration) -> NewRequest {
        let mut input = self.question();
        input["asker"] = json!(Process::current());
        input["waiting"] = json!(Waiting::of(Some(timeout.as_secs())));
        // If this process is killed while waiting, it cannot close the question, so the question ends by itself.
        input["expires_in"] = Value::from(timeout.as_secs().saturating_add(10).min(86_400 * 366));
        NewRequest { input, key: self.key.clone() }
    }

    /// Whether sayso would warn about it.
    pub fn is_warned_about(&self) -> bool {
        is_warned_about(self.question())
    }

    /// Whether the person has just allowed this call, which the agent itself had refused. Counts once.
    pub async fn is_allowed_retry(&self, inbox: &Inbox) -> Result<bool, InboxError> {
        inbox.requests().take_retry(self.question()).await
    }

    /// Whether Codex's app-server sends the same request to its clients if the hook for this event has no answer. It
    /// does not if Codex's own reviewer answers instead of the person.
    pub fn is_asked_by_server_too(&self, event: &Value) -> bool {
        let turn = event.get("turn_id").and_then(Value::as_str);
        let (Some(transcript), Some(turn)) = (&self.transcript, turn) else { return false };
        self.agent == Agent::Codex
            && self.point == HookPoint::PermissionRequest
            // Each app may have its own reviewer.
            && !self.tool.starts_with("mcp__codex_apps")
            && reviewer::is_the_person(Path::new(transcript), turn)
    }

    /// The question itself, whoever waits for the answer.
    pub(super) fn question(&self) -> Value {
        let mut input = json!({
            "title": self.title(),
            // Whole, or refused: part of a name may be another tool's.
            "action": self.tool,
            "source": self.agent.hook_name(),
            "folder": self.folder,
            "session": self.session(),
            "by_tool": self.point == HookPoint::Prompted,
        });
        if !self.remember.is_empty() {
            input["remember"] = json!(self.remember);
        }
        if self.each_time {
            input["each_time"] = Value::Bool(true);
        }
        let tool = self.agent.dialect().tool(&self.tool);
        // The app-server tells all of it.
        if self.point != HookPoint::Approval && tool.is_some_and(|tool| !tool.untold.is_empty()) {
            input["untold"] = Value::Bool(true);
        }
        match (&self.questions, &self.elicitation) {
            (_, Some(asked)) => {
                input["text"] = Value::from(asked.text());
                input["args"] = Value::Object(asked.fields());
                input["schema"] = asked.schema();
                input["allow"] = asked.allow();
            }
            (Some(questions), None) => {
                input["question"] = Value::Bool(true);
                input["text"] = Value::from(questions.text(&self.title()));
                input["args"] = Value::Object(questions.fields());
                input["schema"] = questions.schema();
                input["allow"] = json!(["edit", "respond", "ignore"]);
            }
            (None, None) => {
                input["args"] = Value::Object(self.input.clone());
                if let Some(why) = &self.denied {
                    // It can be told to try again, and nothing else.
                    input["allow"] = json!(["accept", "ignore"]);
                    input["retry"] = Value::Bool(true);
                    input["text"] = Value::from(format!(
                        "Auto mode refused this: {why}\nIf you allow it, {} tries it again.",
                        self.agent.name()
                    ));
                } else if !self.takes(Takes::Edit) || self.input.is_empty() {
                    input["allow"] = json!(["accept", "respond", "ignore"]);
                }
            }
        }
        input
    }

    /// Whether the agent honours this here.
    pub(super) fn takes(&self, answer: Takes) -> bool {
        self.agent.dialect().takes(self.point, answer)
    }

    fn session(&self) -> Option<Value> {
        let branch = self.folder.as_deref().and_then(|folder| session::branch(Path::new(folder)));
        let prompt = self
            .transcript
            .as_deref()
            .and_then(|path| session::last_prompt(Path::new(path), self.acts_on.as_deref()));
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
        short_line(&title, TITLE)
    }
}
