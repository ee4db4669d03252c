//! Meetings: the texts for calendars, invitations, and when the person is free.

use super::mails::Conversation;
use super::send;
use super::times::{TimeRange, end_of};
use super::tools::{AnswerInvitationArgs, ScheduleMeetingArgs};
use crate::agent::Services;
use crate::calendar::{self, Event, Person};
use crate::engine::graph::{NodeError, StepContext};
use crate::mail::compose::{ComposeError, Draft, is_own, not_encoded, with_signature};
use crate::mail::{Address, Invitation};
use jiff::{Timestamp, Zoned};

/// The event of a call. The same thread and call always give the same UID.
pub(super) fn event(
    services: &Services,
    conversation: &Conversation,
    step: &StepContext,
    call: &str,
    args: &ScheduleMeetingArgs,
) -> Result<Event, String> {
    let TimeRange { start, end } = TimeRange::of(args)?;
    let person = |address: &Address| Person { name: address.name.clone(), address: address.address.clone() };
    let attendees = send::parse_addresses(&args.attendees).map_err(|e| e.to_string())?;
    Ok(Event {
        uid: format!("{}-{call}@sayso", step.thread),
        stamp: services.clock.clone()(),
        title: args.subject.clone(),
        start,
        end,
        zone: services.user.time_zone.iana_name().map(str::to_owned),
        location: args.location.clone().unwrap_or_default(),
        organizer: Some(person(&send::sender(services, conversation))),
        attendees: attendees.iter().map(person).collect(),
    })
}

/// The mail with the invitation.
pub(super) fn invitation(
    services: &Services,
    conversation: &Conversation,
    event: &Event,
    args: &ScheduleMeetingArgs,
) -> Result<Draft, ComposeError> {
    let text = calendar::invitation(event);
    let content = invitation_text(services, event, args);
    let answered = conversation.about().map(|(_, mail)| mail);
    let people = conversation.people();
    let attendees = send::bare_addresses(&args.attendees);
    let belongs = attendees.iter().any(|one| people.iter().any(|person| person.eq_ignore_ascii_case(one)));
    let reply_draft = answered.filter(|_| belongs).map(|mail| Draft::answering(mail)).unwrap_or_default();
    Ok(Draft {
        from: send::sender(services, conversation),
        to: send::parse_addresses(&args.attendees)?,
        subject: send::subject(conversation, answered.filter(|_| belongs), &args.subject),
        content: with_signature(&content, &services.user.signature),
        calendar: Some(Invitation {
            method: calendar::REQUEST.to_owned(),
            text: String::from_utf8_lossy(&text).into_owned(),
        }),
        ..reply_draft
    })
}

/// What an invitation says in words.
pub(super) fn invitation_text(services: &Services, event: &Event, args: &ScheduleMeetingArgs) -> String {
    let zone = services.user.time_zone.clone();
    let words = args.content.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let mut content = words.map(|words| format!("{words}\n\n")).unwrap_or_default();
    content.push_str(&format!("{}\n{}\n", args.subject, describe(event, &event.start.to_zoned(zone))));
    if let Some(location) = args.location.as_deref().filter(|location| !location.trim().is_empty()) {
        content.push_str(location);
        content.push('\n');
    }
    content
}

/// Time and place of an event in an invitation: in the person's time zone, and in the zone it was written in if that
/// shows another time.
pub(super) fn invited_to(
    services: &Services,
    conversation: &Conversation,
    args: &AnswerInvitationArgs,
) -> (String, String) {
    let Some(range) = TimeRange::between(&args.start, &args.end) else {
        return (args.start.clone(), String::new());
    };
    let zone = &services.user.time_zone;
    let part = conversation.about().and_then(|(_, mail)| mail.invitation.as_ref());
    let events = part.and_then(|part| calendar::read_events(&part.text, zone).ok());
    let Some(event) = events.unwrap_or_default().into_iter().find(|event| event.start == range.start) else {
        return (range.local(zone), String::new());
    };
    if event.all_day {
        return (range.local_days(zone), event.location);
    }
    let (when, local_start) = (range.local(zone), zone.to_datetime(event.start));
    let Some((begins, written_zone)) = event.written.filter(|(begins, _)| *begins != local_start) else {
        return (when, event.location);
    };
    let ends = begins.saturating_add(event.end.duration_since(event.start));
    let day = if begins.date() == local_start.date() { "%H:%M" } else { "%A, %H:%M" };
    let own_zone = zone.iana_name().unwrap_or("your time");
    let written = format!("{}–{} {written_zone}", begins.strftime(day), end_of(begins, ends));
    (format!("{when} {own_zone} ({written})"), event.location)
}

/// An answer to an invitation, ready to send.
pub(super) struct InvitationAnswer {
    pub uid: String,
    /// The event to keep in the calendar.
    pub event: Vec<u8>,
    /// The cancellation that removes it from the calendar.
    pub cancellation: Vec<u8>,
    /// The bare address of whoever sent the invitation.
    pub sender: String,
    pub draft: Draft,
}

/// The answer to the invitation in the mail being decided on. It is sent from the address that was invited.
pub(super) fn invitation_answer(
    services: &Services,
    conversation: &Conversation,
    args: &AnswerInvitationArgs,
) -> Result<InvitationAnswer, String> {
    let Some((_, mail)) = conversation.about() else { return Err("there is no mail".to_owned()) };
    let Some(part) = &mail.invitation else { return Err("there is no invitation".to_owned()) };
    let zone = &services.user.time_zone;
    let invited = calendar::read_invitation(&part.text, zone).map_err(|error| error.to_string())?;
    let own_addresses = conversation.own_addresses();
    let mut from = send::sender(services, conversation);
    let invited_as = invited.attendees.iter().find(|one| is_own(&one.address, &own_addresses));
    if let Some(invited_as) = invited_as {
        from.address.clone_from(&invited_as.address);
    }
    let me = Person { name: from.name.clone(), address: from.address.clone() };
    let stamp = services.clock.clone()();
    let error_text = |error: calendar::InvitationError| error.to_string();
    let text = calendar::answer(&part.text, &me, args.answer, stamp).map_err(error_text)?;
    let title = calendar::written_title(&part.text).map_err(error_text)?;
    let answer = format!("{}: {title}", args.answer.word());
    let comment = args.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let content = comment.map_or_else(|| answer.clone(), str::to_owned);
    let draft = Draft {
        from,
        to: send::parse_addresses(std::slice::from_ref(&args.to)).map_err(|error| error.to_string())?,
        subject: not_encoded(&answer),
        content: with_signature(&content, &services.user.signature),
        calendar: Some(Invitation {
            method: "REPLY".to_owned(),
            text: String::from_utf8_lossy(&text).into_owned(),
        }),
        ..Draft::answering(mail)
    };
    let event = calendar::attended(&part.text, &me, args.answer).map_err(error_text)?;
    let cancellation = calendar::cancelled(&part.text).map_err(error_text)?;
    Ok(InvitationAnswer { uid: invited.uid, event, cancellation, sender: mail.from.address.clone(), draft })
}

fn describe(event: &Event, start: &Zoned) -> String {
    let minutes = (event.end.as_second() - event.start.as_second()) / 60;
    format!("{}, {minutes} minutes", start.strftime("%A %-d %B %Y, %H:%M %:z"))
}

/// What the calendar says about the days of a call: one sentence per day, and the times as data.
pub(super) async fn availability(
    services: &Services,
    days: &[String],
) -> Result<Result<(String, serde_json::Value), String>, NodeError> {
    let Some(calendar) = &services.calendar else {
        let text = "There is no calendar in the config, so nothing is known about these days.";
        return Ok(Err(text.to_owned()));
    };
    let zone = services.user.time_zone.clone();
    let (mut lines, mut data) = (Vec::new(), Vec::new());
    for day in days {
        let Ok(date) = day.parse::<jiff::civil::Date>() else {
            return Ok(Err(format!("{day} is not a day there is.")));
        };
        let Some((from, until)) = calendar::day_window(date, &zone) else {
            return Ok(Err(format!("{day} is not a day there is.")));
        };
        let busy = match calendar.busy(from, until).await {
            Ok(busy) => busy,
            Err(calendar::CalendarError::Temporary(text)) => return Err(NodeError::transient(text)),
            Err(error) => return Ok(Err(format!("The calendar cannot be read: {error}"))),
        };
        lines.push(calendar::day_line(&busy, date, &zone));
        for one in busy {
            let local =
                |at: Timestamp| at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
            data.push(serde_json::json!({
                "start": local(one.start),
                "end": local(one.end),
                "title": one.title,
                "all_day": one.all_day,
            }));
        }
    }
    data.dedup();
    Ok(Ok((lines.join("\n"), serde_json::Value::from(data))))
}
