//! What can be wrong with a config: one sentence each that says what, where, and what to do.
//!
//! Nothing quoted from outside is quoted raw: names pass through [`Visible`], and values that may be secrets are
//! not quoted at all.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::origin::Origin;
use crate::text::{Visible, truncate};

/// Columns of a quoted name or value in a message.
const QUOTED: usize = 60;

/// What is wrong with the config.
#[derive(Debug, Error)]
pub enum Error {
    /// There is nowhere to keep data.
    #[error("there is no home folder to keep data in; name a folder with --data DIR or SAYSO_DATA")]
    NoHome,
    /// A file that was named is not there.
    #[error("there is no config file {} (named {}); create it or leave the name out", path.display(), origin.place())]
    Missing {
        /// The file.
        path: PathBuf,
        /// Who named it.
        origin: Origin,
    },
    /// A file is there and cannot be read.
    #[error("cannot read the config file {}: {source}; check its permissions", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is too long, or is not text.
    #[error("the config file {} is {why}; name a TOML file", path.display())]
    NotAConfig {
        /// The file.
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
    /// A section nobody knows.
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
    /// A key nobody knows.
    #[error("unknown key {key:?} in [{section}] {}; {hint}", at.place())]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The section it stands in.
        section: String,
        at: Origin,
        /// What was likely meant.
        hint: String,
    },
    /// An environment variable that looks like ours and is not.
    #[error("unknown variable {name}; {hint}")]
    UnknownVariable {
        /// The variable.
        name: String,
        /// What was likely meant.
        hint: String,
    },
    /// A secret where everyone who may read the file can read it.
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
        /// The section it stands in.
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
    /// A value of the right type that cannot be meant.
    #[error("{key} {} {why}", at.place())]
    BadValue {
        /// The whole key.
        key: String,
        at: Origin,
        /// What it must be instead.
        why: String,
    },
    /// A key that has to be written and is not.
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
        /// Who asked.
        at: Origin,
        /// The names there are.
        known: Vec<String>,
    },
}

/// Text from outside, short and safe enough for a message.
pub(super) fn quoted(text: &str) -> String {
    truncate(&Visible::line(text), QUOTED).into_owned()
}

/// `did you mean "…"?`, or else what there is to choose from.
pub(super) fn hint<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone, otherwise: &str) -> String {
    match crate::text::nearest(word, known.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("{otherwise} {}", known.collect::<Vec<_>>().join(", ")),
    }
}
