//! A thread's history: appended to its stream, listed, and read back.
//!
//! Only [`project`] writes the lists. [`recent`] reads what happened to a thread since its last step, from the log
//! alone. Every feature of the store is built on this module, and this module is built on the log.

pub(in crate::engine::store) mod answers;
pub(in crate::engine::store) mod append;
pub(in crate::engine::store) mod calls;
pub(in crate::engine::store) mod first_rows;
pub(in crate::engine::store) mod forks;
pub(in crate::engine::store) mod listed;
pub(in crate::engine::store) mod project;
pub(in crate::engine::store) mod questions;
pub(in crate::engine::store) mod recent;
pub(in crate::engine::store) mod snapshots;
pub(in crate::engine::store) mod steps;
