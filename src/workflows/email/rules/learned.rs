//! How far an ignoring line reaches: never to mail a person must not miss. Also decides how a line names a
//! mail, and when to propose a wider one.
//!
//! Promises: a line about a sender lowers no deadline, no overdue or security notice, no answer to the person's own mail
//! and no question that calls them by name, unless it names that kind of mail. When in doubt, the mail is shown.

use super::asks::Ask;
use super::kinds::{Kind, definition_of};
use super::profile::{self, ProfileRule};
use super::signs::{Reach, Signs};
use crate::agent::mail_facts::{MailFacts, User};
use crate::text::words::{is_stop, words};
use std::collections::{BTreeMap, BTreeSet};

/// A wider line is proposed at every third topic of a sender, and at every third sender of a kind.
const WIDEN_EVERY: usize = 3;

/// Kinds that strangers send to everybody.
const SENT_TO_MANY: [Kind; 5] = [Kind::Newsletter, Kind::Promotion, Kind::Survey, Kind::Digest, Kind::Pitch];

/// Kinds that may be ignored from any sender, once they were ignored from three.
const WIDER: [Kind; 3] = [Kind::Newsletter, Kind::Survey, Kind::Pitch];

/// Why an ignoring line does not cover a mail that it matches.
pub(super) fn why_not_covered(rule: &ProfileRule, mail: &MailFacts, signs: &Signs) -> Option<&'static str> {
    let names_kind = |kind: &Kind| rule.terms.about.iter().any(|what| what.kinds.contains(kind));
    if rule.terms.only_kinds() && SENT_TO_MANY.iter().any(names_kind) {
        return answers_own_mail(mail, signs);
    }
    why_must_be_seen(mail, signs)
        .filter(|(kind, _)| !kind.is_some_and(|kind| names_kind(&kind)))
        .map(|(_, why)| why)
}

/// Why a person must not miss this mail, with its kind if it has one.
fn why_must_be_seen(mail: &MailFacts, signs: &Signs) -> Option<(Option<Kind>, &'static str)> {
    let kinds = [
        (Kind::Security, "security notices are always shown"),
        (Kind::Payment, "notices about due or failed payments are always shown"),
        (Kind::Deadline, "deadlines are always shown"),
    ];
    let by_kind = kinds.into_iter().find(|(kind, _)| signs.is(*kind)).map(|(kind, why)| (Some(kind), why));
    by_kind.or_else(|| answers_own_mail(mail, signs).map(|why| (None, why))).or_else(|| {
        let is_asked_by_name = matches!(signs.ask, Ask::OfReader(_)) && signs.mentions;
        let is_by_person = !signs.automated && !signs.bulk;
        (is_asked_by_name && is_by_person)
            .then_some((None, "questions that address you by name are always shown"))
    })
}

fn answers_own_mail(mail: &MailFacts, signs: &Signs) -> Option<&'static str> {
    let is_answer =
        mail.headers.in_reply_to && signs.reach == Reach::Direct && !signs.automated && !signs.bulk;
    is_answer.then_some("answers to you are always shown")
}

/// Why we learn nothing from this mail being ignored.
pub(super) fn reason_not_to_learn(user: &User, mail: &MailFacts) -> Option<&'static str> {
    why_must_be_seen(mail, &Signs::of(user, mail)).map(|(_, why)| why)
}

/// A line that ignores more than one topic of one sender; the person has to accept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiderLine {
    pub line: String,
    /// The sender it is about; `None` if it is about a kind.
    pub sender: Option<String>,
    /// The ignored mails it would have covered, as "sender: subject".
    pub covered: Vec<String>,
}

/// The wider line worth proposing after the newest of the `ignored` mails (oldest first): its sender was ignored on
/// three topics, or its kind from three senders. We propose at three, six and so on, so a person who declines is left
/// alone for a while.
pub fn wider(user: &User, profile: &str, ignored: &[MailFacts]) -> Option<WiderLine> {
    let newest = ignored.last()?;
    let from = sender(newest)?;
    let before = &ignored[..ignored.len() - 1];
    let has_grown = |before: BTreeSet<String>, after: BTreeSet<String>| {
        after.len() > before.len() && after.len().is_multiple_of(WIDEN_EVERY)
    };
    let topics = |mails: &[MailFacts]| -> BTreeSet<String> {
        let from_sender = mails.iter().filter(|mail| sender(mail).as_deref() == Some(from.as_str()));
        from_sender.filter_map(|mail| describe(user, mail)).collect()
    };
    let is_kind = |kind: Kind, mail: &MailFacts| {
        let signs = Signs::of(user, mail);
        if kind == Kind::Pitch { signs.is_pitch(mail) } else { signs.is(kind) }
    };
    let senders = |kind: Kind, mails: &[MailFacts]| -> BTreeSet<String> {
        mails.iter().filter(|mail| is_kind(kind, mail)).filter_map(sender).collect()
    };
    let by_kind = WIDER
        .into_iter()
        .filter(|kind| is_kind(*kind, newest))
        .find(|kind| has_grown(senders(*kind, before), senders(*kind, ignored)));
    let (what, covered): (String, Vec<&MailFacts>) = if let Some(kind) = by_kind {
        let name = definition_of(kind)?.name;
        (name.to_owned(), ignored.iter().filter(|mail| is_kind(kind, mail)).collect())
    } else if has_grown(topics(before), topics(ignored)) {
        let is_from_sender = |mail: &&MailFacts| sender(mail).as_deref() == Some(from.as_str());
        (format!("mail from {from}"), ignored.iter().filter(is_from_sender).collect())
    } else {
        return None;
    };
    let line = format!("ignore {what}");
    let new_rules = profile::rules(&line);
    let is_same = |rule: &ProfileRule| new_rules.first().is_some_and(|new_rule| rule.terms == new_rule.terms);
    if profile::rules(profile).iter().any(is_same) {
        return None;
    }
    let mut lines: BTreeMap<String, ()> = BTreeMap::new();
    lines.extend(covered.iter().map(|mail| (format!("{}: {}", mail.from, mail.subject), ())));
    let sender = by_kind.is_none().then_some(from);
    Some(WiderLine { line, sender, covered: lines.into_keys().collect() })
}

/// Whether text can go into a line unchanged.
fn is_safe(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 120
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._%+-@".contains(c))
}

fn sender(mail: &MailFacts) -> Option<String> {
    let from = mail.from.trim().to_lowercase();
    (is_safe(&from) && from.contains('@')).then_some(from)
}

fn list(mail: &MailFacts) -> Option<String> {
    let id = mail.list_id.as_deref()?.trim_matches(['<', '>']).to_lowercase();
    is_safe(&id).then_some(id)
}

/// Terms that match mail like this one: its sender, and what it is about.
pub(super) fn describe(user: &User, mail: &MailFacts) -> Option<String> {
    let from = sender(mail)?;
    let on_list = list(mail).map(|list| format!(" on the list {list}")).unwrap_or_default();
    let signs = Signs::of(user, mail);
    if on_list.is_empty() && (signs.automated || signs.bulk) {
        // A program's reports differ by kind; for advertising, any other kind says more.
        let advertising = [Kind::Promotion, Kind::Newsletter, Kind::Digest, Kind::Survey];
        let kind = signs.kinds().find(|kind| !advertising.contains(kind)).or_else(|| signs.kinds().next());
        if let Some(sign) = kind.and_then(definition_of) {
            return Some(format!("mail from {from} about {}", sign.name));
        }
    }
    let fits = |word: &String| {
        let rules = profile::rules(&format!("notify about mail from {from} about {word}"));
        let names_no_kind = |rule: &profile::ProfileRule| {
            !rule.terms.about.is_empty() && rule.terms.about.iter().all(|what| what.kinds.is_empty())
        };
        rules.first().is_some_and(|rule| names_no_kind(rule) && rule.terms.fit(mail, &signs))
            && profile::rules(&format!("{word} mail from {from}")).is_empty()
    };
    let subject: Vec<String> = words(&mail.subject)
        .filter(|word| word.chars().count() > 3 && !is_stop(word) && word.chars().all(char::is_alphabetic))
        .filter(fits)
        .take(2)
        .collect();
    let topic = match subject.as_slice() {
        [] => return None,
        [word] => word.clone(),
        // Two words of a subject are seldom a phrase. A comma between them would mean that either is enough.
        words => words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(" "),
    };
    Some(format!("mail from {from}{on_list} about {topic}"))
}
