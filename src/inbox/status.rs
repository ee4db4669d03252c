//! The status of a thread, and who decides.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The status of a thread. The words are the same in code, store, screens and JSON.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Can go on, and waits for a driver.
    Ready,
    /// A node is running.
    Running,
    /// A person has been asked.
    Waiting,
    /// Decided, and can still be undone for a moment.
    Held,
    /// Waits for its children.
    Joining,
    /// Cannot go on by itself.
    Trouble,
    Done,
    Abandoned,
}

impl Status {
    /// Every status, in the order a thread lives through them.
    pub const ALL: [Status; 8] = {
        use Status::*;
        [Ready, Running, Waiting, Held, Joining, Trouble, Done, Abandoned]
    };

    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    pub fn ended(self) -> bool {
        matches!(self, Status::Done | Status::Abandoned)
    }

    /// Whether a driver has work to do for it, now or soon.
    pub fn active(self) -> bool {
        matches!(self, Status::Ready | Status::Running | Status::Held)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// A person at the screen.
    Tui,
    /// A person or a script at the command line.
    Cli,
    /// A grant, by its id.
    Grant(String),
    /// The config's policy for questions that nobody answers.
    Expiry,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecidedBy::Tui => f.write_str("tui"),
            DecidedBy::Cli => f.write_str("cli"),
            DecidedBy::Grant(id) => write!(f, "grant:{id}"),
            DecidedBy::Expiry => f.write_str("policy:expire"),
        }
    }
}

impl Serialize for DecidedBy {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DecidedBy {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        Self::from_word(&word).ok_or_else(|| D::Error::custom("nobody decides by that name"))
    }
}

impl DecidedBy {
    /// For people.
    pub fn words(&self) -> String {
        match self {
            DecidedBy::Tui => "you, on the screen".to_owned(),
            DecidedBy::Cli => "you, on the command line".to_owned(),
            DecidedBy::Grant(id) => format!("grant {id}"),
            DecidedBy::Expiry => "nobody: it expired".to_owned(),
        }
    }

    /// Reads the stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "tui" => Some(DecidedBy::Tui),
            "cli" => Some(DecidedBy::Cli),
            "policy:expire" => Some(DecidedBy::Expiry),
            _ => word.strip_prefix("grant:").map(|id| DecidedBy::Grant(id.to_owned())),
        }
    }
}
