//! LangGraph servers and the Codex app-server over the wire: what they ask, what is sent back, and what can go wrong.

mod asking;
mod codex;
mod faults;
mod hostile;
mod kills;
mod listing;
mod once;
mod remote_inbox;
