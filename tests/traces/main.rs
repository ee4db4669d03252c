//! Traces sent to a server on loopback: their shape, what must not be in them, and every fault of the server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code)]
#[path = "../models/server.rs"]
mod server;

mod faults;
mod marks;
mod shape;
mod traced_inbox;
