//! The inbox: items, decisions on them, and what was decided before.

pub mod batch;
pub mod decide;
pub mod expiry;
pub mod items;
pub mod screen;
pub mod waiting;

/// Which interrupts are listed: open ones. What a stopped thread had asked waits until the thread goes on. Mostly none is
/// stopped; then SQLite need not make a table of them.
const LISTED: &str = "status <> 'closed' AND status = 'open' AND (trouble = 1
    OR NOT EXISTS (SELECT 1 FROM threads INDEXED BY threads_by_status WHERE status = 'trouble' AND error_code = 'stopped')
    OR thread NOT IN (
        SELECT seq FROM threads INDEXED BY threads_by_status WHERE status = 'trouble' AND error_code = 'stopped'))";
