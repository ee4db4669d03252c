//! Reads the events that agents send. Liberal: field names may have either spelling, and everything except the tool may
//! be missing.

use super::call::Call;
use super::elicitation::Elicitation;
use super::events;
use super::questions::Questions;
use super::{Agent, HookEvent, remember, report};
use crate::dialects::{Does, Ends, HookPoint, Meaning};
use crate::inbox::door::{AgentActivity, AgentEvent};
use serde_json::{Map, Value};

/// Reads an event. `headless` says that nobody is at the agent's window.
pub fn read(agent: Agent, event: &Value, headless: bool) -> Result<HookEvent, String> {
    let fields = Fields(event);
    let agent = agent.of(event);
    let point = match events::meaning(agent, event)? {
        Meaning::Asks(HookPoint::Elicitation) => return fields.elicitation(agent, headless),
        Meaning::Asks(point) => point,
        Meaning::Ran => {
            let (key, report) = (fields.key(agent), report::read(agent, event));
            let past = AgentEvent::Ran { tool: fields.tool()?, input: fields.input()?, key, report };
            return Ok(fields.activity(agent, past));
        }
        Meaning::Reached(_, Ends::Nothing) => return Ok(HookEvent::SessionOnly),
        Meaning::Reached(_, Ends::Turn) => return Ok(fields.activity(agent, AgentEvent::TurnEnded)),
        Meaning::Reached(_, Ends::Session) => return Ok(fields.activity(agent, AgentEvent::SessionEnded)),
    };
    let tool = fields.tool()?;
    let input = fields.input()?;
    let asks = does(agent, &tool) == Some(Does::Question);
    Ok(HookEvent::Asks(Box::new(Call {
        questions: asks.then(|| Questions::read(&input)).flatten(),
        folder: fields.text(&["cwd"]),
        key: fields.key(agent),
        session: fields.text(&["session_id", "sessionId"]),
        helper: fields.helper(),
        transcript: fields.text(&["transcript_path"]),
        acts_on: fields.acts_on(),
        headless,
        remember: match (agent, point) {
            (Agent::Claude, HookPoint::PermissionRequest) => remember::offered(event),
            _ => Vec::new(),
        },
        each_time: reaches_out(agent, &input),
        denied: (point == HookPoint::PermissionDenied)
            .then(|| fields.text(&["reason"]).unwrap_or_else(|| "it gave no reason".to_owned())),
        ..Call::new(agent, point, tool, input)
    })))
}

/// A call from Claude Code to the tool of `--permission-prompt-tool`.
pub fn read_permission_prompt(
    arguments: &Value,
    folder: Option<String>,
    session: Option<String>,
) -> Result<Call, String> {
    let fields = Fields(arguments);
    let tool = fields.text(&["tool_name"]).ok_or("`tool_name` is empty")?;
    let input = arguments.get("input").and_then(Value::as_object).cloned().unwrap_or_default();
    let asks = does(Agent::Claude, &tool) == Some(Does::Question);
    // It has no key: a call's id is unique only within its session, which is not always given.
    Ok(Call {
        questions: asks.then(|| Questions::read(&input)).flatten(),
        folder,
        session,
        headless: true,
        ..Call::new(Agent::Claude, HookPoint::Prompted, tool, input)
    })
}

/// Whether Codex asks for network access instead of the command that it names; its hooks are told so only in words.
fn reaches_out(agent: Agent, input: &Map<String, Value>) -> bool {
    let words = input.get("description").and_then(Value::as_str);
    agent == Agent::Codex && words.is_some_and(|words| words.starts_with("network-access "))
}

/// What a tool of an agent does, if it is one of its own.
fn does(agent: Agent, tool: &str) -> Option<Does> {
    agent.dialect().tool(tool).map(|tool| tool.does)
}

struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn text(&self, names: &[&str]) -> Option<String> {
        let value = names.iter().find_map(|name| self.0.get(name)?.as_str());
        value.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }

    fn input(&self) -> Result<Map<String, Value>, String> {
        match self.0.get("tool_input").or_else(|| self.0.get("toolInput")) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(input)) => Ok(input.clone()),
            Some(_) => Err("tool_input is not an object".to_owned()),
        }
    }

    /// The key to find a call again; not every agent gives its calls ids.
    fn key(&self, agent: Agent) -> Option<String> {
        let session = self.text(&["session_id", "sessionId"])?;
        let id = self.text(&["tool_use_id", "toolUseId"])?;
        Some(format!("{}:{session}:{id}", agent.hook_name())).filter(|key| key.len() <= 200)
    }

    fn acts_on(&self) -> Option<String> {
        self.text(&["prompt_id", "turn_id"])
    }

    fn helper(&self) -> Option<String> {
        self.text(&["agent_type", "agent_id"])
    }

    /// An MCP server asks for information.
    fn elicitation(&self, agent: Agent, headless: bool) -> Result<HookEvent, String> {
        let asked = Elicitation::read(self.0).ok_or("the event says nothing (message)")?;
        Ok(HookEvent::Asks(Box::new(Call {
            folder: self.text(&["cwd"]),
            session: self.text(&["session_id"]),
            helper: self.helper(),
            transcript: self.text(&["transcript_path"]),
            acts_on: self.acts_on(),
            headless,
            elicitation: Some(asked),
            each_time: true,
            ..Call::new(agent, HookPoint::Elicitation, "Elicitation".to_owned(), Map::new())
        })))
    }

    fn tool(&self) -> Result<String, String> {
        let name = self.text(&["tool_name", "toolName"]);
        name.ok_or_else(|| "the event names no tool (tool_name)".to_owned())
    }

    /// Something that happened, which may end a question of its session.
    fn activity(&self, agent: Agent, past: AgentEvent) -> HookEvent {
        let Some(session) = self.text(&["session_id", "sessionId"]) else { return HookEvent::Nothing };
        let source = agent.hook_name();
        HookEvent::Activity(AgentActivity { source, session, helper: self.helper(), past })
    }
}
