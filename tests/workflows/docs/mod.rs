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
use sayso::graph::Decision;
use sayso::inbox::Status;
use sayso::llm::{Request, Scripted};
use serde_json::{Value, json};
