//! `[theme]` and `[keys]`: the screen's colours, and the user's own keys.

use super::keys::{Key, Kind, Section, default, example};
use super::reader::{choice, section};

section! {
    /// The screen's colours: default (dark) | light | terminal (its own sixteen) | contrast | plain (none, as with NO_COLOR)
    pub(super) struct Theme in one("theme") {
        pub(super) name: ThemeName = default("default"),
    }
}

choice! {
    /// The colours of the screen.
    #[derive(Default)]
    pub enum ThemeName {
        /// For a dark background, in 24-bit colours if the terminal has them.
        #[default]
        Default = "default",
        /// The same for a light background.
        Light = "light",
        /// The terminal's own sixteen colours on its own background.
        Terminal = "terminal",
        /// As much contrast as possible.
        Contrast = "contrast",
        /// No colours at all; also what NO_COLOR asks for.
        Plain = "plain",
    }
}

/// Only the screen knows the actions; it refuses unknown ones by name.
pub(super) const KEYS: &Section = &Section::one("keys").with(
    &[
        "Your own keys for actions, by the names that `?` and docs/keys.md show. An empty list removes them. A",
        "key that already means something else in the same place is refused unless you move that too. Enter and Esc",
        "never decide.",
    ],
    &[Key::new("*", Kind::Texts, example("a, ctrl-y").called("accept").or("as `?` shows them"), &[])],
);
