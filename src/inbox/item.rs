//! One item of the inbox, with everything needed to decide on it.

use crate::graph::{Allow, Grantable, Hash, InterruptId, Kind, Labels, ThreadId, Warning};
use jiff::{SignedDuration, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The workflow that programs ask through.
pub const PROGRAM_WORKFLOW: &str = "request";

/// The prefix of actions that programs ask about.
pub const PROGRAM_ACTIONS: &str = "request/";

/// The name of a program that gave none.
pub const UNNAMED_PROGRAM: &str = "a program";

/// The text that refuses and stops the session. We stop the agents that can be stopped; the others read it.
pub const STOP_WORDS: &str = "Stop here. Do nothing more in this session.";

/// The answers to a result: it is filed away, or its thread goes on.
pub const RESULT_ANSWERS: Allow = Allow { edit: false, ignore: false, ..Allow::ALL };

/// An interrupt's kind, or the result of a finished thread that nobody has read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A question that waits for a decision.
    Interrupt(Kind),
    /// A result to read and file away.
    Result,
}

impl ItemKind {
    /// Every kind, in the order the inbox names them; results come last.
    pub const ALL: [ItemKind; 5] = [
        ItemKind::Interrupt(Kind::Triage),
        ItemKind::Interrupt(Kind::Approval),
        ItemKind::Interrupt(Kind::Question),
        ItemKind::Interrupt(Kind::Trouble),
        ItemKind::Result,
    ];

    /// The word used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::Interrupt(kind) => kind.word(),
            ItemKind::Result => "result",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
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
    /// The interrupt's id, or the thread's id for a result.
    pub id: String,
    /// The key the asking node chose, used to draw the card; only workflows know what it means.
    #[serde(skip)]
    pub key: String,
    /// The thread that asks.
    pub thread: ThreadId,
    pub workflow: String,
    pub kind: ItemKind,
    /// One line for the list.
    pub title: String,
    /// A second line: what it is about.
    pub gist: String,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// The proposed arguments.
    pub args: Value,
    /// Their JSON schema.
    pub schema: Value,
    /// What an edit starts from, if not from the proposed arguments.
    pub edit_from: Option<Value>,
    pub allow: Allow,
    pub labels: Labels,
    pub warnings: Vec<Warning>,
    /// The person or thing it comes from.
    pub source: Option<String>,
    /// Its card as plain text.
    pub text: String,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Hidden until then.
    pub snoozed_until: Option<Timestamp>,
    /// Whether the asker is blocked until it gets the answer.
    pub waiting: bool,
    /// When the asker gives up.
    pub gives_up_at: Option<Timestamp>,
    /// The hash that a decision is bound to.
    #[serde(serialize_with = "hash_or_null")]
    pub args_hash: Option<Hash>,
    /// Accepting it cannot be undone.
    pub irreversible: bool,
    pub grantable: Grantable,
    /// What became of it, if it is no longer open.
    pub closed: Option<String>,
}

/// A proposal with a person's arguments in place of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    pub title: String,
    /// What has been done once it is accepted: "declined".
    pub done: Option<String>,
    /// The warnings about these arguments.
    pub warnings: Vec<Warning>,
}

/// The key for changes to an item that were made on the screen and not sent.
pub fn unsent_edit_key(item: &str) -> String {
    format!("edit:{item}")
}

impl Item {
    /// Whether a program asks for permission and accepts text as a refusal.
    pub fn takes_refusals(&self) -> bool {
        let approval = self.kind == ItemKind::Interrupt(Kind::Approval);
        approval && self.action.starts_with(PROGRAM_ACTIONS) && self.allow.accept && self.allow.respond
    }

    /// Whether a program asks a question, which is answered and not allowed.
    pub fn is_program_question(&self) -> bool {
        self.kind == ItemKind::Interrupt(Kind::Question) && self.action.starts_with(PROGRAM_ACTIONS)
    }

    /// Whether it is about a mail that somebody sent.
    pub fn is_about_mail(&self) -> bool {
        self.workflow == "email"
    }

    /// Whether accepting it sends nothing, because its account only observed when it was asked.
    pub fn sends_nothing(&self) -> bool {
        let approval = self.kind == ItemKind::Interrupt(Kind::Approval);
        approval && self.is_about_mail() && !self.irreversible
    }

    /// The item with these arguments, as far as that can be told without its workflow: only warnings about an argument
    /// that was changed are gone.
    pub fn edited(&self, args: &Value) -> Edited {
        let is_unchanged = |about: &str| self.args.get(about) == args.get(about);
        let holds = |warning: &&Warning| warning.about.as_deref().is_none_or(is_unchanged);
        let warnings = self.warnings.iter().filter(holds).cloned().collect();
        Edited { title: self.title.clone(), done: self.labels.done.clone(), warnings }
    }

    /// The arguments that an edit starts from.
    pub fn edit_args(&self) -> &Value {
        self.edit_from.as_ref().unwrap_or(&self.args)
    }

    /// How long the asker still waits; `None` if nobody waits, or waits forever.
    pub fn patience_left(&self, now: Timestamp) -> Option<SignedDuration> {
        Some(self.gives_up_at?.duration_since(now)).filter(|left| left.is_positive())
    }

    /// Whether somebody is waiting for it now.
    pub fn is_waited_for(&self, now: Timestamp) -> bool {
        self.waiting && self.gives_up_at.is_none_or(|at| at > now)
    }

    /// The interrupt's id; `None` for a result.
    pub fn interrupt(&self) -> Option<InterruptId> {
        InterruptId::parse(&self.id).ok()
    }
}

fn hash_or_null<S: Serializer>(hash: &Option<Hash>, serializer: S) -> Result<S::Ok, S::Error> {
    hash.map(|hash| hash.to_string()).serialize(serializer)
}
