//! Threads, from their first step to their last.

pub(in crate::store) mod arrive;
pub(in crate::store) mod commit;
pub(in crate::store) mod fork;
pub(in crate::store) mod hand;
pub(in crate::store) mod list;
pub(in crate::store) mod load;
pub(in crate::store) mod set_aside;
pub(in crate::store) mod start;
pub(in crate::store) mod trouble;
pub(in crate::store) mod view;
