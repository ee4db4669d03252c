//! `sheet.plan`: what the next step is asked for.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFacts {
    /// What the person wants done, newest words last.
    pub instruction: String,
    /// The person's replies to earlier proposals, oldest first.
    pub said: Vec<String>,
    /// How each cell of code went that was run since the person last spoke: its error, if it failed.
    pub ran: Vec<Option<String>>,
}
