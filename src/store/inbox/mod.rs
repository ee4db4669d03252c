//! The inbox: items, decisions on them, and what was decided before.

pub(in crate::store) mod batch;
pub(in crate::store) mod decide;
pub(in crate::store) mod expiry;
pub(in crate::store) mod items;
pub(in crate::store) mod screen;
