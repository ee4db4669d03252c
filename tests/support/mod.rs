//! Workflows made for tests, and a data folder to run them in.
#![allow(dead_code, unused_imports, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod chat;
pub mod config;
pub mod courier;
pub mod desk;
pub mod house;
pub mod player;
pub mod walk;
pub mod world;

pub use house::House;

/// A warning of this code.
pub fn warning(code: &str) -> sayso::graph::Warning {
    sayso::graph::Warning { code: code.to_owned(), text: format!("There is {code} about this.") }
}
