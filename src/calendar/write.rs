//! Events and invitations as iCalendar text: the same event always gives the same bytes.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

/// A participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The display name; empty if there is none.
    #[serde(default)]
    pub name: String,
    /// The bare mail address.
    pub address: String,
}

/// An event to put into a calendar or to send to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Identifies the event everywhere and for good.
    pub uid: String,
    /// When this text was made.
    pub stamp: Timestamp,
    /// One line.
    pub title: String,
    pub start: Timestamp,
    pub end: Timestamp,
    /// The IANA name of its zone; UTC if `None`.
    #[serde(default)]
    pub zone: Option<String>,
    /// Empty if not given.
    #[serde(default)]
    pub location: String,
    #[serde(default)]
    pub organizer: Option<Person>,
    /// The invited people; each is asked to answer.
    #[serde(default)]
    pub attendees: Vec<Person>,
}

/// What an invitation asks of its recipients (RFC 5546): to come, and to tell us whether they will.
pub const REQUEST: &str = "REQUEST";

/// The event for a calendar: a VCALENDAR with one VEVENT.
pub fn event_text(event: &Event) -> Vec<u8> {
    text(event, None)
}

/// The event for a mail's calendar part.
pub fn invitation(event: &Event) -> Vec<u8> {
    text(event, Some(REQUEST))
}

fn text(event: &Event, method: Option<&str>) -> Vec<u8> {
    let mut out = Lines::begin_calendar(method);
    let zone = event.zone.as_deref().and_then(|name| Some((name, TimeZone::get(name).ok()?)));
    let zone = zone.filter(|(_, zone)| *zone != TimeZone::UTC && is_unambiguous(zone, event));
    if let Some((name, zone)) = &zone {
        define(&mut out, name, zone, event.start, event.end);
    }
    out.line("BEGIN", "VEVENT");
    out.line("UID", &escape(&event.uid));
    out.line("DTSTAMP", &utc(event.stamp));
    out.line("SEQUENCE", "0");
    for (property, time) in [("DTSTART", event.start), ("DTEND", event.end)] {
        match &zone {
            Some((name, zone)) => {
                out.line(&format!("{property};TZID={name}"), &local(zone.to_datetime(time)))
            }
            None => out.line(property, &utc(time)),
        }
    }
    out.line("SUMMARY", &escape(&event.title));
    if !event.location.is_empty() {
        out.line("LOCATION", &escape(&event.location));
    }
    out.line("STATUS", "CONFIRMED");
    out.line("TRANSP", "OPAQUE");
    if let Some(organizer) = &event.organizer {
        out.line(&format!("ORGANIZER{}", name_parameter(organizer)), &mailto(organizer));
    }
    for attendee in &event.attendees {
        let parameters = ";CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE";
        // Our own mail invites, so we tell the server not to.
        let agent = if method.is_none() { ";SCHEDULE-AGENT=CLIENT" } else { "" };
        out.line(&format!("ATTENDEE{parameters}{agent}{}", name_parameter(attendee)), &mailto(attendee));
    }
    out.line("END", "VEVENT");
    out.end_calendar()
}

/// Whether the event's local times mean the times they were made from; in the hour that is repeated in autumn, a reader
/// takes the first.
fn is_unambiguous(zone: &TimeZone, event: &Event) -> bool {
    let read = |time: Timestamp| zone.to_timestamp(zone.to_datetime(time)).map(Timestamp::as_second);
    [event.start, event.end].into_iter().all(|time| read(time).is_ok_and(|second| second == time.as_second()))
}

/// Defines the zone from a year before the event on: by rules if its changes follow any, else change by change.
fn define(out: &mut Lines, name: &str, zone: &TimeZone, start: Timestamp, end: Timestamp) {
    out.line("BEGIN", "VTIMEZONE");
    out.line("TZID", name);
    let year = jiff::SignedDuration::from_hours(24 * 366);
    let since = start.checked_sub(year).unwrap_or(start);
    let changes: Vec<Change> =
        zone.following(since).take(8).map(|it| Change::at(zone, it.timestamp())).collect();
    match regular(&changes) {
        Some(rules) => changes.iter().zip(rules).for_each(|(change, rule)| change.write(out, Some(&rule))),
        None => {
            // The offset before, and every change until the end of the event.
            let first = Change { from: zone.to_offset(since), ..Change::at(zone, since) };
            first.write(out, None);
            changes.iter().filter(|change| change.at <= end).for_each(|change| change.write(out, None));
        }
    }
    out.line("END", "VTIMEZONE");
}

/// Clocks are set forward or back.
struct Change {
    at: Timestamp,
    onset: DateTime,
    from: Offset,
    to: Offset,
    dst: bool,
}

impl Change {
    fn at(zone: &TimeZone, at: Timestamp) -> Self {
        let earlier = at.checked_sub(jiff::SignedDuration::from_secs(1)).unwrap_or(at);
        let (from, info) = (zone.to_offset(earlier), zone.to_offset_info(at));
        Self { at, onset: from.to_datetime(at), from, to: info.offset(), dst: info.dst().is_dst() }
    }

    fn write(&self, out: &mut Lines, rule: Option<&str>) {
        let kind = if self.dst { "DAYLIGHT" } else { "STANDARD" };
        out.line("BEGIN", kind);
        out.line("DTSTART", &local(self.onset));
        out.line("TZOFFSETFROM", &offset(self.from));
        out.line("TZOFFSETTO", &offset(self.to));
        if let Some(rule) = rule {
            out.line("RRULE", rule);
        }
        out.line("END", kind);
    }
}

/// The rules of the first two changes, if the later changes follow them every year.
fn regular(changes: &[Change]) -> Option<[String; 2]> {
    let series = |which: usize| -> Option<String> {
        let all: Vec<&Change> = changes.iter().skip(which).step_by(2).collect();
        let [first, rest @ ..] = all.as_slice() else { return None };
        let alike = |it: &&Change| {
            let (a, b) = (it.onset, first.onset);
            (a.month(), a.weekday(), a.time(), it.from, it.to)
                == (b.month(), b.weekday(), b.time(), first.from, first.to)
        };
        let yearly = all.windows(2).all(|pair| pair[1].onset.year() == pair[0].onset.year() + 1);
        if rest.len() < 3 || !yearly || !rest.iter().all(alike) {
            return None;
        }
        let nth = |it: &Change| (it.onset.day() - 1) / 7 + 1;
        let is_last = |it: &&Change| it.onset.day() + 7 > it.onset.days_in_month();
        let nth = match (all.iter().all(|it| nth(it) == nth(first)), all.iter().all(is_last)) {
            (_, true) => -1,
            (true, false) => nth(first),
            (false, false) => return None,
        };
        let day = first.onset.strftime("%A").to_string()[..2].to_uppercase();
        Some(format!("FREQ=YEARLY;BYMONTH={};BYDAY={nth}{day}", first.onset.month()))
    };
    Some([series(0)?, series(1)?])
}

fn offset(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (sign, seconds) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    let text = format!("{sign}{:02}{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds % 60 == 0 { text } else { format!("{text}{:02}", seconds % 60) }
}

fn local(time: DateTime) -> String {
    time.strftime("%Y%m%dT%H%M%S").to_string()
}

pub(super) fn utc(time: Timestamp) -> String {
    format!("{}Z", local(TimeZone::UTC.to_datetime(time)))
}

/// Escapes separators and line breaks, and drops other control characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::text::sanitize_typed(text).chars() {
        match c {
            '\\' | ';' | ',' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out
}

/// Quotes cannot appear inside quotes, so we replace them.
pub(super) fn name_parameter(person: &Person) -> String {
    let name: String = person.name.chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() { name } else { format!(";CN=\"{}\"", name.replace('"', "'")) }
}

pub(super) fn mailto(person: &Person) -> String {
    let address: String = person.address.chars().filter(|c| !c.is_control()).collect();
    format!("mailto:{address}")
}

pub(super) struct Lines(String);

impl Lines {
    pub(super) fn begin_calendar(method: Option<&str>) -> Self {
        let mut out = Self(String::new());
        out.line("BEGIN", "VCALENDAR");
        out.line("VERSION", "2.0");
        out.line("PRODID", "-//sayso//sayso//EN");
        if let Some(method) = method {
            out.line("METHOD", method);
        }
        out
    }

    pub(super) fn end_calendar(mut self) -> Vec<u8> {
        self.line("END", "VCALENDAR");
        self.0.into_bytes()
    }

    /// Adds a line, folded after 75 octets, never inside a character.
    pub(super) fn line(&mut self, name: &str, value: &str) {
        let mut room = 75;
        for c in name.chars().chain([':']).chain(value.chars()) {
            if c.len_utf8() > room {
                self.0.push_str("\r\n ");
                room = 74;
            }
            room -= c.len_utf8();
            self.0.push(c);
        }
        self.0.push_str("\r\n");
    }
}
