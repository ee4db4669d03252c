//! One line of the inbox, with everything needed to decide on it.

use crate::graph::{Allow, Grantable, Hash, InterruptId, Kind, Labels, ThreadId, Warning};
use jiff::{SignedDuration, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// How actions of programs that ask begin.
pub const PROGRAM_ACTIONS: &str = "request/";

/// The words by which a person refuses and stops the session. Agents that can be stopped are; the others read them.
pub const STOP_WORDS: &str = "Stop here. Do nothing more in this session.";

/// What sort of item it is: an interrupt's kind, or a finished thread's answer nobody has read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A question that waits for a decision.
    Interrupt(Kind),
    /// A result to be read and filed away.
    Result,
}

impl ItemKind {
    /// The word used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::Interrupt(kind) => kind.word(),
            ItemKind::Result => "result",
        }
    }

    /// The kind a word means.
    pub fn from_word(word: &str) -> Option<Self> {
        if word == "result" { Some(ItemKind::Result) } else { Kind::from_word(word).map(ItemKind::Interrupt) }
    }
}

impl Serialize for ItemKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// An open interrupt, or a result nobody has read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// The interrupt's id; a result goes by its thread's id.
    pub id: String,
    /// The key the asking node chose, by which its card is drawn; only workflows know what it means.
    #[serde(skip)]
    pub key: String,
    /// The thread that asks.
    pub thread: ThreadId,
    pub workflow: String,
    /// What sort of item it is.
    pub kind: ItemKind,
    /// One line for the list.
    pub title: String,
    /// One more line: what it is about.
    pub gist: String,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// The proposed arguments.
    pub args: Value,
    /// Their JSON schema.
    pub schema: Value,
    /// What an edit starts from, where that is something else than what is proposed.
    pub edit_from: Option<Value>,
    /// Which answers it takes.
    pub allow: Allow,
    /// What the four keys are called on it.
    pub labels: Labels,
    /// What is unusual about it.
    pub warnings: Vec<Warning>,
    /// Whom or what it comes from.
    pub source: Option<String>,
    /// Its card as plain text.
    pub text: String,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Until when it is out of sight.
    pub snoozed_until: Option<Timestamp>,
    /// Whether somebody waits for the answer and does nothing else meanwhile.
    pub waiting: bool,
    /// When they give up.
    pub gives_up_at: Option<Timestamp>,
    /// What a decision on it is bound to.
    #[serde(serialize_with = "hash_or_null")]
    pub args_hash: Option<Hash>,
    /// Accepting it does something that cannot be taken back.
    pub irreversible: bool,
    /// What may be allowed from its card besides this once.
    pub grantable: Grantable,
    /// What became of it, where it is no longer open.
    pub closed: Option<String>,
}

/// The key under which changes to an item are kept that were made on the screen and not sent.
pub fn unsent_edit_key(item: &str) -> String {
    format!("edit:{item}")
}

impl Item {
    /// Whether a program asks before it does something, and takes words for a no.
    pub fn takes_refusals(&self) -> bool {
        let approval = self.kind == ItemKind::Interrupt(Kind::Approval);
        approval && self.action.starts_with(PROGRAM_ACTIONS) && self.allow.accept && self.allow.respond
    }

    /// What an edit starts from.
    pub fn edit_args(&self) -> &Value {
        self.edit_from.as_ref().unwrap_or(&self.args)
    }

    /// How long somebody still waits for the answer; `None` where nobody does, or for as long as it takes.
    pub fn patience_left(&self, now: Timestamp) -> Option<SignedDuration> {
        Some(self.gives_up_at?.duration_since(now)).filter(|left| left.is_positive())
    }

    /// The interrupt's id; `None` for a result.
    pub fn interrupt(&self) -> Option<InterruptId> {
        InterruptId::parse(&self.id).ok()
    }
}

fn hash_or_null<S: Serializer>(hash: &Option<Hash>, serializer: S) -> Result<S::Ok, S::Error> {
    hash.map(|hash| hash.to_string()).serialize(serializer)
}
