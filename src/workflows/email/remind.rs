//! "Remind me if nobody answered": when to remind, and the question we ask then.
//!
//! The thread that sent the mail stays and asks whether to write again; the question is snoozed until the time comes.
//! Like any question it is durable and can be put off or dropped. New mail in the conversation closes it, and the
//! thread continues with that mail.

use super::mails::{self, Conversation};
use super::own_mail;
use super::state::{Email, Reminder};
use super::tools::WriteEmailArgs;
use crate::agent::Services;
use crate::config::parse_duration;
use crate::engine::graph::{Interrupt, Kind, Labels};
use crate::inbox::proposal;
use jiff::Timestamp;
use serde_json::json;

/// The action name of a reminder on cards and in lists.
pub const REMIND: &str = "remind";

/// When to remind the person that a mail sent now was not answered, if they want that.
pub(super) fn reminder(services: &Services, args: &WriteEmailArgs, to: &[String]) -> Option<Reminder> {
    let delay = match args.remind_after.as_deref() {
        Some("never") => None,
        Some(after) => parse_duration(after),
        None => services.user.remind_after,
    }?;
    let sent_at = services.clock.clone()();
    let due = sent_at.checked_add(delay).ok()?;
    Some(Reminder { to: to.to_vec(), subject: args.subject.clone(), sent_at, due })
}

/// The question, snoozed until it is due.
pub(super) fn question(services: &Services, state: &Email, remind: &Reminder) -> Interrupt {
    let args = json!({"to": remind.to, "subject": remind.subject, "sent_at": remind.sent_at});
    let title = format!("Waiting for an answer: {}", remind.subject);
    let mut interrupt = proposal(REMIND, Kind::Question, REMIND, &args, &title);
    interrupt.labels = Labels::new("write again", "write again, saying", "drop it");
    own_mail::offer_to(&mut interrupt, &json!(remind.to), &remind.subject);
    if state.is_begun_by_person() {
        // There is no mail that a model could answer.
        (interrupt.allow.accept, interrupt.allow.respond) = (false, false);
        interrupt.labels = Labels { edit: Some("write again".to_owned()), ..Labels::new("", "", "drop it") };
    }
    interrupt.gist = format!("sent {}, not answered yet", day(services, remind.sent_at));
    interrupt.source = Some(people(services, state, &remind.to));
    interrupt.shown_with = state.mail_digests();
    interrupt.snoozed_until = Some(remind.due);
    interrupt.closes_on_news = true;
    interrupt
}

/// The recipients, by name if a mail of the conversation gives it.
fn people(services: &Services, state: &Email, to: &[String]) -> String {
    let name_of = |address: &String| {
        let mut newest_first =
            state.email_input.iter().rev().filter_map(|mail| services.mail(&mail.raw).ok());
        let theirs = newest_first.find(|mail| mail.from.address.eq_ignore_ascii_case(address));
        theirs.map_or_else(|| address.clone(), |mail| mails::sender(&mail))
    };
    to.iter().map(name_of).collect::<Vec<_>>().join(", ")
}

/// What the agent is told if the person wants to write again without giving words.
pub(super) fn follow_up_text(services: &Services, sent_at: Timestamp) -> String {
    format!("Say: did you have a chance to look at my mail of {}?", day(services, sent_at))
}

/// The fields of the reminder's card.
pub(super) fn fields(
    services: &Services,
    conversation: &Conversation,
    remind: &Reminder,
) -> Vec<(&'static str, String)> {
    let zone = services.user.time_zone.clone();
    let local = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%a %-d %b %Y, %H:%M").to_string();
    let newest = conversation.mails.last().and_then(|(_, mail)| mail.date);
    vec![
        ("Sent", local(remind.sent_at)),
        ("To", remind.to.join(", ")),
        ("Subject", remind.subject.clone()),
        ("Last mail", newest.map(local).unwrap_or_default()),
        ("Reminds", local(remind.due)),
    ]
}

fn day(services: &Services, at: Timestamp) -> String {
    at.to_zoned(services.user.time_zone.clone()).strftime("%-d %B").to_string()
}
