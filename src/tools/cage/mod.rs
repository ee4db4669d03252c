//! The cage: the machine's own Python, for code that a model wrote with pandas and openpyxl.
//!
//! Each run gets a folder with a copy of the workbook, and a child: this program started again with [`VERB`]. The child
//! raises walls around itself and then becomes Python. Landlock lets it read only the interpreter's files and write
//! only that folder; seccomp allows no socket, process, signal or other way out; limits bound memory, time, output and
//! files; there is no environment, clock or randomness. If `bwrap` is installed, namespaces also hide the rest of the
//! machine.
//!
//! Every wall must stand: if one cannot be raised there is no cage, and [`PythonFinder`] says why. Nothing runs without
//! them. The files the code left behind are parsed by the bounded child of [`super::sandbox`], never here.

mod child;
mod find;
mod folder;
mod interpreter;
mod parent;
#[cfg(target_os = "linux")]
mod walls;

pub use child::main;
pub use find::PythonFinder;
pub use interpreter::Interpreter;
pub use parent::{Cage, book_name};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The hidden verb of the child.
pub const VERB: &str = "__cage";

/// What model-written code is told about its environment.
pub const GUIDE: &str = include_str!("guide.md");

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
