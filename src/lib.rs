//! sayso: an inbox for people whose agents work for them. *Nothing leaves without your say-so.*
//!
//! The map, from the ground up; imports only ever point upwards in this list:
//!
//! - [`text`]: text from outside, made safe to show and to prompt with
//! - [`config`]: the settings from the file, the environment and the flags
//! - [`web`]: HTTP, and logins at the user's mail and calendar servers
//! - [`graph`]: durable graphs of plain async functions
//! - [`inbox`]: what a person sees and may decide
//! - [`llm`], [`mail`], [`calendar`], [`tools`]: models, and how workflows reach the world
//! - [`store`]: one SQLite file, the only meeting point
//! - [`driver`]: runs the threads, one node and one commit at a time
//! - [`workflows`]: what agents do
//! - [`service`]: the inbox as people and programs use it
//! - [`agents`]: how other agents reach the inbox
//! - [`app`]: everything put together
//! - [`tui`], [`cli`]: the screen and the command line
//!
//! Everything rests on three invariants: state changes only in [`graph::State::apply`]; processes and parts meet only
//! in the store; people come in only through [`service::Inbox`]. `ARCHITECTURE.md` says more.

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
