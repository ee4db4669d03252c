//! The types that make up a mail's state.

use super::tools;
use crate::agent::agent_loop::{CallResult, Dialog, Turn};
use crate::agent::lesson::CauseKind;
use crate::agent::llm::ToolCall;
use crate::agent::mail_facts::Class;
use crate::engine::graph::{Answer, InterruptId};
use crate::inbox::RowCause;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys of `start`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmailInput {
    /// A mail as a file: one .eml.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A mail as JSON: a Gmail API message, or {author, to, subject, email_thread}.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// A model from the config, for this thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A mail of the person's own: the arguments of `write_email`. `sayso mail compose` gives it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Value>,
    /// The mail that is forwarded by it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<Forwarded>,
    /// The address it leaves from; the first account's if there is none.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// A mail that came by an account; only intake gives it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<MailRef>,
    /// The thread that handled this conversation before; only intake gives it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Whether a machine wrote it, such as a note of absence.
    pub automatic: bool,
    pub status: MailStatus,
}

/// A mail that the person's own mail forwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Forwarded {
    /// The digest of its raw bytes, in hexadecimal.
    pub raw: String,
    /// The account it came by.
    pub account: String,
}

/// What has become of a mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailStatus {
    /// It came after the person's newest answer.
    #[default]
    New,
    /// The person could see it when they last answered.
    Seen,
    /// Triage ignored it.
    Ignored,
    /// The person, or one of their grants, decided on it.
    Decided,
    /// It was shown until its time ran out.
    Expired,
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
    /// A row of the memory.
    Row,
    Person,
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
    /// The digest of the mail it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
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

/// What an answer says about mail like the one it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRow {
    pub cause: RowCause,
    /// The class that the person would have given the mail.
    pub wanted: Class,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// What came of a call besides its result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Acted {
    /// Its id.
    pub call: String,
    /// What was sent.
    pub sent: Vec<SentNote>,
    /// The mail the person awaits an answer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<Reminder>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<PendingLesson>,
    /// The lesson of an edit that the person is asked about again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproven: Option<PendingLesson>,
    /// Files read since then.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attached: BTreeMap<String, Attached>,
    /// Why it is asked about once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_again: Option<String>,
    /// A mail the person wrote instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMail>,
    /// Whether it was skipped because the account only observes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

/// A mail the person wrote themselves, with the files they named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnMail {
    /// The arguments of `write_email`.
    pub args: Value,
    /// The files, by the path they typed.
    #[serde(default)]
    pub attached: BTreeMap<String, Attached>,
    /// Why the person is asked about it, although they wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Arguments that only the person may add.
const PERSON_ONLY_ARGS: [&str; 2] = ["attachments", "remind_after"];

/// The arguments without those that only the person may add: what a model may propose, and what shows somebody's style.
pub(super) fn without_person_only_args(args: &Value) -> Value {
    let mut args = args.clone();
    if let Some(args) = args.as_object_mut() {
        args.retain(|key, _| !PERSON_ONLY_ARGS.contains(&key.as_str()));
    }
    args
}

/// If the person returned a draft with words, their additions stay in the new one; no model knows of them.
pub(super) fn keep_person_only_args(dialog: &Dialog, calls: &mut [ToolCall]) {
    let mut newest_first = dialog.messages.iter().rev();
    let returned = newest_first.find_map(|turn| match turn {
        Turn::Told { .. } | Turn::News { .. } => Some(None),
        Turn::Became { call, tool, how: CallResult::Answered, .. } if tool == tools::WRITE_EMAIL => {
            Some(Some(call))
        }
        Turn::Called { .. } | Turn::Said { .. } | Turn::Became { .. } => None,
    });
    let Some(id) = returned.flatten() else { return };
    let draft = newest_first.flat_map(Turn::calls).find(|call| call.id == *id);
    let mut mails = calls.iter_mut().filter(|call| call.name == tools::WRITE_EMAIL);
    // With two mails, we cannot tell which one they belong to.
    if let (Some(draft), Some(mail), None) = (draft, mails.next(), mails.next()) {
        for key in PERSON_ONLY_ARGS {
            if let Some(value) = draft.args.get(key) {
                mail.args[key] = value.clone();
            }
        }
    }
}
