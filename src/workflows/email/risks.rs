//! What is unusual about a mail or a proposal, computed and never taken from a model.

use super::mails::Conversation;
use super::meeting::{self, When};
use super::nodes::recipients;
use super::send;
use super::state::{Attached, Email};
use super::tools::{self, ScheduleMeeting, WriteEmail};
use crate::graph::{NodeError, Warning};
use crate::mail::risk::{Known, Message, Risk, risk_of_leaving, risks_of_mail, risks_of_message};
use crate::mail::{self, Mail};
use crate::workflows::Services;
use serde_json::Value;

/// A proposal is compared with so many other mails of its account.
const OTHERS: usize = 40;

/// The warnings of the newest mail.
pub(super) fn of_mail(services: &Services, conversation: &Conversation) -> Result<Vec<Warning>, NodeError> {
    let Some((_, newest)) = conversation.newest() else { return Ok(Vec::new()) };
    with_known(services, conversation, Vec::new(), newest, |known| {
        risks_of_mail(newest, known).into_iter().map(|risk| warning(&risk)).collect()
    })
}

/// The warnings of a call, those of the mail it answers included: they are reasons to look twice at the answer too.
pub(super) async fn of_call(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Result<Vec<Warning>, NodeError> {
    let mut warnings = of_mail(services, conversation)?;
    let Some((_, newest)) = conversation.newest() else { return Ok(warnings) };
    if tool == tools::QUESTION {
        return Ok(warnings);
    }
    // Leaving a list goes to whom the list names, who is nobody of the conversation.
    if tool == tools::UNSUBSCRIBE {
        let reached = recipients(tool, args);
        warnings
            .extend(reached.iter().filter_map(|to| risk_of_leaving(newest, to)).map(|risk| warning(&risk)));
    } else {
        for warning in of_message(services, conversation, newest, tool, args)? {
            // The sender may be new both as who wrote and as who is written to.
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    if let Some(text) = cannot_send(services, state, conversation, tool, args) {
        warnings.push(Warning { code: "cannot_send".to_owned(), text });
    }
    for file in state.files_of(args) {
        if let Some(error) = &file.error {
            warnings.push(Warning { code: "attachment".to_owned(), text: error.clone() });
        }
    }
    if tool == tools::SCHEDULE_MEETING {
        warnings.extend(of_time(services, args).await);
    }
    Ok(warnings)
}

fn of_message(
    services: &Services,
    conversation: &Conversation,
    newest: &Mail,
    tool: &str,
    args: &Value,
) -> Result<Vec<Warning>, NodeError> {
    let reached = recipients(tool, args);
    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
    let written: WriteEmail = serde_json::from_value(args.clone()).unwrap_or_default();
    let message = match tool {
        tools::WRITE_EMAIL => Message {
            to: &written.to,
            cc: &written.cc,
            bcc: &written.bcc,
            subject: &written.subject,
            content: &written.content,
        },
        _ => Message { to: &reached, subject: text("subject"), ..Message::default() },
    };
    let mails: Vec<&Mail> = conversation.mails.iter().map(|(_, mail)| mail).collect();
    let others = others(services, conversation)?;
    let others: Vec<&Mail> = others.iter().collect();
    with_known(services, conversation, conversation.people(), newest, |known| {
        risks_of_message(&message, &mails, &others, known).iter().map(warning).collect()
    })
}

/// Newer mails of the account that have no part in the conversation. What the person wrote themselves is theirs to
/// repeat.
fn others(services: &Services, conversation: &Conversation) -> Result<Vec<Mail>, NodeError> {
    let Some(account) = &conversation.account else { return Ok(Vec::new()) };
    let newest = services.ledger.newest(&account.name, OTHERS)?;
    let read = newest.iter().filter_map(|raw| mail::parse(raw).ok());
    let inside = |mail: &Mail| conversation.mails.iter().any(|(known, _)| known.raw == mail.raw);
    Ok(read.filter(|mail| !inside(mail) && !conversation.is_own(mail)).collect())
}

/// Times that are taken, gone by, or cannot be looked up.
async fn of_time(services: &Services, args: &Value) -> Vec<Warning> {
    let warn = |code: &str, text: String| Warning { code: code.to_owned(), text };
    let Ok(args) = serde_json::from_value::<ScheduleMeeting>(args.clone()) else { return Vec::new() };
    let when = match When::of(&args) {
        Ok(when) => when,
        Err(text) => return vec![warn("cannot_send", text)],
    };
    let mut warnings = Vec::new();
    if when.start < services.clock.clone()() {
        warnings.push(warn("time_gone", "That time has gone by.".to_owned()));
    }
    match meeting::conflicts(services, when).await {
        Ok(busy) => warnings.extend(busy.iter().map(|one| {
            warn("conflict", format!("You are busy then: {}", meeting::busy_line(one, services)))
        })),
        Err(text) => warnings.push(warn("calendar_unknown", text)),
    }
    warnings
}

/// Why a call could not be carried out as it stands.
fn cannot_send(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Option<String> {
    if conversation.acts() && conversation.account.as_ref().is_none_or(|account| account.outgoing.is_none()) {
        return Some("This account has no [mail.outgoing] in the config, so nothing can be sent.".to_owned());
    }
    if tool != tools::WRITE_EMAIL {
        return None;
    }
    let args: WriteEmail = serde_json::from_value(args.clone()).ok()?;
    if state.files_of(&serde_json::json!(args)).any(|file| file.error.is_some()) {
        return None;
    }
    send::draft(services, conversation, &args, Vec::new()).err().map(|error| error.to_string())
}

/// Looks at a mail with whom the person knows: whom they wrote to, and whoever is `trusted` here besides.
fn with_known<T>(
    services: &Services,
    conversation: &Conversation,
    trusted: Vec<String>,
    newest: &Mail,
    look: impl FnOnce(&Known<'_>) -> T,
) -> Result<T, NodeError> {
    let mut addresses = services.contacts.all()?;
    let own = conversation.own();
    addresses.extend(own.iter().cloned().chain(trusted));
    let besides = newest.message_id.as_deref();
    let failed = std::cell::RefCell::new(None);
    let is_known = |address: &str| match services.contacts.known(address, besides) {
        Ok(known) => known,
        Err(error) => {
            failed.borrow_mut().get_or_insert(error);
            true
        }
    };
    let found = look(&Known { is_known: &is_known, addresses: &addresses, own: &own });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

fn warning(risk: &Risk) -> Warning {
    Warning { code: risk.code().to_owned(), text: risk.text() }
}

/// A file as a card shows it.
pub(super) fn file_line(file: &Attached) -> String {
    match &file.error {
        Some(error) => format!("{}: {error}", file.name),
        None => {
            format!("{} ({} bytes, sha256 {})", file.name, file.bytes, file.digest.get(..12).unwrap_or(""))
        }
    }
}
