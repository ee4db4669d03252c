//! LangGraph servers: their questions in this inbox, and the answers sent back through their own API.
//!
//! [`Remote`] talks to one server. Questions come in four shapes (`shape.rs`), and each answer goes out in the shape of
//! its question (`answer.rs`), with unchanged arguments exactly as they came (`text/exact.rs`). A thread that asks is
//! mirrored by a thread of this folder (`mirror/`), so its questions are items like all others. [`Servers`] holds all
//! servers: what people do there, and polling alongside the driver.
//!
//! Promises: an answer is sent at most once, after it is durable here; whether it arrived is read from the server and
//! never guessed; everything a server says is bounded, and made visible before it is shown.

mod answer;
mod api;
mod client;
mod messages;
mod mirror;
mod servers;
mod shape;
#[cfg(test)]
mod tests;

pub use api::Remote;
pub use mirror::spec;
pub use servers::{Servers, check_servers};

/// How many runs per server are followed at once.
const FOLLOWED_AT_ONCE: usize = 3;
