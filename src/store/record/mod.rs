//! What happened to a thread: appended to its stream, listed, and read back.
//!
//! [`project`] is the one writer of the lists; [`recent`] judges a thread since its last step by the log alone. Every
//! feature of the store rests on this, and this rests on the log.

pub(in crate::store) mod answers;
pub(in crate::store) mod append;
pub(in crate::store) mod calls;
pub(in crate::store) mod project;
pub(in crate::store) mod questions;
pub(in crate::store) mod recent;
pub(in crate::store) mod snapshots;
pub(in crate::store) mod steps;
