//! The command line from outside: every verb, its JSON, its exit codes, and what bad input gets; and the servers of
//! other agents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod analyze;
mod ask;
mod audit;
mod bad_input;
mod child;
mod connect;
mod crash;
mod decide;
mod decisions;
mod demo;
mod docs;
mod driving;
mod environment;
mod export;
mod grants;
mod history;
mod hook;
mod hostile;
mod init;
mod language;
mod lists;
mod mail;
mod manual;
mod mcp;
mod memory;
mod model;
mod notices;
mod one_verb;
mod plain;
mod prune;
mod python;
mod remote;
mod request;
mod runner;
mod servers;
mod sessions;
mod settings;
mod sheet;
mod terminal;
mod threads;
mod view_only;
