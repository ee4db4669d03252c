//! Where a value came from, so that `sayso config` and every error can say so.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from. Later variants win over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Not set anywhere.
    Default,
    /// A line of a file.
    File {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// An environment variable.
    Env(String),
    /// A flag, with its dashes.
    Flag(&'static str),
}

impl Origin {
    /// The origin as it reads in a sentence: `at /x/config.toml:7`, `in SAYSO_BUDGET__DAY`.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Default => "by default".to_owned(),
            Self::File { path, line } => format!("at {}:{line}", path.display()),
            Self::Env(name) => format!("in {name}"),
            Self::Flag(flag) => format!("in {flag}"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => write!(f, "env {name}"),
            Self::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_read_well() {
        for (origin, shown, place) in [
            (Origin::Default, "default", "by default"),
            (Origin::File { path: "/x/c.toml".into(), line: 7 }, "/x/c.toml:7", "at /x/c.toml:7"),
            (Origin::Env("SAYSO_MODEL".into()), "env SAYSO_MODEL", "in SAYSO_MODEL"),
            (Origin::Flag("--model"), "flag --model", "in --model"),
        ] {
            assert_eq!(origin.to_string(), shown);
            assert_eq!(origin.place(), place);
        }
    }
}
