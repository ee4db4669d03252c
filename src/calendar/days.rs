//! Busy times in words, one line per day.

use super::Busy;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// How many busy times of a day we list one by one.
const MAX_LISTED: usize = 40;

/// The start and end of a day in `zone`; `None` beyond the end of time.
pub fn day_window(day: Date, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let begin = day.to_zoned(zone.clone()).ok()?;
    let end = day.tomorrow().ok()?.to_zoned(zone.clone()).ok()?;
    Some((begin.timestamp(), end.timestamp()))
}

/// The busy times of a day in one line: `Tue 17 Nov: 09:00–10:00 Stand-up; free otherwise`. Entries of `busy` on other
/// days are skipped.
pub fn day_line(busy: &[Busy], day: Date, zone: &TimeZone) -> String {
    let name = day.strftime("%a %-d %b");
    let Some((begin, end)) = day_window(day, zone) else {
        return format!("{name}: too far in the future");
    };
    let on_day = |it: &&Busy| it.start < end && (it.end > begin || (it.start == it.end && it.start >= begin));
    let mut entries: Vec<&Busy> = busy.iter().filter(on_day).collect();
    if entries.is_empty() {
        return format!("{name}: free all day");
    }
    entries.sort_by_key(|it| (!it.all_day, it.start, it.end));
    let mut parts: Vec<String> =
        entries.iter().take(MAX_LISTED).map(|it| part(it, begin, end, zone)).collect();
    if entries.len() > MAX_LISTED {
        parts.push(format!("{} more", entries.len() - MAX_LISTED));
    }
    if !is_full(&entries, begin, end) {
        parts.push("free otherwise".to_owned());
    }
    format!("{name}: {}", parts.join("; "))
}

fn part(it: &Busy, begin: Timestamp, end: Timestamp, zone: &TimeZone) -> String {
    let clock = |time: Timestamp| zone.to_datetime(time).strftime("%H:%M").to_string();
    let when = if it.start <= begin && it.end >= end {
        "all day".to_owned()
    } else if it.start == it.end {
        clock(it.start)
    } else {
        let from = if it.start <= begin { "00:00".to_owned() } else { clock(it.start) };
        let until = if it.end >= end { "24:00".to_owned() } else { clock(it.end) };
        format!("{from}–{until}")
    };
    let title = it.title.trim();
    if title.is_empty() { format!("{when} busy") } else { format!("{when} {title}") }
}

/// Whether no part of the day is free.
fn is_full(entries: &[&Busy], begin: Timestamp, end: Timestamp) -> bool {
    let mut spans: Vec<(Timestamp, Timestamp)> = entries.iter().map(|it| (it.start, it.end)).collect();
    spans.sort_unstable();
    let reached = spans.into_iter().fold(
        begin,
        |reached, (from, until)| {
            if from <= reached { reached.max(until) } else { reached }
        },
    );
    reached >= end
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn busy(start: &str, end: &str, title: &str, all_day: bool) -> Busy {
        let at = |text: &str| text.parse().unwrap();
        Busy { start: at(start), end: at(end), title: title.to_owned(), all_day }
    }

    #[track_caller]
    fn check(busy: &[Busy], expected: &str) {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(day_line(busy, date(2026, 11, 17), &berlin), expected);
    }

    #[test]
    fn a_day_in_a_line() {
        let standup = busy("2026-11-17T08:00:00Z", "2026-11-17T09:00:00Z", "Stand-up", false);
        let night = busy("2026-11-16T22:00:00Z", "2026-11-17T01:30:00Z", "", false);
        let late = busy("2026-11-17T21:00:00Z", "2026-11-18T01:30:00Z", "Night train", false);
        let day = busy("2026-11-16T23:00:00Z", "2026-11-17T23:00:00Z", "Holiday", true);
        let bell = busy("2026-11-17T11:00:00Z", "2026-11-17T11:00:00Z", "Bell", false);
        check(&[], "Tue 17 Nov: free all day");
        check(std::slice::from_ref(&standup), "Tue 17 Nov: 09:00–10:00 Stand-up; free otherwise");
        check(
            &[late, night, bell],
            "Tue 17 Nov: 00:00–02:30 busy; 12:00 Bell; 22:00–24:00 Night train; free otherwise",
        );
        check(&[standup, day], "Tue 17 Nov: all day Holiday; 09:00–10:00 Stand-up");
        check(
            &[busy("2026-11-17T23:00:00Z", "2026-11-18T23:00:00Z", "Next day", true)],
            "Tue 17 Nov: free all day",
        );
    }

    #[test]
    fn a_crowded_day_is_told_to_an_end() {
        let bell = busy("2026-11-17T11:00:00Z", "2026-11-17T11:00:00Z", "Bell", false);
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let line = day_line(&vec![bell; 1000], date(2026, 11, 17), &berlin);
        assert!(line.ends_with("; 960 more; free otherwise") && line.len() < 2000, "{line}");
    }
}
