//! Triage, replies and their memory by rules.
//!
//! [`signs`] and [`asks`] read what can be seen in a mail, [`profile`] reads the lines of the memory, [`triage`] decides by the
//! lines first and by general rules second, [`memory`] and [`style`] change the lines after a person's decision. The same
//! kinds of mail ([`kinds`]) are known to all of them, so what is learned is what is looked at. [`reply`] drafts answers and
//! meetings.

mod asks;
mod kinds;
mod memory;
mod profile;
mod reply;
mod signs;
mod style;
mod triage;

use serde_json::Value;

use crate::llm::{Answer, Task, facts};
use crate::workflows::email::facts::{ReplyFacts, TriageFacts};
use crate::workflows::lesson::MemoryFacts;
use crate::workflows::mail_facts::{MailFacts, User};

/// What can be done without a language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("email.triage", triage), ("email.reply", reply), ("email.memory", memory)];

/// `email.triage`
fn triage(value: &Value) -> Result<Answer, String> {
    Answer::data(&triage::triage(&facts::<TriageFacts>(value)?))
}

/// `email.memory`
fn memory(value: &Value) -> Result<Answer, String> {
    Answer::data(&memory::update(&facts::<MemoryFacts>(value)?))
}

/// `email.reply`
fn reply(value: &Value) -> Result<Answer, String> {
    let next = reply::reply(&facts::<ReplyFacts>(value)?)?;
    let remark = next.remark.map(|remark| serde_json::to_string(&remark)).transpose();
    Ok(Answer::Calls(remark.map_err(|error| error.to_string())?.unwrap_or_default(), next.calls))
}

/// The names of every kind a mail is of, as memory lines use them.
pub fn kinds_of_mail(user: &User, mail: &MailFacts) -> impl Iterator<Item = &'static str> {
    let kinds: Vec<&kinds::Sign> = signs::Signs::of(user, mail).kinds().filter_map(kinds::sign).collect();
    kinds.into_iter().flat_map(|sign| std::iter::once(sign.name).chain(sign.also.split(", ")))
}
