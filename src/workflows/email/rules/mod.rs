//! Triage by rules, without a model, and replies from the person's own words.
//!
//! [`signs`], [`asks`] and [`own_money`] read the visible features of a mail, [`triage`] decides by them, and [`kinds`]
//! names the kinds of mail. [`reply`] frames the person's words.

mod asks;
mod kinds;
mod own_money;
mod reply;
mod signs;
mod triage;

use serde_json::Value;

use crate::agent::lesson::{MemoryFacts, MemoryUpdate};
use crate::agent::llm::{RuleAnswer, Task, facts};
use crate::agent::mail_facts::{MailFacts, User};
use crate::workflows::email::facts::{ReplyFacts, TriageFacts};
use kinds::Kind;
pub(super) use own_money::{is_about_own_money, names_number};
use signs::Signs;

/// How much of a body we read.
const MAX_TEXT: usize = 20_000;

/// The tasks that need no language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("email.triage", triage), ("email.reply", letter), ("email.memory", memory)];

/// `email.triage`
fn triage(value: &Value) -> Result<RuleAnswer, String> {
    RuleAnswer::data(&triage::triage(&facts::<TriageFacts>(value)?))
}

/// `email.reply`
pub(super) fn letter(value: &Value) -> Result<RuleAnswer, String> {
    let (text, call) = reply::reply(&facts::<ReplyFacts>(value)?);
    Ok(RuleAnswer::Calls(text, vec![call]))
}

/// `email.memory`: how a person writes is for a model to learn.
fn memory(value: &Value) -> Result<RuleAnswer, String> {
    let MemoryFacts { profile, .. } = facts(value)?;
    let reasoning = "Without a model nothing is learned about how you write.".to_owned();
    RuleAnswer::data(&MemoryUpdate { reasoning, profile })
}

/// Why a mail about the reader's own money is shown.
pub(super) const OWN_MONEY: &str = "It seems to be about your own money";

/// Whether nothing learned may hide this mail.
pub(super) fn must_be_seen(user: &User, mail: &MailFacts) -> bool {
    let signs = Signs::of(user, mail);
    let kinds = [Kind::Security, Kind::Code, Kind::Payment, Kind::Deadline];
    let is_personal = signs.is_named_beside || signs.colleague && !signs.automated;
    kinds.into_iter().any(|kind| signs.is(kind)) || mail.headers.calendar.is_some() || is_personal
}

/// Whether a mail calls its reader by name.
pub(super) fn names_reader(user: &User, mail: &MailFacts) -> bool {
    // Below most newsletters stands to whom they were sent; that calls nobody by name.
    let is_own =
        |word: &str| user.addresses.iter().any(|own| word.to_lowercase().contains(&own.to_lowercase()));
    let text = mail.text.split_inclusive(char::is_whitespace).filter(|word| !is_own(word)).collect();
    Signs::of(user, &MailFacts { text, ..mail.clone() }).mentions
}
