//! `email.triage` and `email.memory`: their facts and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What triage is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriageFacts {
    /// Whose mail it is.
    pub user: User,
    /// The mail.
    pub mail: MailFacts,
    /// The memory profile `triage_preferences`, as text.
    #[serde(default)]
    pub profile: String,
}

/// Whose mail it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The full name.
    pub name: String,
    /// Every address of theirs.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Who they are and what matters to them, in their own words.
    #[serde(default)]
    pub background: String,
}

/// One mail, as far as deciding about it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailFacts {
    /// The sender's bare address.
    pub from: String,
    /// The sender's display name.
    #[serde(default)]
    pub from_name: String,
    /// Bare addresses.
    #[serde(default)]
    pub to: Vec<String>,
    /// Bare addresses.
    #[serde(default)]
    pub cc: Vec<String>,
    /// The subject.
    #[serde(default)]
    pub subject: String,
    /// When it was sent, RFC 3339.
    #[serde(default)]
    pub date: String,
    /// The body as text, quotes included.
    #[serde(default)]
    pub text: String,
    /// The list's id without its description.
    #[serde(default)]
    pub list_id: Option<String>,
    /// What other headers say.
    #[serde(default)]
    pub headers: Signals,
    /// File names.
    #[serde(default)]
    pub attachments: Vec<String>,
}

/// Headers that tell people from machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signals {
    /// `Auto-Submitted`.
    #[serde(default)]
    pub auto_submitted: Option<String>,
    /// `Precedence`.
    #[serde(default)]
    pub precedence: Option<String>,
    /// Whether there is a `List-Unsubscribe`.
    #[serde(default)]
    pub list_unsubscribe: bool,
    /// Whether it answers a mail of the conversation (`In-Reply-To`).
    #[serde(default)]
    pub in_reply_to: bool,
    /// The method of a calendar part: `REQUEST`, `REPLY`, `CANCEL`.
    #[serde(default)]
    pub calendar: Option<String>,
    /// Whether the mailbox's own filter calls it spam.
    #[serde(default)]
    pub spam: bool,
}

/// What is to become of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Not worth showing.
    Ignore,
    /// Worth knowing, needs no answer.
    Notify,
    /// Needs an answer.
    Respond,
}

impl Class {
    /// All of them, in the order of the confusion table.
    pub const ALL: [Self; 3] = [Self::Ignore, Self::Notify, Self::Respond];

    /// The word used in files and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::Notify => "notify",
            Self::Respond => "respond",
        }
    }
}

/// The answer of `email.triage`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triage {
    /// Why, in one or two sentences.
    pub reasoning: String,
    /// What the mail is about, in one line of at most 100 characters.
    pub gist: String,
    /// What is to become of it.
    pub classification: Class,
}

/// What a memory update is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryFacts {
    /// The profile's name; its last part counts: `triage_preferences`, `response_preferences`, `cal_preferences`.
    pub namespace: String,
    /// The profile as it is.
    #[serde(default)]
    pub profile: String,
    /// Lines that must stay as they are.
    #[serde(default)]
    pub pinned: Vec<String>,
    /// Whose profile it is.
    #[serde(default)]
    pub user: User,
    /// What happened, oldest first.
    #[serde(default)]
    pub causes: Vec<Cause>,
}

/// One decision to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// What the person did.
    pub kind: CauseKind,
    /// The mail it was about.
    #[serde(default)]
    pub mail: Option<MailFacts>,
    /// The tool proposed (`write_email`), where one was.
    #[serde(default)]
    pub action: Option<String>,
    /// The arguments as proposed.
    #[serde(default)]
    pub proposed: Value,
    /// The arguments as the person edited them.
    #[serde(default)]
    pub edited: Value,
    /// The person's words.
    #[serde(default)]
    pub feedback: String,
}

impl Cause {
    /// A cause of this kind and nothing else.
    pub fn new(kind: CauseKind) -> Self {
        Self {
            kind,
            mail: None,
            action: None,
            proposed: Value::Null,
            edited: Value::Null,
            feedback: String::new(),
        }
    }
}

/// What a person did that says something about their preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A mail that was shown was not worth it.
    NotifyIgnored,
    /// A mail that was only shown deserved an answer.
    NotifyResponded,
    /// A proposal was changed, then done.
    ProposalEdited,
    /// A proposal went back with words.
    ProposalAnswered,
    /// A proposal, or a question, was dismissed: the mail needed no answer.
    ProposalIgnored,
    /// The mail's class was corrected.
    Reclassified(Class),
    /// The person told something to remember.
    Told,
}

/// The answer of `email.memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryUpdate {
    /// What was changed and why, in one or two sentences.
    pub reasoning: String,
    /// The whole profile after the change.
    pub profile: String,
}
