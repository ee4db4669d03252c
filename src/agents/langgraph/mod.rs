//! LangGraph servers: their questions in this inbox, and the answers sent back by their own API.
//!
//! [`Remote`] speaks with one server. What its threads ask comes in four shapes (`shape.rs`), and the answer goes out
//! in the same one (`answer.rs`), with every argument that was not changed letter by letter as it came (`exact.rs`).
//! A thread that asks, or was started from here, is mirrored by a thread of this folder (`mirror/`), so its questions are
//! items like all others. [`Servers`] holds all of them: what people do there, and looking at them beside the driver.
//!
//! Promises: an answer is sent at most once, after it was durable here; whether it arrived is read from the server and
//! never guessed; everything a server says is capped, and made visible before it is shown.

mod answer;
mod api;
mod client;
mod messages;
mod mirror;
mod servers;
mod shape;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

pub use api::{Assistant, PAGE, Remote, RemoteStatus, RemoteThread};
pub use client::Fault;
pub use mirror::{Batch, Mirror, Mirrored, spec};
pub use servers::{Servers, check_servers};
pub use shape::Pending;
pub use view::{line, state, steps, view};

/// How many runs are followed at once, a server.
const FOLLOWED_AT_ONCE: usize = 3;

/// How long the traces of a request are looked for while its server is away.
const PATIENCE: Duration = Duration::from_secs(20);
