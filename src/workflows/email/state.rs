//! The state of a mail being handled, and everything that can happen to it.
//!
//! Mails are not part of it: they are stored once, by digest, and read again when needed.

use crate::calendar::Busy;
use crate::graph::{Answer, Event, EventKind, State};
use crate::llm::ToolCall;
use crate::workflows::email::facts::CallResult;
use crate::workflows::mail_facts::Class;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::tools;

pub use super::parts::{
    Acted, Attached, Earlier, EmailInput, MailRef, NextTurn, OwnMail, PendingLesson, Reminder, SentNote,
    TriagedBy, Turn,
};

/// A mail being handled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Email {
    /// The mails of the conversation this thread knows, oldest first.
    pub email_input: Vec<MailRef>,
    /// The newest mail's Message-ID, or its digest if it has none.
    pub email_id: String,
    /// The file the thread was started with, until it is read.
    pub file: Option<String>,
    /// The JSON the thread was started with, until it is read.
    pub json: Option<Value>,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// How this conversation was handled before.
    pub earlier: Option<Earlier>,
    pub classification_decision: Option<Class>,
    pub triage_reasoning: String,
    /// What the mail is about, in one line.
    pub gist: String,
    /// Who chose the class.
    pub triaged_by: TriagedBy,
    /// Whether another class would be nearly as good.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unsure: bool,
    /// Whether the model found one of the mails suspicious.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspicious: bool,
    /// The class the person gave, until triage has seen it.
    pub corrected: Option<Class>,
    /// The digest of the mail that was triaged last; the gist describes it.
    pub triaged: String,
    /// The digest of the mail being decided on: the one shown, or the one the pending calls answer.
    pub about: String,
    /// Whether newer mail must be triaged before anything else.
    pub again: bool,
    /// The conversation with the model.
    pub messages: Vec<Turn>,
    /// Calls without a result so far.
    pub pending: Vec<ToolCall>,
    /// Whether mail came after the calls were proposed and before anybody was asked.
    pub outdated: bool,
    /// Whether mail came after the person answered and before we acted on the answer.
    pub unseen: bool,
    /// The person's newest answers.
    pub answers: Vec<Answer>,
    /// The digests of the mails the person could see when they last answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// The digests of the mails that the person, or one of their grants, decided on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// The digests of the mails that triage ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Busy times on the days of a proposed meeting, by call id. Empty if the calendar told us nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<String, Vec<Busy>>,
    /// Lessons to learn from the answers.
    pub lessons: Vec<PendingLesson>,
    /// Lessons from edits whose calls are not carried out yet, by call id.
    pub unproven: BTreeMap<String, PendingLesson>,
    /// Files the person attached, by the path they typed.
    pub attached: BTreeMap<String, Attached>,
    /// Why pending calls are asked about once more, by call id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked_again: BTreeMap<String, String>,
    /// The next step of answering.
    pub then: NextTurn,
    /// Whether the person refused something.
    pub refused: bool,
    /// Whether nobody answered and the policy ended the thread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Everything that was sent.
    pub sent: Vec<SentNote>,
    /// The digests of the mails that were answered.
    pub answered: Vec<String>,
    /// The mail the person awaits an answer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<Reminder>,
    /// Whether something was approved but not done because of the account's mode.
    pub observed: bool,
    /// Whether the account only observed when the person was last asked; they were told that nothing leaves.
    pub observing: bool,
    /// Why the thread was settled elsewhere.
    pub settled: Option<String>,
    /// The outcome: `replied`, `accepted`, `ignored` …
    pub outcome: Option<String>,
    /// Problems that stopped nothing.
    pub notes: Vec<String>,
}

/// Everything that can happen to a mail.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EmailUpdate {
    Started {
        /// A file to read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// A mail as JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        json: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// A mail that arrived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        received: Option<MailRef>,
        /// How this conversation was handled before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<Earlier>,
    },
    Read {
        /// Oldest first.
        mails: Vec<MailRef>,
    },
    Triaged {
        class: Class,
        reasoning: String,
        /// What the mail is about.
        gist: String,
        /// Who chose the class.
        by: TriagedBy,
        /// Whether another class would be nearly as good.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsure: bool,
        /// Whether the model finds the mail suspicious.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        suspicious: bool,
        /// The digest of the mail.
        #[serde(default)]
        mail: String,
    },
    Answered {
        /// In the order asked.
        answers: Vec<Answer>,
    },
    /// The person's answer about a shown mail was processed.
    Shown {
        /// Instructions for the model.
        told: Option<String>,
        /// What became of the mail, if nothing else follows.
        outcome: Option<String>,
        /// Whether newer mail must be triaged next.
        #[serde(default)]
        again: bool,
        /// The digests of the mails that were decided on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        decided: Vec<String>,
        lessons: Vec<PendingLesson>,
        /// A mail the person wrote themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<OwnMail>,
    },
    /// The model proposed calls.
    Proposed {
        /// Text next to the calls.
        text: String,
        calls: Vec<ToolCall>,
        /// The digest of the mail the calls answer.
        #[serde(default)]
        about: String,
    },
    /// The person is asked, and the account's mode has changed since they were last asked.
    Asked {
        /// Whether the account only observes.
        observing: bool,
    },
    /// The calendar gave the busy times on the days of proposed meetings.
    Looked { days: BTreeMap<String, Vec<Busy>> },
    /// Mail came before anybody was asked, so the model proposes again.
    Outdated,
    /// The decisions were carried out.
    Acted(Box<Acted>),
    /// The lessons were written down.
    Learned,
    /// Answering is over.
    Left {
        /// What became of the mail.
        outcome: String,
    },
    Handled {
        outcome: String,
        /// Problems that stopped nothing.
        #[serde(default)]
        notes: Vec<String>,
    },
    /// The person decided what to do about a mail that nobody answered.
    Reminded {
        /// Instructions for the model, if they want to write again.
        told: Option<String>,
        /// A mail the person wrote themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<OwnMail>,
    },
    /// New mail came.
    Came { mail: MailRef },
    /// The thread was settled elsewhere.
    Settled { reason: String },
    /// The person gave the class.
    Corrected { class: Class },
    /// The mail changes a calendar event. The person is asked directly, without a model.
    EventNews { tool: String, args: Value },
    /// The person wants to leave the mailing list of this mail.
    Unsubscribe,
    /// The person wants the mail answered after all, with these instructions.
    Heard { text: String },
    /// The person added a hint to a retry.
    Hinted { text: String },
}

impl State for Email {
    type Input = EmailInput;
    type Update = EmailUpdate;

    fn started(input: EmailInput) -> EmailUpdate {
        let EmailInput { file, json, model, received, earlier } = input;
        EmailUpdate::Started { file, json, model, received, earlier }
    }

    fn answered(answers: Vec<Answer>) -> EmailUpdate {
        EmailUpdate::Answered { answers }
    }

    fn arrived(event: Event) -> Option<EmailUpdate> {
        match event.what {
            EventKind::Words { text } => Some(EmailUpdate::Heard { text }),
            EventKind::Hint { text } => Some(EmailUpdate::Hinted { text }),
            EventKind::News { payload, .. } => {
                serde_json::from_value(payload).ok().map(|mail| EmailUpdate::Came { mail })
            }
            EventKind::Settled { reason, .. } => Some(EmailUpdate::Settled { reason }),
            EventKind::Corrected { payload } if payload.get("unsubscribe").is_some() => {
                Some(EmailUpdate::Unsubscribe)
            }
            EventKind::Corrected { payload } => {
                let class = payload.get("class").cloned()?;
                serde_json::from_value(class).ok().map(|class| EmailUpdate::Corrected { class })
            }
        }
    }

    fn apply(&mut self, update: EmailUpdate) {
        match update {
            EmailUpdate::Started { file, json, model, received, earlier } => {
                (self.file, self.json, self.model_name, self.earlier) = (file, json, model, earlier);
                self.email_input.extend(received);
            }
            EmailUpdate::Read { mails } => {
                (self.file, self.json) = (None, None);
                if let Some(newest) = mails.last() {
                    self.email_id = newest.message_id.clone().unwrap_or_else(|| newest.raw.clone());
                }
                self.email_input = mails;
            }
            EmailUpdate::Triaged { class, reasoning, gist, by, unsure, suspicious, mail } => {
                self.about.clone_from(&mail);
                if class == Class::Ignore {
                    self.ignored.push(mail.clone());
                }
                self.triaged = mail;
                self.classification_decision = Some(class);
                (self.triage_reasoning, self.gist, self.triaged_by) = (reasoning, gist, by);
                (self.unsure, self.corrected) = (unsure, None);
                // A later mail does not clear an earlier one.
                self.suspicious |= suspicious;
                self.again = false;
            }
            EmailUpdate::Answered { answers } => {
                self.answers = answers;
                self.unseen = false;
                self.shown = self.mail_digests();
            }
            EmailUpdate::Shown { told, outcome, again, decided, lessons, own } => {
                self.again = again;
                self.note_decided(decided);
                self.messages.extend(told.map(|text| Turn::Told { text }));
                self.outcome = outcome;
                self.lessons.extend(lessons);
                self.answers.clear();
                self.propose_own_mail(own);
            }
            EmailUpdate::Proposed { text, calls, about } => {
                self.about = about;
                self.pending.clone_from(&calls);
                self.outdated = false;
                self.messages.push(Turn::Called { text, calls });
            }
            EmailUpdate::Asked { observing } => self.observing = observing,
            EmailUpdate::Looked { days } => self.days = days,
            EmailUpdate::Outdated => {
                self.drop_pending("New mail came in this conversation; look at it first.")
            }
            EmailUpdate::Acted(acted) => self.apply_acted(*acted),
            EmailUpdate::Learned => self.lessons.clear(),
            EmailUpdate::Left { outcome } => self.outcome = Some(outcome),
            EmailUpdate::Handled { outcome, notes } => {
                self.outcome = Some(outcome);
                self.notes.extend(notes);
            }
            EmailUpdate::Reminded { told, own } => {
                self.remind = None;
                self.answers.clear();
                if told.is_some() || own.is_some() {
                    self.reopen();
                }
                self.messages.extend(told.map(|text| Turn::Told { text }));
                self.propose_own_mail(own);
            }
            EmailUpdate::Came { mail } => self.add_mail(mail),
            EmailUpdate::Settled { reason } => {
                self.remind = None;
                self.settled = Some(reason);
                self.answers.clear();
                self.drop_pending("This was settled elsewhere.");
            }
            EmailUpdate::Corrected { class } => {
                self.reopen();
                self.corrected = Some(class);
            }
            EmailUpdate::EventNews { tool, args } => self.ask_about(&tool, args),
            EmailUpdate::Unsubscribe => {
                self.reopen();
                self.ask_about(tools::UNSUBSCRIBE, json!({}));
            }
            EmailUpdate::Heard { text } => {
                self.reopen();
                self.corrected = Some(Class::Respond);
                self.messages.push(Turn::Told { text });
            }
            EmailUpdate::Hinted { text } => self.messages.push(Turn::Told { text }),
        }
    }

    fn title(&self) -> String {
        let subject = self.email_input.last().map(|mail| mail.subject.trim()).unwrap_or_default();
        let name = || self.file.as_deref().and_then(|file| file.rsplit(['/', '\\']).next());
        match subject {
            "" => name().unwrap_or("(no subject)").to_owned(),
            subject => subject.to_owned(),
        }
    }

    fn output(&self) -> Option<Value> {
        let outcome = self.outcome.as_ref()?;
        Some(json!({
            "classification": self.classification_decision,
            "reasoning": self.triage_reasoning,
            "gist": self.gist,
            "outcome": outcome,
            "sent": self.sent,
            "summary": self.summary(),
        }))
    }
}

impl Email {
    /// The digests of all mails.
    pub(super) fn mail_digests(&self) -> Vec<String> {
        self.email_input.iter().map(|mail_ref| mail_ref.raw.clone()).collect()
    }

    fn note_decided(&mut self, mails: Vec<String>) {
        for mail in mails {
            if !self.decided.contains(&mail) {
                self.decided.push(mail);
            }
        }
    }

    /// The person wants something else, so all decisions are void.
    fn reopen(&mut self) {
        self.decided.clear();
        self.start_over();
    }

    /// Starts the thread over, keeping what it knows.
    fn start_over(&mut self) {
        self.drop_pending("This was set aside; the mail is looked at anew.");
        (self.outcome, self.settled, self.then) = (None, None, NextTurn::Model);
        (self.refused, self.expired, self.remind) = (false, false, None);
        self.answers.clear();
    }

    /// Asks about a mail the person wrote, as if it were a proposal.
    fn propose_own_mail(&mut self, own: Option<OwnMail>) {
        let Some(mut own) = own else { return };
        self.attached.append(&mut own.attached);
        self.ask_about(tools::WRITE_EMAIL, own.args);
    }

    /// Whether a letter holds the person's newest words just as they typed them.
    pub fn repeats_words(&self, args: &Value) -> bool {
        let newest = self.messages.iter().rev().find_map(|turn| match turn {
            Turn::Told { text } | Turn::Became { how: CallResult::Answered, text, .. } => Some(text.trim()),
            Turn::Became { .. } | Turn::Called { .. } | Turn::Came { .. } => None,
        });
        let paragraphs = |text: &str| format!("\n\n{text}\n\n");
        let content = args.get("content").and_then(Value::as_str).unwrap_or_default();
        newest.is_some_and(|words| !words.is_empty() && paragraphs(content).contains(&paragraphs(words)))
    }

    /// Asks the person about a call as if the model had proposed it.
    fn ask_about(&mut self, tool: &str, args: Value) {
        let (id, name) = (format!("own{}", self.messages.len()), tool.to_owned());
        let call = ToolCall { id, name, args, signature: None };
        self.then = NextTurn::Ask;
        self.pending = vec![call.clone()];
        self.messages.push(Turn::Called { text: String::new(), calls: vec![call] });
    }

    /// Refuses all pending calls: each call needs a result before the model speaks again.
    fn drop_pending(&mut self, why: &str) {
        self.outdated = false;
        for call in std::mem::take(&mut self.pending) {
            let (call, tool) = (call.id, call.name);
            let how = CallResult::Refused;
            self.messages.push(Turn::Became { call, tool, how, text: why.to_owned(), data: Value::Null });
        }
    }

    fn add_mail(&mut self, mail: MailRef) {
        if self.email_input.iter().any(|mail_ref| mail_ref.raw == mail.raw) {
            return;
        }
        self.remind = None;
        if self.outcome.take().is_some() {
            // The thread was over, so this mail is triaged like any other.
            self.start_over();
        }
        self.outdated = !self.pending.is_empty();
        self.unseen |= !self.answers.is_empty();
        self.messages.push(Turn::Came { mail: mail.raw.clone() });
        self.email_id = mail.message_id.clone().unwrap_or_else(|| mail.raw.clone());
        self.email_input.push(mail);
    }

    fn apply_acted(&mut self, acted: Acted) {
        for (id, args) in acted.edited {
            let proposed = self.messages.iter_mut().rev().find_map(|turn| match turn {
                Turn::Called { calls, .. } => calls.iter_mut().find(|call| call.id == id),
                Turn::Told { .. } | Turn::Became { .. } | Turn::Came { .. } => None,
            });
            for call in proposed.into_iter().chain(self.pending.iter_mut().find(|call| call.id == id)) {
                call.args.clone_from(&args);
            }
        }
        let is_over = |id: &str| {
            acted.became.iter().any(|turn| matches!(turn, Turn::Became { call, .. } if call == id))
        };
        self.pending.retain(|call| !is_over(&call.id));
        self.messages.extend(acted.became);
        self.sent.extend(acted.sent);
        self.answered.extend(acted.answered);
        self.note_decided(acted.decided);
        self.remind = acted.remind.or(self.remind.take());
        self.lessons.extend(acted.lessons);
        self.attached.extend(acted.attached);
        self.unproven = acted.unproven;
        self.asked_again = acted.asked_again;
        self.observed |= acted.observed;
        self.refused |= acted.refused;
        self.expired |= acted.expired;
        self.then = acted.then;
        if self.then == NextTurn::Ask {
            // The person is asked about it unchanged; the card shows the new mail.
            self.outdated = false;
        }
        self.answers.clear();
        self.propose_own_mail(acted.own);
    }
}
