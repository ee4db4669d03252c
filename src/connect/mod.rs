//! How other agents reach the inbox, one folder each: hooks of coding agents, Codex's app-server, MCP clients, and
//! LangGraph servers.
//!
//! `connect` installs our hooks in coding agents; every other folder turns an agent's requests into questions of the
//! inbox, and the answers into what that agent understands. None of them decides anything.

pub mod codex;
pub mod hooks;
pub mod langgraph;
pub mod mcp;
pub mod setup;

use std::time::Duration;

/// How long a hook waits by default: Claude Code and Codex give it ten minutes, then go on without it.
pub const HOOK_PATIENCE: Duration = Duration::from_secs(590);

/// How long after its patience a hook refuses, whatever it is doing.
pub const HOOK_GRACE: Duration = Duration::from_secs(2);

/// The coding agents whose hooks we know. The comments of the variants are help texts of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Agent {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// opencode
    Opencode,
    /// Gemini CLI
    Gemini,
}

impl Agent {
    pub const ALL: [Agent; 4] = [Agent::Claude, Agent::Codex, Agent::Opencode, Agent::Gemini];

    /// The word a person types.
    pub fn word(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Opencode => "opencode",
            Agent::Gemini => "gemini",
        }
    }

    /// The agent's own name.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "Claude Code",
            Agent::Codex => "Codex",
            Agent::Opencode => "opencode",
            Agent::Gemini => "Gemini CLI",
        }
    }

    /// Its name as the source of a question, and for `request --hook`.
    pub fn hook_name(self) -> &'static str {
        match self {
            Agent::Claude => "claude-code",
            other => other.word(),
        }
    }
}
