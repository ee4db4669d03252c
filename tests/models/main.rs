//! Models against a local server that speaks each wire format. How they bear a server that misbehaves, and that secrets
//! stay where they are, is in the catalogue (rows S11 and S09).

#![allow(clippy::unwrap_used, clippy::panic)] // Clippy's exception for tests does not reach their helpers.

mod asking;
mod live;
mod optional;
mod quirks;
mod replies;
#[allow(dead_code)] // The catalogue uses the rest.
mod server;
mod speak;
#[allow(dead_code)] // The catalogue uses the rest.
mod wire;
