//! Threads, from their first step to their last.

pub(in crate::engine::store) mod arrive;
pub(in crate::engine::store) mod commit;
pub(in crate::engine::store) mod fork;
pub(in crate::engine::store) mod hand;
pub(in crate::engine::store) mod list;
pub(in crate::engine::store) mod load;
pub(in crate::engine::store) mod set_aside;
pub(in crate::engine::store) mod start;
pub(in crate::engine::store) mod trouble;
pub(in crate::engine::store) mod view;
