//! How other agents reach the inbox, one folder each: hooks of coding agents and scripts, Codex's app-server, MCP
//! clients, and LangGraph servers.
//!
//! `connect` installs our hooks in coding agents; every other folder turns an agent's requests into questions of the
//! inbox, and the answers into what that agent understands. None of them decides anything.

pub mod codex;
pub mod connect;
pub mod hooks;
pub mod langgraph;
pub mod mcp;
