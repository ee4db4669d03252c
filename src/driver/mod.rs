//! Threads that drive themselves over one store.
//!
//! [`Engine`] takes a thread one node further and commits what came of it. [`Driver`] does so for every thread that can
//! go on; a data folder has one at a time.

mod absent;
mod cache;
mod drive;
mod engine;
mod fail_point;
mod journal;
mod learning;
mod scheduler;
mod trouble;

pub(crate) use drive::arrival;
pub(crate) use engine::StartError;
pub use engine::{Engine, Settings};
pub use fail_point::fail_point;
pub use scheduler::{Driver, Ended, Scope, Until};
