//! What the state of a mail is made of.

use crate::graph::Answer;
use crate::llm::ToolCall;
use crate::workflows::email::facts::Became;
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
    /// What makes it the same mail wherever it is found again.
    pub identity: String,
    /// The account it came by; empty for mail that was handed in.
    pub account: String,
    /// Where the mailbox keeps it; empty for mail that was handed in.
    pub place: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The sender, for lists.
    pub from: String,
    pub subject: String,
    /// When it was sent.
    pub date: Option<Timestamp>,
}

/// What became of this conversation before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Earlier {
    pub thread: String,
    /// What it came to.
    pub summary: String,
}

/// Who said what class a mail is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    #[default]
    Model,
    /// A `[[rule]]`.
    Rule,
    /// What the calendar holds of the event the mail is about.
    Calendar,
    Person,
}

/// One entry of the conversation with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Turn {
    /// The person's words.
    Told { text: String },
    /// What the model wants done; as edited, where the person edited it.
    Called {
        /// What it said besides.
        #[serde(default)]
        text: String,
        /// The calls, in its order.
        calls: Vec<ToolCall>,
    },
    /// What became of one call.
    Became {
        /// The call's id.
        call: String,
        tool: String,
        /// How it went.
        how: Became,
        /// The person's words, or the tool's answer.
        text: String,
        /// The tool's answer as data.
        #[serde(default)]
        data: Value,
    },
    /// New mail came; it is named by its digest.
    Came { mail: String },
}

/// Something that left, was put in a calendar, or was kept as a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SentNote {
    /// `mail`, `meeting`, `invitation`, `draft`, `unsubscribe`, or `removed` for an event that was taken out.
    pub kind: String,
    /// The call it carried out.
    pub call: String,
    /// To whom, bare.
    pub to: Vec<String>,
    pub subject: String,
    /// Without angle brackets.
    pub message_id: String,
    /// When the meeting begins.
    pub start: Option<String>,
    /// How the text begins.
    pub text: String,
}

/// A mail whose answer the person waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remind {
    /// To whom it went, bare.
    pub to: Vec<String>,
    pub subject: String,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When the person wants to hear that nobody answered.
    pub due: Timestamp,
}

/// A file the person attached, as it was when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attached {
    /// The name it is sent under.
    pub name: String,
    /// The digest of its bytes.
    pub digest: String,
    /// How long it is.
    pub bytes: u64,
    /// Why it could not be read; then the rest says nothing.
    pub error: Option<String>,
}

/// An answer to learn from, once it was acted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learn {
    /// Which profile learns.
    pub namespace: String,
    /// What the person did.
    pub kind: CauseKind,
    /// The answered interrupt.
    pub answer: Option<Answer>,
    /// The tool proposed.
    #[serde(default)]
    pub action: Option<String>,
}

/// Where the answering goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The model is asked again.
    #[default]
    Model,
    /// A changed proposal is put to the person again.
    Ask,
    /// It is over.
    Leave,
}

/// What `act` did.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Acted {
    /// Calls with other arguments than were proposed, by id.
    pub edited: Vec<(String, Value)>,
    /// What became of each call that is over.
    pub became: Vec<Turn>,
    /// What left.
    pub sent: Vec<SentNote>,
    /// The digests of the mails that were answered.
    pub answered: Vec<String>,
    /// The digests of the mails that were decided on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// The mail whose answer the person waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<Remind>,
    /// What is to be learned.
    pub lessons: Vec<Learn>,
    /// What is to be learned from an edit that is asked about again, by the call's id.
    pub unproven: BTreeMap<String, Learn>,
    /// Files read since.
    pub attached: BTreeMap<String, Attached>,
    /// A mail the person wrote instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMail>,
    /// Whether something was only observed.
    pub observed: bool,
    /// Whether the person refused something.
    pub refused: bool,
    /// Whether nobody answered, and the policy ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Where it goes on.
    pub then: Then,
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
