//! Triage by rules, without a model, and replies from the person's own words.
//!
//! [`signs`] and [`asks`] read the visible features of a mail, [`triage`] decides by them, and [`kinds`] names the kinds of
//! mail. [`reply`] frames the person's words, and proposes meetings.

mod asks;
mod kinds;
mod reply;
mod signs;
mod triage;

use serde_json::Value;

use crate::agent::lesson::{MemoryFacts, MemoryUpdate};
use crate::agent::llm::{Answer, Task, facts};
use crate::agent::mail_facts::{MailFacts, User};
use crate::workflows::email::facts::{ReplyFacts, TriageFacts};
use kinds::Kind;
use signs::Signs;

/// The tasks that need no language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("email.triage", triage), ("email.reply", reply), ("email.memory", memory)];

/// `email.triage`
fn triage(value: &Value) -> Result<Answer, String> {
    Answer::data(&triage::triage(&facts::<TriageFacts>(value)?))
}

/// `email.reply`
fn reply(value: &Value) -> Result<Answer, String> {
    let (text, call) = reply::reply(&facts::<ReplyFacts>(value)?)?;
    Ok(Answer::Calls(text, vec![call]))
}

/// `email.memory`: how a person writes is for a model to learn.
fn memory(value: &Value) -> Result<Answer, String> {
    let MemoryFacts { profile, .. } = facts(value)?;
    let reasoning = "Without a model nothing is learned about how you write.".to_owned();
    Answer::data(&MemoryUpdate { reasoning, profile })
}

/// Whether nothing learned may hide this mail.
pub(super) fn must_be_seen(user: &User, mail: &MailFacts) -> bool {
    let signs = Signs::of(user, mail);
    [Kind::Security, Kind::Payment, Kind::Deadline].into_iter().any(|kind| signs.is(kind))
}
