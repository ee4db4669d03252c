//! What can be wrong with a config. Each error is one sentence: what is wrong, where, and what to do.
//!
//! Text from outside is never quoted raw: names pass through [`Visible`](crate::text::Visible), and values that may be
//! secrets are not quoted at all.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::text::{nearest, short_line};

/// The widest a quoted name or value may be in a message, in columns.
const QUOTED: usize = 60;

/// What is wrong with the config.
#[derive(Debug, Error)]
pub enum Error {
    /// There is nowhere to keep data.
    #[error("there is no home folder to keep data in; name a folder with --data DIR or SAYSO_DATA")]
    NoHome,
    /// A config file that was named does not exist.
    #[error("there is no config file {} (named in {named}); create it or leave the name out", path.display())]
    Missing {
        path: PathBuf,
        /// The flag or the variable that named it.
        named: &'static str,
    },
    /// A file exists but cannot be read.
    #[error("cannot read the config file {}: {source}; check its permissions", path.display())]
    Unreadable {
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is too long, or is not text.
    #[error("the config file {} is {why}; name a TOML file", path.display())]
    NotAConfig {
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Something in the file, or in a name that a flag or a variable gives.
    #[error("{0}")]
    Wrong(String),
}

impl Error {
    /// A model that is not defined, and where it was asked for.
    pub(super) fn no_model<'m>(name: &str, place: &str, known: impl Iterator<Item = &'m String>) -> Self {
        let known: Vec<&str> = known.map(String::as_str).collect();
        let (name, known) = (quoted(name), known.join(", "));
        Self::Wrong(format!("there is no model {name:?} ({place}); the known ones are {known}"))
    }
}

/// Text from outside, made short and safe enough for a message.
pub(super) fn quoted(text: &str) -> String {
    short_line(text, QUOTED)
}

/// `did you mean "…"?`, or else the list of choices.
pub(super) fn hint<'a>(
    word: &str,
    choices: impl Iterator<Item = &'a str> + Clone,
    otherwise: &str,
) -> String {
    match nearest(word, choices.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("{otherwise} {}", choices.collect::<Vec<_>>().join(", ")),
    }
}
