//! `Visible`: the one type untrusted text passes through.

use serde::{Deserialize, Serialize};

/// Text that holds nothing a terminal or a reader cannot see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Visible(String);

impl Visible {
    /// Makes `raw` visible.
    pub fn new(raw: &str) -> Self {
        Self(raw.to_owned())
    }

    /// The safe text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
