//! The types that make up a mail's state.

use crate::graph::Answer;
use crate::llm::ToolCall;
use crate::workflows::email::facts::CallResult;
use crate::workflows::lesson::CauseKind;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys of `start`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmailInput {
    /// A mail as a file: one .eml.
    pub file: Option<String>,
    /// A mail as JSON: a Gmail API message, or {author, to, subject, email_thread}.
    pub json: Option<Value>,
    /// A model from the config, for this thread.
    pub model: Option<String>,
    /// A mail that came by an account; only intake gives it.
    #[schemars(skip)]
    pub received: Option<MailRef>,
    /// The thread that handled this conversation before; only intake gives it.
    #[schemars(skip)]
    pub earlier: Option<Earlier>,
}

/// A mail of the conversation; its bytes are kept by digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MailRef {
    /// The digest of the raw bytes, in hexadecimal.
    pub raw: String,
    /// Identifies the mail wherever it is found again.
    pub identity: String,
    /// The account it came by; empty if it was handed in.
    pub account: String,
    /// Its place in the mailbox; empty if it was handed in.
    pub place: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The sender, as shown in lists.
    pub from: String,
    pub subject: String,
    pub date: Option<Timestamp>,
}

impl MailRef {
    /// Whether the details that lists show are still missing.
    pub fn is_incomplete(&self) -> bool {
        self.message_id.is_none() && self.from.is_empty()
    }
}

/// How this conversation was handled before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Earlier {
    pub thread: String,
    pub summary: String,
}

/// Who chose a mail's class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriagedBy {
    #[default]
    Model,
    /// The built-in rules, in place of a model.
    BuiltIn,
    /// A `[[rule]]`.
    Rule,
    /// The event that the calendar holds for this mail.
    Calendar,
    Person,
}

/// One entry of the conversation with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Turn {
    /// The person's words.
    Told { text: String },
    /// The calls the model proposed, including the person's edits.
    Called {
        /// Text next to the calls.
        #[serde(default)]
        text: String,
        /// In the model's order.
        calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Became {
        call: String,
        tool: String,
        how: CallResult,
        /// The person's words, or the tool's answer.
        text: String,
        /// The tool's answer as data.
        #[serde(default)]
        data: Value,
    },
    /// New mail came. `mail` is its digest.
    Came { mail: String },
}

/// Something that was sent, put into a calendar, or kept as a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SentNote {
    /// `mail`, `meeting`, `invitation`, `draft`, `unsubscribe`, or `removed` for an event taken out of the calendar.
    pub kind: String,
    /// The call it carried out.
    pub call: String,
    /// Bare addresses.
    pub to: Vec<String>,
    pub subject: String,
    /// Without angle brackets.
    pub message_id: String,
    /// When the meeting begins.
    pub start: Option<String>,
    /// The beginning of the text.
    pub text: String,
}

/// A mail the person awaits an answer to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reminder {
    /// Bare addresses.
    pub to: Vec<String>,
    pub subject: String,
    pub sent_at: Timestamp,
    /// When to tell the person that nobody answered.
    pub due: Timestamp,
}

/// A file the person attached, as it was when we read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attached {
    /// The file name in the sent mail.
    pub name: String,
    /// The digest of its bytes.
    pub digest: String,
    pub bytes: u64,
    /// Why it could not be read; the other fields are meaningless then.
    pub error: Option<String>,
}

/// An answer to learn from after acting on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingLesson {
    pub namespace: String,
    /// What the person did.
    pub kind: CauseKind,
    /// The answered interrupt.
    pub answer: Option<Answer>,
    /// The tool proposed.
    #[serde(default)]
    pub action: Option<String>,
}

/// The next step of answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextTurn {
    /// Ask the model again.
    #[default]
    Model,
    /// Ask the person about the changed proposal.
    Ask,
    Leave,
}

/// The result of the `act` node.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Acted {
    /// Calls whose arguments were changed, by id.
    pub edited: Vec<(String, Value)>,
    /// The results of the calls that are over.
    pub became: Vec<Turn>,
    /// Everything that was sent.
    pub sent: Vec<SentNote>,
    /// The digests of the mails that were answered.
    pub answered: Vec<String>,
    /// The digests of the mails that were decided on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// The mail the person awaits an answer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<Reminder>,
    pub lessons: Vec<PendingLesson>,
    /// Lessons from edits that the person is asked about again, by call id.
    pub unproven: BTreeMap<String, PendingLesson>,
    /// Files read since then.
    pub attached: BTreeMap<String, Attached>,
    /// Why calls are asked about once more, by call id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked_again: BTreeMap<String, String>,
    /// A mail the person wrote instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMail>,
    /// Whether something was skipped because the account only observes.
    pub observed: bool,
    /// Whether the person refused something.
    pub refused: bool,
    /// Whether nobody answered and the policy ended the thread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    pub then: NextTurn,
}

/// A mail the person wrote themselves, with the files they named.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OwnMail {
    /// The arguments of `write_email`.
    pub args: Value,
    /// The files, by the path they typed.
    #[serde(default)]
    pub attached: BTreeMap<String, Attached>,
}
