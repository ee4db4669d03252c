//! A process that can be told apart from a later one with the same number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How many shells may stand between a program and the process it started.
const MAX_SHELLS: usize = 8;

/// Every shell we know.
pub const SHELLS: [&str; 9] = ["sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "nu", "zsh"];

/// A process of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    pub pid: u32,
    /// When it was started, by a count of the system's own; 0 where the system does not say.
    #[serde(default)]
    pub born: u64,
}

impl Process {
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, born: born(pid).unwrap_or(0) }
    }

    /// The process with this number, if it is running.
    pub fn of(pid: u32) -> Option<Self> {
        let process = Self { pid, born: born(pid).unwrap_or(0) };
        process.is_alive().then_some(process)
    }

    /// The nearest ancestor that is not a shell; `None` if the system does not say.
    pub fn starter() -> Option<Self> {
        let mut pid = std::process::id();
        for _ in 0..MAX_SHELLS {
            pid = parent(pid)?;
            if !is_shell(pid)? {
                return Self::of(pid);
            }
        }
        None
    }

    /// Whether it was started with this argument; false if the system does not say.
    pub fn has_argument(&self, argument: &str) -> bool {
        self.command_line().iter().skip(1).any(|word| word == argument)
    }

    /// The program of this name that started it and waits for it, as scripts of packages start what they carry; `None`
    /// if there is none, or the system does not say.
    pub fn launcher(&self, name: &str) -> Option<Self> {
        let launcher = Self::of(parent(self.pid)?)?;
        // The interpreter and its script, or the program alone.
        let is_named = |word: &String| Path::new(word).file_stem().is_some_and(|stem| stem == name);
        launcher.command_line().iter().take(2).any(is_named).then_some(launcher)
    }

    /// The words it was started with; none if the system does not say.
    pub fn command_line(&self) -> Vec<String> {
        let line = std::fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let words = line.strip_suffix(b"\0").unwrap_or(&line).split(|byte| *byte == 0);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    pub fn is_alive(&self) -> bool {
        match born(self.pid) {
            Some(born) => self.born == 0 || born == self.born,
            None => !knows_births() && takes_signals(self.pid),
        }
    }
}

/// When a running process was started.
fn born(pid: u32) -> Option<u64> {
    let fields = fields(pid)?;
    let runs = !matches!(fields.first()?.as_str(), "Z" | "X");
    runs.then(|| fields.get(19)?.parse().ok())?
}

fn parent(pid: u32) -> Option<u32> {
    fields(pid)?.get(1)?.parse().ok().filter(|parent| *parent > 1)
}

/// What the system says about a process, starting with its state.
#[cfg(target_os = "linux")]
fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in parentheses and may contain anything, so only what follows the last one counts.
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

#[cfg(not(target_os = "linux"))]
fn fields(_: u32) -> Option<Vec<String>> {
    None
}

/// Where a shell that runs in this folder finds a program.
pub fn program_path(name: &str, folder: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|place| folder.join(place).join(name));
    places.find(|place| {
        place.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

fn is_shell(pid: u32) -> Option<bool> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(SHELLS.contains(&name.trim()))
}

/// Whether the system says when processes were started.
fn knows_births() -> bool {
    cfg!(target_os = "linux")
}

fn takes_signals(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // A process of another user exists as well.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_its_successor() {
        let current = Process::current();
        assert!(current.is_alive());
        if knows_births() {
            assert!(!Process { born: current.born + 1, ..current }.is_alive());
        }
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process { pid: child.id(), born: born(child.id()).unwrap_or(0) };
        assert!(process.is_alive());
        while knows_births() && !process.has_argument("60") {
            // Until it has executed the other program, it still looks like this one.
            std::thread::yield_now();
        }
        assert!(!process.has_argument("6") && !process.has_argument("sleep"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.is_alive());
        assert_eq!(Process::of(process.pid), None);
    }

    #[test]
    fn a_launcher_is_known_by_its_name() {
        if !knows_births() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("tool.sh");
        std::fs::write(&script, "sleep 60; true").unwrap();
        let mut launcher = std::process::Command::new("sh").arg(&script).spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", launcher.id());
        let child = loop {
            let line = std::fs::read_to_string(&children).unwrap();
            if let Some(child) = line.split_whitespace().next() {
                break Process::of(child.parse().unwrap()).unwrap();
            }
        };
        assert_eq!(child.launcher("tool").map(|found| found.pid), Some(launcher.id()));
        assert_eq!(child.launcher("other"), None);
        launcher.kill().unwrap();
        launcher.wait().unwrap();
        assert_eq!(child.launcher("tool"), None);
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(child.pid.cast_signed()).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }

    #[test]
    fn shells_are_passed_over_on_the_way_to_who_started_it() {
        if !knows_births() {
            return;
        }
        let starter = Process::starter();
        assert!(starter.is_none_or(|starter| starter.is_alive() && starter.pid != std::process::id()));
        let mut shell = std::process::Command::new("sh").args(["-c", "sleep 60; true"]).spawn().unwrap();
        assert_eq!(parent(shell.id()), Some(std::process::id()));
        // Until it has executed the shell, it still looks like this program.
        while is_shell(shell.id()) == Some(false) {
            std::thread::yield_now();
        }
        assert_eq!(is_shell(shell.id()), Some(true));
        assert_eq!(is_shell(std::process::id()), Some(false));
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}
