//! The Memory tab: what was learned, version by version.

mod update;
mod view;

pub use update::*;
pub use view::{draw, footer, memory_length};

use crate::inbox::{MemoryLine, MemoryVersion};
use crate::tui::tabs::Browse;

/// The Memory tab.
#[derive(Clone, Debug, Default)]
pub struct MemoryTab {
    /// The profiles.
    pub list: Browse<MemoryLine>,
    /// The line of the page at the top.
    pub page_top: usize,
    /// The profile and the version to show once they are there.
    pub wanted: Option<(String, u64)>,
    /// The versions of the selected profile.
    pub versions: Option<Versions>,
}

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
