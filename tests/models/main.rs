//! Models against a local server that speaks each wire format. How they bear a server that misbehaves, and that secrets
//! stay where they are, is in the catalogue (rows S11 and S09).

#![allow(clippy::unwrap_used, clippy::panic)] // Clippy's exception for tests does not reach their helpers.

mod asking;
mod live;
mod quirks;
mod replies;
mod server;
mod speak;
mod wire;
