//! Times as people type them. Pure.

use super::short_line;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use std::time::Duration;

/// When a day starts if only the day was given.
const MORNING: Time = Time::constant(9, 0, 0, 0);

/// Nobody snoozes longer than this; it also keeps the sums below within the calendar.
const FARTHEST_DAYS: i64 = 3660;

/// How many columns of a word an error shows.
const SHOWN: usize = 40;

/// Parses a time as seen from `now`; `off` gives `None`.
pub fn parse_snooze(word: &str, now: &Zoned) -> Result<Option<Timestamp>, String> {
    let word = word.trim();
    if word.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    let Some(at) = parse(word, now) else {
        return Err(format!(
            "`{}` is not a time; write 30m, 2h, 3d, tomorrow, monday, fri 9:00, 2026-11-20, 09:00, an RFC 3339 time, or off",
            short_line(word, SHOWN)
        ));
    };
    if at <= now.timestamp() {
        return Err(format!(
            "{} is in the past; name a time to come",
            at.to_zoned(now.time_zone().clone()).strftime("%Y-%m-%d %H:%M")
        ));
    }
    if at.duration_since(now.timestamp()) > SignedDuration::from_hours(24 * FARTHEST_DAYS) {
        return Err("that is more than ten years away; name an earlier time".to_owned());
    }
    Ok(Some(at))
}

/// Parses a point in time, past or to come.
pub fn parse_time(word: &str, now: &Zoned) -> Result<Timestamp, String> {
    let word = word.trim();
    parse(word, now).ok_or_else(|| {
        let word = short_line(word, SHOWN);
        format!("`{word}` is not a time; write thu 15:00, tomorrow 9:00 or 2026-11-19 15:00")
    })
}

/// Parses a length of time: `45s`, `30m`, `2h`, `3d`, `1w`.
pub fn parse_duration(word: &str) -> Result<Duration, String> {
    // In UTC every day has 24 hours, so any start will do.
    let start = Timestamp::UNIX_EPOCH;
    let end = span_from(&word.trim().to_lowercase(), &start.to_zoned(TimeZone::UTC));
    let lasts = end.and_then(|end| Duration::try_from(end.duration_since(start)).ok());
    lasts.ok_or_else(|| {
        format!("`{}` is not a length of time; write 30m, 2h, 3d or 1w", short_line(word, SHOWN))
    })
}

/// A time in the past. An age keeps up with the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    Ago(SignedDuration),
    At(Timestamp),
}

impl Past {
    /// Parses an age (`30d`), a day, or an RFC 3339 time.
    pub fn parse(word: &str, now: &Zoned) -> Option<Self> {
        if let Some(then) = span_from(&word.to_lowercase(), now) {
            return Some(Past::Ago(then.duration_since(now.timestamp())));
        }
        let day = || on(Date::strptime("%Y-%m-%d", word).ok()?, Time::midnight(), now);
        word.parse().ok().or_else(day).map(Past::At)
    }

    pub fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Past::Ago(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
            Past::At(at) => at,
        }
    }
}

/// Parses a time in the past, as seen from `now`.
pub fn parse_past(word: &str, now: &Zoned) -> Result<Timestamp, String> {
    let word = word.trim();
    Past::parse(word, now).map(|past| past.at(now.timestamp())).ok_or_else(|| {
        format!("`{}` is not a time; write 30d, 2026-11-20 or an RFC 3339 time", short_line(word, SHOWN))
    })
}

fn parse(word: &str, now: &Zoned) -> Option<Timestamp> {
    let lower = word.to_lowercase();
    if let Some(at) = span_from(&lower, now) {
        return Some(at);
    }
    if lower == "tomorrow" {
        return on(now.date().tomorrow().ok()?, MORNING, now);
    }
    if let Some(day) = weekday(&lower) {
        return on(now.date().nth_weekday(1, day).ok()?, MORNING, now);
    }
    if let Some((day, time)) = lower.split_once(' ')
        && let Some(date) = day_named(day, now)
    {
        let time = clock(time.trim())?;
        let at = on(date, time, now)?;
        // “fri 9:00” on a Friday at noon means next Friday; “today 9:00” has passed.
        return if at <= now.timestamp() && weekday(day).is_some() {
            on(date.checked_add(Span::new().days(7)).ok()?, time, now)
        } else {
            Some(at)
        };
    }
    if let Ok(at) = word.parse::<Timestamp>() {
        return Some(at);
    }
    // Must come before plain dates and times: their parsers also accept a date with a time, but ignore part of it.
    if word.contains(['T', 't', ' ']) && word.len() > 10 {
        let local: DateTime = word.parse().ok()?;
        return on(local.date(), local.time(), now);
    }
    if word.contains(':') {
        let time = clock(word)?;
        let today = on(now.date(), time, now)?;
        return if today > now.timestamp() {
            Some(today)
        } else {
            on(now.date().tomorrow().ok()?, time, now)
        };
    }
    on(Date::strptime("%Y-%m-%d", word).ok()?, MORNING, now)
}

/// Parses the day before a time. Today's weekday means today.
fn day_named(word: &str, now: &Zoned) -> Option<Date> {
    match word {
        "today" => Some(now.date()),
        "tomorrow" => now.date().tomorrow().ok(),
        word => {
            let day = weekday(word)?;
            if now.date().weekday() == day { Some(now.date()) } else { now.date().nth_weekday(1, day).ok() }
        }
    }
}

/// `9:00`, `09:00`, `09:00:30`.
fn clock(word: &str) -> Option<Time> {
    Time::strptime(if word.len() > 5 { "%H:%M:%S" } else { "%H:%M" }, word).ok()
}

/// `45s`, `30m`, `2h`, `3d`, `1w`. Days are calendar days: the time of day stays the same.
fn span_from(word: &str, now: &Zoned) -> Option<Timestamp> {
    let (count, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i64 = count.parse().ok().filter(|count| *count <= 60 * 24 * FARTHEST_DAYS)?;
    let span = match unit {
        "s" => Span::new().try_seconds(count),
        "m" => Span::new().try_minutes(count),
        "h" => Span::new().try_hours(count),
        "d" => Span::new().try_days(count),
        "w" => Span::new().try_weeks(count),
        _ => return None,
    };
    Some(now.checked_add(span.ok()?).ok()?.timestamp())
}

fn on(date: Date, time: Time, now: &Zoned) -> Option<Timestamp> {
    Some(date.to_datetime(time).to_zoned(now.time_zone().clone()).ok()?.timestamp())
}

/// Parses a weekday, in full or by its first three letters.
fn weekday(word: &str) -> Option<Weekday> {
    let parsed = BrokenDownTime::parse("%A", word).or_else(|_| BrokenDownTime::parse("%a", word));
    parsed.ok()?.weekday()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday, shortly before the clocks go back in Paris (on Sunday the 25th).
    fn now() -> Zoned {
        "2026-10-23T10:30:00+02:00[Europe/Paris]".parse().unwrap()
    }

    #[track_caller]
    fn check(word: &str, expected: &str) {
        let at = parse_snooze(word, &now()).unwrap().unwrap();
        assert_eq!(at.to_zoned(now().time_zone().clone()).datetime().to_string(), expected, "{word}");
    }

    #[test]
    fn times_are_read() {
        check("45s", "2026-10-23T10:30:45");
        check("30m", "2026-10-23T11:00:00");
        check("2h", "2026-10-23T12:30:00");
        check("3d", "2026-10-26T10:30:00");
        check("1W", "2026-10-30T10:30:00");
        check("tomorrow", "2026-10-24T09:00:00");
        check("Monday", "2026-10-26T09:00:00");
        check("fri", "2026-10-30T09:00:00");
        check("fri 9:00", "2026-10-30T09:00:00");
        check("Fri 14:00", "2026-10-23T14:00:00");
        check("mon 8:30", "2026-10-26T08:30:00");
        check("tomorrow 18:00", "2026-10-24T18:00:00");
        check("today 18:00", "2026-10-23T18:00:00");
        check("2026-11-20", "2026-11-20T09:00:00");
        check("11:15", "2026-10-23T11:15:00");
        check("09:00", "2026-10-24T09:00:00");
        check("2026-11-20T08:00:00Z", "2026-11-20T09:00:00");
        check("2026-11-20T08:00:00+01:00", "2026-11-20T08:00:00");
        check("2026-11-20T08:00", "2026-11-20T08:00:00");
        assert_eq!(parse_snooze("OFF", &now()).unwrap(), None);
    }

    #[test]
    fn points_in_time_may_have_passed() {
        for (word, expected) in [
            ("mon 15:00", "2026-10-26T14:00:00Z"),
            ("today 9:00", "2026-10-23T07:00:00Z"),
            ("2026-11-19 15:00", "2026-11-19T14:00:00Z"),
            ("2026-10-01 15:00", "2026-10-01T13:00:00Z"),
        ] {
            assert_eq!(parse_time(word, &now()).unwrap().to_string(), expected, "{word}");
        }
        let refused = parse_time("soon", &now()).unwrap_err();
        assert!(refused.starts_with("`soon` is not a time") && !refused.contains("off"), "{refused}");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let words = [
            "",
            "h",
            "2",
            "-2h",
            "2 h",
            "2y",
            "someday",
            "fri 25:00",
            "fri nine",
            "2026-13-01",
            "25:00",
            "9999999999999999999d",
            "é",
            "2026-11",
        ];
        for word in words {
            let failure = parse_snooze(word, &now()).unwrap_err();
            assert!(failure.contains("is not a time"), "{word}: {}", failure);
        }
        for word in ["2026-10-23", "2020-01-01T00:00:00Z", "0m", "today 9:00"] {
            let failure = parse_snooze(word, &now()).unwrap_err();
            assert!(failure.contains("in the past"), "{word}: {}", failure);
        }
        assert!(parse_snooze("4000d", &now()).unwrap_err().contains("ten years"));
    }
}
