//! Warnings about a mail or a proposal. They are computed; a model can add one caution and take none away.

use super::event_news;
use super::mails::Conversation;
use super::send;
use super::state::{Attached, Email};
use super::times::{self, TimeLookup, TimeRange};
use super::tools::{self, AnswerInvitationArgs, ScheduleMeetingArgs, UnsubscribeArgs, WriteEmailArgs};
use super::unsubscribe;
use crate::agent::Services;
use crate::agent::agent_loop::{CallResult, Turn};
use crate::calendar::{Attendance, Busy};
use crate::engine::graph::{Grade, NodeError, StepContext, Warning};
use crate::mail::Mail;
use crate::mail::compose::reply_subject;
use crate::mail::risk::{
    Message, Risk, RiskContext, distinctive_text, have_different_owners, risks_of_joining, risks_of_mail,
    risks_of_message, speaks_of_attachment, unsubscribe_risk,
};
use serde_json::Value;

/// How many words of a display name count as the name.
const NAME_WORDS: usize = 3;

/// A limit, so that writing to a crowd cannot turn everyday words into known names.
const MAX_NAMES: usize = 30;

/// The warnings of the mail being decided on and of every later mail; a card shows them all.
pub(super) fn of_mails(services: &Services, conversation: &Conversation) -> Result<Vec<Warning>, NodeError> {
    let mut warnings: Vec<Warning> = Vec::new();
    for alone in conversation.to_decide_on() {
        Warning::add(&mut warnings, of_one(services, &alone, conversation)?);
    }
    Ok(warnings)
}

/// The warnings of the mail being decided on.
fn of_mail(services: &Services, conversation: &Conversation) -> Result<Vec<Warning>, NodeError> {
    of_one(services, conversation, conversation)
}

/// The warnings of the mail that `conversation` is about, which is one of the mails of the `whole` conversation.
fn of_one(
    services: &Services,
    conversation: &Conversation,
    whole: &Conversation,
) -> Result<Vec<Warning>, NodeError> {
    let Some((about, mail)) = conversation.about() else { return Ok(Vec::new()) };
    let mails: Vec<&Mail> = whole.mails.iter().map(|(_, mail)| &**mail).collect();
    let earlier = whole.mails.iter().take_while(|(one, _)| one.raw != about.raw).count();
    let mut warnings: Vec<Warning> = with_known(services, conversation, Vec::new(), |known| {
        let known = &RiskContext { earlier: &mails[..earlier], ..*known };
        let risks = risks_of_mail(mail, known).into_iter().chain(risks_of_joining(mail, &mails, known));
        risks.map(|risk| warning(&risk)).collect()
    })?;
    let text = "The model finds this conversation suspicious: it looks like fraud, or tells an assistant what to do.";
    warnings.extend(conversation.suspicious.then(|| Warning::caution("suspicious", text)));
    Ok(warnings)
}

/// Whether nothing may be learned from the mail being decided on: who wrote it, or what it wants, is in doubt.
pub(super) fn teaches_nothing(services: &Services, conversation: &Conversation) -> Result<bool, NodeError> {
    Ok(Warning::need_confirmation(&of_mail(services, conversation)?))
}

/// The same of the newest mail of a conversation, whichever is being decided on.
pub(super) fn newest_is_doubtful(
    services: &Services,
    conversation: &Conversation,
) -> Result<bool, NodeError> {
    teaches_nothing(services, &conversation.newest_alone())
}

/// The warnings of a call, including those of the mail it answers: they are reasons to check the answer, too.
pub(super) fn of_call(
    services: &Services,
    step: &StepContext,
    state: &Email,
    conversation: &Conversation,
    (tool, args): (&str, &Value),
    lookup: Option<&Result<TimeLookup, String>>,
) -> Result<Vec<Warning>, NodeError> {
    let mut warnings = of_mail(services, conversation)?;
    if tool == tools::QUESTION {
        return Ok(warnings);
    }
    // A request to leave goes to the address the list names, which is not part of the conversation.
    if tool == tools::UNSUBSCRIBE {
        let to = match serde_json::from_value(args.clone()) {
            Ok(UnsubscribeArgs::OneClick { url }) => unsubscribe::host(&url),
            Ok(UnsubscribeArgs::Mail { to, .. }) => send::bare_addresses(&[to]).concat(),
            Err(_) => String::new(),
        };
        let risk = conversation.about().and_then(|(_, mail)| unsubscribe_risk(mail, &to));
        warnings.extend(risk.as_ref().map(warning));
    } else {
        // If somebody is new both as sender and recipient, one warning is enough.
        let own = state.is_own_mail(tool);
        let warn = if own { warning_of_own } else { warning };
        let mut of_message = message_warnings(services, conversation, tool, args, warn)?;
        of_message.retain(|new| new.grade > Grade::Info || warnings.iter().all(|one| one.code != new.code));
        Warning::add(&mut warnings, of_message);
        if !own {
            let repeated = repeated_text_risk(services, step, state, conversation, args)?;
            warnings.extend(repeated.as_ref().map(warning));
        }
    }
    if tool == tools::WRITE_EMAIL && may_lack_attachment(args) {
        let text = "The text may speak of an attachment, and nothing is attached.";
        warnings.push(Warning::new(Grade::Info, "no_attachment", text).about("attachments"));
    }
    if let Some(text) = cannot_send(services, state, conversation, tool, args) {
        warnings.push(Warning::caution("cannot_send", text));
    }
    for file in state.files_of(args) {
        if let Some(error) = &file.error {
            warnings.push(Warning::caution("attachment", error).about("attachments"));
        }
    }
    match lookup {
        Some(Ok(lookup)) => warnings.extend(time_warnings(services, lookup)),
        Some(Err(text)) => warnings.push(Warning::caution("cannot_send", text)),
        None => {}
    }
    Ok(warnings)
}

/// Looks up the time of a call in the calendar. None if the call has no time.
pub(super) async fn look_up_time(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
) -> Option<Result<TimeLookup, String>> {
    let when = match call_time(tool, args)? {
        Ok(when) => when,
        Err(text) => return Some(Err(text)),
    };
    // An event does not conflict with itself.
    let own_times = match conversation.about() {
        Some((_, invitation)) if tool == tools::ANSWER_INVITATION => {
            event_news::times_held(services, invitation).await
        }
        _ => Vec::new(),
    };
    Some(Ok(TimeLookup::at(services, when, &own_times).await))
}

/// Whether we ask about an edit once more: it adds somebody at a domain that is new to the person or resembles one they
/// know.
pub(super) fn edit_needs_a_look(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    before: &Value,
    after: &Value,
) -> Result<bool, NodeError> {
    let recipients_before = send::recipients(tool, before);
    let added: Vec<String> =
        send::recipients(tool, after).into_iter().filter(|to| !recipients_before.contains(to)).collect();
    let message = Message { to: &added, ..Message::default() };
    with_known(services, conversation, conversation.people(), |known| {
        let new_domain =
            |address: &str| known.addresses.iter().all(|one| have_different_owners(one, address));
        risks_of_message(&message, &[], known).iter().any(|risk| match risk {
            Risk::NewRecipient { address } => new_domain(address),
            other => matches!(other, Risk::LookAlike { .. } | Risk::Punycode { .. }),
        })
    })
}

/// Whether an edit changes when the person would be busy.
pub(super) fn edit_changes_time(tool: &str, before: &Value, after: &Value) -> bool {
    call_time(tool, before) != call_time(tool, after)
}

/// Why we ask about an edit that changes the time once more: its time has passed, is taken, or cannot be looked up now.
pub(super) async fn time_problem(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    before: &Value,
    after: &Value,
) -> Option<String> {
    let Some(Ok(lookup)) = look_up_time(services, conversation, tool, after).await else { return None };
    let title = after.get("subject").and_then(Value::as_str);
    // If the step is repeated, its own event may stand there already.
    let is_own = |one: &Busy| {
        (one.start, one.end) == (lookup.when.start, lookup.when.end) && Some(one.title.as_str()) == title
    };
    let problem = match lookup.conflicts() {
        _ if lookup.when.start < services.clock.clone()() => "it is in the past",
        Ok(busy) if busy.iter().any(|&one| !is_own(one)) => "you are busy then",
        Err(_) if services.calendar.is_some() => "your calendar can't be read",
        _ => return None,
    };
    // Only an invitation that would be declined had no time before.
    let change = match (call_time(tool, before), after.get("answer").and_then(Value::as_str)) {
        (None, Some("tentative")) => "you accept tentatively now",
        (None, _) => "you accept now",
        (Some(_), _) => "you changed the time",
    };
    Some(format!("{change}, and {problem}."))
}

fn may_lack_attachment(args: &Value) -> bool {
    let has_no_files = args.get("attachments").and_then(Value::as_array).is_none_or(Vec::is_empty);
    has_no_files && args.get("content").and_then(Value::as_str).is_some_and(speaks_of_attachment)
}

fn message_warnings(
    services: &Services,
    conversation: &Conversation,
    tool: &str,
    args: &Value,
    warn: fn(&Risk) -> Warning,
) -> Result<Vec<Warning>, NodeError> {
    let reached = send::recipients(tool, args);
    let written: WriteEmailArgs = serde_json::from_value(args.clone()).unwrap_or_default();
    let message = match tool {
        tools::WRITE_EMAIL => Message { to: &written.to, cc: &written.cc, bcc: &written.bcc },
        _ => Message { to: &reached, ..Message::default() },
    };
    let mails: Vec<&Mail> = conversation.mails.iter().map(|(_, mail)| &**mail).collect();
    with_known(services, conversation, conversation.people(), |known| {
        risks_of_message(&message, &mails, known).iter().map(warn).collect()
    })
}

/// Whether a call's text comes from a mail of another conversation. Profiles do not count as known text: they could be
/// how such a mail reached the model.
fn repeated_text_risk(
    services: &Services,
    step: &StepContext,
    state: &Email,
    conversation: &Conversation,
    args: &Value,
) -> Result<Option<Risk>, NodeError> {
    let user = &services.user;
    let own_addresses = conversation.own_addresses();
    let mut known_texts = vec![user.name.clone(), user.signature.clone(), user.background.clone()];
    known_texts.extend(own_addresses.iter().cloned());
    known_texts.extend(state.earlier.iter().map(|earlier| earlier.summary.clone()));
    known_texts.extend(approved_texts(state));
    let mut names = vec![user.name.clone()];
    for (_, mail) in &conversation.mails {
        known_texts.extend([mail.text.clone(), mail.subject.clone(), reply_subject(&mail.subject)]);
        known_texts.extend(mail.attachments.iter().map(|file| file.name.clone()));
        for person in std::iter::once(&mail.from).chain(&mail.to).chain(&mail.cc) {
            known_texts.push(person.to_string());
            names.push(person.name.split_whitespace().take(NAME_WORDS).collect::<Vec<_>>().join(" "));
            names.truncate(MAX_NAMES);
        }
    }
    let text = distinctive_text(&sent_texts(args), &known_texts, &names);
    if text.is_truncated {
        return Ok(Some(Risk::NotCompared));
    }
    let identities: Vec<String> =
        state.email_input.iter().map(|mail_ref| mail_ref.identity.clone()).collect();
    let repeated = services.records.find_repeated_text(step, &identities, &own_addresses, &text)?;
    Ok(repeated.map(|(words, sender)| Risk::QuotesOtherMail { words, sender }))
}

/// What the person said here and what was sent with their approval: repeating that is fine.
fn approved_texts(state: &Email) -> Vec<String> {
    let is_done = |id: &str| {
        let done =
            |turn: &Turn| matches!(turn, Turn::Became { call, how: CallResult::Done, .. } if call == id);
        state.dialog.messages.iter().any(done)
    };
    let mut texts = Vec::new();
    for turn in &state.dialog.messages {
        match turn {
            Turn::Told { text } | Turn::Became { how: CallResult::Answered, text, .. } => {
                texts.push(text.clone())
            }
            Turn::Called { calls, .. } => {
                let done = calls.iter().filter(|call| is_done(&call.id));
                texts.extend(done.flat_map(|call| sent_texts(&call.args)));
            }
            Turn::Became { .. } | Turn::Said { .. } | Turn::News { .. } => {}
        }
    }
    texts
}

/// The text that the recipients will see. Their names are sent as well.
fn sent_texts(args: &Value) -> Vec<String> {
    let texts = ["subject", "content", "location"].iter().filter_map(|key| args.get(key)?.as_str());
    let lists = ["to", "cc", "bcc", "attendees"].iter().filter_map(|key| args.get(key)?.as_array());
    let people = lists.flatten().filter_map(Value::as_str);
    texts.chain(people).map(str::to_owned).collect()
}

/// When the call would make the person busy.
fn call_time(tool: &str, args: &Value) -> Option<Result<TimeRange, String>> {
    match tool {
        tools::SCHEDULE_MEETING => {
            Some(TimeRange::of(&serde_json::from_value::<ScheduleMeetingArgs>(args.clone()).ok()?))
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
fn time_warnings(services: &Services, lookup: &TimeLookup) -> Vec<Warning> {
    let warn = |code: &str, text: String| Warning::caution(code, text).about("start");
    let mut warnings = Vec::new();
    if lookup.when.start < services.clock.clone()() {
        warnings.push(warn("time_gone", "That time is in the past.".to_owned()));
    }
    match lookup.conflicts() {
        Ok(busy) => {
            warnings.extend(busy.into_iter().map(|one| {
                warn("conflict", format!("You are busy then: {}", times::busy_line(one, services)))
            }))
        }
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
    let args: WriteEmailArgs = serde_json::from_value(args.clone()).ok()?;
    if state.files_of(&serde_json::json!(args)).any(|file| file.error.is_some()) {
        return None;
    }
    send::draft(services, conversation, &args, Vec::new()).err().map(|error| error.to_string())
}

/// Runs `check` with everyone the person knows: people they wrote to, and those `trusted` here.
fn with_known<T>(
    services: &Services,
    conversation: &Conversation,
    trusted: Vec<String>,
    check: impl FnOnce(&RiskContext<'_>) -> T,
) -> Result<T, NodeError> {
    let contacts = services.records.contacts()?;
    let own_addresses = conversation.own_addresses();
    let addresses = [own_addresses.clone(), trusted].concat();
    let account = conversation.account.as_ref().map_or("", |account| &account.name);
    let first_day = services.records.is_first_day(account)?;
    let receiver = services.records.receiver(account)?;
    let failed = std::cell::RefCell::new(None);
    fn or_record<T>(
        failed: &std::cell::RefCell<Option<NodeError>>,
        result: Result<T, NodeError>,
        fallback: T,
    ) -> T {
        result.unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            fallback
        })
    }
    let is_known = |address: &str| or_record(&failed, services.records.is_known(address), true);
    let is_persons_name =
        |name: &str| !name.trim().is_empty() && name.trim().eq_ignore_ascii_case(services.user.name.trim());
    let by_name = |name: &str| match own_addresses.first().filter(|_| is_persons_name(name)) {
        Some(address) => Some(address.clone()),
        None => or_record(&failed, services.records.address_by_name(name), None),
    };
    let result = check(&RiskContext {
        is_known: &is_known,
        first_day,
        by_name: &by_name,
        receiver: receiver.as_ref(),
        contacts: &contacts,
        addresses: &addresses,
        own: &own_addresses,
        written_to: &conversation.written_to,
        earlier: &[],
        tools: &tools::UNMISTAKABLE,
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(result),
    }
}

fn warning(risk: &Risk) -> Warning {
    Warning::new(grade(risk), risk.code(), risk.text())
}

/// Whom a person writes to is up to them; an address that looks like another's may still be a slip.
fn warning_of_own(risk: &Risk) -> Warning {
    let is_choice =
        matches!(risk, Risk::RecipientOutside { .. } | Risk::BccAdded { .. } | Risk::NewRecipient { .. });
    let grade = if is_choice { Grade::Info } else { grade(risk) };
    Warning::new(grade, risk.code(), risk.text())
}

pub fn grade(risk: &Risk) -> Grade {
    match risk {
        Risk::NewSender { .. }
        | Risk::FirstReply { .. }
        | Risk::ShortLink { .. }
        | Risk::ReplyToDiffers { is_known: false, .. } => Grade::Info,
        Risk::NotAuthentic { with: None, .. } | Risk::OddLink { imitates: false, .. } => Grade::Caution,
        Risk::KnownName { .. }
        | Risk::ClaimsYourOrganisation { .. }
        | Risk::ClaimsBrand { .. }
        | Risk::BankChange
        | Risk::Wallet
        | Risk::PageAttached { .. } => Grade::Caution,
        Risk::NotAuthentic { with: Some(_), .. } | Risk::OddLink { imitates: true, .. } => Grade::Danger,
        Risk::RecipientOutside { .. }
        | Risk::BccAdded { .. }
        | Risk::NewRecipient { .. }
        | Risk::JoinedLater { .. }
        | Risk::Punycode { .. }
        | Risk::ReplyToDiffers { is_known: true, .. }
        | Risk::NameHoldsAddress { .. }
        | Risk::OddHeader(_)
        | Risk::LinkDiffers { .. }
        | Risk::LeavesElsewhere { .. }
        | Risk::NotCompared => Grade::Caution,
        Risk::LookAlike { .. }
        | Risk::Executable { .. }
        | Risk::AddressesAssistant { .. }
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
