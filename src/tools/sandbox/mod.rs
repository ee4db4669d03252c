//! The sandbox: runs model-written Python on a copy of a workbook, in a child process that can do nothing else.
//!
//! The child is this program, started again with [`VERB`] before any other part of it runs. It gets the workbook and
//! the code through a pipe and answers through a pipe. It has no files, network, environment or clock: the interpreter
//! can only call the host functions of `host.rs`, and below it rlimits, and on Linux Landlock and a seccomp filter,
//! remove what the process itself could do. Memory, time, output, recursion and host calls are bounded, and the parent
//! kills a child that overstays.
//!
//! If the child cannot start, or cannot harden itself, [`SandboxError::Unavailable`] says so; there is no way to run
//! without it. Nothing is kept between two runs: the state of earlier cells is rebuilt by running them again, which
//! gives the same result because nothing in the child can differ.

mod child;
mod formats;
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

use super::workbook::WorkbookSummary;
use serde::{Deserialize, Serialize};

/// The hidden verb of the child.
pub const VERB: &str = "__sandbox";

/// What model-written code is told about its environment: the same text for the prompt and the README.
pub const GUIDE: &str = include_str!("guide.md");

/// How many changed cells are listed one by one.
const MAX_LISTED: usize = 50;

/// What a child may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in bytes, including the workbook.
    pub memory: u64,
    /// How many seconds each cell may run.
    pub seconds: u64,
    /// How many bytes one cell may print.
    pub output: usize,
    /// How deep function calls may nest.
    pub recursion: usize,
    /// How many host calls one run may make.
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

/// What a child does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Look at the workbook after running the cells.
    Look,
    /// Run the cells, and report on the last.
    #[default]
    Run,
    /// Run the cells, and write the workbook as .xlsx.
    Write,
    /// Compare three workbooks that somebody else wrote, concatenated: the original, before the last cell, and after
    /// it.
    Compare,
    /// Try forbidden things, and report which layers prevent them.
    Check,
}

/// A child's task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    /// The workbook's file name; its extension gives the format.
    pub name: String,
    pub work: Work,
    /// The earlier cells and the new one, in order.
    pub cells: Vec<String>,
    /// What to look for, in words.
    pub question: Option<String>,
    pub limits: Limits,
    /// The day on which the task started, for code that may ask for it.
    #[serde(default)]
    pub day: String,
    /// The lengths of the first and second of three workbooks.
    #[serde(default)]
    pub lengths: (u64, u64),
}

impl Job {
    /// How many seconds all cells together may run.
    pub(in crate::tools) fn seconds(&self) -> u64 {
        self.limits.seconds.saturating_mul(self.cells.len().max(1) as u64)
    }
}

/// A child's result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Why the workbook cannot be used.
    pub refused: Option<String>,
    /// The workbook after the cells.
    pub summary: Option<WorkbookSummary>,
    /// What the last cell did.
    pub observation: Option<Observation>,
    /// The passages found for the question.
    pub found: Vec<String>,
    /// What the result preserves and what it loses.
    pub kept: Vec<String>,
    /// Whether anything in the workbook changed.
    pub changed: bool,
    /// Formulas that were written but not computed yet.
    pub formulas: Vec<String>,
    /// A digest of each cell's result, if cells could differ when they run again.
    #[serde(default)]
    pub digests: Vec<String>,
    /// The files that the cells left beside the workbook.
    #[serde(default)]
    pub files: Vec<LeftFile>,
    /// Files that they left and that are not kept, each with the reason.
    #[serde(default)]
    pub dropped: Vec<String>,
    /// The layers that confined the child.
    #[serde(default)]
    pub layers: Layers,
    /// Forbidden things that were possible.
    #[serde(default)]
    pub escaped: Vec<String>,
}

impl Report {
    /// The last cell was stopped, and this is why.
    pub fn stopped(why: String) -> Self {
        let observation = Observation { error: Some(why), stopped: true, ..Observation::default() };
        Self { observation: Some(observation), ..Self::default() }
    }
}

/// A file that code wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftFile {
    pub name: String,
    /// Not recorded: the cells write it again before it is kept.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What a cell did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    pub stdout: String,
    /// The value of its last expression.
    pub value: Option<String>,
    pub error: Option<String>,
    /// Whether it was stopped at a limit: then none of it counts.
    pub stopped: bool,
    /// The first cells it changed.
    pub changes: Vec<Change>,
    /// How many cells it changed.
    pub changed: usize,
    pub added: Vec<String>,
    /// What else it did to whole sheets, in words.
    pub layout: Vec<String>,
    /// A digest of its result, if it could differ when it runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub sheet: String,
    /// The position, like `B7`.
    pub cell: String,
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
