//! When a meeting is, and what else is in the calendar then.

use super::tools::ScheduleMeetingArgs;
use crate::agent::Services;
use crate::calendar::{self, Busy};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// When a meeting begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeRange {
    pub start: Timestamp,
    pub end: Timestamp,
}

impl TimeRange {
    /// The times of a call. The error says what is wrong with them.
    pub fn of(args: &ScheduleMeetingArgs) -> Result<Self, String> {
        let start: Timestamp =
            args.start.parse().map_err(|_| format!("`start`: {} is not a time there is", args.start))?;
        let end = start.checked_add(SignedDuration::from_mins(args.duration_minutes));
        Ok(Self { start, end: end.map_err(|_| "`duration_minutes` is too long".to_owned())? })
    }

    /// None if either text is not a timestamp.
    pub fn between(start: &str, end: &str) -> Option<Self> {
        Some(Self { start: start.parse().ok()?, end: end.parse().ok()? })
    }

    /// In a time zone: `Monday 4 May 2026, 14:00–14:30`.
    pub fn local(&self, zone: &TimeZone) -> String {
        let (start, end) = (zone.to_datetime(self.start), zone.to_datetime(self.end));
        format!("{}–{}", start.strftime("%A %-d %B %Y, %H:%M"), end_of(start, end))
    }

    /// The days of an all-day event.
    pub fn local_days(&self, zone: &TimeZone) -> String {
        let (first, last) = self.days(zone);
        let begins = first.strftime("%A %-d %B %Y");
        if first == last { begins.to_string() } else { format!("{begins}–{}", last.strftime("%A %-d %B")) }
    }

    /// In the person's time zone: `Monday 4 May 2026, 14:00–14:30 (Europe/Berlin)`.
    pub fn local_with_zone(&self, services: &Services) -> String {
        let zone = &services.user.time_zone;
        format!("{} ({})", self.local(zone), zone.iana_name().unwrap_or("UTC"))
    }

    /// The first and last day of a meeting that touches one day or two.
    pub fn dates(&self, zone: &TimeZone) -> Option<(Date, Date)> {
        let (first, last) = self.days(zone);
        (last <= first.tomorrow().ok()?).then_some((first, last))
    }

    /// Its first and last day. One that ends at midnight does not touch the day after.
    fn days(&self, zone: &TimeZone) -> (Date, Date) {
        let last_moment =
            self.end.checked_sub(SignedDuration::from_secs(1)).unwrap_or(self.end).max(self.start);
        (zone.to_datetime(self.start).date(), zone.to_datetime(last_moment).date())
    }

    /// The start of its first day and the end of its last.
    fn window(&self, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        let (first, last) = self.dates(zone)?;
        Some((calendar::day_window(first, zone)?.0, calendar::day_window(last, zone)?.1))
    }
}

/// The end of a time range, with its day if that is another one.
pub(super) fn end_of(start: DateTime, end: DateTime) -> String {
    let form = if start.date() == end.date() { "%H:%M" } else { "%A %-d %B, %H:%M" };
    end.strftime(form).to_string()
}

/// What the calendar says about the time of a call.
pub(super) struct TimeLookup {
    pub when: TimeRange,
    /// The person's other busy times on those days. The error says why we don't know them.
    pub busy: Result<Vec<Busy>, String>,
}

impl TimeLookup {
    /// Asks the calendar. Entries at the times in `own_times` are the meeting itself.
    pub async fn at(services: &Services, when: TimeRange, own_times: &[(Timestamp, Timestamp)]) -> Self {
        let Some(calendar) = &services.calendar else {
            let text = "There is no calendar in the config, so nothing is known about that time.";
            return Self { when, busy: Err(text.to_owned()) };
        };
        let (from, until) = when.window(&services.user.time_zone).unwrap_or((when.start, when.end));
        let busy = calendar.busy(from, until).await.map_err(|error| error.to_string());
        let others = |mut busy: Vec<Busy>| {
            busy.retain(|one| !own_times.contains(&(one.start, one.end)));
            busy
        };
        Self { when, busy: busy.map(others) }
    }

    /// The busy times that overlap the meeting.
    pub fn conflicts(&self) -> Result<Vec<&Busy>, &str> {
        let overlaps = |one: &&Busy| one.start < self.when.end && one.end > self.when.start;
        self.busy.as_ref().map(|busy| busy.iter().filter(overlaps).collect()).map_err(String::as_str)
    }
}

/// A busy time, as one line.
pub(super) fn busy_line(busy: &Busy, services: &Services) -> String {
    let zone = services.user.time_zone.clone();
    let title = if busy.title.is_empty() { "busy" } else { &busy.title };
    if busy.all_day {
        return format!("{title} (all day)");
    }
    let time = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
    format!("{title} ({}–{})", time(busy.start), time(busy.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: &str, end: &str) -> TimeRange {
        TimeRange::between(start, end).unwrap()
    }

    #[test]
    fn the_day_of_the_end_is_named_if_it_is_another_one() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let short = range("2026-05-04T12:00:00Z", "2026-05-04T12:30:00Z");
        assert_eq!(short.local(&berlin), "Monday 4 May 2026, 14:00–14:30");
        let long = range("2026-05-04T07:00:00Z", "2026-05-06T15:00:00Z");
        assert_eq!(long.local(&berlin), "Monday 4 May 2026, 09:00–Wednesday 6 May, 17:00");
    }

    #[test]
    fn an_all_day_event_ends_before_the_day_after() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let one = range("2026-05-03T22:00:00Z", "2026-05-04T22:00:00Z");
        assert_eq!(one.local_days(&berlin), "Monday 4 May 2026");
        let three = range("2026-05-03T22:00:00Z", "2026-05-06T22:00:00Z");
        assert_eq!(three.local_days(&berlin), "Monday 4 May 2026–Wednesday 6 May");
        let empty = range("2026-05-03T22:00:00Z", "2026-05-03T22:00:00Z");
        assert_eq!(empty.local_days(&berlin), "Monday 4 May 2026");
    }
}
