//! A Python of sayso's own, with what workbooks need: an environment in the data folder. It is whole or not there.
//!
//! An environment names its own place, so it is made where it stays, and a file beside it says that it is whole. That is
//! written last and deleted first, so one that was interrupted is never used, and made anew the next time. The programs
//! that make it hold the lock, too: as long as one of them lives, nobody else begins.

use super::interpreter::{self, NAMES, on_path};
use crate::text::io_error_text;
use std::fs::File;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// What it holds.
const PACKAGES: [&str; 3] = ["openpyxl", "pandas", "matplotlib"];
/// How much of what a program said last is told.
const TOLD: usize = 300;

/// The environment of a data folder, made or not.
#[derive(Clone, Debug)]
pub struct Environment {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("there is one already, in {0}; `sayso python --remove` removes it")]
    Exists(PathBuf),
    #[error("another sayso is at it right now, in {0}")]
    Busy(PathBuf),
    #[error(
        "there is no uv and no Python 3 in your PATH to make one with: install uv, which brings a Python, or name a Python \
         that has openpyxl in the config, as [sheet] python"
    )]
    NothingToMakeItWith,
    #[error(
        "{program} could not make an environment: {said}. Nothing is kept. A Python of yours that has openpyxl does as \
         well (in the config, [sheet] python), and a .csv needs no package"
    )]
    NotMade { program: &'static str, said: String },
    #[error(
        "{packages} could not be fetched, which needs a network: {said}. Nothing is kept. A Python of yours that has \
         openpyxl does as well (in the config, [sheet] python), and a .csv needs no package",
        packages = PACKAGES.join(", ")
    )]
    NotFetched { said: String },
    #[error("it was made, but {0}; nothing is kept")]
    Unfit(String),
    #[error("{path} cannot be written: {why}", why = io_error_text(error))]
    Io { path: PathBuf, error: io::Error },
}

/// What makes an environment and fills it.
enum Maker {
    /// It also brings a Python where there is none.
    Uv(PathBuf),
    Venv(PathBuf),
}

impl Environment {
    pub fn of(data: &Path) -> Self {
        Self { folder: data.join("python") }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its Python, if it is whole.
    pub fn program(&self) -> Option<PathBuf> {
        self.whole().exists().then(|| self.python())
    }

    fn whole(&self) -> PathBuf {
        self.folder.join("whole")
    }

    fn environment(&self) -> PathBuf {
        self.folder.join("env")
    }

    fn python(&self) -> PathBuf {
        self.environment().join("bin/python")
    }

    /// Whether there is anything to make one with.
    pub async fn can_be_made() -> bool {
        maker().await.is_ok()
    }

    /// Makes it; `told` hears what goes on. What fails leaves nothing behind.
    pub async fn make(&self, told: &(dyn Fn(&str) + Sync)) -> Result<(), EnvironmentError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(|error| self.io(error))?;
        let lock = self.lock()?;
        if self.program().is_some() {
            return Err(EnvironmentError::Exists(self.folder.clone()));
        }
        let made = self.make_locked(&lock, told).await;
        if made.is_err() {
            self.clear(lock).map_err(|error| self.io(error))?;
        }
        made
    }

    async fn make_locked(&self, lock: &File, told: &(dyn Fn(&str) + Sync)) -> Result<(), EnvironmentError> {
        let maker = maker().await?;
        // What an interrupted one left.
        remove_all(&self.environment()).map_err(|error| self.io(error))?;
        let (program, begin, fill) = maker.commands(&self.environment(), &self.python());
        let begun = run(begin, lock, told).await;
        begun.map_err(|said| EnvironmentError::NotMade { program, said })?;
        let filled = run(fill, lock, told).await;
        filled.map_err(|said| EnvironmentError::NotFetched { said })?;
        let interpreter = interpreter::ask(&self.python()).await.map_err(EnvironmentError::Unfit)?;
        if !interpreter.has("openpyxl") {
            return Err(EnvironmentError::Unfit("it has no openpyxl".to_owned()));
        }
        let whole = File::create(self.whole()).and_then(|file| file.sync_all());
        whole.map_err(|error| self.io(error))
    }

    /// Removes it, and says whether there was one.
    pub fn remove(&self) -> Result<bool, EnvironmentError> {
        if !self.folder.exists() {
            return Ok(false);
        }
        let lock = self.lock()?;
        let was_whole = self.program().is_some();
        self.clear(lock).map_err(|error| self.io(error))?;
        Ok(was_whole)
    }

    /// The lock goes last, with the folder.
    fn clear(&self, _lock: File) -> io::Result<()> {
        match std::fs::remove_file(self.whole()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        remove_all(&self.environment())?;
        std::fs::remove_dir_all(&self.folder)
    }

    fn lock(&self) -> Result<File, EnvironmentError> {
        let lock = File::create(self.folder.join("lock")).map_err(|error| self.io(error))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(std::fs::TryLockError::WouldBlock) => Err(EnvironmentError::Busy(self.folder.clone())),
            Err(std::fs::TryLockError::Error(error)) => Err(self.io(error)),
        }
    }

    fn io(&self, error: io::Error) -> EnvironmentError {
        EnvironmentError::Io { path: self.folder.clone(), error }
    }
}

/// uv where it is there, else the first Python 3.
async fn maker() -> Result<Maker, EnvironmentError> {
    if let Some(uv) = on_path(&["uv"]).into_iter().next() {
        return Ok(Maker::Uv(uv));
    }
    for program in on_path(&NAMES) {
        if interpreter::ask(&program).await.is_ok() {
            return Ok(Maker::Venv(program));
        }
    }
    Err(EnvironmentError::NothingToMakeItWith)
}

impl Maker {
    /// What makes the environment, in words, and the commands that make and fill it.
    fn commands(&self, environment: &Path, python: &Path) -> (&'static str, Command, Command) {
        // A package that has to be built first would run code of its own, outside the cage.
        const BUILT: [&str; 2] = ["--only-binary", ":all:"];
        match self {
            Self::Uv(uv) => {
                let (mut begin, mut fill) = (Command::new(uv), Command::new(uv));
                begin.args(["venv", "--no-project"]).arg(environment);
                // The cage lets it read the environment's own files, and no cache that they may be links to.
                fill.args(["pip", "install", "--link-mode", "hardlink", "--python"]).arg(python);
                fill.args(BUILT).args(PACKAGES);
                ("uv (which fetches a Python where there is none)", begin, fill)
            }
            Self::Venv(base) => {
                let (mut begin, mut fill) = (Command::new(base), Command::new(python));
                begin.args(["-m", "venv"]).arg(environment);
                fill.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check"]);
                fill.args(["--retries", "2", "--progress-bar", "off"]).args(BUILT).args(PACKAGES);
                ("Python's venv (which Debian and Ubuntu have in python3-venv)", begin, fill)
            }
        }
    }
}

/// Runs a program that holds the lock; the error is what it said last.
async fn run(mut command: Command, lock: &File, told: &(dyn Fn(&str) + Sync)) -> Result<(), String> {
    let error_text = |error: io::Error| io_error_text(&error);
    // Both kinds of output in the order they were written.
    let (read, write) = io::pipe().map_err(error_text)?;
    let mut child = command
        .current_dir("/")
        .stdin(Stdio::from(lock.try_clone().map_err(error_text)?))
        .stdout(Stdio::from(write.try_clone().map_err(error_text)?))
        .stderr(Stdio::from(write))
        .kill_on_drop(true)
        .spawn()
        .map_err(error_text)?;
    // The command has the other ends of the pipe.
    drop(command);
    let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(read.into()).map_err(error_text)?;
    let mut lines = BufReader::new(pipe).split(b'\n');
    let mut last = String::new();
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if !line.is_empty() {
            told(&line);
            last = line;
        }
    }
    let status = child.wait().await.map_err(error_text)?;
    if status.success() {
        return Ok(());
    }
    let last = last.trim_end_matches('.');
    let end = last.floor_char_boundary(TOLD);
    Err(if last.is_empty() { status.to_string() } else { format!("“{}”", &last[..end]) })
}

fn remove_all(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
