//! A Python installed on this machine, and what it can do.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// What it is called.
pub(super) const NAMES: [&str; 2] = ["python3", "python"];
/// Prints the interpreter's version, its modules, and the files it needs.
const PROBE: &str = include_str!("probe.py");
/// How long the probe may take; a cold disk is slow.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest probe output we accept.
const MAX_PROBE_OUTPUT: usize = 1 << 20;

/// A Python installed on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    pub program: PathBuf,
    pub version: String,
    /// The libraries for workbooks that it has, each with its version.
    pub modules: Vec<(String, String)>,
    /// Where it imports from.
    pub(super) path: Vec<PathBuf>,
    /// Other files it reads: shared libraries and its settings.
    pub(super) libraries: Vec<PathBuf>,
    /// The dynamic loaders that start it.
    pub(super) loaders: Vec<PathBuf>,
}

impl Interpreter {
    /// In words: `Python 3.13.1 with openpyxl 3.1.5 and pandas 2.2.3`.
    pub fn text(&self) -> String {
        let modules: Vec<String> = self
            .modules
            .iter()
            .map(|(name, version)| format!("{name} {version}").trim().to_owned())
            .collect();
        let with = match modules.split_last() {
            None => String::new(),
            Some((last, [])) => format!(" with {last}"),
            Some((last, first)) => format!(" with {} and {last}", first.join(", ")),
        };
        format!("Python {}{with}", self.version)
    }

    pub(super) fn has(&self, module: &str) -> bool {
        self.modules.iter().any(|(name, _)| name == module)
    }
}

/// Asks a program what kind of Python it is. It runs nothing except our probe.
pub(super) async fn ask(program: &Path) -> Result<Interpreter, String> {
    let shown = program.display();
    let child = Command::new(program)
        .args(["-B", "-c", PROBE])
        .env_clear()
        .envs(["HOME", "PATH"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{shown} cannot be started: {error}"))?;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await;
    let output = output.map_err(|_| format!("{shown} did not answer within {} s", PATIENCE.as_secs()))?;
    let output = output.map_err(|error| format!("{shown} cannot be asked: {error}"))?;
    if !output.status.success() || output.stdout.len() > MAX_PROBE_OUTPUT {
        return Err(format!("{shown} is no Python 3.8 or later"));
    }
    serde_json::from_slice(&output.stdout).map_err(|_| format!("{shown} is no Python 3.8 or later"))
}

/// Programs with one of these names on `PATH`.
pub(super) fn on_path(names: &[&str]) -> Vec<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).filter(|path| path.is_absolute()).collect();
    let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.filter(|program| program.is_file()).collect()
}
