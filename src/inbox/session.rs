//! Sessions of coding agents, as people see them.

use crate::engine::graph::InterruptId;
use crate::text::short_count;
use jiff::Timestamp;
use serde::Serialize;

/// What a session is doing. Sessions that wait for a person come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SessionState {
    /// It asks something, here or in its own window.
    Waiting,
    /// Its turn ended.
    Idle,
    /// It was at work when it was last heard from, some time ago: its turn may have been broken off.
    Silent,
    Working,
}

impl SessionState {
    /// The word used in JSON and in lists.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A session of a coding agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentSession {
    /// `claude-code`, `codex` …
    pub agent: String,
    /// The agent's name for the session.
    pub id: String,
    pub folder: Option<String>,
    /// The branch checked out in the folder.
    pub branch: Option<String>,
    pub state: SessionState,
    /// What it asks, if it waits.
    pub waits_for: Option<String>,
    /// The card with that question, if there is one.
    pub interrupt: Option<InterruptId>,
    /// When it entered this state.
    pub since: Timestamp,
    pub started_at: Timestamp,
    /// The person's last prompt.
    pub prompt: Option<String>,
    pub model: Option<String>,
    /// How it decides what to ask about: `auto`, `manual` …
    pub mode: Option<String>,
    /// Tokens read, including cached ones; `None` if the agent does not report them.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// In dollars, if the agent reports it.
    pub cost: Option<f64>,
    /// The terminal it runs in, if we can bring it to the front.
    pub terminal: Option<String>,
}

impl AgentSession {
    /// The agent, and its mode if it reports one.
    pub fn agent_and_mode(&self) -> String {
        match &self.mode {
            Some(mode) => format!("{} ({mode})", self.agent),
            None => self.agent.clone(),
        }
    }

    /// What it does or waits for, in a line.
    pub fn about(&self) -> String {
        match (self.state, &self.waits_for, &self.interrupt) {
            (SessionState::Waiting, Some(what), Some(_)) => what.clone(),
            (SessionState::Waiting, Some(what), None) => format!("in its own window: {what}"),
            (SessionState::Waiting, None, _) => "in its own window".to_owned(),
            (SessionState::Idle, ..) => "your turn".to_owned(),
            (SessionState::Working | SessionState::Silent, ..) => self.prompt.clone().unwrap_or_default(),
        }
    }

    /// Tokens and cost, as far as they are known.
    pub fn used(&self) -> String {
        let tokens = match (self.input_tokens, self.output_tokens) {
            (None, None) => None,
            (input, output) => {
                let sum = input.unwrap_or(0).saturating_add(output.unwrap_or(0));
                Some(format!("{} tokens", short_count(sum)))
            }
        };
        let cost = self.cost.filter(|cost| *cost > 0.0).map(|cost| format!("${cost:.2}"));
        [tokens, cost].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
