//! LangGraph servers, and that of Codex, over the wire: what they ask, what is sent back, and everything that can go wrong between.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod asking;
mod codex;
mod faults;
mod hostile;
mod kills;
mod listing;
mod once;
mod room;
mod server;
