//! LangGraph servers and the Codex app-server over the wire: what they ask, what is sent back, and what can go wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod asking;
mod codex;
mod faults;
mod hostile;
mod kills;
mod listing;
mod once;
mod remote_inbox;
mod server;
