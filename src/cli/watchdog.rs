//! Ends a hook that takes too long. An agent whose limit is over goes on with the call, so sayso has to refuse before
//! that, whatever the rest of it is doing: waiting for a database, for a driver, or for the end of stdin.
//!
//! It cannot help a process that is stopped by a signal.

use super::failure::{Exit, Failure};
use crate::connect::HOOK_GRACE;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Every agent takes this with exit code 2 for a no.
const REFUSAL: &[u8] = b"error: sayso could not decide in time, so this was refused\n";

/// The watchdog of a hook; whoever takes the flag first answers the agent.
pub(super) struct Watchdog(Arc<AtomicBool>);

impl Watchdog {
    /// Starts it for a hook that should answer within `patience`.
    pub(super) fn start(patience: Duration) -> Result<Self, Failure> {
        let taken = Arc::new(AtomicBool::new(false));
        let watchdog = Self(taken.clone());
        let watch = move || {
            std::thread::sleep(patience.saturating_add(HOOK_GRACE));
            if take(&taken) {
                refuse();
            }
        };
        let thread = std::thread::Builder::new().name("sayso-watchdog".to_owned()).spawn(watch);
        thread.map_err(|error| Failure::usage(format!("cannot start: {error}; try again")))?;
        Ok(watchdog)
    }

    /// Takes the answer over from the watchdog; never returns if the watchdog is already giving it.
    pub(super) fn stand_down(self) {
        while !take(&self.0) {
            std::thread::park();
        }
    }
}

fn take(taken: &AtomicBool) -> bool {
    !taken.swap(true, Ordering::SeqCst)
}

/// Refuses and ends the process. The locks of stdout and stderr are left alone: another thread may hold them.
fn refuse() {
    let _ = rustix::io::write(std::io::stderr(), REFUSAL);
    std::process::exit(Exit::Usage.code().into());
}
