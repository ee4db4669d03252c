//! Models against a local server that speaks each wire format, and misbehaves in every way of the catalogue's
//! row S11: bounded retries, then an error; no part of a call is ever returned; secrets stay where they are.

#![allow(clippy::unwrap_used, clippy::panic)] // Clippy's exception for tests does not reach their helpers.

mod faults;
mod live;
mod quirks;
mod replies;
mod secrets;
mod server;
mod speak;
mod wire;
