//! Time zones by their names in calendars: IANA names, Windows names, and zones a calendar defines itself.

use super::rule::{Frequency, Rule};
use super::written::{Form, Written};
use super::{expand, windows};
use crate::calendar::lines::{Component, Line};
use crate::calendar::short;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};
use std::collections::BTreeSet;

/// How many rules and dates a zone may define; all are looked at for each time in it.
const MAX_RULES: usize = 32;
const MAX_DATES: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Zone {
    /// A well-known zone.
    Known(TimeZone),
    /// A zone defined by a `VTIMEZONE`.
    Defined(Vec<Observance>),
}

/// A new offset from some local time on.
#[derive(Clone, Debug, PartialEq)]
pub struct Observance {
    start: DateTime,
    from: Offset,
    to: Offset,
    rules: Vec<Rule>,
    dates: Vec<DateTime>,
}

impl Zone {
    /// The zone of a well-known name.
    pub fn by_name(id: &str) -> Option<Self> {
        let id = id.trim();
        if let Some(iana) = windows::iana(id) {
            return TimeZone::get(iana).ok().map(Self::Known);
        }
        // Some programs write `/citadel.org/20261117_1/Europe/Berlin`.
        let names = std::iter::successors(Some(id.trim_start_matches('/')), |name| {
            name.split_once('/').map(|(_, rest)| rest)
        });
        let zone = |name: &str| (!name.is_empty()).then(|| TimeZone::get(name).ok()).flatten();
        names.take(6).find_map(zone).map(Self::Known)
    }

    /// The zone that a `VTIMEZONE` defines, or why we cannot follow it.
    pub fn defined(zone: &Component) -> Result<Self, String> {
        let parts = zone.inside.iter().filter(|part| matches!(part.kind.as_str(), "STANDARD" | "DAYLIGHT"));
        let rules = parts.clone().flat_map(|part| part.all("RRULE")).count();
        let dates = parts.clone().flat_map(|part| part.all("RDATE")).flat_map(|line| line.value.split(','));
        if rules > MAX_RULES || parts.clone().count() + dates.count() > MAX_DATES {
            return Err(format!("it has more than {MAX_RULES} rules or {MAX_DATES} dates"));
        }
        let observances: Vec<Observance> = parts.map(observance).collect::<Result<_, _>>()?;
        if observances.is_empty() {
            return Err("it has no offset".to_owned());
        }
        Ok(Self::Defined(observances))
    }

    /// Its name in the IANA database, if it is a well-known zone.
    pub fn iana_name(&self) -> Option<&str> {
        match self {
            Self::Known(zone) => zone.iana_name(),
            Self::Defined(_) => None,
        }
    }

    /// The instant of a local time. In a gap we use the offset before it; a repeated time means the first.
    pub fn instant(&self, civil: DateTime) -> Option<Timestamp> {
        match self {
            Self::Known(zone) => Some(zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp()),
            Self::Defined(observances) => offset(observances, civil)?.to_timestamp(civil).ok(),
        }
    }
}

fn observance(part: &Component) -> Result<Observance, String> {
    let line = |name: &str| part.line(name).ok_or_else(|| format!("it has no {name}"));
    let odd = |name: &str, value: &str| format!("its {name} is not understood ({})", short(value));
    let civil = |name: &str, value: &str| {
        Ok::<_, String>(Written::read(value).ok_or_else(|| odd(name, value))?.civil)
    };
    let offset = |name: &str| {
        let value = &line(name)?.value;
        utc_offset(value).ok_or_else(|| odd(name, value))
    };
    let start = civil("DTSTART", &line("DTSTART")?.value)?;
    let rule = |line: &Line| match Rule::read(&line.value)? {
        rule if is_yearly(&rule, start) => Ok(rule),
        _ => Err(format!("it changes by a rule that is not yearly ({})", short(&line.value))),
    };
    let dates = part.all("RDATE").flat_map(|line| line.value.split(','));
    Ok(Observance {
        start,
        from: offset("TZOFFSETFROM")?,
        to: offset("TZOFFSETTO")?,
        rules: part.all("RRULE").map(rule).collect::<Result<_, String>>()?,
        dates: dates.map(|value| civil("RDATE", value)).collect::<Result<_, _>>()?,
    })
}

/// Whether a rule comes true every year, and at most once a day: then its last time is found in a few steps.
fn is_yearly(rule: &Rule, start: DateTime) -> bool {
    const YEARS: u8 = 12;
    let is_plain = rule.every == Frequency::Year
        && rule.interval == 1
        && [&rule.hours, &rule.minutes, &rule.seconds].iter().all(|list| list.len() <= 1);
    let until = start.checked_add(i32::from(YEARS).years()).unwrap_or(DateTime::MAX);
    let endless = Rule { count: None, ..rule.clone() };
    let years = |times: Vec<DateTime>| times.iter().map(|time| time.year()).collect::<BTreeSet<_>>().len();
    is_plain
        && expand::times(&endless, start, start, until).is_ok_and(|times| years(times) >= usize::from(YEARS))
}

/// `+0100`, `-023045`.
fn utc_offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two = |at: usize| digits.get(at..at + 2).map_or(Some(0), |two| two.parse::<i32>().ok());
    Offset::from_seconds(sign * (two(0)? * 3600 + two(2)? * 60 + two(4)?)).ok()
}

/// The UTC offset at a local time, from the last change before it.
fn offset(observances: &[Observance], civil: DateTime) -> Option<Offset> {
    let mut last: Option<(DateTime, &Observance)> = None;
    for observance in observances {
        let onset = observance.last_onset(civil)?;
        if let Some(onset) = onset
            && last.is_none_or(|(at, _)| onset > at)
        {
            last = Some((onset, observance));
        }
    }
    let Some((onset, observance)) = last else {
        // Before the first change, its old offset applies.
        return observances.iter().min_by_key(|observance| observance.start).map(|first| first.from);
    };
    let jump = SignedDuration::from_secs(i64::from(observance.to.seconds() - observance.from.seconds()));
    let in_gap = jump.is_positive() && civil.duration_since(onset) < jump;
    Some(if in_gap { observance.from } else { observance.to })
}

impl Observance {
    /// When it last began before a local time. The outer `None` means that its rule cannot be followed.
    fn last_onset(&self, civil: DateTime) -> Option<Option<DateTime>> {
        let mut onsets: Vec<DateTime> = vec![self.start];
        onsets.extend(&self.dates);
        for rule in &self.rules {
            let ended = match &rule.until {
                // Written in UTC, but meant in the offset before the change.
                Some(Written { civil: until, form: Form::Utc }) => {
                    until.checked_add(SignedDuration::from_secs(self.from.seconds().into())).ok()?
                }
                Some(Written { civil: until, form: Form::Day | Form::Local }) => *until,
                None => civil,
            };
            // A rule that ended long ago still applies, unless another one begins later.
            let until = ended.min(civil);
            let from = match rule.count {
                Some(_) => self.start,
                // Rules are yearly, so two years contain the last change.
                None => until.checked_sub(800.days()).unwrap_or(DateTime::MIN),
            };
            onsets.extend(expand::times(rule, self.start, from, until).ok()?);
        }
        Some(onsets.into_iter().filter(|onset| *onset <= civil).max())
    }
}
