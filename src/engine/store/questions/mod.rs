//! The inbox: items, decisions on them, and what was decided before.

pub(in crate::engine::store) mod batch;
pub(in crate::engine::store) mod decide;
pub(in crate::engine::store) mod expiry;
pub(in crate::engine::store) mod items;
pub(in crate::engine::store) mod screen;

/// Which interrupts are listed: open ones. What a stopped thread had asked waits until the thread goes on.
const LISTED: &str = "status <> 'closed' AND status = 'open' AND (trouble = 1 OR thread NOT IN (
    SELECT seq FROM threads INDEXED BY threads_by_status WHERE status = 'trouble' AND error_code = 'stopped'))";
