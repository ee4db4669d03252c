//! The state of a mail being handled, and everything that can happen to it.
//!
//! Mails themselves are not in it: they are kept once, by digest, and read again by whoever needs them.

use crate::calendar::Busy;
use crate::graph::{Answer, ChildResult, Event, State, What};
use crate::llm::ToolCall;
use crate::workflows::email::facts::{Became, Remark};
use crate::workflows::mail_facts::Class;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::tools;

pub use super::parts::{
    Acted, Attached, By, Earlier, EmailInput, Learn, MailRef, OwnMail, Remind, SentNote, Then, Turn,
};

/// A mail being handled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Email {
    /// The mails of the conversation this thread knows, oldest first.
    pub email_input: Vec<MailRef>,
    /// The newest mail's Message-ID, or its digest where it has none.
    pub email_id: String,
    /// The file it was started with, until it was read.
    pub file: Option<String>,
    /// The JSON it was started with, until it was read.
    pub json: Option<Value>,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// What became of this conversation before.
    pub earlier: Option<Earlier>,
    /// What is to become of the mail.
    pub classification_decision: Option<Class>,
    pub triage_reasoning: String,
    /// What it is about, in one line.
    pub gist: String,
    /// Who said so.
    pub triaged_by: By,
    /// Whether another class would be nearly as good.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unsure: bool,
    /// What the person said it is, where triage has not heard it yet.
    pub corrected: Option<Class>,
    /// The digest of the mail that was triaged last: the gist is about it.
    pub triaged: String,
    /// The digest of the mail that is decided about: the one shown, or the one the pending calls answer.
    pub about: String,
    /// Whether newer mail is to be triaged before anything else.
    pub again: bool,
    /// The conversation with the model.
    pub messages: Vec<Turn>,
    /// Calls that nothing has become of yet.
    pub pending: Vec<ToolCall>,
    /// What the built-in rules say about them, until the person has written one anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// Whether mail came after they were proposed and before anybody was asked.
    pub outdated: bool,
    /// Whether mail came after the person answered and before that was acted on.
    pub unseen: bool,
    /// The person's newest answers.
    pub answers: Vec<Answer>,
    /// The digests of the mails the person had before them when they answered last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// The digests of the mails that the person, or a grant of theirs, decided on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// The digests of the mails that triage ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// What the calendar told of the days of a proposed meeting, by the call; nothing where it told nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<String, Vec<Busy>>,
    /// What is to be learned from them.
    pub lessons: Vec<Learn>,
    /// What is to be learned from an edit once the call is carried out, by its id.
    pub unproven: BTreeMap<String, Learn>,
    /// Files the person attached, by the path they typed.
    pub attached: BTreeMap<String, Attached>,
    /// Where the answering goes on.
    pub then: Then,
    /// Whether the person refused something.
    pub refused: bool,
    /// Whether nobody answered, and the policy ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// What left.
    pub sent: Vec<SentNote>,
    /// The digests of the mails that were answered.
    pub answered: Vec<String>,
    /// The mail whose answer the person waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<Remind>,
    /// Whether something was approved that the account's mode kept from being done.
    pub observed: bool,
    /// Whether the account only observed when the person was asked last: then they were told that nothing leaves.
    pub observing: bool,
    /// Whether the person answered then, and is asked again because the account acts now.
    pub acts_now: bool,
    /// Why it was settled without us.
    pub settled: Option<String>,
    /// What became of the mail: `replied`, `noted`, `ignored` …
    pub outcome: Option<String>,
    /// What went wrong without stopping anything.
    pub notes: Vec<String>,
}

/// Everything that can happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EmailUpdate {
    /// The thread began.
    Started {
        /// A file to read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// A mail as JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        json: Option<Value>,
        /// The model it was started with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// A mail that came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        received: Option<MailRef>,
        /// What was before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<Earlier>,
    },
    /// The mails were read.
    Read {
        /// All of them, oldest first.
        mails: Vec<MailRef>,
    },
    /// The mail has a class.
    Triaged {
        class: Class,
        reasoning: String,
        /// What it is about.
        gist: String,
        /// Who said so.
        by: By,
        /// Whether another class would be nearly as good.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsure: bool,
        /// The digest of the mail.
        #[serde(default)]
        mail: String,
    },
    /// The person answered.
    Answered {
        /// In the order asked.
        answers: Vec<Answer>,
    },
    /// The answer to a mail that was shown was taken up.
    Shown {
        /// Words that go to the model.
        told: Option<String>,
        /// What became of the mail, where that is all.
        outcome: Option<String>,
        /// Whether newer mail is to be triaged next.
        #[serde(default)]
        again: bool,
        /// The digests of the mails that were decided on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        decided: Vec<String>,
        lessons: Vec<Learn>,
        /// A mail the person wrote themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<OwnMail>,
    },
    /// The model wants something done.
    Proposed {
        /// What it said besides.
        text: String,
        calls: Vec<ToolCall>,
        /// The digest of the mail they answer.
        #[serde(default)]
        about: String,
    },
    /// The person is asked, and the account's mode is another than when they were asked before.
    Asked {
        /// Whether it only observes.
        observing: bool,
    },
    /// The calendar told of the days of the meetings that are asked about.
    Looked { days: BTreeMap<String, Vec<Busy>> },
    /// Mail came before anybody was asked, so the model proposes anew.
    Outdated,
    /// What was decided was carried out.
    Acted(Box<Acted>),
    /// What is to be learned was written down.
    Learned,
    /// Answering is over.
    Left {
        /// What became of the mail.
        outcome: String,
    },
    /// The mail is handled.
    Handled {
        /// What became of it.
        outcome: String,
        /// What went wrong without stopping anything.
        #[serde(default)]
        notes: Vec<String>,
    },
    /// The person said what to do about a mail that nobody answered.
    Reminded {
        /// Words that go to the model, where they want to write again.
        told: Option<String>,
        /// A mail the person wrote themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<OwnMail>,
    },
    /// New mail came.
    Came { mail: MailRef },
    /// It was settled without us.
    Settled { reason: String },
    /// The person said what class it is.
    Corrected { class: Class },
    /// The mail changes an event of the calendar, which is put to the person without asking a model.
    EventNews { tool: String, args: Value },
    /// The person wants to leave the list the mail came by.
    Unsubscribe,
    /// The person wants it answered after all, with these words.
    Heard { text: String },
    /// The person added words to a retry.
    Hinted { text: String },
    /// Nothing that concerns this workflow.
    Nothing,
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

    fn joined(_: Vec<ChildResult>) -> EmailUpdate {
        // It starts no children.
        EmailUpdate::Nothing
    }

    fn arrived(event: Event) -> Option<EmailUpdate> {
        match event.what {
            What::Words { text } => Some(EmailUpdate::Heard { text }),
            What::Hint { text } => Some(EmailUpdate::Hinted { text }),
            What::News { payload, .. } => {
                serde_json::from_value(payload).ok().map(|mail| EmailUpdate::Came { mail })
            }
            What::Settled { reason, .. } => Some(EmailUpdate::Settled { reason }),
            What::Corrected { payload } if payload.get("unsubscribe").is_some() => {
                Some(EmailUpdate::Unsubscribe)
            }
            What::Corrected { payload } => {
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
            EmailUpdate::Triaged { class, reasoning, gist, by, unsure, mail } => {
                self.about.clone_from(&mail);
                if class == Class::Ignore {
                    self.ignored.push(mail.clone());
                }
                self.triaged = mail;
                self.classification_decision = Some(class);
                (self.triage_reasoning, self.gist, self.triaged_by) = (reasoning, gist, by);
                (self.unsure, self.corrected) = (unsure, None);
                self.again = false;
            }
            EmailUpdate::Answered { answers } => {
                self.answers = answers;
                self.unseen = false;
                self.shown = self.email_input.iter().map(|known| known.raw.clone()).collect();
            }
            EmailUpdate::Shown { told, outcome, again, decided, lessons, own } => {
                self.again = again;
                self.note_decided(decided);
                self.messages.extend(told.map(|text| Turn::Told { text }));
                self.outcome = outcome;
                self.lessons.extend(lessons);
                self.answers.clear();
                self.write(own);
            }
            EmailUpdate::Proposed { text, calls, about } => {
                self.about = about;
                self.pending.clone_from(&calls);
                self.remark = Remark::read(&text);
                self.outdated = false;
                self.messages.push(Turn::Called { text, calls });
            }
            EmailUpdate::Asked { observing } => {
                self.acts_now = self.observing && !observing;
                self.observing = observing;
            }
            EmailUpdate::Looked { days } => self.days = days,
            EmailUpdate::Outdated => {
                self.drop_pending("New mail came in this conversation; look at it first.")
            }
            EmailUpdate::Acted(acted) => self.acted(*acted),
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
                self.write(own);
            }
            EmailUpdate::Came { mail } => self.came(mail),
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
            EmailUpdate::Nothing => {}
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
    fn note_decided(&mut self, mails: Vec<String>) {
        for mail in mails {
            if !self.decided.contains(&mail) {
                self.decided.push(mail);
            }
        }
    }

    /// The person wants something else done: nothing is decided any more.
    fn reopen(&mut self) {
        self.decided.clear();
        self.anew();
    }

    /// The thread begins anew, from what it knows.
    fn anew(&mut self) {
        self.drop_pending("The person corrected this; begin anew.");
        (self.outcome, self.settled, self.then) = (None, None, Then::Model);
        (self.refused, self.expired, self.remind) = (false, false, None);
        self.answers.clear();
    }

    /// What the person wrote themselves is asked about like a proposal.
    fn write(&mut self, own: Option<OwnMail>) {
        let Some(mut own) = own else { return };
        self.attached.append(&mut own.attached);
        self.ask_about(tools::WRITE_EMAIL, own.args);
    }

    /// What the person wants is put to them like a proposal, without asking a model.
    fn ask_about(&mut self, tool: &str, args: Value) {
        let (id, name) = (format!("own{}", self.messages.len()), tool.to_owned());
        let call = ToolCall { id, name, args, signature: None };
        self.remark = None;
        self.then = Then::Ask;
        self.pending = vec![call.clone()];
        self.messages.push(Turn::Called { text: String::new(), calls: vec![call] });
    }

    /// Every call must have become something before the model speaks again.
    fn drop_pending(&mut self, why: &str) {
        self.outdated = false;
        for call in std::mem::take(&mut self.pending) {
            let (call, tool) = (call.id, call.name);
            let how = Became::Refused;
            self.messages.push(Turn::Became { call, tool, how, text: why.to_owned(), data: Value::Null });
        }
    }

    fn came(&mut self, mail: MailRef) {
        if self.email_input.iter().any(|known| known.raw == mail.raw) {
            return;
        }
        self.remind = None;
        if self.outcome.take().is_some() {
            // It was over: the mail is triaged like any other.
            self.anew();
        }
        self.outdated = !self.pending.is_empty();
        self.unseen |= !self.answers.is_empty();
        self.messages.push(Turn::Came { mail: mail.raw.clone() });
        self.email_id = mail.message_id.clone().unwrap_or_else(|| mail.raw.clone());
        self.email_input.push(mail);
    }

    fn acted(&mut self, acted: Acted) {
        for (id, args) in acted.edited {
            let proposed = self.messages.iter_mut().rev().find_map(|turn| match turn {
                Turn::Called { calls, .. } => calls.iter_mut().find(|call| call.id == id),
                Turn::Told { .. } | Turn::Became { .. } | Turn::Came { .. } => None,
            });
            for call in proposed.into_iter().chain(self.pending.iter_mut().find(|call| call.id == id)) {
                if tools::without_person_only_args(&call.args) != tools::without_person_only_args(&args) {
                    self.remark = None;
                }
                call.args.clone_from(&args);
            }
        }
        let over = |id: &str| {
            acted.became.iter().any(|turn| matches!(turn, Turn::Became { call, .. } if call == id))
        };
        self.pending.retain(|call| !over(&call.id));
        self.messages.extend(acted.became);
        self.sent.extend(acted.sent);
        self.answered.extend(acted.answered);
        self.note_decided(acted.decided);
        self.remind = acted.remind.or(self.remind.take());
        self.lessons.extend(acted.lessons);
        self.attached.extend(acted.attached);
        self.unproven = acted.unproven;
        self.observed |= acted.observed;
        self.acts_now = false;
        self.refused |= acted.refused;
        self.expired |= acted.expired;
        self.then = acted.then;
        if self.then == Then::Ask {
            // It is put to the person as it stands, and the card says what came.
            self.outdated = false;
        }
        self.answers.clear();
        self.write(acted.own);
    }
}
