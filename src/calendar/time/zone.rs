//! Time zones by their names in calendars: IANA names, Windows names, and zones a calendar defines itself.

use super::rule::Rule;
use super::written::{Form, Written};
use super::{expand, windows};
use crate::calendar::lines::Component;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};

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

    /// The zone that a `VTIMEZONE` defines; `None` if we cannot follow it.
    pub fn defined(zone: &Component) -> Option<Self> {
        let parts = zone.inside.iter().filter(|part| matches!(part.kind.as_str(), "STANDARD" | "DAYLIGHT"));
        let observances: Option<Vec<Observance>> = parts.map(observance).collect();
        observances.filter(|list| !list.is_empty()).map(Self::Defined)
    }

    /// The instant of a local time. In a gap we use the offset before it; a repeated time means the first.
    pub fn instant(&self, civil: DateTime) -> Option<Timestamp> {
        match self {
            Self::Known(zone) => Some(zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp()),
            Self::Defined(observances) => offset(observances, civil)?.to_timestamp(civil).ok(),
        }
    }
}

fn observance(part: &Component) -> Option<Observance> {
    let start = Written::read(&part.line("DTSTART")?.value)?.civil;
    let rules: Result<Vec<Rule>, _> = part.all("RRULE").map(|line| Rule::read(&line.value)).collect();
    let dates: Option<Vec<DateTime>> = part
        .all("RDATE")
        .flat_map(|line| line.value.split(','))
        .map(|value| Written::read(value).map(|time| time.civil))
        .collect();
    Some(Observance {
        start,
        from: utc_offset(&part.line("TZOFFSETFROM")?.value)?,
        to: utc_offset(&part.line("TZOFFSETTO")?.value)?,
        rules: rules.ok()?,
        dates: dates?,
    })
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
        // Zone rules are yearly, so two years contain the last change.
        let from = civil.checked_sub(800.days()).unwrap_or(DateTime::MIN);
        for rule in &self.rules {
            let mut times = expand::times(rule, self.start, from, civil).ok()?;
            if let Some(until) = &rule.until {
                // Written in UTC, but meant in the offset before the change.
                let shift = SignedDuration::from_secs(self.from.seconds().into());
                let until = match until.form {
                    Form::Utc => until.civil.checked_add(shift).ok()?,
                    Form::Day | Form::Local => until.civil,
                };
                // A rule that ended long ago still applies, unless another one begins later.
                let ended = until.min(civil);
                let long_ago = ended.checked_sub(800.days()).unwrap_or(DateTime::MIN);
                times = expand::times(rule, self.start, long_ago, ended).ok()?;
            }
            onsets.extend(times);
        }
        Some(onsets.into_iter().filter(|onset| *onset <= civil).max())
    }
}
