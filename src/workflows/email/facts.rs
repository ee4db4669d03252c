//! `email.triage` and `email.reply`: their facts and answers.

use crate::agent::agent_loop::Turn;
use crate::agent::mail_facts::{Class, MailFacts, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The input of triage.
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
    /// What the mail is about, in one line of at most 100 characters. Without it, the mail's first line counts.
    #[serde(default)]
    pub gist: String,
    /// What is to become of it.
    pub classification: Class,
    /// Whether another class would be nearly as good.
    #[serde(default)]
    pub unsure: bool,
    /// Whether it looks like fraud, or tells an assistant what to do.
    #[serde(default)]
    pub suspicious: bool,
}

/// The input of a reply. The answer is a call of one of the tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplyFacts {
    /// Whose mail it is.
    pub user: User,
    /// The mail to answer: the newest of the conversation that the person did not write.
    pub mail: MailFacts,
    /// The earlier mails of the conversation, oldest first.
    #[serde(default)]
    pub earlier: Vec<MailFacts>,
    /// The summary of an earlier thread about this conversation; empty if there is none.
    #[serde(default)]
    pub before: String,
    /// The bare addresses a reply goes to: `Reply-To` or the sender, never the person.
    #[serde(default)]
    pub reply_to: Vec<String>,
    /// The bare addresses of everyone else in a reply to all.
    #[serde(default)]
    pub reply_all: Vec<String>,
    /// The reply's subject.
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
    /// What was said and done so far, oldest first; of calls, what a model may know.
    #[serde(default)]
    pub said: Vec<Turn>,
}
