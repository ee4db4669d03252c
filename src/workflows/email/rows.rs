//! Rows of the memory and mail: which rows a mail falls under, what they make of its class, and what a decision teaches.
//!
//! Promises: a row skips only mail that was sent to many by a sender who was checked, that carries no warning, answers
//! nothing the person wrote, does not call them by name where such mail never did, does not name them beside others, comes
//! from nobody of their house, and is not about their own money. All other mail is at most shown lower, unless the person
//! muted its conversation. Rows and headers decide alone; no word of a mail does.

use super::mails::{self, Conversation};
use super::state::{MailRef, PendingRow};
use super::{risks, rules};
use crate::agent::Services;
use crate::agent::mail_facts::{Class, MailFacts, User};
use crate::engine::graph::{NodeError, StepContext};
use crate::inbox::{BulkKind, MemoryRow, RowAnswer, RowChange, RowDecision, RowKey, Weighed};
use crate::mail::Mail;
use crate::mail::risk::{is_authenticated, organisation};
use jiff::Timestamp;
use std::sync::Arc;

/// What rows may be about for this mail, apart from its conversation, the narrowest first.
pub fn keys(mail: &Mail) -> Vec<RowKey> {
    let address = mail.from.address.to_lowercase();
    let sender = address.parse().ok().filter(|key| matches!(key, RowKey::Sender(_)));
    let domain = format!("@{}", mail.from.domain()).parse().ok();
    let facts = mails::facts(mail);
    let kind = match facts.headers {
        _ if !facts.is_bulk() => None,
        ref headers if headers.list_post => Some(BulkKind::Discussions),
        ref headers if headers.list_unsubscribe => Some(BulkKind::Newsletters),
        _ => None,
    };
    let submitted = facts.headers.auto_submitted.as_deref().unwrap_or("no").trim();
    let is_notice = facts.is_bulk() && !submitted.eq_ignore_ascii_case("no");
    let kinds = kind.into_iter().chain(is_notice.then_some(BulkKind::Notices)).map(RowKey::Kind);
    sender.into_iter().chain(list(mail)).chain(domain).chain(kinds).collect()
}

/// The rows in force for a mail, the narrowest first.
pub(super) fn of(services: &Services, mail_ref: &MailRef, mail: &Mail) -> Result<Vec<MemoryRow>, NodeError> {
    services.records.rows(&all_keys(services, mail_ref, mail)?)
}

/// What rows may be about for this mail, its conversation first.
fn all_keys(services: &Services, mail_ref: &MailRef, mail: &Mail) -> Result<Vec<RowKey>, NodeError> {
    let threads = services.records.threads_of_conversation(&mail_ref.identity)?;
    Ok(threads.into_iter().map(RowKey::Conversation).chain(keys(mail)).collect())
}

/// The mail's list, if it belongs to the organisation of the sender: anybody can name a list.
fn list(mail: &Mail) -> Option<RowKey> {
    let id = mail.list.as_ref()?.id.as_deref()?.trim_matches(['<', '>']).to_lowercase();
    let is_own = organisation(&id) == organisation(&mail.from.domain().to_lowercase());
    format!("list:{id}").parse().ok().filter(|_| is_own)
}

/// The row that skips the newest mail of a conversation, if one may.
pub(super) fn skipping<'r>(
    services: &Services,
    conversation: &Conversation,
    rows: &'r [MemoryRow],
) -> Result<Option<&'r MemoryRow>, NodeError> {
    let Some((_, mail)) = conversation.newest() else { return Ok(None) };
    // A row that never skips this mail leaves it to the next.
    let deciding = rows.iter().find(|row| row.answer != RowAnswer::Skip || skips_such(&row.key, mail));
    let Some(row) = deciding.filter(|row| row.answer == RowAnswer::Skip) else { return Ok(None) };
    let may_skip = match row.key {
        RowKey::Conversation(_) => may_mute(services, conversation)?,
        RowKey::Sender(_) | RowKey::List(_) | RowKey::Domain(_) | RowKey::Kind(_) => {
            may_skip(services, conversation, row)?
        }
    };
    Ok(Some(row).filter(|_| may_skip))
}

/// Whether a row with this key may skip such mail: what somebody writes on a list says nothing of the sender's own mail,
/// nor the other way round.
fn skips_such(key: &RowKey, mail: &Mail) -> bool {
    let on_list = mail
        .list
        .as_ref()
        .is_some_and(|list| list.post.is_some() || list.id.is_some() && self::list(mail).is_none());
    !(on_list && matches!(key, RowKey::Sender(_)))
}

/// Whether the newest mail of a conversation that the person muted may be skipped.
fn may_mute(services: &Services, conversation: &Conversation) -> Result<bool, NodeError> {
    let Some((_, mail)) = conversation.newest() else { return Ok(false) };
    let user = mails::user(services, conversation.own_addresses());
    Ok(!rules::is_about_own_money(&user, &mails::facts(mail))
        && !risks::newest_is_doubtful(services, conversation)?)
}

/// Whether a row that was learned may skip the newest mail of a conversation.
fn may_skip(services: &Services, conversation: &Conversation, row: &MemoryRow) -> Result<bool, NodeError> {
    let Some((_, mail)) = conversation.newest() else { return Ok(false) };
    let facts = mails::facts(mail);
    let own = conversation.own_addresses();
    // Mail of one's own is not taken into a conversation, so the records are asked, too.
    let refers: Vec<String> = mail.in_reply_to.iter().chain(&mail.references).cloned().collect();
    let answers_own = conversation.mails.iter().any(|(mail_ref, _)| conversation.is_own(mail_ref))
        || services.records.wrote_any(&refers, &own)?;
    let user = mails::user(services, own);
    if !facts.is_bulk() || answers_own || rules::must_be_seen(&user, &facts) {
        return Ok(false);
    }
    let is_named = rules::names_reader(&user, &facts);
    if is_named && (rules::names_number(&facts) || !greets_by_name(services, row, &user)?) {
        return Ok(false);
    }
    let receiver = conversation.receiver(services)?;
    Ok(is_authenticated(mail, receiver.as_ref()) && !risks::newest_is_doubtful(services, conversation)?)
}

/// Whether the mails that a row was learned from all called the reader by name, as some newsletters do.
fn greets_by_name(services: &Services, row: &MemoryRow, user: &User) -> Result<bool, NodeError> {
    let mut greeted = None;
    for (raw, line) in services.records.mails_from(&senders(&row.key), Timestamp::UNIX_EPOCH)? {
        if row.decisions.iter().any(|decision| Some(&decision.thread) == line.thread.as_ref()) {
            // The bytes of old mail may be gone.
            let Ok(mail) = services.mail(&raw) else { continue };
            greeted = Some(greeted.unwrap_or(true) && rules::names_reader(user, &mails::facts(&mail)));
        }
    }
    Ok(greeted == Some(true))
}

/// Who may have sent the mail that a row is about; `*` stands for anything.
fn senders(key: &RowKey) -> String {
    match key {
        RowKey::Sender(address) => address.clone(),
        RowKey::List(id) => format!("*{}", organisation(id)),
        RowKey::Domain(domain) => format!("*@{domain}"),
        RowKey::Kind(_) | RowKey::Conversation(_) => "*".to_owned(),
    }
}

/// The class that rows make of another one, and the row that does.
pub(super) fn moved<'r>(
    rows: &'r [MemoryRow],
    mail: &MailFacts,
    class: Class,
) -> Option<(Class, &'r MemoryRow)> {
    // One that may not skip this mail leaves it to the next.
    let row = rows.iter().find(|row| row.answer != RowAnswer::Skip)?;
    let moved = match row.answer {
        RowAnswer::First if mail.is_bulk() => class.max(Class::Notify),
        RowAnswer::First => Class::Respond,
        RowAnswer::Show => class.max(Class::Notify),
        RowAnswer::Lower => class.min(Class::Notify),
        RowAnswer::Skip => class,
    };
    (moved != class && !mail.headers.spam).then_some((moved, row))
}

/// Writes down what a decision says about mail like this one.
pub(super) async fn teach(
    services: &Services,
    step: &StepContext,
    was: Option<Class>,
    (mail_ref, mail): &(MailRef, Arc<Mail>),
    pending: &PendingRow,
) -> Result<(), NodeError> {
    let is_bulk = mails::facts(mail).is_bulk();
    let mut key = keys(mail).into_iter().filter(|key| matches!(key, RowKey::Sender(_) | RowKey::List(_)));
    let key = if is_bulk { key.next_back() } else { key.next() };
    let answer = match pending.wanted {
        Class::Ignore if is_bulk => RowAnswer::Skip,
        Class::Ignore => RowAnswer::Lower,
        Class::Notify if was == Some(Class::Respond) => RowAnswer::Lower,
        Class::Notify => RowAnswer::Show,
        Class::Respond => RowAnswer::First,
    };
    let Some(key) = key.filter(|key| answer != RowAnswer::Skip || skips_such(key, mail)) else {
        return Ok(());
    };
    if step.forked {
        return Ok(());
    }
    let PendingRow { cause, interrupt, .. } = pending.clone();
    let decision = RowDecision { thread: step.thread.clone(), step: step.number, interrupt, cause };
    // What contradicts the row that decided corrects that one. A wide row only counts it.
    let rows = of(services, mail_ref, mail)?;
    let may_apply = |row: &&MemoryRow| match row.key {
        RowKey::Conversation(_) => true,
        RowKey::Sender(_) | RowKey::List(_) | RowKey::Domain(_) | RowKey::Kind(_) => {
            row.answer != RowAnswer::Skip || is_bulk && skips_such(&row.key, mail)
        }
    };
    let decided = rows.iter().find(may_apply);
    let corrected = decided.filter(|row| row.answer.shows() != answer.shows()).map(|row| row.key.clone());
    let taught = if corrected.as_ref().is_none_or(RowKey::is_wide) { Some(key) } else { None };
    for key in corrected.into_iter().chain(taught) {
        let change = match key {
            // Only a person mutes a conversation; who answers what is in it no longer wants that.
            RowKey::Conversation(_) if answer.shows() => RowChange::Deleted,
            _ => RowChange::Decided { answer, decision: decision.clone() },
        };
        services.records.change_row(key, change).await?;
    }
    Ok(())
}

/// Takes back what ignoring the mail of this thread has taught.
pub(super) async fn take_back(
    services: &Services,
    step: &StepContext,
    (mail_ref, mail): &(MailRef, Arc<Mail>),
) -> Result<(), NodeError> {
    for key in all_keys(services, mail_ref, mail)?.into_iter().filter(|_| !step.forked) {
        let change = RowChange::TakenBack { thread: step.thread.clone() };
        services.records.change_row(key, change).await?;
    }
    Ok(())
}

/// Tries a row on the mail since then that a person decided on.
pub fn weigh(services: &Services, row: &MemoryRow, since: Timestamp) -> Result<Weighed, NodeError> {
    let mut weighed = Weighed::default();
    for (raw, line) in services.records.mails_from(&senders(&row.key), since)? {
        // The newest answer may not be carried out yet.
        let counts = row.decisions.iter().any(|decision| Some(&decision.thread) == line.thread.as_ref());
        let was_shown = line.class.as_deref() != Some(Class::Ignore.as_str());
        let outcome = line.outcome.as_deref().or(counts.then_some("ignored"));
        let Some(outcome) = outcome.filter(|outcome| was_shown && *outcome != "expired") else { continue };
        // The bytes of old mail may be gone.
        let Ok(mail) = services.mail(&raw) else { continue };
        if !keys(&mail).contains(&row.key)
            || !skips_such(&row.key, &mail)
            || !may_skip(services, &Conversation::of(services, &line.account, raw, mail), row)?
        {
            continue;
        }
        match outcome {
            "ignored" => weighed.same += 1,
            other => weighed.other.push(format!("{}: {} ({other})", line.from, line.subject)),
        }
    }
    Ok(weighed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_of(headers: &str) -> Vec<String> {
        let raw = format!(
            "From: Shop <News@mail.shop.example>\r\nTo: a@b.example\r\nSubject: Hi\r\n{headers}\r\nHi\r\n"
        );
        keys(&crate::mail::parse(raw.as_bytes()).unwrap()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_list_counts_only_with_its_own_senders() {
        assert_eq!(keys_of(""), ["news@mail.shop.example", "@mail.shop.example"]);
        let own = "List-Id: Offers <offers.shop.example>\r\nList-Unsubscribe: <https://shop.example/u>\r\n";
        assert_eq!(
            keys_of(own),
            ["news@mail.shop.example", "list:offers.shop.example", "@mail.shop.example", "kind:newsletters"]
        );
        let foreign = "List-Id: <alerts.bank.example>\r\nAuto-Submitted: auto-generated\r\n";
        assert_eq!(keys_of(foreign), ["news@mail.shop.example", "@mail.shop.example", "kind:notices"]);
    }
}
