//! The Memory tab: what was learned, version by version.

use super::rows::Rows;
use crate::inbox::{MemoryLine, MemoryVersion};

#[derive(Clone, Debug, Default)]
pub struct MemoryTab {
    /// The profiles.
    pub list: Rows<MemoryLine>,
    /// The scroll position of the page, in lines.
    pub page_top: usize,
    /// The profile and version to show once they are loaded.
    pub version_to_show: Option<(String, u64)>,
    pub versions: Option<Versions>,
}

/// A profile with all its versions.
#[derive(Clone, Debug)]
pub struct Versions {
    /// Whose preferences about what.
    pub namespace: String,
    /// All versions, newest first.
    pub history: Vec<MemoryVersion>,
    /// Lines that learning may not drop.
    pub pinned: Vec<String>,
    pub shown_index: usize,
}

impl Versions {
    pub fn shown(&self) -> Option<&MemoryVersion> {
        self.history.get(self.shown_index)
    }
}
