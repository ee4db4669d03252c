//! Mail servers that follow a script, on loopback: everything that can go wrong between us and them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)] // The catalogue uses the rest.
mod fake;
mod faults;
mod imap;
mod listening;
#[allow(dead_code)] // The catalogue uses the rest.
mod script;
mod trust;
