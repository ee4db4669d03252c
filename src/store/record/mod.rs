//! A thread's history: appended to its stream, listed, and read back.
//!
//! Only [`project`] writes the lists. [`recent`] reads what happened to a thread since its last step, from the log
//! alone. Every feature of the store is built on this module, and this module is built on the log.

pub(in crate::store) mod answers;
pub(in crate::store) mod append;
pub(in crate::store) mod calls;
pub(in crate::store) mod first_rows;
pub(in crate::store) mod forks;
pub(in crate::store) mod listed;
pub(in crate::store) mod project;
pub(in crate::store) mod questions;
pub(in crate::store) mod recent;
pub(in crate::store) mod snapshots;
pub(in crate::store) mod steps;
