//! The engine on real SQLite: what a thread lives through, and what it must survive.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod arrivals;
mod children;
mod effects;
mod files;
mod forks;
mod graphs;
mod holds;
mod interrupts;
mod laws;
mod limits;
mod samples;
mod snapshots;
mod turns;
