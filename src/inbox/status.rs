//! The states of a thread and the hands that decide.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Where a thread stands. The words are the same in code, store, screens and JSON.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Can go on and waits for a driver.
    Ready,
    /// A node is at work.
    Running,
    /// A person is asked.
    Waiting,
    /// Decided, and still to be taken back for a moment.
    Held,
    /// Waits for its children.
    Joining,
    /// Cannot go on by itself.
    Trouble,
    /// Reached its end.
    Done,
    /// Was given up.
    Abandoned,
}

impl Status {
    /// Every status, in the order a thread lives through them.
    pub const ALL: [Status; 8] = [
        Status::Ready,
        Status::Running,
        Status::Waiting,
        Status::Held,
        Status::Joining,
        Status::Trouble,
        Status::Done,
        Status::Abandoned,
    ];

    /// The word used everywhere.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The status a word means.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// Whether the thread has ended.
    pub fn ended(self) -> bool {
        matches!(self, Status::Done | Status::Abandoned)
    }

    /// Whether a driver has, or will soon have, something to do for it.
    pub fn active(self) -> bool {
        matches!(self, Status::Ready | Status::Running | Status::Held)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Who decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A person at the screen.
    Tui,
    /// A person or a script at the command line.
    Cli,
    /// A grant, by its id.
    Grant(String),
    /// The config's policy for what nobody answers.
    Expiry,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            By::Tui => f.write_str("tui"),
            By::Cli => f.write_str("cli"),
            By::Grant(id) => write!(f, "grant:{id}"),
            By::Expiry => f.write_str("policy:expire"),
        }
    }
}

impl Serialize for By {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for By {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        Self::from_word(&word).ok_or_else(|| D::Error::custom("nobody decides by that name"))
    }
}

impl By {
    /// The decider a stored word means.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "tui" => Some(By::Tui),
            "cli" => Some(By::Cli),
            "policy:expire" => Some(By::Expiry),
            _ => word.strip_prefix("grant:").map(|id| By::Grant(id.to_owned())),
        }
    }
}
