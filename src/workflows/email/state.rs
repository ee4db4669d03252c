//! The state of a mail being handled, and everything that can happen to it.
//!
//! Mails are not part of it: they are stored once, by digest, and read again when needed.

use crate::agent::agent_loop::{Dialog, LoopState, LoopUpdate, Turn};
use crate::agent::mail_facts::Class;
use crate::calendar::Busy;
use crate::engine::graph::{Answer, Event, EventKind, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::{parts, tools};

pub use super::parts::{
    Acted, Attached, Earlier, EmailInput, Forwarded, MailRef, MailStatus, OwnMail, PendingLesson, PendingRow,
    Reminder, SentNote, TriagedBy,
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
    /// The class of the mail that was triaged last; none while newer mail must be triaged first.
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
    /// The digests of the mails that came after the one that was triaged last, and ask for less.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
    /// The conversation with the model, its proposals, and the person's newest answers.
    #[serde(flatten)]
    pub dialog: Dialog,
    /// The answers that were acted on, until they are learned from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acted_on: Vec<Answer>,
    /// Busy times on the days of a proposed meeting, by call id. Empty if the calendar told us nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<String, Vec<Busy>>,
    /// Lessons to learn from the answers.
    pub lessons: Vec<PendingLesson>,
    /// What the answer to a mail that was shown says about such mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_row: Option<PendingRow>,
    /// Lessons from edits whose calls are not carried out yet, by call id.
    pub unproven: BTreeMap<String, PendingLesson>,
    /// Files the person attached, by the path they typed.
    pub attached: BTreeMap<String, Attached>,
    /// Why pending calls are asked about once more, by call id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked_again: BTreeMap<String, String>,
    /// The mail that the person's own mail forwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<Forwarded>,
    /// The address that the mail which began the thread leaves from, if the person chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// A mail the person wrote to begin the thread, or in place of a proposal, until all answers are acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_mail: Option<OwnMail>,
    /// Everything that was sent.
    pub sent: Vec<SentNote>,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EmailUpdate {
    Started(Box<EmailInput>),
    Read {
        /// Oldest first.
        mails: Vec<MailRef>,
    },
    /// The files of the mail that the thread was started with were read.
    Written {
        own: OwnMail,
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
        /// The digests of the mails that came after it, and ask for less.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        passed_over: Vec<String>,
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pending_row: Option<PendingRow>,
        /// A mail the person wrote themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<OwnMail>,
    },
    /// The model is asked about this mail.
    About {
        mail: String,
    },
    /// The person is asked about a call: whether the account only observes, and their busy times on the days of a
    /// meeting.
    Asked {
        call: String,
        observing: bool,
        busy: Option<Vec<Busy>>,
    },
    /// A call was carried out.
    CarriedOut(Box<Acted>),
    /// The lessons were written down.
    Learned {
        /// The digests of the mails that were decided on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        decided: Vec<String>,
        /// Whether nobody answered in time.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        expired: bool,
    },
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
    Came {
        mail: MailRef,
    },
    /// The mail was answered elsewhere.
    AnsweredElsewhere {
        reason: String,
    },
    /// The person gave the class.
    Corrected {
        class: Class,
    },
    /// The mail changes a calendar event. The person is asked directly, without a model.
    EventNews {
        tool: String,
        args: Value,
    },
    /// The person wants to leave the mailing list of this mail.
    Unsubscribe,
    /// The person wants to go on with a letter that they kept as a draft.
    BroughtBack {
        args: Value,
    },
    /// The person wants the mail answered after all, with these instructions.
    Heard {
        text: String,
    },
    /// The person added a hint to a retry.
    Hinted {
        text: String,
    },
    #[serde(untagged)]
    Loop(LoopUpdate),
}

impl From<LoopUpdate> for EmailUpdate {
    fn from(update: LoopUpdate) -> Self {
        Self::Loop(update)
    }
}

impl LoopState for Email {
    fn dialog(&self) -> &Dialog {
        &self.dialog
    }
}

impl State for Email {
    type Input = EmailInput;
    type Update = EmailUpdate;

    fn started(input: EmailInput) -> EmailUpdate {
        EmailUpdate::Started(Box::new(input))
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
            EventKind::AnsweredElsewhere { reason, .. } => Some(EmailUpdate::AnsweredElsewhere { reason }),
            EventKind::Corrected { payload } if payload.get("unsubscribe").is_some() => {
                Some(EmailUpdate::Unsubscribe)
            }
            EventKind::Corrected { payload } if payload.get("letter").is_some() => {
                Some(EmailUpdate::BroughtBack { args: payload["letter"].clone() })
            }
            EventKind::Corrected { payload } => {
                let class = payload.get("class").cloned()?;
                serde_json::from_value(class).ok().map(|class| EmailUpdate::Corrected { class })
            }
        }
    }

    fn apply(&mut self, update: EmailUpdate) {
        match update {
            EmailUpdate::Started(input) => {
                let EmailInput { file, json, model, write, forwarded, from, received, earlier } = *input;
                (self.file, self.json, self.model_name, self.earlier) = (file, json, model, earlier);
                (self.forwarded, self.from) = (forwarded, from);
                self.own_mail = write.map(|args| OwnMail { args, ..OwnMail::default() });
                self.email_input.extend(received);
            }
            EmailUpdate::Written { own } => {
                self.own_mail = None;
                self.propose_own_mail(Some(own));
            }
            EmailUpdate::Read { mails } => {
                (self.file, self.json) = (None, None);
                if let Some(newest) = mails.last() {
                    self.email_id = newest.message_id.clone().unwrap_or_else(|| newest.raw.clone());
                }
                self.email_input = mails;
            }
            EmailUpdate::Triaged { class, reasoning, gist, by, unsure, suspicious, mail, passed_over } => {
                self.about.clone_from(&mail);
                self.passed_over = passed_over;
                if class == Class::Ignore && self.status_of(&mail) != MailStatus::Decided {
                    self.set_status(std::slice::from_ref(&mail), MailStatus::Ignored);
                }
                self.dialog.reopen("The mail is looked at anew.");
                self.triaged = mail;
                self.classification_decision = Some(class);
                (self.triage_reasoning, self.gist, self.triaged_by) = (reasoning, gist, by);
                (self.unsure, self.corrected) = (unsure, None);
                // A later mail does not clear an earlier one.
                self.suspicious |= suspicious;
            }
            EmailUpdate::Answered { answers } => {
                for mail in self.email_input.iter_mut().filter(|mail| mail.status == MailStatus::New) {
                    mail.status = MailStatus::Seen;
                }
                self.asked_again.clear();
                self.dialog.apply(LoopUpdate::Answered { answers });
            }
            EmailUpdate::Shown { told, outcome, again, pending_row, own } => {
                if again {
                    self.classification_decision = None;
                }
                self.tell(told);
                self.outcome = outcome;
                self.pending_row = pending_row;
                self.acted_on = std::mem::take(&mut self.dialog.answers);
                self.propose_own_mail(own);
            }
            EmailUpdate::About { mail } => self.about = mail,
            EmailUpdate::Asked { call, observing, busy } => {
                self.observing = observing;
                match busy {
                    Some(busy) => self.days.insert(call, busy),
                    None => self.days.remove(&call),
                };
            }
            EmailUpdate::CarriedOut(acted) => self.apply_acted(*acted),
            EmailUpdate::Learned { decided, expired } => {
                self.lessons.clear();
                self.pending_row = None;
                self.acted_on.clear();
                self.set_status(&decided, MailStatus::Decided);
                for mail in
                    self.email_input.iter_mut().filter(|mail| expired && mail.status == MailStatus::Seen)
                {
                    mail.status = MailStatus::Expired;
                }
            }
            EmailUpdate::Left { outcome } => self.outcome = Some(outcome),
            EmailUpdate::Handled { outcome, notes } => {
                self.outcome = Some(outcome);
                self.notes.extend(notes);
            }
            EmailUpdate::Reminded { told, own } => {
                self.remind = None;
                self.dialog.answers.clear();
                if told.is_some() || own.is_some() {
                    self.reopen();
                }
                self.tell(told);
                self.propose_own_mail(own);
            }
            EmailUpdate::Came { mail } => self.add_mail(mail),
            EmailUpdate::AnsweredElsewhere { reason } => {
                self.remind = None;
                self.settled = Some(reason);
                self.dialog.reopen("This was settled elsewhere.");
                self.dialog.stop();
            }
            EmailUpdate::Corrected { class } => {
                self.reopen();
                self.corrected = Some(class);
            }
            EmailUpdate::EventNews { tool, args } => self.dialog.propose_own(&tool, args),
            EmailUpdate::Unsubscribe => {
                self.reopen();
                self.dialog.propose_own(tools::UNSUBSCRIBE, json!({}));
            }
            EmailUpdate::BroughtBack { args } => {
                self.reopen();
                let why = Some("you brought it back from your drafts.".to_owned());
                self.propose_own_mail(Some(OwnMail { args, why, ..OwnMail::default() }));
            }
            EmailUpdate::Heard { text } => {
                self.reopen();
                self.corrected = Some(Class::Respond);
                self.tell(Some(text));
            }
            EmailUpdate::Hinted { text } => self.tell(Some(text)),
            EmailUpdate::Loop(mut update) => {
                match &mut update {
                    LoopUpdate::Proposed { calls, own: false, .. } => {
                        parts::keep_person_only_args(&self.dialog, calls);
                    }
                    LoopUpdate::Acted => self.acted_on = self.dialog.answers.clone(),
                    _ => {}
                }
                self.dialog.apply(update);
                let (answers, pending) = (&self.dialog.answers, &self.dialog.pending);
                // What the person writes replaces other calls; what a server refused waits for them.
                let is_next =
                    |own: &mut OwnMail| answers.is_empty() && (own.why.is_none() || pending.is_empty());
                let own = self.own_mail.take_if(is_next);
                self.propose_own_mail(own);
            }
        }
    }

    fn title(&self) -> String {
        let subject = self.email_input.last().map(|mail| mail.subject.as_str());
        let subject = subject.or_else(|| self.own_subject()).unwrap_or_default().trim();
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
    /// Sets the status of these mails.
    fn set_status(&mut self, digests: &[String], status: MailStatus) {
        for mail in self.email_input.iter_mut().filter(|mail| digests.contains(&mail.raw)) {
            mail.status = status;
        }
    }

    fn tell(&mut self, text: Option<String>) {
        self.dialog.messages.extend(text.map(|text| Turn::Told { text }));
    }

    /// The person wants something else, so all decisions are void.
    fn reopen(&mut self) {
        for mail in self.email_input.iter_mut().filter(|mail| mail.status == MailStatus::Decided) {
            mail.status = MailStatus::Seen;
        }
        self.remind = None;
        self.start_over();
    }

    /// Starts the thread over, keeping what it knows.
    fn start_over(&mut self) {
        self.dialog.reopen("This was set aside; the mail is looked at anew.");
        (self.outcome, self.settled) = (None, None);
        for mail in self.email_input.iter_mut().filter(|mail| mail.status == MailStatus::Expired) {
            mail.status = MailStatus::Seen;
        }
    }

    /// Asks about a mail the person wrote, as if it were a proposal.
    fn propose_own_mail(&mut self, own: Option<OwnMail>) {
        let Some(mut own) = own else { return };
        self.attached.append(&mut own.attached);
        self.dialog.propose_own(tools::WRITE_EMAIL, own.args);
        let asked_again = self.dialog.pending.first().zip(own.why);
        self.asked_again.extend(asked_again.map(|(call, why)| (call.id.clone(), why)));
    }

    fn add_mail(&mut self, mail: MailRef) {
        if self.email_input.iter().any(|mail_ref| mail_ref.raw == mail.raw) {
            return;
        }
        if !mail.automatic {
            self.remind = None;
        }
        if self.outcome.take().is_some() {
            // The thread was over, so this mail is triaged like any other.
            self.start_over();
        }
        self.dialog.news("New mail came in the conversation since; it is among the mails above.");
        self.email_id = mail.message_id.clone().unwrap_or_else(|| mail.raw.clone());
        self.email_input.push(mail);
    }

    fn apply_acted(&mut self, acted: Acted) {
        self.sent.extend(acted.sent);
        self.remind = acted.remind.or(self.remind.take());
        self.lessons.extend(acted.lesson);
        self.attached.extend(acted.attached);
        match acted.unproven {
            Some(lesson) => self.unproven.insert(acted.call.clone(), lesson),
            None => self.unproven.remove(&acted.call),
        };
        self.asked_again.extend(acted.asked_again.map(|why| (acted.call, why)));
        self.observed |= acted.observed;
        self.own_mail = acted.own.or(self.own_mail.take());
    }
}
