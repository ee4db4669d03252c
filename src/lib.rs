//! sayso: an inbox for people whose agents work for them. *Nothing leaves without your say-so.*
//!
//! The map, from the ground up; imports only ever point upwards in this list:
//!
//! - [`text`]: text from outside, made safe to show and to prompt with
//! - [`config`]: what the file, the environment and the flags say, as settings
//! - [`web`]: HTTP and logins at the servers of the person's own mail and calendars
//! - [`graph`]: durable graphs of plain async functions
//! - [`inbox`]: what a person sees and may decide
//! - [`llm`], [`mail`], [`calendar`], [`tools`]: models and hands
//! - [`store`]: one SQLite file, the only meeting point
//! - [`driver`]: threads that drive themselves
//! - [`workflows`]: what agents do
//! - [`service`]: the inbox as people and programs use it
//! - [`agents`]: how other agents reach the inbox
//! - [`app`]: everything put together
//! - [`cli`], [`tui`]: the command line and the screen
//!
//! Three invariants carry everything: state changes only in [`graph::State::apply`]; processes and parts meet
//! only in the store; people come in only by [`service::Inbox`]. `ARCHITECTURE.md` says more.

pub mod agents;
pub mod app;
pub mod calendar;
pub mod cli;
pub mod config;
pub mod driver;
pub mod graph;
pub mod inbox;
pub mod llm;
pub mod mail;
pub mod service;
pub mod store;
pub mod text;
pub mod tools;
pub mod tui;
pub mod web;
pub mod workflows;
