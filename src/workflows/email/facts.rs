//! `email.triage` and `email.reply`: their facts and their answers.

use crate::workflows::mail_facts::{Class, MailFacts, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What triage is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriageFacts {
    /// Whose mail it is.
    pub user: User,
    pub mail: MailFacts,
    /// The memory profile `triage_preferences`, as text.
    #[serde(default)]
    pub profile: String,
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
    /// Whether another class would be nearly as good.
    #[serde(default)]
    pub unsure: bool,
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
    Told { text: String },
    /// A call that was proposed.
    Called {
        id: String,
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
    /// There is no text, since what the person typed may be meant for the agent. It is theirs to write.
    NotWritten,
}

impl Remark {
    /// The remark that a reply's text is, if it is one: language models make none.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
