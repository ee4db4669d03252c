//! `docs` with agents whose model is scripted.

mod asking;
pub mod docs_inbox;
mod endings;
mod failing;
mod reading;
mod writing;

// What nearly all of these tests use.
use crate::support::assert_contains;
use crate::support::fake_model::words;
use docs_inbox::{AGENTS, DocsInbox, Script, result, scores};
use sayso::agent::llm::{Request, Scripted};
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use serde_json::{Value, json};
