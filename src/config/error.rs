//! What can be wrong with a config. Each error is one sentence: what is wrong, where, and what to do.
//!
//! Text from outside is never quoted raw: names pass through [`Visible`], and values that may be secrets are not quoted
//! at all.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::origin::Origin;
use crate::text::short_line;

/// The widest a quoted name or value may be in a message, in columns.
const QUOTED: usize = 60;

/// What is wrong with the config.
#[derive(Debug, Error)]
pub enum Error {
    /// There is nowhere to keep data.
    #[error("there is no home folder to keep data in; name a folder with --data DIR or SAYSO_DATA")]
    NoHome,
    /// A config file that was named does not exist.
    #[error("there is no config file {} (named {}); create it or leave the name out", path.display(), origin.place())]
    Missing {
        path: PathBuf,
        /// Where the name came from.
        origin: Origin,
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
    /// The file is not TOML.
    #[error("{message} {}; correct the line", at.place())]
    Syntax {
        /// What the parser says.
        message: String,
        at: Origin,
    },
    #[error("unknown section [{name}] {}; {hint}", at.place())]
    UnknownSection {
        /// The section as written.
        name: String,
        at: Origin,
        /// What was likely meant.
        hint: String,
    },
    /// A value where a section belongs.
    #[error("{name} {} must be a section; write {example}", at.place())]
    NotASection {
        /// What was written.
        name: String,
        at: Origin,
        /// How the section is written.
        example: String,
    },
    #[error("unknown key {key:?} in [{section}] {}; {hint}", at.place())]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The section it is in.
        section: String,
        at: Origin,
        /// What was likely meant.
        hint: String,
    },
    /// An environment variable that looks like one of ours but is not.
    #[error("unknown variable {name}; {hint}")]
    UnknownVariable {
        name: String,
        /// What was likely meant.
        hint: String,
    },
    /// A secret in the file, where everyone who can read the file sees it.
    #[error(
        "{key:?} in [{section}] {} would keep a secret in the file; say where it is kept with {}",
        at.place(),
        if section == "[mail]" {
            "password_env, password_command or password_file"
        } else {
            "api_key_env, api_key_command or api_key_file"
        }
    )]
    SecretInFile {
        /// The key as written.
        key: String,
        /// The section it is in.
        section: String,
        at: Origin,
    },
    /// A value of the wrong type.
    #[error("{key} {} must be {expected}, not {found}", at.place())]
    WrongType {
        /// The whole key.
        key: String,
        at: Origin,
        /// What it may hold.
        expected: &'static str,
        /// What it holds.
        found: &'static str,
    },
    /// A value of the right type that is not allowed.
    #[error("{key} {} {why}", at.place())]
    BadValue {
        /// The whole key.
        key: String,
        at: Origin,
        /// What it must be instead.
        why: String,
    },
    /// A required key that is missing.
    #[error("[{section}] {} needs {key}; {hint}", at.place())]
    MissingKey {
        /// The section that lacks it.
        section: String,
        key: String,
        /// Where the section is.
        at: Origin,
        /// What to write.
        hint: String,
    },
    /// A model that is not defined.
    #[error("there is no model {name:?} ({}); the known ones are {}", at.place(), known.join(", "))]
    UnknownModel {
        /// The name asked for.
        name: String,
        /// Where it was asked for.
        at: Origin,
        /// The names that are defined.
        known: Vec<String>,
    },
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
    match crate::text::nearest(word, choices.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("{otherwise} {}", choices.collect::<Vec<_>>().join(", ")),
    }
}
