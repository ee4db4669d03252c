//! Drives threads over one store.
//!
//! [`Engine`] drives a thread by one node and commits the result. [`Driver`] does so for every thread that can
//! continue; a data folder has one driver at a time.

mod after_error;
mod cache;
mod drive;
mod engine;
mod fail_point;
mod journal;
mod learning;
mod run;
mod scheduler;
mod to_do;
mod trouble;
mod unreachable;

pub(crate) use drive::arrival;
pub(crate) use engine::Gathering;
pub use engine::{Engine, Settings};
pub use fail_point::fail_point;
pub use run::{Driver, Ended, Scope, Until};
