//! The command line from outside: every verb, its JSON, its exit codes, and what bad input gets.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod child;
mod decide;
mod desk;
mod driving;
mod gate;
mod hostile;
mod lists;
mod plain;
mod settings;
mod threads;
mod view_only;
