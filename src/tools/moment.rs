//! A moment that two processes can compare even if somebody sets the clock between them.
//!
//! The wall clock can be set; the machine's clock since boot cannot, and it also runs while the machine sleeps. A
//! moment keeps both: within one run of the machine we use the boot clock, across a restart only the wall clock. If the
//! system has no boot clock, we have only the wall clock.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A point in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// Milliseconds since 1970 by the wall clock.
    pub wall_ms: i64,
    /// The same by the machine's own clock.
    #[serde(default)]
    pub machine: Option<Machine>,
}

/// How long a machine has been running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Which run of the machine: another one after each restart.
    pub run: String,
    /// Milliseconds since it began.
    pub ms: i64,
}

impl Moment {
    /// Now, with the wall clock given by the caller.
    pub fn now(wall: Timestamp) -> Self {
        Self { wall_ms: wall.as_millisecond(), machine: machine() }
    }

    /// Whether both belong to the same run of the machine.
    pub fn same_run(&self, other: &Moment) -> bool {
        let run = |moment: &Moment| moment.machine.as_ref().map(|machine| machine.run.clone());
        run(self) == run(other)
    }

    /// The time since `earlier`; zero if it seems to lie in the future.
    pub fn since(&self, earlier: &Moment) -> Duration {
        let passed = match (&self.machine, &earlier.machine) {
            (Some(now), Some(then)) if now.run == then.run => now.ms.saturating_sub(then.ms),
            _ => self.wall_ms.saturating_sub(earlier.wall_ms),
        };
        Duration::from_millis(passed.max(0).unsigned_abs())
    }
}

#[cfg(target_os = "linux")]
fn machine() -> Option<Machine> {
    let run = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let ms = since.tv_sec.saturating_mul(1000).saturating_add(since.tv_nsec / 1_000_000);
    Some(Machine { run: run.trim().to_owned(), ms })
}

#[cfg(not(target_os = "linux"))]
fn machine() -> Option<Machine> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall_ms: i64, run: &str, ms: i64) -> Moment {
        Moment { wall_ms, machine: Some(Machine { run: run.to_owned(), ms }) }
    }

    #[test]
    fn a_set_clock_does_not_count_while_the_machine_runs() {
        let asked = at(1_000_000, "a", 50_000);
        let years = 10 * 365 * 24 * 3_600_000;
        for wall in [1_000_000 + years, 1_000_000 - years, 0] {
            assert_eq!(at(wall, "a", 53_000).since(&asked), Duration::from_secs(3), "{wall}");
        }
        // After a restart only the wall clock is left.
        assert_eq!(at(1_007_000, "b", 10).since(&asked), Duration::from_secs(7));
        assert_eq!(at(900_000, "b", 10).since(&asked), Duration::ZERO);
        let plain = Moment { wall_ms: 1_002_000, machine: None };
        assert_eq!(plain.since(&asked), Duration::from_secs(2));
    }

    #[test]
    fn now_does_not_go_back() {
        let (one, two) = (Moment::now(Timestamp::UNIX_EPOCH), Moment::now(Timestamp::UNIX_EPOCH));
        assert!(two.since(&one) < Duration::from_secs(60));
        assert_eq!(one.since(&two).as_secs(), 0);
    }
}
