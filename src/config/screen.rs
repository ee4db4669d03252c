//! `[theme]`: the screen's colours.

use serde::Deserialize;

use super::values::section;

section! {
    pub(super) struct Theme {
        pub(super) name: ThemeName,
    }
}

/// The colours of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum ThemeName {
    /// For a dark background, in 24-bit colours if the terminal has them.
    #[default]
    Default,
    /// The same for a light background.
    Light,
    /// The terminal's own sixteen colours on its own background.
    Terminal,
    /// As much contrast as possible.
    Contrast,
    /// No colours at all; also what NO_COLOR asks for.
    Plain,
}
