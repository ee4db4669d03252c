//! Named points at which a test can kill the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static FAIL_POINT: OnceLock<Option<(String, u32)>> = OnceLock::new();
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Kills the process with SIGKILL if `SAYSO_FAIL_POINT` names this point; `name:3` means the third time it is reached.
pub fn fail_point(name: &str) {
    let chosen = FAIL_POINT.get_or_init(|| {
        let value = std::env::var("SAYSO_FAIL_POINT").ok()?;
        let (name, count) = value.split_once(':').unwrap_or((&value, "1"));
        Some((name.to_owned(), count.parse().ok()?))
    });
    if let Some((point, count)) = chosen
        && point == name
        && SEEN.fetch_add(1, Ordering::SeqCst) + 1 == *count
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
