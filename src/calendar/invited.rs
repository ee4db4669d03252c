//! Invitations from mail, made safe to show.

use super::entry::{BEYOND, Entry, Zones};
use super::lines::{self, Component, Line};
use super::time::moment::Moment;
use super::time::rule::{Frequency, NthDay, Rule};
use super::write::Person;
use crate::text::{count_noun, short_line};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// The maximum size of an invitation.
const LONGEST: usize = 1 << 20;
/// How many attendees we read.
const MAX_PEOPLE: usize = 200;

/// An event with an organizer, from a mail or a calendar. All text but the UID is visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitedEvent {
    pub uid: String,
    /// If this changes one occurrence of a series: when that would have begun.
    pub occurrence: Option<Timestamp>,
    /// Also all later ones.
    pub onwards: bool,
    /// How often it was changed before.
    pub sequence: i64,
    /// When this version was made.
    pub stamp: Option<Timestamp>,
    pub cancelled: bool,
    /// One line.
    pub title: String,
    /// The first start if it recurs.
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it is a day rather than hours.
    pub all_day: bool,
    pub organizer: Option<Person>,
    /// The bare address of whoever writes for the organizer.
    pub sent_by: Option<String>,
    pub attendees: Vec<Person>,
    /// Empty if not given.
    pub location: String,
    /// How it recurs, in words; `None` if it does not.
    pub recurrence: Option<String>,
    /// The start on the clock of the zone it is written in, and that zone's name; `None` if it names no zone.
    pub written: Option<(DateTime, String)>,
}

/// Why an invitation cannot be read, as a sentence for people.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum InvitationError {
    /// It is not iCalendar text.
    #[error("the invitation cannot be read: {0}")]
    Damaged(String),
    #[error("the invitation holds no event")]
    NoEvent,
    /// We cannot interpret its event.
    #[error("sayso cannot interpret the invitation's event: {0}")]
    Event(String),
}

/// Reads the calendar part of a mail, preferring the event itself to a changed occurrence. Times without a zone are the
/// person's.
pub fn read_invitation(text: &str, person: &TimeZone) -> Result<InvitedEvent, InvitationError> {
    let mut events = read_events(text, person)?;
    let series = events.iter().position(|event| event.occurrence.is_none());
    Ok(events.swap_remove(series.unwrap_or(0)))
}

/// Reads all events that share the UID of the first one: the event itself, and changed occurrences.
pub fn read_events(text: &str, person: &TimeZone) -> Result<Vec<InvitedEvent>, InvitationError> {
    if text.len() > LONGEST {
        return Err(InvitationError::Damaged(format!("it is larger than {} MiB", LONGEST >> 20)));
    }
    let calendars = lines::read(text.as_bytes()).map_err(InvitationError::Damaged)?;
    // Read the same calendar that we keep or take out.
    let calendar = calendars.into_iter().find(has_event).ok_or(InvitationError::NoEvent)?;
    let calendars = std::slice::from_ref(&calendar);
    let uid = events(calendars).next().map(|event| event.text("UID")).ok_or(InvitationError::NoEvent)?;
    events_of(calendars, &uid, person)
}

pub(super) fn has_event(calendar: &Component) -> bool {
    calendar.inside.iter().any(|part| part.kind == "VEVENT")
}

/// Reads the events that have this UID, in order.
pub(super) fn events_of(
    calendars: &[Component],
    uid: &str,
    person: &TimeZone,
) -> Result<Vec<InvitedEvent>, InvitationError> {
    let zones = Zones::of(calendars);
    with_uid(calendars, uid).map(|event| read(event, &zones, person)).collect()
}

/// All events of some calendars.
pub(super) fn events(calendars: &[Component]) -> impl Iterator<Item = &Component> {
    calendars.iter().flat_map(|calendar| &calendar.inside).filter(|part| part.kind == "VEVENT")
}

/// The events that have this UID, in order.
pub(super) fn with_uid<'a>(calendars: &'a [Component], uid: &'a str) -> impl Iterator<Item = &'a Component> {
    events(calendars).filter(move |event| event.text("UID") == uid)
}

pub(super) fn holds(calendars: &[Component], uid: &str) -> bool {
    with_uid(calendars, uid).next().is_some()
}

fn read(event: &Component, zones: &Zones, person: &TimeZone) -> Result<InvitedEvent, InvitationError> {
    let entry = Entry::read(event, zones, person).map_err(InvitationError::Event)?;
    let beyond = || InvitationError::Event(BEYOND.to_owned());
    let start = entry.start.instant(person).ok_or_else(beyond)?;
    let end = entry.length.end(entry.start.civil, &entry.start.clock, person);
    let occurrence = entry.replaces.as_ref().map(|replaces| replaces.start.instant(person));
    let stamp = event.line("DTSTAMP").and_then(|line| Moment::bare(&line.value)?.instant(&TimeZone::UTC));
    let organizer = event.line("ORGANIZER");
    Ok(InvitedEvent {
        uid: entry.uid.clone(),
        occurrence: occurrence.map(|at| at.ok_or_else(beyond)).transpose()?,
        onwards: entry.replaces.as_ref().is_some_and(|replaces| replaces.onwards),
        sequence: entry.sequence,
        stamp,
        cancelled: event.text("STATUS").eq_ignore_ascii_case("CANCELLED"),
        title: entry.title.clone(),
        start,
        end: end.ok_or_else(beyond)?,
        all_day: entry.start.is_day(),
        organizer: organizer.map(somebody),
        sent_by: organizer.and_then(|who| who.param("SENT-BY")).map(|who| line(bare(who))),
        attendees: event.all("ATTENDEE").take(MAX_PEOPLE).map(somebody).collect(),
        location: line(&event.text("LOCATION")),
        recurrence: recurrence(event, &entry),
        written: event
            .line("DTSTART")
            .and_then(|line| line.param("TZID"))
            .map(|zone| (entry.start.civil, line(zone))),
    })
}

fn line(text: &str) -> String {
    short_line(text, 400)
}

fn somebody(who: &Line) -> Person {
    Person { name: line(who.param("CN").unwrap_or_default()), address: line(bare(&who.value)) }
}

/// An address without `mailto:`.
pub(super) fn bare(address: &str) -> &str {
    let address = address.trim();
    match address.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &address[7..],
        _ => address,
    }
}

/// How an event recurs: "every 2 weeks on Tuesday and Thursday, 10 times".
fn recurrence(event: &Component, entry: &Entry) -> Option<String> {
    let mut words: Vec<String> = entry.rules.iter().map(rule_words).collect();
    if !entry.extra.is_empty() {
        let many = entry.extra.len();
        words.push(count_noun(many, "further time"));
    }
    if event.line("RECURRENCE-ID").is_some() {
        words.push("only this once of a series".to_owned());
    }
    (!words.is_empty()).then(|| words.join("; "))
}

pub(super) fn rule_words(rule: &Rule) -> String {
    let unit = match rule.every {
        Frequency::Year => "year",
        Frequency::Month => "month",
        Frequency::Week => "week",
        Frequency::Day => "day",
        Frequency::Hour => "hour",
        Frequency::Minute => "minute",
        Frequency::Second => "second",
    };
    let mut words = match rule.interval {
        1 => format!("every {unit}"),
        n => format!("every {n} {unit}s"),
    };
    if !rule.days.is_empty() {
        words += &format!(" on {}", list(rule.days.iter().map(day_words)));
    }
    if !rule.month_days.is_empty() {
        words += &format!(" on the {}", list(rule.month_days.iter().map(|n| nth(*n, "day of the month"))));
    }
    if !rule.months.is_empty() {
        words += &format!(" in {}", list(rule.months.iter().map(|n| month(*n))));
    }
    let more = [&rule.weeks, &rule.year_days, &rule.positions].iter().any(|list| !list.is_empty())
        || (!rule.hours.is_empty() || !rule.minutes.is_empty() || !rule.seconds.is_empty());
    if more {
        words += " by a longer rule";
    }
    if let Some(count) = rule.count {
        words += &format!(", {}", count_noun(count, "time"));
    }
    if let Some(until) = &rule.until {
        words += &format!(", until {}", until.civil.date().strftime("%-d %b %Y"));
    }
    words
}

fn day_words(day: &NthDay) -> String {
    match day.nth {
        Some(n) => format!("the {}", nth(n, &day_name(day.day))),
        None => day_name(day.day),
    }
}

fn nth(n: i16, noun: &str) -> String {
    let ordinal = |n: u16| match (n % 10, n % 100) {
        (_, 11..=13) => format!("{n}th"),
        (1, _) => format!("{n}st"),
        (2, _) => format!("{n}nd"),
        (3, _) => format!("{n}rd"),
        _ => format!("{n}th"),
    };
    match (n, n.unsigned_abs()) {
        (-1, _) => format!("last {noun}"),
        (..0, back) => format!("{} last {noun}", ordinal(back)),
        (_, forth) => format!("{} {noun}", ordinal(forth)),
    }
}

fn list(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

fn day_name(day: Weekday) -> String {
    let mut time = BrokenDownTime::default();
    time.set_weekday(Some(day));
    time.to_string("%A").unwrap_or_default()
}

fn month(n: i16) -> String {
    let first = i8::try_from(n).ok().and_then(|n| Date::new(2000, n, 1).ok());
    first.map_or_else(|| "a month".to_owned(), |first| first.strftime("%B").to_string())
}
