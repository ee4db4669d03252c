//! The workflows with a scripted model: what comes in, what is asked and answered, and what that changes and does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod allowed;
mod analyze;
mod ask;
mod budgets;
mod docs;
mod email;
mod example;
mod inputs;
mod instructions;
mod request;
mod sheet;
mod sheet_instructions;
mod sheet_layout;
mod sheet_python;
mod trouble;
