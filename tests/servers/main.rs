//! Mail servers that follow a script, on loopback: everything that can go wrong between us and them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fake;
mod faults;
mod imap;
mod listening;
mod script;
mod trust;
