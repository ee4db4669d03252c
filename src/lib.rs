//! sayso: an inbox for people whose agents work for them. *Nothing leaves without your say-so.*
//!
//! The rooms:
//!
//! - [`inbox`]: what is asked, what a person may decide, and the door people and programs come through
//! - [`engine`]: durable threads: graphs, the one file they are kept in, and the driver that runs them
//! - [`agent`]: models, the loop of model, person and tools, and what a node is given
//! - [`workflows`]: what agents do
//! - [`mail`], [`calendar`], [`tools`]: how workflows reach the world
//! - [`connect`]: how other agents ask in the inbox; [`dialects`]: what is known of each, as data
//! - [`tui`], [`cli`]: the screen and the command line
//! - [`app`]: everything put together
//! - [`text`], [`config`]: text from outside made safe, and the settings
//!
//! Everything rests on three invariants: state changes only in [`engine::graph::State::apply`]; processes and parts
//! meet only in [`engine::store`]; people and programs come in only through [`inbox::door::Inbox`]. The walk from a
//! question to its effect is at the head of [`inbox`]; `ARCHITECTURE.md` says more.

pub mod agent;
pub mod app;
pub mod calendar;
pub mod cli;
pub mod config;
pub mod connect;
pub mod dialects;
pub mod engine;
pub mod inbox;
pub mod mail;
pub mod text;
pub mod tools;
pub mod tui;
pub mod workflows;
