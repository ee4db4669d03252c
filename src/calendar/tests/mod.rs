//! Tests of calendars: recurrences and zones, hostile events, files, and written text.

mod bounds;
mod files;
mod invitations;
mod recurrences;
mod revisions;
mod zones;

use super::{Busy, Calendar, CalendarError, IcsCalendar};
use jiff::Timestamp;
use jiff::tz::TimeZone;

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").unwrap()
}

fn calendar(inside: &str) -> String {
    let inside: String = inside.lines().map(|line| format!("{}\r\n", line.trim())).collect();
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n{inside}END:VCALENDAR\r\n")
}

fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:one@test\nSUMMARY:It\n{lines}\nEND:VEVENT\n")
}

fn at(text: &str) -> Timestamp {
    if text.contains('T') {
        format!("{text}Z").parse().unwrap()
    } else {
        format!("{text}T00:00:00Z").parse().unwrap()
    }
}

/// The busy times of this calendar text in a window, for somebody in Berlin.
fn busy(text: &str, from: &str, until: &str) -> Result<Vec<Busy>, CalendarError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.ics");
    std::fs::write(&path, text).unwrap();
    run(IcsCalendar::new(&path, berlin()).busy(at(from), at(until)))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Checks the times of events: `2026-11-17T08:00/09:00` in UTC, with a date if it ends on another day.
#[track_caller]
fn check(inside: &str, from: &str, until: &str, expected: &[&str]) {
    let times = busy(&calendar(inside), from, until).unwrap();
    let utc = |time: Timestamp| TimeZone::UTC.to_datetime(time);
    let times: Vec<String> = times
        .iter()
        .map(|it| {
            let (start, end) = (utc(it.start), utc(it.end));
            let end = if start.date() == end.date() {
                end.strftime("%H:%M").to_string()
            } else {
                end.strftime("%m-%dT%H:%M").to_string()
            };
            format!("{}/{end}", start.strftime("%Y-%m-%dT%H:%M"))
        })
        .collect();
    assert_eq!(times, expected, "{inside}");
}
