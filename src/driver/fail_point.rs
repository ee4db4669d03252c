//! Named instants at which a test lets the process die.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static WANTED: OnceLock<Option<(String, u32)>> = OnceLock::new();
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Dies by SIGKILL here when `SAYSO_FAIL_POINT` names this point; `name:3` means the third time it is passed.
pub fn fail_point(name: &str) {
    let wanted = WANTED.get_or_init(|| {
        let value = std::env::var("SAYSO_FAIL_POINT").ok()?;
        let (name, count) = value.split_once(':').unwrap_or((&value, "1"));
        Some((name.to_owned(), count.parse().ok()?))
    });
    if let Some((point, count)) = wanted
        && point == name
        && SEEN.fetch_add(1, Ordering::SeqCst) + 1 == *count
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
