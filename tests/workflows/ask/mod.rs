//! `ask`: questions to a server that behaves like the API, and to one that does not.

mod answers;
mod approve;
pub mod ask_inbox;
mod bad;
mod documents;
mod entities;
mod everyday;
mod going_on;
mod hosts;
mod person;
pub mod server;
mod state;
mod worded;

// What nearly all of these tests use.
use crate::support::fake_model::words;
use crate::support::test_inbox::respond;
use crate::support::{FakeModel, assert_contains};
use ask_inbox::{AskInbox, knowing};
use sayso::agent::llm::{Request, Scripted};
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::Status;
use serde_json::{Value, json};
use server::{Reply, Server};
