//! Threads, from their first step to their last.

pub mod arrive;
pub mod commit;
pub mod fork;
pub mod hand;
pub mod list;
pub mod load;
pub mod set_aside;
pub mod start;
pub mod trouble;
pub mod view;
