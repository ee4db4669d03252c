//! The cage: code that a model wrote runs in a Python of this machine that can reach nothing but its own folder.
//!
//! Each piece of code gets a folder with a copy of the workbook, and a child: this program started again with [`VERB`].
//! The child raises walls around itself and then becomes Python. Landlock lets it read only the interpreter's files and
//! write only that folder; seccomp allows no socket, process, signal or other way out; limits bound memory, time, output
//! and files; there is no environment. If `bwrap` is installed, namespaces also hide the rest of the machine.
//!
//! Every wall must stand: if one cannot be raised there is no cage, and [`PythonFinder`] says why. Nothing runs without
//! them. Workbooks, also those that code left behind, are parsed by the bounded child of [`Reader`], never here.
//!
//! Nothing is kept between two pieces of code but files: [`run`] takes them and gives them back.

mod child;
mod environment;
mod find;
mod folder;
mod interpreter;
mod observation;
mod parent;
mod pipes;
pub mod reader;
mod run;
#[cfg(target_os = "linux")]
mod walls;

pub use child::main;
pub use environment::{Environment, EnvironmentError};
pub use find::PythonFinder;
pub use folder::Folder;
pub use interpreter::Interpreter;
pub use observation::{Change, Observation};
pub use parent::Cage;
pub use reader::Reader;
pub use run::{Cell, Ended, LeftFile, Needs, Python, Report, Saved, losses, run, save_alone};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The hidden verb of the child.
pub const VERB: &str = "__cage";

/// What model-written code is told about its environment.
pub const GUIDE: &str = include_str!("guide.md");

/// What code may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory in bytes, including the workbook.
    pub memory: u64,
    /// How many seconds it may run.
    pub seconds: u64,
    /// How many bytes it may print.
    pub output: usize,
    /// How many rows a sheet may have.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self::from(&crate::config::Sheet::default())
    }
}

impl From<&crate::config::Sheet> for Limits {
    fn from(sheet: &crate::config::Sheet) -> Self {
        Self {
            memory: sheet.memory_mb << 20,
            seconds: sheet.seconds,
            output: sheet.output_kb << 10,
            rows: sheet.max_rows,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CageError {
    /// A child did not start, or could not shut itself in.
    #[error("code cannot be run here: {0}. Nothing was run")]
    Unavailable(String),
    #[error("{0}")]
    Workbook(String),
}

/// What the child needs to raise its walls and become Python.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    python: PathBuf,
    /// Folders and files it may read.
    read: Vec<PathBuf>,
    /// Files it may execute: Python and its loaders.
    start: Vec<PathBuf>,
    /// Folders it may write.
    write: Vec<PathBuf>,
    work: PathBuf,
    /// Where libraries may keep temporary files.
    spare: PathBuf,
    /// Memory in bytes, and processor time in seconds.
    memory: u64,
    seconds: u64,
    /// The largest file, in bytes.
    file: u64,
}
