//! The real program in a pseudo-terminal, read by a terminal parser. Tests wait for text, never for time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod deciding;
mod mails;
mod memory;
#[allow(dead_code)] // The catalogue uses the rest.
mod process;
#[allow(dead_code)] // The catalogue uses the rest.
mod pty;
mod threads;
