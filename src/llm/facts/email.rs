//! `email.triage`, `email.reply` and `email.memory`: their facts and their answers.

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

/// What a reply is made from; the answer is a call of one of the tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplyFacts {
    /// Whose mail it is.
    pub user: User,
    /// The mail to answer: the newest of the conversation that is not the person's own.
    pub mail: MailFacts,
    /// The earlier mails of the conversation, oldest first.
    #[serde(default)]
    pub earlier: Vec<MailFacts>,
    /// What an earlier thread about this conversation came to; empty where there is none.
    #[serde(default)]
    pub before: String,
    /// Whom an answer goes to, bare: `Reply-To` or the sender, never the person.
    #[serde(default)]
    pub reply_to: Vec<String>,
    /// Who else a reply to all would reach, bare.
    #[serde(default)]
    pub reply_all: Vec<String>,
    /// The subject of an answer.
    #[serde(default)]
    pub subject: String,
    /// Now, RFC 3339 with the person's offset.
    #[serde(default)]
    pub now: String,
    /// The person's time zone, by its IANA name.
    #[serde(default)]
    pub time_zone: String,
    /// The memory profile `response_preferences`.
    #[serde(default)]
    pub response_profile: String,
    /// The memory profile `cal_preferences`.
    #[serde(default)]
    pub cal_profile: String,
    /// The tools that may be called.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What was said and done since, oldest first.
    #[serde(default)]
    pub said: Vec<Said>,
}

/// One thing that was said or done while a mail is being answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Said {
    /// The person's words about the mail, before anything was proposed.
    Told {
        /// The words.
        text: String,
    },
    /// A call that was proposed.
    Called {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments; as edited, where the person edited them.
        args: Value,
        /// What the built-in rules said about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remark: Option<Remark>,
    },
    /// What became of a call.
    Became {
        /// The call's id.
        id: String,
        /// How it went.
        how: Became,
        /// The person's words, or the tool's answer.
        #[serde(default)]
        text: String,
        /// The tool's answer as data: for `check_calendar_availability` a list of
        /// `{start, end, title, all_day}` in RFC 3339 with the person's offset.
        #[serde(default)]
        data: Value,
    },
    /// New mail came meanwhile; it is the last of `earlier` or the mail itself.
    Came,
}

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// It was done.
    Done,
    /// It did not work.
    Failed,
    /// The person answered with words.
    Answered,
    /// The person refused it.
    Refused,
}

/// What the built-in rules say about their proposals, as the text of their reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The person's words ask for a change the rules can't make, so the proposal is what it was.
    Unchanged,
    /// The text holds words as they were given.
    AsGiven,
    /// The text is nothing but what the person typed, which may be meant for the agent. It is theirs to write.
    NotWritten,
}

impl Remark {
    /// The remark that a reply's text is, if it is one: language models make none.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
