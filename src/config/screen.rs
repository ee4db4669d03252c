//! `[theme]` and `[keys]`: the screen's colours, and other keys than the usual ones.

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
        /// On a dark ground, in 24-bit colours where the terminal has them.
        #[default]
        Default = "default",
        /// The same on a light ground.
        Light = "light",
        /// The terminal's own sixteen colours on its own ground.
        Terminal = "terminal",
        /// As much contrast as there is.
        Contrast = "contrast",
        /// No colours at all; also what NO_COLOR asks for.
        Plain = "plain",
    }
}

/// Which actions there are is the screen's affair, and it refuses the others by name.
pub(super) const KEYS: &Section = &Section::one("keys").with(
    &[
        "Your own keys for actions, by the names that `?` and docs/keys.md show. An empty list removes them. A",
        "key that already means something else in the same place is refused unless you move that too. Enter and Esc",
        "never decide.",
    ],
    &[Key::new("*", Kind::Texts, example("a, ctrl-y").called("accept").or("as `?` shows them"), &[])],
);
