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
