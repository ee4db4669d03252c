//! The engine, mail, models and workflows from inside: what comes in, what is asked and answered, and what that changes
//! and does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod allowed;
mod analyze;
mod ask;
mod budgets;
mod docs;
mod email;
mod engine;
mod example;
mod example_agent;
mod google;
mod habits;
mod inputs;
mod intake;
mod kills;
mod models;
mod request;
mod servers;
mod sheet;
mod take_over;
mod traces;
mod trouble;
