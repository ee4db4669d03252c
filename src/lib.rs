//! sayso: nothing leaves without your say-so.

pub mod app;
pub mod config;
pub mod graph;
pub mod inbox;
pub mod llm;
pub mod store;
pub mod text;
pub mod tui;
