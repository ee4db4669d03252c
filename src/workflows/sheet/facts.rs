//! `sheet.plan`: takes facts, and returns a call of `python`, `inform` or `finish`.

use serde::{Deserialize, Serialize};

/// The planner's input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFacts {
    /// What the person wants done, newest words last.
    pub instruction: String,
    /// The person's replies to earlier proposals, oldest first.
    #[serde(default)]
    pub said: Vec<String>,
    #[serde(default)]
    pub sheets: Vec<SheetFacts>,
    /// The cells of code that were run since the person last spoke, oldest first.
    #[serde(default)]
    pub ran: Vec<RanFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetFacts {
    pub name: String,
    pub rows: usize,
    #[serde(default)]
    pub columns: Vec<ColumnFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnFacts {
    pub letters: String,
    /// The text of its first cell.
    pub header: String,
    /// What its cells mostly hold: `number`, `text`, `date` …
    pub kind: String,
    /// Its first few values.
    #[serde(default)]
    pub samples: Vec<String>,
}

/// A cell of code that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanFacts {
    pub code: String,
    /// What it printed.
    #[serde(default)]
    pub stdout: String,
    /// How it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// How many cells it changed.
    #[serde(default)]
    pub changed: usize,
}
