//! Expands a rule into local times, in order (RFC 5545, section 3.3.10).
//!
//! Works with local times only: code that knows the zone converts them to instants and applies `UNTIL`. It is limited:
//! a rule without `COUNT` starts near the requested window, and too many steps are an error, never a shorter result.

use super::rule::{Frequency, NthDay, Rule};
use jiff::civil::{Date, DateTime, Weekday, date};
use jiff::{Span, ToSpan};

/// How many periods and times one rule may take.
const MAX_STEPS: u32 = 250_000;

/// A rule takes too many steps.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany;

/// The times of a rule in `from..=until`. If it has a count, we count from its first time.
pub fn times(
    rule: &Rule,
    start: DateTime,
    from: DateTime,
    until: DateTime,
) -> Result<Vec<DateTime>, TooMany> {
    let mut walk = Walk { rule: complete(rule, start), start, steps: 0 };
    let mut in_window = Vec::new();
    let mut remaining = rule.count;
    let skipped = if remaining.is_some() { 0 } else { walk.periods_before(from) };
    let mut period = skipped;
    while let Some(at) = walk.period(period) {
        if at > until {
            break;
        }
        let mut times = walk.times(at)?;
        times.retain(|time| *time >= start);
        for time in times {
            if time > until || remaining == Some(0) {
                return Ok(in_window);
            }
            remaining = remaining.map(|remaining| remaining - 1);
            if time >= from {
                in_window.push(time);
            }
        }
        period = match walk.next_day(at, period) {
            Some(later) => later,
            None => period + 1,
        };
        walk.step(1)?;
    }
    Ok(in_window)
}

/// Fills what the rule leaves open from the start.
fn complete(rule: &Rule, start: DateTime) -> Rule {
    let mut rule = rule.clone();
    if !rule.names_days() {
        match rule.every {
            Frequency::Year => {
                if rule.months.is_empty() {
                    rule.months = vec![start.month().into()];
                }
                rule.month_days = vec![start.day().into()];
            }
            Frequency::Month => rule.month_days = vec![start.day().into()],
            Frequency::Week => rule.days = vec![NthDay { nth: None, day: start.weekday() }],
            Frequency::Day | Frequency::Hour | Frequency::Minute | Frequency::Second => {}
        }
    } else if !rule.weeks.is_empty()
        && rule.days.is_empty()
        && rule.month_days.is_empty()
        && rule.year_days.is_empty()
    {
        rule.days = vec![NthDay { nth: None, day: start.weekday() }];
    }
    if rule.hours.is_empty() && rule.every < Frequency::Hour {
        rule.hours = vec![start.hour()];
    }
    if rule.minutes.is_empty() && rule.every < Frequency::Minute {
        rule.minutes = vec![start.minute()];
    }
    if rule.seconds.is_empty() && rule.every < Frequency::Second {
        rule.seconds = vec![start.second()];
    }
    rule
}

struct Walk {
    rule: Rule,
    start: DateTime,
    steps: u32,
}

impl Walk {
    fn step(&mut self, more: usize) -> Result<(), TooMany> {
        self.steps = self.steps.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        if self.steps > MAX_STEPS { Err(TooMany) } else { Ok(()) }
    }

    /// The start of the nth period; `None` beyond the end of time.
    fn period(&self, n: i64) -> Option<DateTime> {
        let offset = n.checked_mul(self.rule.interval)?;
        let day = self.start.date();
        let midnight = |day: Date| day.at(0, 0, 0, 0);
        match self.rule.every {
            Frequency::Year => {
                let year = i64::from(day.year()).checked_add(offset)?;
                Date::new(i16::try_from(year).ok()?, 1, 1).ok().map(midnight)
            }
            Frequency::Month => {
                let month = day.first_of_month();
                month.checked_add(Span::new().try_months(offset).ok()?).ok().map(midnight)
            }
            Frequency::Week => {
                let back = days_since(day.weekday(), self.rule.week_start);
                let monday = day.checked_sub(back.days()).ok()?;
                monday.checked_add(Span::new().try_weeks(offset).ok()?).ok().map(midnight)
            }
            Frequency::Day => day.checked_add(Span::new().try_days(offset).ok()?).ok().map(midnight),
            Frequency::Hour => {
                let hour = day.at(self.start.hour(), 0, 0, 0);
                hour.checked_add(Span::new().try_hours(offset).ok()?).ok()
            }
            Frequency::Minute => {
                let minute = day.at(self.start.hour(), self.start.minute(), 0, 0);
                minute.checked_add(Span::new().try_minutes(offset).ok()?).ok()
            }
            Frequency::Second => self.start.checked_add(Span::new().try_seconds(offset).ok()?).ok(),
        }
    }

    /// How many periods surely lie before a time.
    fn periods_before(&self, time: DateTime) -> i64 {
        let seconds = match self.rule.every {
            Frequency::Year => 366 * 86_400,
            Frequency::Month => 31 * 86_400,
            Frequency::Week => 7 * 86_400,
            Frequency::Day => 86_400,
            Frequency::Hour => 3600,
            Frequency::Minute => 60,
            Frequency::Second => 1,
        };
        let elapsed = time.duration_since(self.start).as_secs();
        let periods = elapsed / self.rule.interval.saturating_mul(seconds);
        (periods - 1).max(0)
    }

    /// The first period on a later day, if periods are shorter than a day and the rule excludes this day.
    fn next_day(&self, at: DateTime, period: i64) -> Option<i64> {
        let seconds = match self.rule.every {
            Frequency::Hour => 3600,
            Frequency::Minute => 60,
            Frequency::Second => 1,
            Frequency::Year | Frequency::Month | Frequency::Week | Frequency::Day => return None,
        };
        if self.is_wanted(at.date()) {
            return None;
        }
        let midnight = at.date().tomorrow().ok()?.at(0, 0, 0, 0);
        let seconds_left = midnight.duration_since(at).as_secs();
        let step = self.rule.interval.saturating_mul(seconds);
        period.checked_add(((seconds_left + step - 1) / step).max(1))
    }

    /// The times in the period that begins at `at`.
    fn times(&mut self, at: DateTime) -> Result<Vec<DateTime>, TooMany> {
        let first = at.date();
        let days: Vec<Date> = match self.rule.every {
            Frequency::Year => days(first, 366).filter(|day| day.year() == first.year()).collect(),
            Frequency::Month => days(first, 31).filter(|day| day.month() == first.month()).collect(),
            Frequency::Week => days(first, 7).collect(),
            Frequency::Day | Frequency::Hour | Frequency::Minute | Frequency::Second => vec![first],
        };
        let days: Vec<Date> = days.into_iter().filter(|day| self.is_wanted(*day)).collect();
        let rule = &self.rule;
        let values = |list: &[i8], every: Frequency, current: i8| -> Vec<i8> {
            if rule.every < every {
                list.to_vec()
            } else if list.is_empty() || list.contains(&current) {
                vec![current]
            } else {
                Vec::new()
            }
        };
        let hours = values(&rule.hours, Frequency::Hour, at.hour());
        let minutes = values(&rule.minutes, Frequency::Minute, at.minute());
        let seconds = values(&rule.seconds, Frequency::Second, at.second());
        let many = days
            .len()
            .saturating_mul(hours.len())
            .saturating_mul(minutes.len())
            .saturating_mul(seconds.len());
        self.step(many)?;
        let mut times = Vec::with_capacity(many);
        for day in days {
            for hour in &hours {
                for minute in &minutes {
                    times.extend(seconds.iter().map(|second| day.at(*hour, *minute, *second, 0)));
                }
            }
        }
        Ok(positions(&self.rule.positions, times))
    }

    fn is_wanted(&self, day: Date) -> bool {
        let rule = &self.rule;
        let allows = |list: &[i16], number: i16, length: i16| {
            list.is_empty() || list.contains(&number) || list.contains(&(number - length - 1))
        };
        allows(&rule.months, day.month().into(), 12)
            && allows(&rule.month_days, day.day().into(), day.days_in_month().into())
            && allows(&rule.year_days, day.day_of_year(), day.days_in_year())
            && (rule.weeks.is_empty() || self.is_in_week(day))
            && (rule.days.is_empty() || rule.days.iter().any(|nth_day| self.is_nth(day, *nth_day)))
    }

    fn is_nth(&self, day: Date, expected: NthDay) -> bool {
        if day.weekday() != expected.day {
            return false;
        }
        let monthly = match self.rule.every {
            Frequency::Month => true,
            Frequency::Year => !self.rule.months.is_empty(),
            // The standard gives the number no meaning here.
            Frequency::Week | Frequency::Day | Frequency::Hour | Frequency::Minute | Frequency::Second => {
                return true;
            }
        };
        let Some(nth) = expected.nth else { return true };
        let (at, length) = if monthly {
            (i16::from(day.day()), i16::from(day.days_in_month()))
        } else {
            (day.day_of_year(), day.days_in_year())
        };
        nth == (at - 1) / 7 + 1 || nth == -((length - at) / 7 + 1)
    }

    /// A week belongs to the year that has most of its days.
    fn is_in_week(&self, day: Date) -> bool {
        let start = self.rule.week_start;
        let Some((year, week)) = week_of(day, start) else { return false };
        let weeks = weeks_in(year, start);
        self.rule.weeks.iter().any(|number| *number == week || *number == week - weeks - 1)
    }
}

fn days(first: Date, most: usize) -> impl Iterator<Item = Date> {
    let mut next = Some(first);
    std::iter::from_fn(move || {
        let day = next?;
        next = day.tomorrow().ok();
        Some(day)
    })
    .take(most)
}

/// How many days back from a weekday to the last `start`.
fn days_since(day: Weekday, start: Weekday) -> i8 {
    (day.to_monday_zero_offset() - start.to_monday_zero_offset()).rem_euclid(7)
}

/// The year and number of a day's week.
fn week_of(day: Date, start: Weekday) -> Option<(i16, i16)> {
    let first = day.checked_sub(days_since(day.weekday(), start).days()).ok()?;
    let middle = first.checked_add(3.days()).ok()?;
    Some((middle.year(), (middle.day_of_year() - 1) / 7 + 1))
}

fn weeks_in(year: i16, start: Weekday) -> i16 {
    // 28 December is always in the last week.
    week_of(date(year, 12, 28), start).map_or(52, |(_, week)| week)
}

fn positions(positions: &[i16], times: Vec<DateTime>) -> Vec<DateTime> {
    if positions.is_empty() {
        return times;
    }
    let length = i64::try_from(times.len()).unwrap_or(i64::MAX);
    let is_wanted =
        |at: i64| positions.iter().map(|n| i64::from(*n)).any(|n| n == at + 1 || n == at - length);
    times.into_iter().zip(0..).filter(|(_, at)| is_wanted(*at)).map(|(time, _)| time).collect()
}
