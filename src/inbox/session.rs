//! Sessions of coding agents, as people see them.

use crate::graph::InterruptId;
use crate::text::short_count;
use jiff::Timestamp;
use serde::Serialize;

/// What a session does. Those that wait for a person come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SessionState {
    /// It asks, here or in its own window.
    Waiting,
    /// Its turn ended.
    Idle,
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
    /// What the agent calls the session.
    pub id: String,
    pub folder: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    pub state: SessionState,
    /// What it asks, where it waits.
    pub waits_for: Option<String>,
    /// The card that asks it, where there is one.
    pub interrupt: Option<InterruptId>,
    /// Since when it does what it does.
    pub since: Timestamp,
    pub started_at: Timestamp,
    /// What the person said last.
    pub prompt: Option<String>,
    pub model: Option<String>,
    /// Tokens read, cached ones included; `None` where the agent does not say.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// In dollars, where the agent says so.
    pub cost: Option<f64>,
    /// The terminal it runs in, where that can be brought to the front.
    pub terminal: Option<String>,
}

impl AgentSession {
    /// What it does or waits for, in a line.
    pub fn about(&self) -> String {
        match (self.state, &self.waits_for, &self.interrupt) {
            (SessionState::Waiting, Some(what), Some(_)) => what.clone(),
            (SessionState::Waiting, Some(what), None) => format!("in its own window: {what}"),
            (SessionState::Waiting, None, _) => "in its own window".to_owned(),
            (SessionState::Idle, ..) => "your turn".to_owned(),
            (SessionState::Working, ..) => self.prompt.clone().unwrap_or_default(),
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
