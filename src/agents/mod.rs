//! How other agents reach the inbox, one folder each: hooks of coding agents and scripts, Codex's app-server, MCP
//! clients, and LangGraph servers.
//!
//! Each turns what its agent says into a question of the inbox, and the answer into what that agent understands. None of
//! them decides anything.

pub mod codex;
pub mod connect;
pub mod hooks;
pub mod langgraph;
pub mod mcp;
