//! Warnings about a mail or a proposal. They are computed, never taken from a model.

use super::event_news;
use super::mails::Conversation;
use super::meeting::{self, TimeLookup, TimeRange};
use super::nodes::recipients;
use super::send;
use super::state::{Attached, Email, Turn};
use super::tools::{self, AnswerInvitationArgs, ScheduleMeeting, UnsubscribeArgs, WriteEmail};
use super::unsubscribe;
use crate::calendar::{Attendance, Busy};
use crate::graph::{Grade, NodeError, StepContext, Warning};
use crate::mail::Mail;
use crate::mail::compose::reply_subject;
use crate::mail::risk::{
    Known, Message, Risk, asks_for_secret, distinctive_text, elsewhere, risks_of_mail, risks_of_message,
    speaks_of_attachment, unsubscribe_risk,
};
use crate::workflows::Services;
use crate::workflows::email::facts::Became;
use serde_json::Value;

/// How many words of a display name count as the name.
const NAMES: usize = 3;

/// A limit, so that writing to a crowd cannot turn everyday words into known names.
const MOST_NAMES: usize = 30;

/// The warnings of the newest mail.
pub(super) fn of_mail(services: &Services, conversation: &Conversation) -> Result<Vec<Warning>, NodeError> {
    let Some((_, newest)) = conversation.newest() else { return Ok(Vec::new()) };
    with_known(services, conversation, Vec::new(), |known| {
        risks_of_mail(newest, known).into_iter().map(|risk| warning(&risk)).collect()
    })
}

/// The warnings of a call, including those of the mail it answers: they are reasons to check the answer, too.
pub(super) fn of_call(
    services: &Services,
    step: &StepContext,
    state: &Email,
    conversation: &Conversation,
    (tool, args): (&str, &Value),
    look: Option<&Result<TimeLookup, String>>,
) -> Result<Vec<Warning>, NodeError> {
    let mut warnings = of_mail(services, conversation)?;
    let Some((_, newest)) = conversation.newest() else { return Ok(warnings) };
    if tool == tools::QUESTION {
        let asks = args.get("content").and_then(Value::as_str).is_some_and(asks_for_secret);
        let text = "The agent asks for a password or a code. What you type may end up in a mail.";
        warnings.extend(asks.then(|| Warning::caution("wants_secret", text)));
        return Ok(warnings);
    }
    // A request to leave goes to the address the list names, which is not part of the conversation.
    if tool == tools::UNSUBSCRIBE {
        let to = match serde_json::from_value(args.clone()) {
            Ok(UnsubscribeArgs::OneClick { url }) => unsubscribe::host(&url).to_owned(),
            Ok(UnsubscribeArgs::Mail { to, .. }) => send::bare(&[to]).concat(),
            Err(_) => String::new(),
        };
        warnings.extend(unsubscribe_risk(newest, &to).as_ref().map(warning));
    } else {
        // If somebody is new both as sender and recipient, one warning is enough.
        Warning::add(&mut warnings, of_message(services, conversation, tool, args)?);
        let repeated = of_text(services, step, state, conversation, args)?;
        warnings.extend(repeated.as_ref().map(warning));
    }
    if tool == tools::WRITE_EMAIL && promises_attachment(args) {
        let text = "The text mentions an attachment, but nothing is attached.";
        warnings.push(Warning::caution("no_attachment", text).about("attachments"));
    }
    if let Some(text) = cannot_send(services, state, conversation, tool, args) {
        warnings.push(Warning::caution("cannot_send", text));
    }
    for file in state.files_of(args) {
        if let Some(error) = &file.error {
            warnings.push(Warning::caution("attachment", error).about("attachments"));
        }
    }
    match look {
        Some(Ok(look)) => warnings.extend(of_time(services, look)),
        Some(Err(text)) => warnings.push(Warning::caution("cannot_send", text)),
        None => {}
    }
    Ok(warnings)
}

/// Looks up the time of a call in the calendar. None if the call has no time.
pub(super) async fn look(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Option<Result<TimeLookup, String>> {
    let when = match meant_time(tool, args)? {
        Ok(when) => when,
        Err(text) => return Some(Err(text)),
    };
    // An event does not conflict with itself.
    let own = match conversation.newest() {
        Some((_, newest)) if tool == tools::ANSWER_INVITATION => {
            event_news::times_held(services, newest).await
        }
        _ => Vec::new(),
    };
    Some(Ok(TimeLookup::at(services, when, &own).await))
}

/// Whether we ask about an edit once more: it adds somebody at a domain that is new to the person or resembles one they
/// know, or it promises a missing attachment.
pub(super) fn edit_needs_a_look(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    before: &Value,
    after: &Value,
) -> Result<bool, NodeError> {
    if tool == tools::WRITE_EMAIL && promises_attachment(after) && !promises_attachment(before) {
        return Ok(true);
    }
    let was = recipients(tool, before);
    let added: Vec<String> = recipients(tool, after).into_iter().filter(|to| !was.contains(to)).collect();
    let message = Message { to: &added, ..Message::default() };
    with_known(services, conversation, conversation.people(), |known| {
        let new_domain = |address: &str| known.addresses.iter().all(|one| elsewhere(one, address));
        risks_of_message(&message, &[], known).iter().any(|risk| match risk {
            Risk::NewRecipient { address } => new_domain(address),
            other => matches!(other, Risk::LookAlike { .. } | Risk::Punycode { .. }),
        })
    })
}

/// Whether an edit changes when the person would be busy.
pub(super) fn edit_changes_time(tool: &str, before: &Value, after: &Value) -> bool {
    meant_time(tool, before) != meant_time(tool, after)
}

/// Why we ask about an edit that changes the time once more: its time has passed, is taken, or cannot be looked up now.
pub(super) async fn time_problem(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    before: &Value,
    after: &Value,
) -> Option<String> {
    let Some(Ok(look)) = look(services, conversation, tool, after).await else { return None };
    let title = after.get("subject").and_then(Value::as_str);
    // If the step is repeated, its own event may stand there already.
    let is_own = |one: &Busy| {
        (one.start, one.end) == (look.when.start, look.when.end) && Some(one.title.as_str()) == title
    };
    let problem = match look.conflicts() {
        _ if look.when.start < services.clock.clone()() => "it is in the past",
        Ok(busy) if busy.iter().any(|&one| !is_own(one)) => "you are busy then",
        Err(_) if services.calendar.is_some() => "your calendar can't be read",
        _ => return None,
    };
    // Only an invitation that would be declined had no time before.
    let change = match (meant_time(tool, before), after.get("answer").and_then(Value::as_str)) {
        (None, Some("tentative")) => "you accept tentatively now",
        (None, _) => "you accept now",
        (Some(_), _) => "you changed the time",
    };
    Some(format!("{change}, and {problem}."))
}

fn promises_attachment(args: &Value) -> bool {
    let none = args.get("attachments").and_then(Value::as_array).is_none_or(Vec::is_empty);
    none && args.get("content").and_then(Value::as_str).is_some_and(speaks_of_attachment)
}

fn of_message(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Result<Vec<Warning>, NodeError> {
    let reached = recipients(tool, args);
    let written: WriteEmail = serde_json::from_value(args.clone()).unwrap_or_default();
    let message = match tool {
        tools::WRITE_EMAIL => Message { to: &written.to, cc: &written.cc, bcc: &written.bcc },
        _ => Message { to: &reached, ..Message::default() },
    };
    let mails: Vec<&Mail> = conversation.mails.iter().map(|(_, mail)| &**mail).collect();
    with_known(services, conversation, conversation.people(), |known| {
        risks_of_message(&message, &mails, known).iter().map(warning).collect()
    })
}

/// Whether a call's text comes from a mail of another conversation. Profiles do not count as known text: they could be
/// how such a mail reached the model.
fn of_text(
    services: &Services,
    step: &StepContext,
    state: &Email,
    conversation: &Conversation,
    args: &Value,
) -> Result<Option<Risk>, NodeError> {
    let user = &services.user;
    let own = conversation.own();
    let mut known = vec![user.name.clone(), user.signature.clone(), user.background.clone()];
    known.extend(own.iter().cloned());
    known.extend(state.earlier.iter().map(|earlier| earlier.summary.clone()));
    known.extend(approved_texts(state));
    let mut names = vec![user.name.clone()];
    for (_, mail) in &conversation.mails {
        known.extend([mail.text.clone(), mail.subject.clone(), reply_subject(&mail.subject)]);
        known.extend(mail.attachments.iter().map(|file| file.name.clone()));
        for person in std::iter::once(&mail.from).chain(&mail.to).chain(&mail.cc) {
            known.push(person.to_string());
            names.push(person.name.split_whitespace().take(NAMES).collect::<Vec<_>>().join(" "));
            names.truncate(MOST_NAMES);
        }
    }
    let text = distinctive_text(&said_in(args), &known, &names);
    if text.is_truncated {
        return Ok(Some(Risk::NotCompared));
    }
    let inside: Vec<String> = state.email_input.iter().map(|known| known.identity.clone()).collect();
    let found = services.records.find_repeated_text(step, &inside, &own, &text)?;
    Ok(found.map(|(words, sender)| Risk::QuotesOtherMail { words, sender }))
}

/// What the person said here and what was sent with their approval: repeating that is fine.
fn approved_texts(state: &Email) -> Vec<String> {
    let is_done = |id: &str| {
        let done = |turn: &Turn| matches!(turn, Turn::Became { call, how: Became::Done, .. } if call == id);
        state.messages.iter().any(done)
    };
    let mut texts = Vec::new();
    for turn in &state.messages {
        match turn {
            Turn::Told { text } | Turn::Became { how: Became::Answered, text, .. } => {
                texts.push(text.clone())
            }
            Turn::Called { calls, .. } => {
                let done = calls.iter().filter(|call| is_done(&call.id));
                texts.extend(done.flat_map(|call| said_in(&call.args)));
            }
            Turn::Became { .. } | Turn::Came { .. } => {}
        }
    }
    texts
}

/// The text that the recipients will see. Their names are sent as well.
fn said_in(args: &Value) -> Vec<String> {
    let said = ["subject", "content", "location"].iter().filter_map(|key| args.get(key)?.as_str());
    let lists = ["to", "cc", "bcc", "attendees"].iter().filter_map(|key| args.get(key)?.as_array());
    let people = lists.flatten().filter_map(Value::as_str);
    said.chain(people).map(str::to_owned).collect()
}

/// When the call would make the person busy.
fn meant_time(tool: &str, args: &Value) -> Option<Result<TimeRange, String>> {
    match tool {
        tools::SCHEDULE_MEETING => {
            Some(TimeRange::of(&serde_json::from_value::<ScheduleMeeting>(args.clone()).ok()?))
        }
        tools::ANSWER_INVITATION => {
            let args: AnswerInvitationArgs = serde_json::from_value(args.clone()).ok()?;
            let when = TimeRange::between(&args.start, &args.end)?;
            (args.answer != Attendance::Decline).then_some(Ok(when))
        }
        _ => None,
    }
}

/// Warns of times that are taken, past, or cannot be looked up.
fn of_time(services: &Services, look: &TimeLookup) -> Vec<Warning> {
    let warn = |code: &str, text: String| Warning::caution(code, text).about("start");
    let mut warnings = Vec::new();
    if look.when.start < services.clock.clone()() {
        warnings.push(warn("time_gone", "That time is in the past.".to_owned()));
    }
    match look.conflicts() {
        Ok(busy) => warnings.extend(busy.into_iter().map(|one| {
            warn("conflict", format!("You are busy then: {}", meeting::busy_line(one, services)))
        })),
        Err(text) => warnings.push(warn("calendar_unknown", text.to_owned())),
    }
    warnings
}

/// Why the call could not be carried out as it is.
fn cannot_send(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Option<String> {
    let sends_nothing =
        tool == tools::REMOVE_EVENT || tool == tools::UNSUBSCRIBE && args.get("url").is_some();
    if sends_nothing {
        return None;
    }
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

/// Runs `look` with everyone the person knows: people they wrote to, and those `trusted` here.
fn with_known<T>(
    services: &Services,
    conversation: &Conversation,
    trusted: Vec<String>,
    look: impl FnOnce(&Known<'_>) -> T,
) -> Result<T, NodeError> {
    let mut addresses = services.records.contacts()?;
    let own = conversation.own();
    addresses.extend(own.iter().cloned().chain(trusted));
    let account = conversation.account.as_ref().map_or("", |account| &account.name);
    let first_day = services.records.is_first_day(account)?;
    let receiver = services.records.receiver(account)?;
    let failed = std::cell::RefCell::new(None);
    fn or<T>(failed: &std::cell::RefCell<Option<NodeError>>, found: Result<T, NodeError>, instead: T) -> T {
        found.unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            instead
        })
    }
    let is_known = |address: &str| or(&failed, services.records.is_known(address), true);
    let mine =
        |name: &str| !name.trim().is_empty() && name.trim().eq_ignore_ascii_case(services.user.name.trim());
    let by_name = |name: &str| match own.first().filter(|_| mine(name)) {
        Some(own) => Some(own.clone()),
        None => or(&failed, services.records.by_name(name), None),
    };
    let found = look(&Known {
        is_known: &is_known,
        first_day,
        by_name: &by_name,
        receiver: receiver.as_ref(),
        addresses: &addresses,
        own: &own,
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

fn warning(risk: &Risk) -> Warning {
    Warning::new(grade(risk), risk.code(), risk.text())
}

pub fn grade(risk: &Risk) -> Grade {
    match risk {
        Risk::NewSender { .. } | Risk::ShortLink { .. } | Risk::AddressesAssistant { quoted: true, .. } => {
            Grade::Info
        }
        Risk::NotAuthentic { with: None, .. } | Risk::OddLink { imitates: false, .. } => Grade::Caution,
        Risk::KnownName { .. } | Risk::ClaimsHouse { .. } | Risk::Wants(_) | Risk::PageAttached { .. } => {
            Grade::Caution
        }
        Risk::NotAuthentic { with: Some(_), .. } | Risk::OddLink { imitates: true, .. } => Grade::Danger,
        Risk::RecipientOutside { .. }
        | Risk::BccAdded { .. }
        | Risk::NewRecipient { .. }
        | Risk::Punycode { .. }
        | Risk::ReplyToDiffers { .. }
        | Risk::NameHoldsAddress { .. }
        | Risk::OddHeader(_)
        | Risk::LinkDiffers { .. }
        | Risk::LeavesElsewhere { .. }
        | Risk::NotCompared => Grade::Caution,
        Risk::LookAlike { .. }
        | Risk::Executable { .. }
        | Risk::AddressesAssistant { quoted: false, .. }
        | Risk::QuotesOtherMail { .. } => Grade::Danger,
    }
}

/// A file, as cards show it.
pub(super) fn file_line(file: &Attached) -> String {
    match &file.error {
        Some(error) => format!("{}: {error}", file.name),
        None => {
            format!("{} ({} bytes, sha256 {})", file.name, file.bytes, file.digest.get(..12).unwrap_or(""))
        }
    }
}
