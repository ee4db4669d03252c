//! The real thing in a pseudo-terminal, read through a terminal's own parser. It waits on text, never on time.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod child;
mod deciding;
mod leaving;
mod mails;
mod memory;
mod pty;
mod threads;
