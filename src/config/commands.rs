//! `[[command]]`: the user's own commands, each on a key of the inbox.

use super::error::Error;
use super::keys::example;
use super::reader::{FromSection as _, Reader, section};

section! {
    /// Commands of your own, each on a key in the inbox. A command gets the card as JSON on its input, as `sayso show
    /// --json` prints it, and its output is shown. It approves nothing by itself: for that there is `sayso accept`.
    pub(super) struct CommandSection in array("command", "") {
        /// A key that is still free, written as in [keys]; the name that `?` and `:` show; what the shell runs.
        key: Option<String> = example("gj"),
        name: Option<String> = example("find the ticket"),
        run: Option<String> = example("jq -r .title | tickets find"),
    }
}

/// One of the user's own commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// As written in the config; the screen checks whether it can be used.
    pub key: String,
    pub name: String,
    /// The shell command.
    pub run: String,
}

impl OwnCommand {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let CommandSection { key, name, run } = CommandSection::read(reader)?;
        let required = |value: Option<String>, name: &str, hint: &str| {
            value.filter(|text| !text.trim().is_empty()).ok_or_else(|| reader.missing(name, hint))
        };
        Ok(Self {
            key: required(key, "key", "write the key that runs it, such as gj")?,
            name: required(name, "name", "write what it is called in `?`")?,
            run: required(run, "run", "write what a shell is to run")?,
        })
    }
}
