//! Scripted mail servers on loopback, and everything that can go wrong with them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)] // The catalogue uses the rest.
mod fake;
mod faults;
mod imap;
mod listening;
#[allow(dead_code)] // The catalogue uses the rest.
mod script;
mod trust;
