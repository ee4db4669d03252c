//! The Memory tab: what was learned, version by version.

mod update;
mod view;

pub use update::{Memory, remember, show_version};
