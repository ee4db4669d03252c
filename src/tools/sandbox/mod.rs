//! The sandbox: Python that a model wrote, run on a copy of a workbook in a child process that can do nothing else.
//!
//! The child is this very program, started again with [`VERB`] before anything else of it runs. It gets the workbook
//! and the code by a pipe and answers by a pipe. In it there is no file, no network, no environment and no clock:
//! the interpreter has no hands but the host functions of `host.rs`, and below it rlimits, and on Linux Landlock and
//! a seccomp filter, take away what the process itself would have. Memory, time, output, recursion and host calls are
//! bounded, and the parent kills what overstays.
//!
//! Where the child cannot be had, or cannot shut itself in, [`SandboxError::Unavailable`] says so; there is no way to
//! run without. Nothing is kept between two runs: the state of earlier cells is made again by running them, which
//! gives the same because nothing in the child can differ.

mod child;
mod harden;
mod hints;
mod host;
mod layout;
mod parent;
pub(in crate::tools) mod pipes;
mod python;
mod rewrite;
mod values;

pub use child::main;
pub use harden::Layers;
pub use parent::{Sandbox, SandboxError};

use super::workbook::Picture;
use serde::{Deserialize, Serialize};

/// The hidden verb of the child.
pub const VERB: &str = "__sandbox";

/// What model-written code is told of its surroundings: the same text for the prompt and the README.
pub const GUIDE: &str = include_str!("guide.md");

/// How many changes of a cell are told one by one.
const TOLD: usize = 50;

/// What a child may use up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in bytes, the workbook included.
    pub memory: u64,
    /// Seconds that code runs, earlier cells included.
    pub seconds: u64,
    /// Bytes that one cell prints.
    pub output: usize,
    /// How deep functions call each other.
    pub recursion: usize,
    /// How often one run calls the workbook.
    pub calls: usize,
    /// How many rows a sheet may have.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            seconds: 30,
            output: 64 << 10,
            recursion: 200,
            calls: 2_000_000,
            rows: 1_048_576,
        }
    }
}

impl From<&crate::config::Sheet> for Limits {
    fn from(sheet: &crate::config::Sheet) -> Self {
        Self {
            memory: sheet.memory_mb << 20,
            seconds: sheet.seconds,
            output: sheet.output_kb << 10,
            rows: sheet.max_rows,
            ..Self::default()
        }
    }
}

/// What a child is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Look at the workbook, after the cells.
    Look,
    /// Run the cells, and tell of the last.
    #[default]
    Run,
    /// Run the cells, and write the workbook as .xlsx.
    Write,
    /// Compare three workbooks that somebody else wrote, one after the other: as it was at first, before the last cell and
    /// after it.
    Compare,
    /// Try what must not be possible, and say by what it is not.
    Check,
}

/// A child's task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    /// The workbook's file name; its ending says what it is.
    pub name: String,
    /// What to do.
    pub work: Work,
    /// The cells that were run before and the new one, in their order.
    pub cells: Vec<String>,
    /// What to look for, in words.
    pub question: Option<String>,
    /// What it may use up.
    pub limits: Limits,
    /// The day on which the work began, where code may ask for it.
    #[serde(default)]
    pub day: String,
    /// How long the first and the second of three workbooks are.
    #[serde(default)]
    pub lengths: (u64, u64),
}

/// What came of a child.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Why the workbook cannot be used.
    pub refused: Option<String>,
    /// The workbook as it is after the cells.
    pub picture: Option<Picture>,
    /// What the last cell did.
    pub observation: Option<Observation>,
    /// What was found of the question.
    pub found: Vec<String>,
    /// What a result keeps and what not.
    pub kept: Vec<String>,
    /// Whether anything of the workbook was changed.
    pub changed: bool,
    /// Formulas that were written, and that nobody has computed.
    pub formulas: Vec<String>,
    /// What came of each cell, as a digest, where cells could differ when they run again.
    #[serde(default)]
    pub digests: Vec<String>,
    /// Pictures that were drawn.
    #[serde(default)]
    pub pictures: Vec<PictureFile>,
    /// What the child was shut in by.
    #[serde(default)]
    pub layers: Layers,
    /// What must not be possible and was.
    #[serde(default)]
    pub escaped: Vec<String>,
}

/// A picture that code drew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureFile {
    pub name: String,
    /// Not for records: it is drawn again when it is written.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What a cell did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// What it printed.
    pub stdout: String,
    /// What its last expression was.
    pub value: Option<String>,
    /// How it failed.
    pub error: Option<String>,
    /// Whether it was stopped at a limit: then nothing of it counts.
    pub stopped: bool,
    /// What it changed; the first so many.
    pub changes: Vec<Change>,
    /// How many cells it changed.
    pub changed: usize,
    /// Sheets it added.
    pub added: Vec<String>,
    /// What else it did to sheets as a whole, in words.
    pub layout: Vec<String>,
    /// What came of it, as a digest, where it could differ when it runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// A changed cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub sheet: String,
    /// The place, like `B7`.
    pub cell: String,
    /// What it was.
    pub before: String,
    pub after: String,
}

impl Observation {
    /// As text, for a model.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.stdout.is_empty() {
            parts.push(format!("Printed:\n{}", self.stdout.trim_end()));
        }
        if let Some(value) = &self.value {
            parts.push(format!("Value: {value}"));
        }
        if let Some(error) = &self.error {
            parts.push(format!("Error:\n{}", error.trim_end()));
        }
        if self.stopped {
            parts.push("Nothing of this code counts: variables and cells are as before it.".to_owned());
        }
        if !self.added.is_empty() {
            parts.push(format!("Sheets added: {}", self.added.join(", ")));
        }
        parts.extend(self.layout.iter().cloned());
        if self.changed > 0 {
            let line = |change: &Change| {
                format!(
                    "{}!{}: {} → {}",
                    change.sheet,
                    change.cell,
                    or_empty(&change.before),
                    or_empty(&change.after)
                )
            };
            let lines: Vec<String> = self.changes.iter().take(20).map(line).collect();
            parts.push(format!("{} cells changed, the first:\n{}", self.changed, lines.join("\n")));
        }
        if parts.is_empty() {
            parts.push("It ran; nothing was printed and nothing changed.".to_owned());
        }
        parts.join("\n")
    }
}

fn or_empty(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}
