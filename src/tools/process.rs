//! A process that can be told from a later one under the same number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A process of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    pub pid: u32,
    /// When it was started, by a count of the system's own; 0 where the system does not say.
    #[serde(default)]
    pub born: u64,
}

impl Process {
    /// This one.
    pub fn own() -> Self {
        let pid = std::process::id();
        Self { pid, born: born(pid).unwrap_or(0) }
    }

    /// Whether it still runs.
    pub fn is_alive(&self) -> bool {
        match born(self.pid) {
            Some(born) => self.born == 0 || born == self.born,
            None => !knows_births() && takes_signals(self.pid),
        }
    }
}

/// When a process that runs was started.
#[cfg(target_os = "linux")]
fn born(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything, so what follows the last one counts.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.nth(18)?.parse().ok())?
}

#[cfg(not(target_os = "linux"))]
fn born(_: u32) -> Option<u64> {
    None
}

/// Whether the system says when processes were started.
fn knows_births() -> bool {
    cfg!(target_os = "linux")
}

fn takes_signals(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // One that belongs to another user is there as well.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_its_successor() {
        let own = Process::own();
        assert!(own.is_alive());
        if knows_births() {
            assert!(!Process { born: own.born + 1, ..own }.is_alive());
        }
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process { pid: child.id(), born: born(child.id()).unwrap_or(0) };
        assert!(process.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.is_alive());
    }
}
