//! From an approved call to the bytes we send, and the effects that send them.
//!
//! Bytes are composed and frozen before the intent is committed: a retry sends the same mail with the same Message-ID,
//! or none.

use super::mails::Conversation;
use super::state::{Attached, Email};
use super::tools::{self, WriteEmailArgs};
use crate::agent::{Services, mailbox_error};
use crate::calendar::{self, Calendar, CalendarError, Revision, RevisionCheck};
use crate::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace, NodeError, SHORTFALL, StepContext};
use crate::mail::compose::{
    ComposeError, Draft, File, Recipient, compose, forward_subject, from_address, reply_subject,
    with_forwarded, with_quote, with_signature,
};
use crate::mail::{self, Address, Handled, Mail, Mailbox, Outgoing, SendError};
use crate::text::hex;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The field of an outcome that names the bytes.
pub(super) const RAW: &str = "raw";

pub(super) fn parse_addresses(typed: &[String]) -> Result<Vec<Address>, ComposeError> {
    typed.iter().map(|one| one.parse::<Recipient>().map(|recipient| recipient.0)).collect()
}

/// The bare addresses of what was typed. Text that is not an address stays unchanged.
pub(super) fn bare_addresses(typed: &[String]) -> Vec<String> {
    let address_of = |typed: &String| {
        typed.parse::<Recipient>().map_or_else(|_| typed.clone(), |recipient| recipient.0.address)
    };
    typed.iter().map(address_of).collect()
}

/// The sender of an answer: the address the mail came to.
pub(super) fn sender(services: &Services, conversation: &Conversation) -> Address {
    let default_address = conversation.account.as_ref().map(|account| account.address.clone());
    let default_address = default_address.unwrap_or_else(|| services.user.address.clone());
    let received = conversation.about().map(|(_, mail)| mail).or(conversation.forwarded.as_ref());
    let address = match received {
        _ if conversation.from.is_some() => conversation.from.clone().unwrap_or(default_address),
        Some(mail) => from_address(mail, &default_address, &conversation.own_addresses()),
        None => default_address,
    };
    Address { name: services.user.name.clone(), address }
}

/// Whether a mail goes to somebody in the conversation and so belongs to it.
pub(super) fn is_answer(conversation: &Conversation, args: &WriteEmailArgs) -> bool {
    let people = conversation.people();
    let own_addresses = conversation.own_addresses();
    let is_other_person = |one: &String| {
        people.iter().any(|person| person.eq_ignore_ascii_case(one))
            && !own_addresses.iter().any(|own| own.eq_ignore_ascii_case(one))
    };
    bare_addresses(&args.to).iter().chain(&bare_addresses(&args.cc)).any(is_other_person)
}

/// The mail for a call. It answers the mail it was proposed for, not a newer one.
pub(super) fn draft(
    services: &Services,
    conversation: &Conversation,
    args: &WriteEmailArgs,
    attachments: Vec<File>,
) -> Result<Draft, ComposeError> {
    let answered = conversation.about().map(|(_, mail)| mail).filter(|_| is_answer(conversation, args));
    let reply_draft = answered.map(|mail| Draft::answering(mail)).unwrap_or_default();
    let mut content = args.content.clone();
    if let Some(mail) = answered.filter(|_| services.user.quote) {
        content = with_quote(&content, mail, &services.user.time_zone);
    }
    if let Some(mail) = &conversation.forwarded {
        content = with_forwarded(&content, mail, &services.user.time_zone);
    }
    Ok(Draft {
        from: sender(services, conversation),
        to: parse_addresses(&args.to)?,
        cc: parse_addresses(&args.cc)?,
        bcc: parse_addresses(&args.bcc)?,
        subject: subject(conversation, answered, &args.subject),
        content: with_signature(&content, &services.user.signature),
        attachments,
        ..reply_draft
    })
}

/// The subject that leaves: one that repeats another mail's is as it came, not as it was shown.
pub(super) fn subject(conversation: &Conversation, answered: Option<&Arc<Mail>>, approved: &str) -> String {
    let repeats = |mail: &Arc<Mail>, again: fn(&str) -> String| {
        (again(&mail.subject) == approved).then(|| again(mail.as_sent("subject", &mail.subject)))
    };
    let forwarded = conversation.forwarded.as_ref();
    let repeated = answered.and_then(|mail| repeats(mail, reply_subject));
    let repeated = repeated.or_else(|| forwarded.and_then(|mail| repeats(mail, forward_subject)));
    repeated.unwrap_or_else(|| approved.to_owned())
}

/// The mail that leaves a list. It is no reply and quotes nothing: machines read it.
pub(super) fn leaving_draft(
    services: &Services,
    conversation: &Conversation,
    to: String,
    subject: String,
    content: String,
) -> Result<Draft, ComposeError> {
    Ok(Draft {
        from: Address { name: String::new(), ..sender(services, conversation) },
        to: parse_addresses(&[to])?,
        subject,
        content,
        ..Draft::default()
    })
}

/// The whole mail of a call. The same thread and call always give the same Message-ID.
pub(super) fn bytes(
    services: &Services,
    step: &StepContext,
    call: &str,
    draft: &Draft,
) -> Result<Vec<u8>, ComposeError> {
    let now = services.clock.clone()().to_zoned(services.user.time_zone.clone());
    compose(draft, &format!("{}/{call}", step.thread), &now)
}

/// The files of a call, as read when the person attached them. `None` if one was not read.
pub(super) fn files(
    services: &Services,
    state: &Email,
    paths: &[String],
) -> Result<Option<Vec<File>>, NodeError> {
    let mut files = Vec::new();
    for path in paths {
        let Some(Attached { name, digest, error: None, .. }) = state.attached.get(path) else {
            return Ok(None);
        };
        let bytes = services.records.blob(digest)?;
        files.push(File { name: name.clone(), bytes });
    }
    Ok(Some(files))
}

pub(super) struct SendMail(pub Arc<dyn Outgoing>);

impl Effect for SendMail {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            match self.0.send(frozen).await {
                Ok(sent) => Ok(outcome(&sent, frozen)),
                Err(SendError::NotSent(text)) => Err(EffectError::NotDone(text)),
                Err(SendError::Refused(text)) => Err(EffectError::Refused(text)),
                Err(SendError::Unknown(text)) => Err(EffectError::Unknown(text)),
            }
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            match self.0.find(frozen).await {
                mail::SentLookup::Sent(sent) => EffectTrace::Done(outcome(&sent, frozen)),
                mail::SentLookup::NotSent => EffectTrace::NotDone,
                mail::SentLookup::Unknown(text) => EffectTrace::Unknown(text),
            }
        })
    }
}

/// What was sent, with the digest of its bytes: a mail that is composed again after a crash may have another date.
fn outcome(sent: &mail::Sent, frozen: &[u8]) -> Value {
    let mut outcome = json!(sent);
    outcome[RAW] = hex(&Sha256::digest(frozen)).into();
    if !sent.refused.is_empty() {
        let who: Vec<&str> = sent.refused.iter().map(|(who, _)| who.as_str()).collect();
        outcome[SHORTFALL] = format!("{} did not get it", who.join(", ")).into();
    }
    outcome
}

/// Whether the server did not take the mail for this address.
pub(super) fn is_refused(address: &str, refused: &[(String, String)]) -> bool {
    refused.iter().any(|(refused, _)| refused.eq_ignore_ascii_case(address))
}

/// Saves a mail as a draft.
pub(super) struct SaveDraft(pub Arc<dyn Mailbox>);

impl Effect for SaveDraft {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move { self.0.save_draft(frozen).await.map(|()| json!({})).map_err(mailbox_error) })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        // The mailbox keeps only one mail per Message-ID, so saving again is safe.
        Box::pin(async { EffectTrace::NotDone })
    }
}

/// Marks a mail in its mailbox. The frozen bytes are its place.
pub(super) struct Mark {
    pub mailbox: Arc<dyn Mailbox>,
    pub handled: Handled,
}

impl Effect for Mark {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let place = String::from_utf8_lossy(frozen);
            self.mailbox.mark(&place, self.handled).await.map(|()| json!({})).map_err(mailbox_error)
        })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        // Marking twice is harmless.
        Box::pin(async { EffectTrace::NotDone })
    }
}

pub(super) struct AddEvent {
    pub calendar: Arc<dyn Calendar>,
    /// Identifies the event.
    pub uid: String,
}

impl Effect for AddEvent {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let added = self.calendar.add(frozen).await.map_err(calendar_error);
            added.map(|()| json!({ "uid": self.uid, "calendar": self.calendar.name() }))
        })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            match self.calendar.holds(&self.uid).await {
                Ok(true) => EffectTrace::Done(json!({ "uid": self.uid, "calendar": self.calendar.name() })),
                Ok(false) => EffectTrace::NotDone,
                Err(error) => EffectTrace::Unknown(error.to_string()),
            }
        })
    }
}

fn calendar_error(error: CalendarError) -> EffectError {
    match error {
        CalendarError::Temporary(text) => EffectError::NotDone(text),
        CalendarError::Permanent(text) => EffectError::Refused(text),
        CalendarError::Unknown(text) => EffectError::Unknown(text),
    }
}

/// Changes or removes an event in the calendar, for its organizer.
pub(super) struct ReviseEvent {
    pub calendar: Arc<dyn Calendar>,
    /// Identifies the event.
    pub uid: String,
    /// The sender of the mail.
    pub sender: String,
    pub revision: Revision,
    /// The zone for times that name none.
    pub zone: TimeZone,
}

impl ReviseEvent {
    fn outcome(&self) -> Value {
        json!({ "uid": self.uid, "calendar": self.calendar.name() })
    }
}

impl Effect for ReviseEvent {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let revised = self.calendar.revise(frozen, &self.sender, self.revision).await;
            revised.map(|()| self.outcome()).map_err(calendar_error)
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            let events = match calendar::read_events(&String::from_utf8_lossy(frozen), &self.zone) {
                Ok(events) => events,
                Err(error) => return EffectTrace::Unknown(error.to_string()),
            };
            let held = match self.calendar.events_of(&self.uid).await {
                Ok(held) => held,
                Err(error) => return EffectTrace::Unknown(error.to_string()),
            };
            match calendar::check_revision(&held, &events, &self.sender, self.revision) {
                // A newer version has replaced it.
                RevisionCheck::Same | RevisionCheck::Stale => EffectTrace::Done(self.outcome()),
                RevisionCheck::Absent if self.revision == Revision::Remove => {
                    EffectTrace::Done(self.outcome())
                }
                RevisionCheck::Absent | RevisionCheck::Differs(_) | RevisionCheck::Foreign(_) => {
                    EffectTrace::NotDone
                }
            }
        })
    }
}

/// The bare addresses of everybody a call would reach.
pub(super) fn recipients(tool: &str, args: &Value) -> Vec<String> {
    let keys: &[&str] = match tool {
        tools::WRITE_EMAIL => &["to", "cc", "bcc"],
        tools::SCHEDULE_MEETING => &["attendees"],
        tools::UNSUBSCRIBE | tools::ANSWER_INVITATION => &["to"],
        _ => &[],
    };
    let mut typed = Vec::new();
    for value in keys.iter().filter_map(|key| args.get(key)) {
        match value {
            Value::Array(list) => typed.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
            other => typed.extend(other.as_str().map(str::to_owned)),
        }
    }
    bare_addresses(&typed)
}
