//! A thread's history: appended to its stream, listed, and read back.
//!
//! Only [`project`] writes the lists. [`recent`] reads what happened to a thread since its last step, from the log
//! alone. Every feature of the store is built on this module, and this module is built on the log.

pub mod answers;
pub mod append;
pub mod calls;
pub mod first_rows;
pub mod forks;
pub mod listed;
pub mod project;
pub mod questions;
pub mod since_step;
pub mod snapshots;
pub mod steps;
