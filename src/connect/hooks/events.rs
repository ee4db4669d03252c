//! What the events of agents' hooks mean: one table, for questions and for news about a session.

use super::call::HookPoint;
use crate::connect::Agent::{self, Claude, Codex, Gemini, Opencode};
use crate::text::Visible;
use Meaning::{Asks, Ran, Reached};
use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A call is about to happen, or a question is asked.
    Asks(HookPoint),
    /// A call has ended.
    Ran,
    /// The session has come to this point, which ends some of its questions.
    Reached(Point, Ends),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Point {
    Started,
    /// The person wrote something.
    Prompted,
    /// It tells the person something in its own window.
    Notified,
    TurnEnded,
    /// A sub-agent has ended; the session's turn goes on.
    HelperEnded,
    Ended,
}

/// Which open questions of the session are over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ends {
    Nothing,
    Turn,
    Session,
}

/// Each event, with the agents that may send it.
const EVENTS: &[(&str, &[Agent], Meaning)] = &[
    ("PermissionRequest", &[Claude, Codex], Asks(HookPoint::PermissionRequest)),
    ("PreToolUse", &[Claude, Codex], Asks(HookPoint::PreToolUse)),
    ("PermissionDenied", &[Claude], Asks(HookPoint::PermissionDenied)),
    ("Elicitation", &[Claude], Asks(HookPoint::Elicitation)),
    ("BeforeTool", &[Gemini], Asks(HookPoint::BeforeTool)),
    ("tool", &[Opencode], Asks(HookPoint::Tool)),
    ("permission", &[Opencode], Asks(HookPoint::Permission)),
    ("question", &[Opencode], Asks(HookPoint::Question)),
    ("PostToolUse", &[Claude, Codex], Ran),
    ("PostToolUseFailure", &[Claude, Codex], Ran),
    ("AfterTool", &[Gemini], Ran),
    ("ran", &[Opencode], Ran),
    ("SessionStart", &[Claude, Codex, Gemini], Reached(Point::Started, Ends::Nothing)),
    ("UserPromptSubmit", &[Claude, Codex], Reached(Point::Prompted, Ends::Turn)),
    ("BeforeAgent", &[Gemini], Reached(Point::Prompted, Ends::Nothing)),
    ("busy", &[Opencode], Reached(Point::Prompted, Ends::Nothing)),
    ("Notification", &[Claude, Codex, Gemini], Reached(Point::Notified, Ends::Nothing)),
    ("Stop", &[Claude, Codex], Reached(Point::TurnEnded, Ends::Turn)),
    ("StopFailure", &[Claude, Codex], Reached(Point::TurnEnded, Ends::Turn)),
    ("AfterAgent", &[Gemini], Reached(Point::TurnEnded, Ends::Turn)),
    ("idle", &[Opencode], Reached(Point::TurnEnded, Ends::Nothing)),
    ("SubagentStop", &[Claude, Codex], Reached(Point::HelperEnded, Ends::Turn)),
    ("SessionEnd", &[Claude, Codex, Gemini], Reached(Point::Ended, Ends::Session)),
    ("ended", &[Opencode], Reached(Point::Ended, Ends::Nothing)),
];

/// What an event without a name is.
fn unnamed(agent: Agent) -> Option<&'static str> {
    match agent {
        Claude | Codex => Some("PreToolUse"),
        Gemini => Some("BeforeTool"),
        Opencode => None,
    }
}

/// What this event of an agent means.
pub(super) fn meaning(agent: Agent, event: &Value) -> Result<Meaning, String> {
    let mut spellings = ["hook_event_name", "hookEventName", "event"].into_iter();
    let name = spellings.find_map(|name| event.get(name)?.as_str()).filter(|name| !name.trim().is_empty());
    let name = name.or(unnamed(agent)).ok_or("the event has no name (event)")?;
    let known = EVENTS.iter().filter(|(_, agents, _)| agents.contains(&agent));
    if let Some((_, _, meaning)) = known.clone().find(|(known, ..)| *known == name) {
        return Ok(*meaning);
    }
    let asking = known.filter(|(_, _, meaning)| matches!(meaning, Asks(_)));
    let asking: Vec<&str> = asking.map(|(name, ..)| *name).collect();
    let name = Visible::line(name);
    Err(format!("sayso cannot decide on `{name}` events; register the hook for {}", asking.join(", ")))
}
