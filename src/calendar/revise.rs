//! Changes to events after they were added: compares a mail with what a calendar holds, and builds the changed text.
//!
//! Promises: only the organizer can change or cancel an event. An older version never replaces a newer one. No byte of
//! another event is touched, and the person's own reminders stay. No IO happens here.

use super::CalendarError;
use super::invited::{InvitedEvent, events, events_of, with_uid};
use super::lines::{self, Component};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::cmp::Ordering;

/// What to do with an event in a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision {
    /// Change it to what the new text says.
    Change,
    /// Remove it; of a series, only the occurrences that the new text names, if it names any.
    Remove,
}

/// How news about an event compares to what a calendar holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevisionCheck {
    /// The event is not in the calendar.
    Absent,
    /// The calendar already matches the news.
    Same,
    /// The calendar has a newer version.
    Stale,
    /// The sender may not change it; the text says why.
    Foreign(String),
    /// It would change from this; `None` if an occurrence would be added.
    Differs(Option<Box<InvitedEvent>>),
}

/// Compares news from `sender` with what a calendar holds for the same UID.
pub fn check_revision(
    held: &[InvitedEvent],
    news: &[InvitedEvent],
    sender: &str,
    revision: Revision,
) -> RevisionCheck {
    if held.is_empty() || news.is_empty() {
        return RevisionCheck::Absent;
    }
    if let Some(why) = foreign(held, news, sender) {
        return RevisionCheck::Foreign(why);
    }
    let series = news.iter().find(|one| one.occurrence.is_none());
    let changed = series.map_or_else(|| news.iter().collect(), |series| vec![series]);
    let mut check = RevisionCheck::Same;
    for one in changed {
        match compare(held, one, revision) {
            RevisionCheck::Stale => return RevisionCheck::Stale,
            RevisionCheck::Differs(before) if check == RevisionCheck::Same => {
                check = RevisionCheck::Differs(before)
            }
            _ => {}
        }
    }
    check
}

/// Why the sender may not change the held event.
fn foreign(held: &[InvitedEvent], news: &[InvitedEvent], sender: &str) -> Option<String> {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    for event in held {
        let Some(organizer) = &event.organizer else {
            let text = "The event in your calendar has no organizer, so no mail can change it.";
            return Some(text.to_owned());
        };
        let sends = same(&organizer.address, sender)
            || event.sent_by.as_deref().is_some_and(|sent_by| same(sent_by, sender));
        if !sends {
            return Some(format!(
                "{} is not the organizer of the event in your calendar; that is {}.",
                super::short(sender),
                super::short(&organizer.address)
            ));
        }
        let other = news.iter().filter_map(|one| one.organizer.as_ref());
        if let Some(other) = other.into_iter().find(|other| !same(&other.address, &organizer.address)) {
            return Some(format!(
                "The mail names {} as the organizer; in your calendar it is {}.",
                super::short(&other.address),
                super::short(&organizer.address)
            ));
        }
    }
    None
}

fn compare(held: &[InvitedEvent], news: &InvitedEvent, revision: Revision) -> RevisionCheck {
    let series = held.iter().find(|one| one.occurrence.is_none());
    let Some(before) = held.iter().find(|one| one.occurrence == news.occurrence) else {
        return match (series, news.occurrence) {
            (Some(series), _) if news.sequence < series.sequence => RevisionCheck::Stale,
            (Some(series), Some(at)) => RevisionCheck::Differs(Some(Box::new(occurrence(series, at)))),
            // Only single occurrences are held: the news adds the series or another occurrence.
            _ if revision == Revision::Change => RevisionCheck::Differs(None),
            (None, None) => RevisionCheck::Differs(held.first().cloned().map(Box::new)),
            _ => RevisionCheck::Same,
        };
    };
    let stamps = before.stamp.zip(news.stamp).map(|(before, news)| news.cmp(&before));
    let order = news.sequence.cmp(&before.sequence).then(stamps.unwrap_or(Ordering::Equal));
    let is_same = match revision {
        Revision::Remove => before.cancelled,
        Revision::Change => order == Ordering::Equal && (stamps.is_some() || alike(before, news)),
    };
    match order {
        Ordering::Less => RevisionCheck::Stale,
        _ if is_same => RevisionCheck::Same,
        _ => RevisionCheck::Differs(Some(Box::new(before.clone()))),
    }
}

/// The occurrence of a series that begins at `at`.
fn occurrence(series: &InvitedEvent, at: Timestamp) -> InvitedEvent {
    let length = series.end.duration_since(series.start);
    let end = at.checked_add(length).unwrap_or(at);
    InvitedEvent { occurrence: Some(at), start: at, end, recurrence: None, ..series.clone() }
}

fn alike(a: &InvitedEvent, b: &InvitedEvent) -> bool {
    let times = |one: &InvitedEvent| (one.start, one.end, one.all_day, one.cancelled);
    times(a) == times(b) && a.title == b.title && a.location == b.location && a.recurrence == b.recurrence
}

/// Parsed news about an event.
pub(super) struct News<'a> {
    bytes: &'a [u8],
    calendars: Vec<Component>,
    pub uid: String,
    pub events: Vec<InvitedEvent>,
    pub sender: &'a str,
    pub revision: Revision,
}

impl<'a> News<'a> {
    pub fn read(
        bytes: &'a [u8],
        sender: &'a str,
        revision: Revision,
        person: &TimeZone,
    ) -> Result<Self, CalendarError> {
        let bad = |error: &dyn std::fmt::Display| {
            CalendarError::Permanent(format!("the event cannot be changed: {error}"))
        };
        let calendars = lines::read(bytes).map_err(|error| bad(&error))?;
        let uid = only_uid(&calendars).map_err(|error| bad(&error))?;
        let events = events_of(&calendars, &uid, person).map_err(|error| bad(&error))?;
        Ok(Self { bytes, calendars, uid, events, sender, revision })
    }

    /// Whether the held event needs a change. The error says why it may not be changed.
    pub fn applies(&self, held: &[InvitedEvent]) -> Result<bool, CalendarError> {
        let refused = |text: String| Err(CalendarError::Permanent(text));
        match check_revision(held, &self.events, self.sender, self.revision) {
            RevisionCheck::Differs(_) => Ok(true),
            RevisionCheck::Same => Ok(false),
            RevisionCheck::Absent if self.revision == Revision::Remove => Ok(false),
            RevisionCheck::Absent => {
                refused("The event is no longer in the calendar; nothing was changed there.".to_owned())
            }
            RevisionCheck::Stale => refused(
                "The calendar has a newer version of the event; nothing was changed there.".to_owned(),
            ),
            RevisionCheck::Foreign(why) => refused(why),
        }
    }

    /// Whether the news is about the event as a whole, not about occurrences.
    pub fn is_whole(&self) -> bool {
        self.events.iter().any(|event| event.occurrence.is_none())
    }
}

/// A calendar text with the news applied.
pub(super) struct Revised {
    pub bytes: Vec<u8>,
    /// Whether it has no events, tasks or notes left.
    pub is_empty: bool,
}

/// Applies news to the text of a calendar that holds the event; `None` if nothing changes.
pub(super) fn revise(
    bytes: &[u8],
    calendars: &[Component],
    news: &News<'_>,
    person: &TimeZone,
) -> Result<Option<Revised>, CalendarError> {
    let bad = |error: &dyn std::fmt::Display| {
        CalendarError::Permanent(format!("the event in the calendar cannot be read: {error}"))
    };
    let held = events_of(calendars, &news.uid, person).map_err(|error| bad(&error))?;
    if !news.applies(&held)? {
        return Ok(None);
    }
    let parts: Vec<&Component> = with_uid(calendars, &news.uid).collect();
    let series = parts.iter().zip(&held).find(|(_, event)| event.occurrence.is_none());
    let renewed = events(&news.calendars).find(|part| part.line("RECURRENCE-ID").is_none());
    // Earlier changes of occurrences belong to the old series.
    let moved = match (series, renewed) {
        (Some((before, _)), Some(after)) => series_lines(before) != series_lines(after),
        _ => false,
    };
    let drops_all = news.is_whole() && (moved || news.revision == Revision::Remove);
    let is_replaced = |event: &InvitedEvent| news.events.iter().any(|one| one.occurrence == event.occurrence);
    let cut: Vec<&Component> = parts
        .iter()
        .zip(&held)
        .filter(|(_, event)| drops_all || is_replaced(event))
        .map(|(part, _)| *part)
        .collect();
    let is_put = match news.revision {
        Revision::Change => true,
        // A cancelled occurrence is kept as such: otherwise the series would bring it back.
        Revision::Remove => !news.is_whole() && series.is_some(),
    };
    let reminders = |of: &InvitedEvent| {
        if news.revision == Revision::Remove {
            return Some(Vec::new());
        }
        let same = parts.iter().zip(&held).find(|(_, event)| event.occurrence == of.occurrence);
        same.or(series).map(|(part, _)| alarms(bytes, part))
    };
    let put = if is_put { news.parts(calendars, reminders) } else { Vec::new() };
    let at = cut.first().map_or_else(|| parts[parts.len() - 1].end.1, |part| part.from);
    let is_empty = put.is_empty() && remaining(calendars) == cut.len();
    Ok(Some(Revised { bytes: spliced(bytes, &cut, at, &put), is_empty }))
}

impl News<'_> {
    /// Its events and the zones they need. `reminders` are those that the person has for an event, which are not for
    /// the organizer to change; the organizer's own stay only if the calendar does not hold the event.
    fn parts(&self, existing: &[Component], reminders: impl Fn(&InvitedEvent) -> Option<Vec<u8>>) -> Vec<u8> {
        let zone = |part: &Component| (part.kind == "VTIMEZONE").then(|| part.text("TZID"));
        let zone_ids: Vec<String> =
            existing.iter().flat_map(|calendar| &calendar.inside).filter_map(zone).collect();
        let zones = self.calendars.iter().flat_map(|calendar| &calendar.inside);
        let mut bytes = Vec::new();
        for part in zones.filter(|part| zone(part).is_some_and(|id| !zone_ids.contains(&id))) {
            bytes.extend_from_slice(&self.bytes[part.from..part.end.1]);
        }
        for (part, event) in events(&self.calendars).zip(&self.events) {
            let mut copied = part.from;
            if let Some(reminders) = reminders(event) {
                for alarm in part.inside.iter().filter(|inside| inside.kind == "VALARM") {
                    bytes.extend_from_slice(&self.bytes[copied..alarm.from]);
                    copied = alarm.end.1;
                }
                bytes.extend_from_slice(&self.bytes[copied..part.end.0]);
                bytes.extend_from_slice(&reminders);
                copied = part.end.0;
            }
            bytes.extend_from_slice(&self.bytes[copied..part.end.1]);
        }
        bytes
    }
}

/// The reminders of an event, as they are written in `bytes`.
fn alarms(bytes: &[u8], event: &Component) -> Vec<u8> {
    let alarms = event.inside.iter().filter(|inside| inside.kind == "VALARM");
    alarms.flat_map(|alarm| &bytes[alarm.from..alarm.end.1]).copied().collect()
}

/// The lines that say when a series takes place.
fn series_lines(event: &Component) -> Vec<(&str, Option<&str>, &str)> {
    let when = |name: &str| matches!(name, "DTSTART" | "RRULE" | "RDATE");
    let lines = event.lines.iter().filter(|line| when(&line.name));
    let mut values: Vec<_> =
        lines.map(|line| (line.name.as_str(), line.param("TZID"), line.value.as_str())).collect();
    values.sort_unstable();
    values
}

/// The number of components other than zones.
fn remaining(calendars: &[Component]) -> usize {
    let inside = calendars.iter().flat_map(|calendar| &calendar.inside);
    inside.filter(|part| part.kind != "VTIMEZONE").count()
}

/// The text without the `cut` components, and with `put` inserted at `at`.
fn spliced(bytes: &[u8], cut: &[&Component], at: usize, put: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + put.len());
    let mut copied = 0;
    let mut pending = Some(put);
    for part in cut {
        out.extend_from_slice(&bytes[copied..part.from]);
        if part.from == at {
            out.extend_from_slice(pending.take().unwrap_or_default());
        }
        copied = part.end.1;
    }
    if let Some(put) = pending {
        out.extend_from_slice(&bytes[copied..at]);
        out.extend_from_slice(put);
        copied = at;
    }
    out.extend_from_slice(&bytes[copied..]);
    out
}

/// The UID of a text with one event, and perhaps changed occurrences of it.
pub(super) fn only_uid(calendars: &[Component]) -> Result<String, &'static str> {
    let components: Vec<&Component> = events(calendars).collect();
    let uid = components.first().map(|event| event.text("UID")).unwrap_or_default();
    let masters = components.iter().filter(|event| event.line("RECURRENCE-ID").is_none()).count();
    if components.is_empty() || masters > 1 || components.iter().any(|event| event.text("UID") != uid) {
        return Err("it is not exactly one event");
    }
    if uid.is_empty() { Err("it has no UID") } else { Ok(uid) }
}
