//! Invitations that came by mail, made safe to show.

use super::entry::{Entry, EntryError, Zones};
use super::lines::{self, Component, Line};
use super::time::rule::{Every, NthDay, Rule};
use super::write::Person;
use crate::text::{Visible, truncate};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

/// The longest invitation that is read.
const LONGEST: usize = 1 << 20;
/// How many people are named.
const MOST_PEOPLE: usize = 200;

/// An invitation, every text Visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invited {
    /// `REQUEST`, `REPLY`, `CANCEL` …; `PUBLISH` where it does not say.
    pub method: String,
    /// What the event is known by.
    pub uid: String,
    /// What it is, one line.
    pub title: String,
    /// From; of a recurring one the first.
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it is a day rather than hours.
    pub all_day: bool,
    /// Who invites.
    pub organizer: Option<Person>,
    /// Who is invited.
    pub attendees: Vec<Person>,
    /// Where; empty where nothing is said.
    pub location: String,
    /// How it recurs, in words; `None` where it does not.
    pub recurrence: Option<String>,
}

/// Why an invitation cannot be read; a sentence for people.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum InvitationError {
    /// It is no iCalendar text.
    #[error("the invitation cannot be read: {0}")]
    Damaged(String),
    #[error("the invitation holds no event")]
    NoEvent,
    /// Its event cannot be followed.
    #[error("the invitation's event cannot be followed: {0}")]
    Event(String),
}

/// Reads the calendar part of a mail. Times without a zone are the person's.
pub fn read_invitation(text: &str, person: &TimeZone) -> Result<Invited, InvitationError> {
    if text.len() > LONGEST {
        return Err(InvitationError::Damaged(format!("it is larger than {} MiB", LONGEST >> 20)));
    }
    let calendars =
        lines::read(text.as_bytes()).map_err(|error| InvitationError::Damaged(error.to_string()))?;
    let parts =
        || calendars.iter().flat_map(|calendar| calendar.inside.iter().map(move |part| (calendar, part)));
    let events = || parts().filter(|(_, part)| part.kind == "VEVENT");
    // The event itself rather than a changed occurrence of it.
    let whole = events().find(|(_, event)| event.line("RECURRENCE-ID").is_none());
    let (calendar, event) = whole.or_else(|| events().next()).ok_or(InvitationError::NoEvent)?;
    let wrong = |error: EntryError| InvitationError::Event(error.to_string());
    let entry = Entry::read(event, &Zones::of(&calendars), person).map_err(wrong)?;
    let start = entry.start.instant(person).ok_or(EntryError::Beyond).map_err(wrong)?;
    let end = entry.length.end(entry.start.civil, &entry.start.clock, person);
    let method = calendar.text("METHOD").to_ascii_uppercase();
    Ok(Invited {
        method: if method.is_empty() { "PUBLISH".to_owned() } else { line(&method) },
        uid: line(&entry.uid),
        title: entry.title.clone(),
        start,
        end: end.ok_or(EntryError::Beyond).map_err(wrong)?,
        all_day: entry.start.is_day(),
        organizer: event.line("ORGANIZER").map(somebody),
        attendees: event.all("ATTENDEE").take(MOST_PEOPLE).map(somebody).collect(),
        location: line(&event.text("LOCATION")),
        recurrence: recurrence(event, &entry),
    })
}

fn line(text: &str) -> String {
    truncate(&Visible::line(text), 400).into_owned()
}

fn somebody(who: &Line) -> Person {
    let value = who.value.trim();
    let bare = match value.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &value[7..],
        _ => value,
    };
    Person { name: line(who.param("CN").unwrap_or_default()), address: line(bare) }
}

/// How an event recurs: “every 2 weeks on Tuesday and Thursday, 10 times”.
fn recurrence(event: &Component, entry: &Entry) -> Option<String> {
    let mut words: Vec<String> = entry.rules.iter().map(rule_words).collect();
    if !entry.extra.is_empty() {
        let many = entry.extra.len();
        words.push(format!("{many} further {}", if many == 1 { "time" } else { "times" }));
    }
    if event.line("RECURRENCE-ID").is_some() {
        words.push("only this once of a series".to_owned());
    }
    (!words.is_empty()).then(|| words.join("; "))
}

fn rule_words(rule: &Rule) -> String {
    let unit = match rule.every {
        Every::Year => "year",
        Every::Month => "month",
        Every::Week => "week",
        Every::Day => "day",
        Every::Hour => "hour",
        Every::Minute => "minute",
        Every::Second => "second",
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
        words += &format!(" in {}", list(rule.months.iter().map(|n| month(*n).to_owned())));
    }
    let more = [&rule.weeks, &rule.year_days, &rule.positions].iter().any(|list| !list.is_empty())
        || (!rule.hours.is_empty() || !rule.minutes.is_empty() || !rule.seconds.is_empty());
    if more {
        words += " by a longer rule";
    }
    if let Some(count) = rule.count {
        words += &format!(", {count} {}", if count == 1 { "time" } else { "times" });
    }
    if let Some(until) = &rule.until {
        words += &format!(", until {}", until.civil.date().strftime("%-d %b %Y"));
    }
    words
}

fn day_words(day: &NthDay) -> String {
    match day.nth {
        Some(n) => format!("the {}", nth(n, day_name(day.day))),
        None => day_name(day.day).to_owned(),
    }
}

fn nth(n: i16, what: &str) -> String {
    let ordinal = |n: u16| match (n % 10, n % 100) {
        (_, 11..=13) => format!("{n}th"),
        (1, _) => format!("{n}st"),
        (2, _) => format!("{n}nd"),
        (3, _) => format!("{n}rd"),
        _ => format!("{n}th"),
    };
    match (n, n.unsigned_abs()) {
        (-1, _) => format!("last {what}"),
        (..0, back) => format!("{} last {what}", ordinal(back)),
        (_, forth) => format!("{} {what}", ordinal(forth)),
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

pub(super) fn day_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

fn month(n: i16) -> &'static str {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    usize::try_from(n - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or("a month")
}
