//! `[[command]]`: the user's own commands, each on a key of the inbox.

use super::document::Section;
use super::error::Error;
use super::values::section;

section! {
    /// One of the user's own commands.
    #[derive(Eq)]
    pub struct OwnCommand {
        /// As written in the config; the screen checks whether it can be used.
        pub key: String,
        pub name: String,
        /// The shell command.
        pub run: String,
    }
}

impl OwnCommand {
    /// Refuses a command that lacks something.
    pub(super) fn check(self, section: &Section<'_>) -> Result<Self, Error> {
        for (key, value, hint) in [
            ("key", &self.key, "write the key that runs it, such as gj"),
            ("name", &self.name, "write what it is called in `?`"),
            ("run", &self.run, "write what a shell is to run"),
        ] {
            if value.trim().is_empty() {
                return Err(section.missing(key, hint));
            }
        }
        Ok(self)
    }
}
