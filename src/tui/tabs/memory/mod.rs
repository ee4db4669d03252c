//! The Memory tab: what was learned, version by version.

mod update;
mod view;

pub use update::*;
pub use view::{draw, footer, memory_length};

use crate::inbox::MemoryVersion;

/// A profile with all its versions.
#[derive(Clone, Debug)]
pub struct Versions {
    /// Whose preferences about what.
    pub namespace: String,
    /// All of them, newest first.
    pub history: Vec<MemoryVersion>,
    /// Lines that nothing learned may drop.
    pub pinned: Vec<String>,
    /// The one that is shown.
    pub at: usize,
}

impl Versions {
    /// The version that is shown.
    pub fn shown(&self) -> Option<&MemoryVersion> {
        self.history.get(self.at)
    }
}
