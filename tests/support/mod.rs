//! Workflows made for tests, and a data folder to run them in.
#![allow(dead_code, unused_imports, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod chat;
pub mod courier;
pub mod desk;
pub mod house;

pub use house::House;
