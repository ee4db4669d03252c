//! sayso: nothing leaves without your say-so.

pub mod config;
pub mod llm;
pub mod text;
