//! Mails about an event that may already be in the person's calendar: it was changed, moved or cancelled.

use super::tools::{self, RemoveEventArgs};
use crate::agent::Services;
use crate::agent::mail_facts::Class;
use crate::calendar::{self, CalendarError, InvitedEvent, Revision, RevisionCheck};
use crate::engine::graph::NodeError;
use crate::mail::Mail;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a mail would do to the calendar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum CalendarImpact {
    /// The event is not in the calendar.
    New,
    /// The calendar already matches the mail.
    Known,
    /// This mail may not change the event.
    Refused { why: String },
    /// The event would change; `words` says how.
    Changes { words: String },
}

/// Shown for an invitation that changes nothing.
pub(super) const ALREADY: &str = "It is in your calendar already.";

impl CalendarImpact {
    /// The text for the invitation's card.
    pub fn change(&self) -> Option<String> {
        match self {
            Self::New | Self::Refused { .. } => None,
            Self::Known => Some(ALREADY.to_owned()),
            Self::Changes { words } => Some(words.clone()),
        }
    }
}

/// What a mail says about an event.
pub(super) struct EventNews {
    pub revision: Revision,
    pub events: Vec<InvitedEvent>,
    pub sender: String,
}

impl EventNews {
    /// The invitation or cancellation in a mail, if it can be read.
    pub fn of(mail: &Mail, zone: &TimeZone) -> Option<Self> {
        let part = mail.invitation.as_ref()?;
        let revision = match part.method.as_str() {
            "REQUEST" => Revision::Change,
            "CANCEL" => Revision::Remove,
            _ => return None,
        };
        let events = calendar::read_events(&part.text, zone).ok()?;
        Some(Self { revision, events, sender: mail.from.address.clone() })
    }

    /// The event itself, or the first of the occurrences named.
    pub fn event(&self) -> Option<&InvitedEvent> {
        self.events.iter().find(|event| event.occurrence.is_none()).or(self.events.first())
    }
}

/// What a mail would do to the calendar. `New` if it has no event, or if there is no calendar.
pub(super) async fn calendar_impact(
    services: &Services,
    mail: &Mail,
) -> Result<CalendarImpact, CalendarError> {
    let zone = &services.user.time_zone;
    let (Some(calendar), Some(news)) = (&services.calendar, EventNews::of(mail, zone)) else {
        return Ok(CalendarImpact::New);
    };
    let Some(event) = news.event().filter(|event| !event.uid.is_empty()) else {
        return Ok(CalendarImpact::New);
    };
    let held = calendar.events_of(&event.uid).await?;
    Ok(match calendar::check_revision(&held, &news.events, &news.sender, news.revision) {
        RevisionCheck::Absent => CalendarImpact::New,
        RevisionCheck::Same => CalendarImpact::Known,
        RevisionCheck::Stale => CalendarImpact::Refused {
            why: format!("Out of date: your calendar has a newer version of “{}”.", event.title),
        },
        RevisionCheck::Foreign(why) => CalendarImpact::Refused { why },
        RevisionCheck::Differs(before) => CalendarImpact::Changes {
            words: match news.revision {
                Revision::Remove => describe_change(before.as_deref(), &news, zone),
                Revision::Change => changes(&held, &news, zone),
            },
        },
    })
}

/// When the mail's event is in the calendar now. Empty if we cannot tell.
pub(super) async fn times_held(services: &Services, mail: &Mail) -> Vec<(Timestamp, Timestamp)> {
    let (Some(calendar), Some(news)) = (&services.calendar, EventNews::of(mail, &services.user.time_zone))
    else {
        return Vec::new();
    };
    let Some(uid) = news.event().map(|event| &event.uid) else { return Vec::new() };
    let held = calendar.events_of(uid).await.unwrap_or_default();
    let mut times: Vec<_> = held.iter().map(|event| (event.start, event.end)).collect();
    for at in news.events.iter().filter_map(|event| event.occurrence) {
        let lengths = held.iter().map(|event| event.end.duration_since(event.start));
        times.extend(lengths.filter_map(|length| Some((at, at.checked_add(length).ok()?))));
    }
    times
}

/// Like `calendar_impact`, for a node: temporary errors are retried, others stop the thread.
pub(super) async fn calendar_impact_or_retry(
    services: &Services,
    mail: &Mail,
) -> Result<CalendarImpact, NodeError> {
    calendar_impact(services, mail).await.map_err(|error| match error {
        CalendarError::Temporary(text) | CalendarError::Unknown(text) => NodeError::transient(text),
        CalendarError::Permanent(text) => NodeError::failed(text),
    })
}

/// The triage of a mail by what it does to the calendar, before any model reads it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EventTriage {
    pub class: Class,
    pub reasoning: String,
    pub gist: String,
    /// The call to ask the person about.
    pub call: Option<(String, Value)>,
}

/// How to class a mail about a known or cancelled event; `None` for any other mail.
pub(super) async fn triage_event(services: &Services, mail: &Mail) -> Result<Option<EventTriage>, NodeError> {
    let Some(news) = EventNews::of(mail, &services.user.time_zone).filter(|_| services.calendar.is_some())
    else {
        return Ok(None);
    };
    let cancels = news.revision == Revision::Remove;
    let impact = match calendar_impact(services, mail).await {
        Ok(impact) => impact,
        Err(CalendarError::Permanent(text)) if cancels => {
            CalendarImpact::Refused { why: format!("The calendar cannot be read: {text}.") }
        }
        // It is answered as if it were new, and the card says that the calendar cannot be read.
        Err(CalendarError::Permanent(_)) => CalendarImpact::New,
        Err(CalendarError::Temporary(text) | CalendarError::Unknown(text)) => {
            return Err(NodeError::transient(text));
        }
    };
    let cancellation_text = || describe_change(None, &news, &services.user.time_zone);
    let notify =
        |why: String| EventTriage { class: Class::Notify, reasoning: why.clone(), gist: why, call: None };
    Ok(match impact {
        CalendarImpact::Changes { words } => {
            let (tool, args) = if cancels {
                (tools::REMOVE_EVENT, json!({}))
            } else {
                (tools::ANSWER_INVITATION, json!({"answer": "accept"}))
            };
            Some(EventTriage {
                class: Class::Respond,
                reasoning: "It changes an event that is in your calendar.".to_owned(),
                gist: words,
                call: Some((tool.to_owned(), args)),
            })
        }
        CalendarImpact::Refused { why } => Some(notify(format!("{why} Nothing was changed."))),
        CalendarImpact::New if cancels => {
            Some(notify(format!("{} It is not in your calendar.", cancellation_text())))
        }
        CalendarImpact::Known if cancels => {
            Some(notify(format!("{} It is cancelled in your calendar already.", cancellation_text())))
        }
        CalendarImpact::New | CalendarImpact::Known => None,
    })
}

/// The arguments a person sees for removing an event; `None` if the mail cancels nothing.
pub(super) fn remove_event_args(
    mail: &Mail,
    zone: &TimeZone,
    impact: &CalendarImpact,
) -> Option<RemoveEventArgs> {
    let news = EventNews::of(mail, zone).filter(|news| news.revision == Revision::Remove)?;
    let event = news.event()?;
    Some(RemoveEventArgs {
        event: event.title.clone(),
        start: event.start.to_string(),
        end: event.end.to_string(),
        by: news.sender.clone(),
        change: match impact {
            CalendarImpact::Changes { words } => words.clone(),
            CalendarImpact::New | CalendarImpact::Known | CalendarImpact::Refused { .. } => {
                describe_change(None, &news, zone)
            }
        },
    })
}

/// How many changes we list one by one.
const MAX_LISTED_CHANGES: usize = 12;

/// All changes in a mail, the event itself first.
fn changes(held: &[InvitedEvent], news: &EventNews, zone: &TimeZone) -> String {
    let mut events = news.events.clone();
    events.sort_by_key(|one| one.occurrence);
    let mut sentences = Vec::new();
    for one in events {
        let alone = EventNews { revision: news.revision, events: vec![one], sender: news.sender.clone() };
        if let RevisionCheck::Differs(before) =
            calendar::check_revision(held, &alone.events, &alone.sender, alone.revision)
        {
            sentences.push(describe_change(before.as_deref(), &alone, zone));
        }
    }
    let more = sentences.len().saturating_sub(MAX_LISTED_CHANGES);
    sentences.truncate(MAX_LISTED_CHANGES);
    if more > 0 {
        sentences.push(format!("And {more} more changes."));
    }
    sentences.join(" ")
}

/// The cancelled occurrences, by their original start.
fn cancelled_times(news: &EventNews, zone: &TimeZone) -> String {
    let describe = |event: &InvitedEvent| {
        let at = time(event, event.occurrence.unwrap_or(event.start), zone);
        if event.onwards { format!("{at} and all after it") } else { at }
    };
    let mut times: Vec<String> = news.events.iter().take(MAX_LISTED_CHANGES).map(describe).collect();
    let more = news.events.len() - times.len();
    times.extend((more > 0).then(|| format!("{more} more")));
    let last = times.pop().unwrap_or_default();
    if times.is_empty() { last } else { format!("{} and {last}", times.join(", ")) }
}

/// The change, in everyday words.
fn describe_change(before: Option<&InvitedEvent>, news: &EventNews, zone: &TimeZone) -> String {
    let Some(after) = news.event() else { return String::new() };
    let is_occurrence = after.occurrence.is_some();
    match (news.revision, before) {
        (Revision::Remove, before) => {
            let times = cancelled_times(news, zone);
            let title = before.map_or(&after.title, |before| &before.title);
            let series = before.and_then(|before| before.recurrence.as_deref()).filter(|_| !is_occurrence);
            match series {
                Some(series) => format!("Cancelled: {title}, the whole series ({series})."),
                None if is_occurrence && news.events.iter().any(|event| event.onwards) => {
                    format!("Cancelled: {title}, {times}.")
                }
                None if is_occurrence => format!("Cancelled: {title}, only {times}."),
                None => {
                    let held = before.unwrap_or(after);
                    format!("Cancelled: {title}, {}.", time(held, held.start, zone))
                }
            }
        }
        (Revision::Change, None) if is_occurrence => {
            format!("One more of the series: {}.", time(after, after.start, zone))
        }
        (Revision::Change, None) => {
            let how = after.recurrence.as_deref().map(|how| format!(" ({how})")).unwrap_or_default();
            format!("Now the whole series{how}, from {}.", time(after, after.start, zone))
        }
        (Revision::Change, Some(before)) => {
            let mut sentences = differences(before, after, zone);
            if is_occurrence {
                let which = if after.onwards {
                    "This one of the series and all after it"
                } else {
                    "Only one of the series"
                };
                sentences.insert(0, which.to_owned());
            }
            format!("{}.", sentences.join(". "))
        }
    }
}

/// The last moment of an event. An all-day event ends on the day after, so take one second off.
fn last_moment(event: &InvitedEvent) -> Timestamp {
    if event.all_day { event.end - jiff::SignedDuration::from_secs(1) } else { event.end }
}

fn differences(before: &InvitedEvent, after: &InvitedEvent, zone: &TimeZone) -> Vec<String> {
    let mut parts = Vec::new();
    if before.cancelled && !after.cancelled {
        parts.push("It takes place after all".to_owned());
    }
    if !before.cancelled && after.cancelled {
        parts.push("It does not take place".to_owned());
    }
    if before.start != after.start || before.all_day != after.all_day {
        let (was, is) = (time(before, before.start, zone), time(after, after.start, zone));
        parts.push(format!("Moved from {was} to {is}"));
    } else if before.end != after.end {
        let (was, is) = (time(before, last_moment(before), zone), time(after, last_moment(after), zone));
        parts.push(format!("Ends on {is} instead of {was}"));
    }
    if before.title != after.title {
        parts.push(format!("Renamed from “{}” to “{}”", before.title, after.title));
    }
    match (before.location.as_str(), after.location.as_str()) {
        (was, is) if was == is => {}
        (was, "") => parts.push(format!("No longer at {was}")),
        ("", is) => parts.push(format!("Now at {is}")),
        (was, is) => parts.push(format!("Now at {is} instead of {was}")),
    }
    if after.occurrence.is_none() && before.recurrence != after.recurrence {
        parts.push(match &after.recurrence {
            Some(rule) => format!("Now {rule}"),
            None => "No longer repeated".to_owned(),
        });
    }
    if parts.is_empty() {
        parts.push(match after.recurrence {
            Some(_) => "Details changed".to_owned(),
            None => "Details changed; time and place stay".to_owned(),
        });
    }
    parts
}

/// A time in the person's zone: `Tue 17 Nov 2026, 10:00`, or only the day.
fn time(event: &InvitedEvent, at: Timestamp, zone: &TimeZone) -> String {
    let form = if event.all_day { "%a %-d %b %Y" } else { "%a %-d %b %Y, %H:%M" };
    at.to_zoned(zone.clone()).strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(start: &str, title: &str, location: &str) -> InvitedEvent {
        let start: Timestamp = start.parse().unwrap();
        let end = start + jiff::SignedDuration::from_hours(1);
        InvitedEvent { start, end, title: title.into(), location: location.into(), ..InvitedEvent::default() }
    }

    #[track_caller]
    fn check(before: Option<InvitedEvent>, after: InvitedEvent, revision: Revision, expected: &str) {
        let news = EventNews { revision, events: vec![after], sender: String::new() };
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(describe_change(before.as_ref(), &news, &zone), expected);
    }

    #[test]
    fn a_change_is_told_as_somebody_would_say_it() {
        let before = || event("2026-11-17T09:00:00Z", "Kickoff", "Room 1");
        let moved = || event("2026-11-18T13:00:00Z", "Kickoff", "Room 1");
        let from_to = "Moved from Tue 17 Nov 2026, 10:00 to Wed 18 Nov 2026, 14:00";
        check(Some(before()), moved(), Revision::Change, &format!("{from_to}."));
        let elsewhere = event("2026-11-18T13:00:00Z", "Start", "Room 2");
        check(
            Some(before()),
            elsewhere,
            Revision::Change,
            &format!("{from_to}. Renamed from “Kickoff” to “Start”. Now at Room 2 instead of Room 1."),
        );
        let longer = InvitedEvent { end: "2026-11-17T11:30:00Z".parse().unwrap(), ..before() };
        check(
            Some(before()),
            longer,
            Revision::Change,
            "Ends on Tue 17 Nov 2026, 12:30 instead of Tue 17 Nov 2026, 11:00.",
        );
        check(Some(before()), before(), Revision::Change, "Details changed; time and place stay.");
        let once = InvitedEvent { occurrence: Some(before().start), ..moved() };
        check(Some(before()), once.clone(), Revision::Change, &format!("Only one of the series. {from_to}."));
        check(None, once.clone(), Revision::Change, "One more of the series: Wed 18 Nov 2026, 14:00.");
        check(None, once, Revision::Remove, "Cancelled: Kickoff, only Tue 17 Nov 2026, 10:00.");
        check(Some(before()), before(), Revision::Remove, "Cancelled: Kickoff, Tue 17 Nov 2026, 10:00.");
        let weekly = InvitedEvent { recurrence: Some("every week".to_owned()), ..before() };
        check(Some(weekly), before(), Revision::Remove, "Cancelled: Kickoff, the whole series (every week).");
    }
}
