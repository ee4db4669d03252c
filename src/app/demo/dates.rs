//! Fills in the dates in the demo's files when it is laid out, so that it is always this week.
//!
//! `{{date -3h}}` is a mail's date; `{{weekday w+2}}`, `{{day w+2}}` (in German `{{wochentag w+2}}`, `{{tag w+2}}`) and
//! `{{ymd w+2}}` and `{{iso w+2}}` name the second working day after today; `{{at w+2 1400}}` is 14:00 on that day in
//! the user's time zone, and `{{utc w+2 1400}}` the same in UTC as calendars write it.

use crate::text::GERMAN_MONTHS;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};

/// The time the demo is laid out at.
pub(super) struct DateFiller {
    now: Zoned,
}

impl DateFiller {
    pub fn new(now: Timestamp, zone: &TimeZone) -> Self {
        Self { now: now.to_zoned(zone.clone()) }
    }

    /// The file with its dates filled in; unknown text in braces stays.
    pub fn fill(&self, file: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(file.len() + 64);
        let mut rest = file;
        while let Some(at) = find(rest, b"{{") {
            let (before, after) = rest.split_at(at);
            out.extend_from_slice(before);
            let end = find(after, b"}}");
            let filled = end
                .and_then(|end| std::str::from_utf8(after.get(2..end)?).ok())
                .and_then(|words| self.value(words));
            match (filled, end) {
                (Some(text), Some(end)) => {
                    out.extend_from_slice(text.as_bytes());
                    rest = after.get(end + 2..).unwrap_or_default();
                }
                _ => {
                    out.extend_from_slice(b"{{");
                    rest = after.get(2..).unwrap_or_default();
                }
            }
        }
        out.extend_from_slice(rest);
        out
    }

    fn value(&self, words: &str) -> Option<String> {
        let mut words = words.split_whitespace();
        let (kind, when) = (words.next()?, words.next()?);
        if kind == "date" {
            return jiff::fmt::rfc2822::to_string(&self.ago(when)?).ok();
        }
        let date = self.working_day(when.strip_prefix('w')?.parse().ok()?)?;
        Some(match kind {
            "weekday" => date.strftime("%A").to_string(),
            "day" => date.strftime("%-d %B").to_string(),
            "wochentag" => weekday(date.weekday()).to_owned(),
            "tag" => format!("{}. {}", date.day(), month(date)?),
            "ymd" => date.strftime("%Y%m%d").to_string(),
            "iso" => date.to_string(),
            "at" => self.time_on(date, words.next()?)?.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            "utc" => self.time_on(date, words.next()?)?.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string(),
            _ => return None,
        })
    }

    /// `1400` on that day.
    fn time_on(&self, date: Date, clock: &str) -> Option<Zoned> {
        let (hour, minute) = clock.split_at_checked(2)?;
        let time = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?;
        date.to_datetime(time).to_zoned(self.now.time_zone().clone()).ok()
    }

    /// `-3h` or `-50m`.
    pub fn ago(&self, when: &str) -> Option<Zoned> {
        let when = when.strip_prefix('-')?;
        let past = match (when.strip_suffix('h'), when.strip_suffix('m')) {
            (Some(hours), _) => SignedDuration::from_hours(hours.parse().ok()?),
            (_, Some(minutes)) => SignedDuration::from_mins(minutes.parse().ok()?),
            _ => return None,
        };
        self.now.checked_sub(past).ok()
    }

    /// When a mail arrived: the first date in the file.
    pub fn arrived(&self, file: &[u8]) -> Option<Timestamp> {
        let at = find(file, b"{{date ")? + 7;
        let rest = file.get(at..)?;
        let words = std::str::from_utf8(rest.get(..find(rest, b"}}")?)?).ok()?;
        self.ago(words).map(|at| at.timestamp())
    }

    /// The working day so many working days after today; +1 is the next one.
    fn working_day(&self, count: i32) -> Option<Date> {
        let step = if count < 0 { -1 } else { 1 };
        let mut date = self.now.date();
        let mut remaining = count.abs();
        while remaining > 0 {
            date = date.checked_add(Span::new().days(step)).ok()?;
            remaining -= i32::from(!matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday));
        }
        Some(date)
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Montag",
        Weekday::Tuesday => "Dienstag",
        Weekday::Wednesday => "Mittwoch",
        Weekday::Thursday => "Donnerstag",
        Weekday::Friday => "Freitag",
        Weekday::Saturday => "Samstag",
        Weekday::Sunday => "Sonntag",
    }
}

fn month(date: Date) -> Option<&'static str> {
    GERMAN_MONTHS.get(usize::try_from(date.month() - 1).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_filled_in() {
        let zone = TimeZone::get("Europe/Amsterdam").unwrap();
        // A Friday.
        let stamp = DateFiller::new("2026-11-13T09:30:00Z".parse().unwrap(), &zone);
        let filled = |text: &str| String::from_utf8(stamp.fill(text.as_bytes())).unwrap();
        assert_eq!(filled("Date: {{date -2h}}\n"), "Date: Fri, 13 Nov 2026 08:30:00 +0100\n");
        assert_eq!(filled("{{weekday w+1}}, {{day w+1}}"), "Monday, 16 November");
        assert_eq!(filled("{{wochentag w+2}}, {{tag w+2}}"), "Dienstag, 17. November");
        assert_eq!(filled("{{utc w+1 1400}} {{ymd w-1}}"), "20261116T130000Z 20261112");
        assert_eq!(filled("{{at w+1 1400}} {{iso w-1}}"), "2026-11-16T14:00:00+01:00 2026-11-12");
        assert_eq!(filled("a {{b}} c {{ d"), "a {{b}} c {{ d");
        assert_eq!(stamp.fill(b"\xff{{ymd w+0}}\xfe"), b"\xff20261113\xfe");
    }
}
