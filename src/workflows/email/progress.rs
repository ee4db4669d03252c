//! How far a thread has got with its mails.

use super::state::{Attached, Email, MailStatus};
use super::tools;
use crate::engine::graph::{Answer, Decision};
use crate::text::words::with_full_stop;
use crate::text::{Visible, truncate};
use serde_json::Value;

impl Email {
    /// The digests of all mails.
    pub(super) fn mail_digests(&self) -> Vec<String> {
        self.email_input.iter().map(|mail_ref| mail_ref.raw.clone()).collect()
    }

    /// The files named in the arguments, as we read them.
    pub fn files_of<'a>(&'a self, args: &'a Value) -> impl Iterator<Item = &'a Attached> {
        let paths = args.get("attachments").and_then(Value::as_array).into_iter().flatten();
        paths.filter_map(Value::as_str).filter_map(|path| self.attached.get(path))
    }

    /// Whether we know that the person settled it elsewhere.
    pub fn is_settled(&self) -> bool {
        self.settled.is_some()
    }

    /// The outcome according to what was sent, if anything was.
    pub fn sent_outcome(&self) -> Option<&'static str> {
        let did = |kind: &str| self.sent.iter().any(|note| note.kind == kind);
        [
            ("mail", "replied"),
            ("invitation", "replied"),
            ("meeting", "scheduled"),
            ("removed", "cancelled"),
            ("unsubscribe", "unsubscribed"),
            ("draft", "drafted"),
        ]
        .into_iter()
        .find_map(|(kind, outcome)| did(kind).then_some(outcome))
    }

    /// What has become of a mail.
    pub fn status_of(&self, mail: &str) -> MailStatus {
        self.email_input.iter().find(|one| one.raw == mail).map(|one| one.status).unwrap_or_default()
    }

    /// Whether the mail was answered by one that was sent.
    pub fn is_answered(&self, mail: &str) -> bool {
        self.sent.iter().any(|note| note.answers.as_deref() == Some(mail))
    }

    /// Whether the thread is done with a mail: it was decided on, or shown until its time ran out.
    pub fn is_over(&self, mail: &str) -> bool {
        matches!(self.status_of(mail), MailStatus::Decided | MailStatus::Expired)
    }

    /// Whether triage ignored the mail, it was answered, or the thread is done with it.
    pub fn is_dealt_with(&self, mail: &str) -> bool {
        self.is_over(mail) || self.status_of(mail) == MailStatus::Ignored || self.is_answered(mail)
    }

    /// What could not be done when `node` failed, in a sentence; `acted` if it had done something before. `who` sent the
    /// mail.
    pub fn failure_sentence(&self, node: &str, acted: bool, who: &str) -> String {
        let is_approved =
            |answer: &&Answer| !matches!(answer.decision, Decision::Ignore | Decision::Respond { .. });
        let approved: Vec<&Answer> = self.dialog.answers.iter().filter(is_approved).collect();
        let call =
            |key: &str| self.dialog.pending.iter().find(|call| call.id == key).map(|call| call.name.as_str());
        let tool = match approved.as_slice() {
            [only] if node == "response_agent/act" && !acted => call(&only.key),
            // Of several approved calls, any may be the one that failed. After an effect, something else failed.
            _ => None,
        };
        let is_draft = approved.iter().any(|answer| answer.decision == Decision::Draft);
        match tool {
            Some(tools::WRITE_EMAIL) if is_draft => {
                format!("The reply to {who} could not be saved as a draft")
            }
            Some(tools::WRITE_EMAIL) => format!("The reply to {who} could not be sent"),
            Some(tools::SCHEDULE_MEETING) => format!("The invitation to {who} could not be sent"),
            Some(tools::ANSWER_INVITATION) => format!("The answer to {who}'s invitation could not be sent"),
            Some(tools::UNSUBSCRIBE) => format!("You could not be unsubscribed from {who}"),
            _ => format!("sayso is stuck on the mail from {who}"),
        }
    }

    /// A summary in a few lines, for a later thread about the same conversation.
    pub fn summary(&self) -> String {
        let mut lines = Vec::new();
        if !self.gist.is_empty() {
            lines.push(with_full_stop(&self.gist));
        }
        for note in &self.sent {
            let to = note.to.join(", ");
            lines.push(match note.kind.as_str() {
                "meeting" => {
                    let start = note.start.as_deref().unwrap_or_default();
                    format!("Invited {to} to “{}” at {start}.", note.subject)
                }
                "draft" => format!("Kept a draft to {to}: “{}”.", note.subject),
                "removed" => format!("Took “{}” out of the calendar.", note.subject),
                "unsubscribe" => format!("Asked {to} to be taken off the list."),
                _ => format!("Wrote to {to}: “{}”. {}", note.subject, note.text),
            });
        }
        match (&self.settled, self.outcome.as_deref()) {
            (Some(reason), _) => lines.push(reason.clone()),
            (None, Some("ignored")) => lines.push("It was ignored.".to_owned()),
            (None, Some("expired")) => lines.push("Nobody answered in time.".to_owned()),
            (None, Some("accepted")) => lines.push("It was accepted.".to_owned()),
            (None, Some("unsent")) => lines.push("Nothing was sent: the account only observes.".to_owned()),
            (None, _) => {}
        }
        truncate(Visible::new(&lines.join("\n")).as_str(), 2_000).into_owned()
    }
}
