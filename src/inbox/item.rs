//! What is in the inbox: questions, with everything needed to decide on them, and results.

use super::{ANSWER_INVITATION, Coming};
use crate::engine::graph::{Allow, Grantable, Hash, InterruptId, Kind, Labels, ThreadId, Warning};
use jiff::{SignedDuration, Timestamp};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The action of the question for the next step, if a person is in the model's place.
pub const YOUR_TURN: &str = "your_turn";

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

/// A question's kind, or the result of a finished thread that nobody has read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A question that waits for a decision.
    Question(Kind),
    /// A result to read and file away.
    Result,
}

impl ItemKind {
    /// Every kind, in the order the inbox names them; results come last.
    pub const ALL: [ItemKind; 5] = [
        ItemKind::Question(Kind::Triage),
        ItemKind::Question(Kind::Approval),
        ItemKind::Question(Kind::Question),
        ItemKind::Question(Kind::Trouble),
        ItemKind::Result,
    ];

    /// The word used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::Question(kind) => kind.word(),
            ItemKind::Result => "result",
        }
    }

    /// The kind of question; `None` for results.
    pub fn question(self) -> Option<Kind> {
        match self {
            ItemKind::Question(kind) => Some(kind),
            ItemKind::Result => None,
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

/// A question that a thread asked: what was asked, and what became of it. The field names are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    pub id: InterruptId,
    /// The key the asking node chose, used to draw the card; only workflows know what it means.
    #[serde(skip)]
    pub key: String,
    /// The thread that asks.
    pub thread: ThreadId,
    pub workflow: String,
    pub kind: Kind,
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
    /// Whether the config names a model that takes this step, if it is asked of the person in a model's place.
    #[serde(skip)]
    pub give_back: bool,
    pub warnings: Vec<Warning>,
    /// The person or thing it comes from.
    pub source: Option<String>,
    /// Its card as plain text, once the card is drawn.
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
    #[serde(serialize_with = "in_hex")]
    pub args_hash: Hash,
    /// Accepting it cannot be undone.
    pub irreversible: bool,
    pub grantable: Grantable,
    /// What became of it, if it is no longer open.
    pub closed: Option<String>,
}

/// What a finished thread gives, until a person has read it.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadResult {
    pub thread: ThreadId,
    pub workflow: String,
    pub title: String,
    pub output: Value,
    /// Its card as plain text, once the card is drawn.
    pub text: String,
    pub ended_at: Timestamp,
}

/// Something in the inbox.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Item {
    Question(Box<Question>),
    Result(ThreadResult),
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

impl Question {
    /// Whether a program asks for permission and accepts text as a refusal.
    pub fn takes_refusals(&self) -> bool {
        let approval = self.kind == Kind::Approval;
        approval && self.action.starts_with(PROGRAM_ACTIONS) && self.allow.accept && self.allow.respond
    }

    /// Whether a program asks a question, which is answered and not allowed.
    pub fn is_program_question(&self) -> bool {
        self.kind == Kind::Question && self.action.starts_with(PROGRAM_ACTIONS)
    }

    /// Whether it is about a mail that somebody sent.
    pub fn is_about_mail(&self) -> bool {
        self.workflow == "email"
    }

    /// Whether it is a mail with which the person begins a conversation.
    pub fn begins_conversation(&self) -> bool {
        self.grantable.own && self.grantable.sender.is_none()
    }

    /// Whether it is a mail that the person wrote: refusing it keeps it as a draft.
    pub fn is_kept_as_draft(&self) -> bool {
        self.grantable.own && self.allow.draft
    }

    /// Whether accepting it sends nothing, because its account only observed when it was asked.
    pub fn sends_nothing(&self) -> bool {
        self.kind == Kind::Approval && self.is_about_mail() && !self.irreversible
    }

    /// The question with these arguments, as far as that can be told without its workflow: only warnings about an
    /// argument that was changed are gone, and an invitation that is answered otherwise is done otherwise.
    pub fn edited(&self, args: &Value) -> Edited {
        let is_unchanged = |about: &str| self.args.get(about) == args.get(about);
        let holds = |warning: &&Warning| warning.about.as_deref().is_none_or(is_unchanged);
        let warnings = self.warnings.iter().filter(holds).cloned().collect();
        let mut done = self.labels.done.clone();
        if self.action == ANSWER_INVITATION {
            let (before, after) = (Coming::of(&self.args).done(), Coming::of(args).done());
            done = done.map(|done| done.replacen(before, after, 1));
        }
        Edited { title: self.title.clone(), done, warnings }
    }

    /// Whether it is an invitation that takes yes, maybe and no.
    pub fn is_invitation(&self) -> bool {
        self.action == ANSWER_INVITATION && self.allow.accept && self.allow.edit
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
}

impl Item {
    /// The question's id, or the thread's id for a result.
    pub fn id(&self) -> &str {
        match self {
            Item::Question(question) => question.id.as_str(),
            Item::Result(result) => result.thread.as_str(),
        }
    }

    pub fn question(&self) -> Option<&Question> {
        match self {
            Item::Question(question) => Some(question),
            Item::Result(_) => None,
        }
    }

    pub fn thread(&self) -> &ThreadId {
        match self {
            Item::Question(question) => &question.thread,
            Item::Result(result) => &result.thread,
        }
    }

    pub fn workflow(&self) -> &str {
        match self {
            Item::Question(question) => &question.workflow,
            Item::Result(result) => &result.workflow,
        }
    }

    pub fn kind(&self) -> ItemKind {
        self.question().map_or(ItemKind::Result, |question| ItemKind::Question(question.kind))
    }

    /// The tool's name, `notify`, a trouble's code, or `result`.
    pub fn action(&self) -> &str {
        self.question().map_or("result", |question| &question.action)
    }

    pub fn title(&self) -> &str {
        match self {
            Item::Question(question) => &question.title,
            Item::Result(result) => &result.title,
        }
    }

    /// What is proposed, or what the thread gives.
    pub fn data(&self) -> &Value {
        match self {
            Item::Question(question) => &question.args,
            Item::Result(result) => &result.output,
        }
    }

    /// Its card as plain text, once the card is drawn.
    pub fn text(&self) -> &str {
        match self {
            Item::Question(question) => &question.text,
            Item::Result(result) => &result.text,
        }
    }

    pub fn set_text(&mut self, text: String) {
        match self {
            Item::Question(question) => question.text = text,
            Item::Result(result) => result.text = text,
        }
    }

    /// The hash that a decision is bound to.
    pub fn hash(&self) -> Option<Hash> {
        self.question().map(|question| question.args_hash)
    }

    pub fn warnings(&self) -> &[Warning] {
        self.question().map_or(&[], |question| &question.warnings)
    }

    /// The time it was asked, or the time the thread ended.
    pub fn created_at(&self) -> Timestamp {
        match self {
            Item::Question(question) => question.created_at,
            Item::Result(result) => result.ended_at,
        }
    }

    pub fn allow(&self) -> Allow {
        self.question().map_or(RESULT_ANSWERS, |question| question.allow)
    }

    /// Labels for its keys.
    pub fn labels(&self) -> Labels {
        self.question().map_or_else(result_labels, |question| question.labels.clone())
    }
}

fn result_labels() -> Labels {
    Labels::new("file away", "go on", "")
}

/// Scripts read a result with the fields of a question.
impl Serialize for ThreadResult {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_map(None)?;
        fields.serialize_entry("id", &self.thread)?;
        fields.serialize_entry("thread", &self.thread)?;
        fields.serialize_entry("workflow", &self.workflow)?;
        fields.serialize_entry("kind", &ItemKind::Result)?;
        fields.serialize_entry("title", &self.title)?;
        fields.serialize_entry("gist", "")?;
        fields.serialize_entry("action", "result")?;
        fields.serialize_entry("args", &self.output)?;
        fields.serialize_entry("schema", &true)?;
        fields.serialize_entry("edit_from", &())?;
        fields.serialize_entry("allow", &RESULT_ANSWERS)?;
        fields.serialize_entry("labels", &result_labels())?;
        fields.serialize_entry("warnings", &[(); 0])?;
        fields.serialize_entry("source", &())?;
        fields.serialize_entry("text", &self.text)?;
        fields.serialize_entry("created_at", &self.ended_at)?;
        fields.serialize_entry("snoozed_until", &())?;
        fields.serialize_entry("waiting", &false)?;
        fields.serialize_entry("gives_up_at", &())?;
        fields.serialize_entry("args_hash", &())?;
        fields.serialize_entry("irreversible", &false)?;
        fields.serialize_entry("grantable", &Grantable::default())?;
        fields.serialize_entry("closed", &())?;
        fields.end()
    }
}

pub(super) fn in_hex<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(hash)
}
