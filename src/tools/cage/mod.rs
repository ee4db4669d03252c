//! The cage: the machine's own Python, for code that a model wrote with pandas and openpyxl.
//!
//! A run gets a folder of its own with a copy of the workbook, and a child that is this program again with [`VERB`]. The
//! child raises walls around itself and then becomes Python: Landlock leaves it the interpreter's own files to read and
//! that folder to write; seccomp leaves it no socket, no process, no signal and no other way out; limits bound memory,
//! time, output and files; environment, clock and chance are not there. Where `bwrap` is installed, namespaces make the
//! rest of the machine invisible too.
//!
//! Every wall must stand: where one cannot be raised there is no cage, and [`Pythons`] says why. There is no way to run
//! without. What the code left behind is parsed by the bounded child of [`super::sandbox`], never here.

mod child;
mod find;
mod folder;
mod parent;
#[cfg(target_os = "linux")]
mod walls;

pub use child::main;
pub use find::{Interpreter, Pythons};
pub use parent::{Cage, book_name};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The hidden verb of the child.
pub const VERB: &str = "__cage";

/// What model-written code is told of its surroundings.
pub const GUIDE: &str = include_str!("guide.md");

/// What a child raises its walls by, before it becomes Python.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    python: PathBuf,
    /// Folders and files that may be read.
    read: Vec<PathBuf>,
    /// Files that may be started: Python, and what loads it.
    start: Vec<PathBuf>,
    /// Folders that may be written.
    write: Vec<PathBuf>,
    /// The folder it works in.
    work: PathBuf,
    /// Where libraries may keep what they need meanwhile.
    spare: PathBuf,
    /// Bytes of memory, and seconds of processor time.
    memory: u64,
    seconds: u64,
    /// Bytes of one file.
    file: u64,
}
