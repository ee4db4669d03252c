//! Workbooks are parsed in a child that can do nothing else: this program, started again with [`VERB`] before any other
//! part of it runs. It gets its job and the bytes through a pipe and answers through a pipe; limits, and on Linux
//! Landlock and a seccomp filter, take everything else from it. Without them it does not start.

mod child;
mod harden;
mod parent;

pub use child::main;
pub use harden::Layers;
pub use parent::Reader;

use super::Change;
use crate::tools::workbook::WorkbookSummary;
use serde::{Deserialize, Serialize};

/// The hidden verb of the child.
pub const VERB: &str = "__read";

/// What a child is to do, and how much memory it may have for it.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    memory: u64,
    job: Job,
}

#[derive(Debug, Serialize, Deserialize)]
enum Job {
    /// Describe a workbook whose sheets have at most `rows` rows, and look for the words of a question in it.
    Look { name: String, rows: usize, question: Option<String> },
    /// Write it as .xlsx.
    Convert { name: String },
    /// Compare workbooks, sent one after the other: before, after, and what the program that saved it makes of the first
    /// alone, empty if that is not known. `lengths` are those of the first two; `formulas` were written before.
    Compare { name: String, lengths: (u64, u64), formulas: Vec<String> },
    /// Try forbidden things.
    Check,
}

#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    /// Why the workbook cannot be used.
    Refused(String),
    Seen(Seen),
    /// The workbook follows.
    Converted,
    /// If only values and formulas changed, the workbook from before follows, with these in it.
    Compared(Compared),
    /// The layers that confine the child, and what it could do all the same.
    Checked(Layers, Vec<String>),
}

/// A workbook as it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Seen {
    pub summary: WorkbookSummary,
    /// Whether it has parts that another program may leave out.
    pub has_parts: bool,
    /// Where the words of the question stand.
    pub found: Vec<String>,
}

/// A workbook that was saved, compared with the one before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Compared {
    pub summary: WorkbookSummary,
    /// The first changed cells, and how many there are.
    pub changes: Vec<Change>,
    pub changed: usize,
    /// New sheets.
    pub added: Vec<String>,
    /// What happened to whole sheets, in words.
    pub layout: Vec<String>,
    /// Whether everything but changed values and formulas is as before.
    pub patched: bool,
    /// What the program that saved it left out.
    pub lost: Vec<String>,
    /// Formulas that code wrote and no program has computed.
    pub formulas: Vec<String>,
}
