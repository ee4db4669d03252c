//! A mail and its reader, with everything needed to decide about the mail, and the classes it can get.

use crate::calendar::Attendance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose mail it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The full name.
    pub name: String,
    /// All their addresses.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Who they are and what matters to them, in their own words.
    #[serde(default)]
    pub background: String,
}

/// One mail, with everything needed to decide about it.
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

impl MailFacts {
    /// Whether it was sent to many, by its headers.
    pub fn is_bulk(&self) -> bool {
        let precedence = self.headers.precedence.as_deref().unwrap_or_default();
        self.list_id.is_some()
            || self.headers.list_unsubscribe
            || ["bulk", "list", "junk"].iter().any(|word| precedence.eq_ignore_ascii_case(word))
    }
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
    /// Whether its list accepts posts (`List-Post`): people talk there.
    #[serde(default)]
    pub list_post: bool,
    /// Whether it answers a mail of the conversation (`In-Reply-To`).
    #[serde(default)]
    pub in_reply_to: bool,
    /// The method of a calendar part: `REQUEST`, `REPLY`, `CANCEL`.
    #[serde(default)]
    pub calendar: Option<String>,
    /// What a calendar's reply answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attendance: Option<Attendance>,
    /// Whether the mailbox's own filter calls it spam.
    #[serde(default)]
    pub spam: bool,
    /// Whether the mailbox's own server found that it does not come from the address in From.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forged: bool,
}

/// What is to become of a mail.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }
}
