//! Triage and memory by rules, without a model, and replies from the person's own words.
//!
//! [`signs`], [`asks`] and [`own_money`] read the visible features of a mail. [`profile`] reads the lines of the memory. [`triage`]
//! decides by those lines first and by general rules second. [`memory`] and [`style`] change the lines after a person's
//! decision, in a [`profile_draft`]. All of them use the same kinds of mail ([`kinds`]), so we learn what we look at. [`learned`] says how far
//! an ignoring line reaches, and when to propose a wider one. [`reply`] frames the person's words, and proposes meetings.

mod asks;
mod kinds;
mod learned;
mod memory;
mod own_money;
mod profile;
mod profile_draft;
mod reply;
mod signs;
mod style;
mod triage;

use serde_json::Value;

use crate::agent::lesson::MemoryFacts;
use crate::agent::llm::{RuleAnswer, Task, facts};
use crate::agent::mail_facts::{Class, MailFacts, User};
use crate::text::words::line;
use crate::workflows::email::facts::{ReplyFacts, TriageFacts};

/// The tasks that need no language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("email.triage", triage), ("email.reply", letter), ("email.memory", memory)];

/// `email.triage`
fn triage(value: &Value) -> Result<RuleAnswer, String> {
    RuleAnswer::data(&triage::triage(&facts::<TriageFacts>(value)?))
}

/// `email.memory`
fn memory(value: &Value) -> Result<RuleAnswer, String> {
    RuleAnswer::data(&memory::update(&facts::<MemoryFacts>(value)?))
}

/// `email.reply`
pub(super) fn letter(value: &Value) -> Result<RuleAnswer, String> {
    let (text, call) = reply::reply(&facts::<ReplyFacts>(value)?)?;
    Ok(RuleAnswer::Calls(text, vec![call]))
}

/// Whether words are meant for the future, not only for this mail.
pub(super) fn is_lasting(words: &str) -> bool {
    style::is_lasting(words)
}

/// Why a mail is shown although a memory line ignores it; `None` if no line does, or if the line is allowed to.
pub(super) fn reason_to_show_anyway(facts: &TriageFacts) -> Option<&'static str> {
    let signs = signs::Signs::of(&facts.user, &facts.mail);
    let rules = profile::rules(&facts.profile);
    let rule = profile::matching(&rules, &facts.mail, &signs).filter(|rule| rule.class == Class::Ignore)?;
    learned::why_not_covered(rule, &facts.mail, &signs)
}

/// The profile without the lines that ignore mail, except for the default ones. A line that was learned, or written by
/// hand, lowers mail and skips none; that is what a `[[rule]]` is for.
pub(super) fn without_ignoring_lines(profile: &str) -> String {
    let rules = profile::rules(profile);
    let is_kept =
        |(number, _): &(usize, &str)| !rules.iter().any(|rule| rule.line == *number && lowers(rule));
    profile.lines().enumerate().filter(is_kept).flat_map(|(_, line)| [line, "\n"]).collect()
}

/// The line that lowers a mail: of those that match, it is the one that counts, and it covers this mail.
pub(super) fn lowering_line(facts: &TriageFacts) -> Option<String> {
    let signs = signs::Signs::of(&facts.user, &facts.mail);
    let rules = profile::rules(&facts.profile);
    let rule = profile::matching(&rules, &facts.mail, &signs).filter(|rule| lowers(rule))?;
    let is_covered = learned::why_not_covered(rule, &facts.mail, &signs).is_none();
    is_covered.then(|| line(&rule.text, 200))
}

fn lowers(rule: &profile::ProfileRule) -> bool {
    rule.class == Class::Ignore && !triage::is_preset(rule)
}

pub use learned::{WiderLine, wider};

/// Whether a memory line applies to this mail, by our rules.
pub fn line_fits(line: &str, user: &User, mail: &MailFacts) -> bool {
    let signs = signs::Signs::of(user, mail);
    profile::rules(line).iter().any(|rule| rule.terms.fit(mail, &signs))
}

/// Why a mail about the reader's own money is shown.
pub(super) const OWN_MONEY: &str = "It seems to be about your own money";

/// Whether a mail is shown whatever was learned and whatever a model says: sent to many, but about the reader's own money.
pub(super) fn is_about_own_money(user: &User, mail: &MailFacts) -> bool {
    signs::Signs::of(user, mail).own_money
}

/// Whether no learned line may hide this mail.
pub fn must_be_seen(user: &User, mail: &MailFacts) -> bool {
    learned::reason_not_to_learn(user, mail).is_some()
}

/// The names of all kinds that fit a mail, as memory lines use them.
pub fn kinds_of_mail(user: &User, mail: &MailFacts) -> impl Iterator<Item = &'static str> {
    let kinds: Vec<&kinds::KindDefinition> =
        signs::Signs::of(user, mail).kinds().filter_map(kinds::definition_of).collect();
    kinds.into_iter().flat_map(|sign| std::iter::once(sign.name).chain(sign.also.split(", ")))
}
