//! The habits of real models: every workflow, over every wire, with every habit of the list. The job ends with the right
//! result and no more calls than the habit costs, or in one card that says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../models/server.rs"]
#[allow(dead_code)] // The models' own tests use the rest.
mod server;
#[path = "../support/mod.rs"]
mod support;
#[path = "../models/wire.rs"]
#[allow(dead_code)]
mod wire;

mod bent;
mod jobs;
mod matrix;
mod script;
mod table;
mod transcripts;
