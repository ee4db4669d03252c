//! Finds times for a meeting from the profile `cal_preferences`, the calendar, and the times a mail proposes.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use serde_json::Value;

use super::strip_bullet;
use super::when::{Day, Mention, Part, mentions, minutes};
use crate::text::phrases::normalize_text;

/// The person's meeting preferences.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Habits {
    pub from: Time,
    pub until: Time,
    pub minutes: u32,
    /// Free minutes before and after.
    pub buffer: u32,
    pub prefer: Option<Part>,
    pub excluded_weekdays: Vec<Weekday>,
    /// Hours kept free every day.
    pub blocked_hours: Vec<(Time, Time)>,
    pub place: Option<String>,
}

impl Habits {
    /// Half an hour between nine and five on working days, unless the profile says otherwise.
    pub fn read(profile: &str) -> Self {
        let mut habits = Self {
            from: Time::constant(9, 0, 0, 0),
            until: Time::constant(17, 0, 0, 0),
            minutes: 30,
            buffer: 0,
            prefer: None,
            excluded_weekdays: vec![Weekday::Saturday, Weekday::Sunday],
            blocked_hours: Vec::new(),
            place: None,
        };
        let mut has_length = false;
        for line in profile.lines().map(strip_bullet).filter(|line| !line.is_empty()) {
            habits.read_line(line, &mut has_length);
        }
        habits
    }

    fn read_line(&mut self, line: &str, has_length: &mut bool) {
        // Any Monday works: only times and weekday names matter.
        let base = Date::constant(2026, 1, 5);
        let words = normalize_text(line);
        // Text in brackets only says where the memory learned it.
        let mentioned = mentions(line.split('(').next().unwrap_or(line), base);
        let time = mentioned.iter().find_map(|mention| mention.time);
        let range = mentioned.iter().find_map(|mention| Some((mention.time?, mention.until?)));
        if words.has("not over lunch, not at lunch, no lunch meetings, lunch free") {
            self.blocked_hours.push((Time::constant(12, 0, 0, 0), Time::constant(13, 0, 0, 0)));
        }
        if let Some(place) = line.strip_prefix("Place:") {
            self.place = Some(place.trim().to_owned());
        } else if words.has("buffer, between meetings, between two meetings, break, pause*, puffer") {
            self.buffer = minutes(line).unwrap_or(self.buffer);
        } else if words.has(
            "no meetings, never, not on, keine termine, avoid, keep, lunch from, lunch between, mittagspause",
        ) {
            if let Some(range) = range {
                self.blocked_hours.push(range);
            } else {
                let days = mentioned.iter().filter_map(|mention| match mention.day {
                    Day::On(date) => Some(date.weekday()),
                    Day::Week(_) | Day::Unnamed => None,
                });
                self.excluded_weekdays.extend(days);
                if words.has("before, vor") {
                    self.from = time.unwrap_or(self.from);
                } else if words.has("after, nach") {
                    self.until = time.unwrap_or(self.until);
                }
            }
        } else if words.has("not before, nicht vor") {
            self.from = time.unwrap_or(self.from);
        } else if words.has("not after, nicht nach") {
            self.until = time.unwrap_or(self.until);
        } else if let Some((from, until)) = range {
            (self.from, self.until) = (from, until);
        } else if let Some(count) = minutes(line).filter(|_| !*has_length || line.starts_with("Duration:")) {
            self.minutes = count;
            *has_length = true;
        } else if words.has("prefer*, like*, mornings, afternoons, lieber, am liebsten") {
            self.prefer = mentioned.iter().find_map(|mention| mention.part).or(self.prefer);
        }
    }
}

/// What the calendar said.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCalendar {
    /// The days we asked about.
    pub days: Vec<Date>,
    busy: Vec<(Timestamp, Timestamp)>,
}

impl KnownCalendar {
    /// Adds the calendar's answer for `days`.
    pub fn add(&mut self, days: Vec<Date>, data: &Value) {
        self.days.extend(days);
        for entry in data.as_array().map(Vec::as_slice).unwrap_or_default() {
            let time_of = |key: &str| entry.get(key)?.as_str()?.parse::<Timestamp>().ok();
            let title = normalize_text(entry.get("title").and_then(Value::as_str).unwrap_or_default());
            let is_all_day = entry.get("all_day").and_then(Value::as_bool).unwrap_or(false);
            // Birthdays and reminders take no time; other all-day entries do.
            if is_all_day
                && title.has("birthday*, geburtstag*, anniversary, deadline, reminder, due, release")
            {
                continue;
            }
            if let (Some(start), Some(end)) = (time_of("start"), time_of("end")) {
                self.busy.push((start, end));
            }
        }
    }

    fn is_free(&self, start: &Zoned, minutes: u32, buffer: u32) -> bool {
        let span = |count: u32| Span::new().minutes(i64::from(count));
        let Ok(from) = start.timestamp().checked_sub(span(buffer)) else { return false };
        let Ok(until) = start.timestamp().checked_add(span(minutes + buffer)) else { return false };
        !self.busy.iter().any(|(start, end)| *start < until && *end > from)
    }
}

/// The constraints for finding a time.
pub(super) struct Search<'a> {
    pub now: &'a Zoned,
    pub zone: &'a TimeZone,
    pub habits: &'a Habits,
    pub calendar: &'a KnownCalendar,
    pub minutes: u32,
}

impl Search<'_> {
    /// The named time, if it is free and suits the person's habits.
    pub fn exactly(&self, date: Date, time: Time) -> Option<Zoned> {
        let start = self.zoned(date, time)?;
        self.fits(&start, self.habits.buffer)
            .then_some(start.clone())
            .or_else(|| self.fits(&start, 0).then_some(start))
    }

    pub fn zoned(&self, date: Date, time: Time) -> Option<Zoned> {
        date.to_datetime(time).to_zoned(self.zone.clone()).ok()
    }

    fn fits(&self, start: &Zoned, buffer: u32) -> bool {
        let end = start.checked_add(Span::new().minutes(i64::from(self.minutes))).ok();
        let Some(end) = end.filter(|end| end.date() == start.date()) else { return false };
        let is_blocked =
            self.habits.blocked_hours.iter().any(|(from, until)| start.time() < *until && end.time() > *from);
        start > self.now
            && self.calendar.days.contains(&start.date())
            && !self.habits.excluded_weekdays.contains(&start.weekday())
            && start.time() >= self.habits.from
            && end.time() <= self.habits.until
            && !is_blocked
            && self.calendar.is_free(start, self.minutes, buffer)
    }

    /// The free times of a day, every half hour, within `window`; preferred ones first.
    pub fn free_times(&self, date: Date, window: Option<(Time, Time)>) -> Vec<Zoned> {
        let all: Vec<Zoned> = (0..48i8)
            .filter_map(|half| Time::new(half / 2, (half % 2) * 30, 0, 0).ok())
            .filter(|time| window.is_none_or(|(from, until)| *time >= from && *time < until))
            .filter_map(|time| self.zoned(date, time))
            .filter(|start| self.fits(start, self.habits.buffer))
            .collect();
        let preferred = |start: &Zoned| {
            self.habits.prefer.is_none_or(|part| {
                let (from, until) = part.hours();
                start.time() >= from && start.time() < until
            })
        };
        let (mut first, rest): (Vec<Zoned>, Vec<Zoned>) = all.into_iter().partition(preferred);
        first.extend(rest);
        first
    }

    /// Up to three free times on `days`, on different days if possible.
    pub fn up_to_three(&self, mentions: &[Mention], days: &[Date]) -> Vec<Zoned> {
        let mut days = days.to_vec();
        days.sort_unstable();
        days.dedup();
        let window = |date: Date| window_of(mentions, date);
        let by_day: Vec<Vec<Zoned>> = days.iter().map(|date| self.free_times(*date, window(*date))).collect();
        let mut out: Vec<Zoned> = Vec::new();
        for round in 0..3 {
            for slots in &by_day {
                let is_apart = |start: &&Zoned| {
                    out.iter()
                        .all(|other| other.date() != start.date() || (other.hour() - start.hour()).abs() >= 2)
                };
                if out.len() < 3
                    && round
                        == out.iter().filter(|o| slots.first().is_some_and(|s| s.date() == o.date())).count()
                {
                    let next = slots.iter().find(is_apart).cloned();
                    out.extend(next);
                }
            }
        }
        out.sort();
        out
    }
}

/// The hours to use on a day: those named for it, else those named for any day.
fn window_of(mentions: &[Mention], date: Date) -> Option<(Time, Time)> {
    let names_date = |mention: &&Mention| mention.day == Day::On(date);
    match mentions.iter().find(names_date) {
        Some(mention) => window(mention),
        None => mentions.iter().find_map(window),
    }
}

/// The hours a mention allows.
pub(super) fn window(mention: &Mention) -> Option<(Time, Time)> {
    match (mention.time, mention.until, mention.part) {
        (Some(from), Some(until), _) => Some((from, until)),
        (_, _, Some(part)) => Some(part.hours()),
        _ => None,
    }
}

/// The days to check for these mentions: the named days, or the working days of a named week; none before today.
pub(super) fn days(mentions: &[Mention], today: Date) -> Vec<Date> {
    let mut out = Vec::new();
    for mention in mentions {
        match mention.day {
            Day::On(date) => out.push(date),
            Day::Week(monday) if mentions.iter().all(|m| !matches!(m.day, Day::On(_))) => {
                out.extend((0..5).filter_map(|n| monday.checked_add(Span::new().days(n)).ok()));
            }
            Day::Week(_) | Day::Unnamed => {}
        }
    }
    out.retain(|date| *date >= today);
    out.sort_unstable();
    out.dedup();
    out.truncate(10);
    out
}

/// The next `count` working days after `after`.
pub(super) fn working_days(after: Date, count: usize, excluded: &[Weekday]) -> Vec<Date> {
    (1..=14)
        .filter_map(|n| after.checked_add(Span::new().days(n)).ok())
        .filter(|date| !excluded.contains(&date.weekday()))
        .take(count)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::{date, time};
    use serde_json::json;

    #[test]
    fn habits_are_read() {
        let habits = Habits::read(
            "30 minute meetings are preferred, but 15 minute meetings are also fine.\n- Between 10:00 and 16:00\n\
             - No meetings on Fridays\n- 15 minutes buffer\n- Time of day: prefer the morning (moved from 16:00 to 10:00)\n\
             - Place: Room 4\n- Lunch from 12:00 to 13:00",
        );
        assert_eq!((habits.from, habits.until, habits.minutes), (time(10, 0, 0, 0), time(16, 0, 0, 0), 30));
        assert_eq!(
            (habits.buffer, habits.prefer, habits.place.as_deref()),
            (15, Some(Part::Morning), Some("Room 4"))
        );
        assert!(habits.excluded_weekdays.contains(&Weekday::Friday));
        assert_eq!(habits.blocked_hours, [(time(12, 0, 0, 0), time(13, 0, 0, 0))]);
        assert_eq!(Habits::read("- Duration: meetings of 45 minutes").minutes, 45);
        let habits = Habits::read(
            "- Meetings of 30 minutes are preferred; 15 are fine\n- Between 9:00 and 17:00 on working days, not over \
             lunch\n- Leave 15 minutes between two meetings where that is possible",
        );
        assert_eq!((habits.from, habits.until, habits.minutes), (time(9, 0, 0, 0), time(17, 0, 0, 0), 30));
        assert_eq!((habits.buffer, habits.blocked_hours.len()), (15, 1));
    }

    #[test]
    fn only_free_times_of_known_days_are_found() {
        let zone = TimeZone::get("Europe/Amsterdam").unwrap();
        let now = date(2026, 11, 11).at(9, 0, 0, 0).to_zoned(zone.clone()).unwrap();
        let mut calendar = KnownCalendar::default();
        let day = date(2026, 11, 12);
        calendar.add(
            vec![day],
            &json!([
                {"start": "2026-11-12T09:00:00+01:00", "end": "2026-11-12T15:00:00+01:00", "title": "Fair", "all_day": false},
                {"start": "2026-11-12T00:00:00+01:00", "end": "2026-11-13T00:00:00+01:00", "title": "Bo's birthday", "all_day": true},
            ]),
        );
        let habits = Habits::read("");
        let search = Search { now: &now, zone: &zone, habits: &habits, calendar: &calendar, minutes: 60 };
        assert!(search.exactly(day, time(14, 30, 0, 0)).is_none());
        assert!(search.exactly(day, time(15, 0, 0, 0)).is_some());
        assert!(search.exactly(day, time(16, 30, 0, 0)).is_none(), "it would end after five");
        assert!(
            search.exactly(date(2026, 11, 13), time(15, 0, 0, 0)).is_none(),
            "nobody asked about that day"
        );
        assert_eq!(search.up_to_three(&[], &calendar.days).len(), 1);
    }
}
