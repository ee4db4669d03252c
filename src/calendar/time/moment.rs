//! Times in iCalendar: a day, a local time, or an instant; and durations.

use super::written::{Form, Written};
use super::zone::Zone;
use crate::calendar::lines::Line;
use crate::calendar::short;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan};
use std::sync::Arc;

/// The clock that a time refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// A whole day, wherever the person is.
    Day,
    /// The person's, wherever they are.
    Person,
    Utc,
    /// A named zone's.
    Zone(Arc<Zone>),
}

impl Clock {
    /// The instant of a local time. In a gap we use the offset before it; a repeated time means the first.
    pub fn instant(&self, civil: DateTime, person: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Day | Self::Person => Some(person.to_ambiguous_zoned(civil).compatible().ok()?.timestamp()),
            Self::Utc => TimeZone::UTC.to_timestamp(civil).ok(),
            Self::Zone(zone) => zone.instant(civil),
        }
    }
}

/// A time as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub civil: DateTime,
    pub clock: Clock,
}

impl Moment {
    /// Reads a time that names no zone.
    pub fn bare(text: &str) -> Option<Self> {
        let Written { civil, form } = Written::read(text)?;
        let clock = match form {
            Form::Day => Clock::Day,
            Form::Local => Clock::Person,
            Form::Utc => Clock::Utc,
        };
        Some(Self { civil, clock })
    }

    /// Reads a value of a line, using the line's `TZID` if it has one.
    pub fn of(
        line: &Line,
        value: &str,
        zones: impl Fn(&str) -> Result<Arc<Zone>, String>,
    ) -> Result<Self, String> {
        let mut moment =
            Self::bare(value).ok_or_else(|| format!("its {} is no time ({})", line.name, short(value)))?;
        if let (Clock::Person, Some(id)) = (&moment.clock, line.param("TZID")) {
            moment.clock = Clock::Zone(zones(id)?);
        }
        Ok(moment)
    }

    pub fn instant(&self, person: &TimeZone) -> Option<Timestamp> {
        self.clock.instant(self.civil, person)
    }

    /// Whether it is a day rather than a time.
    pub fn is_day(&self) -> bool {
        self.clock == Clock::Day
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Calendar days, however long they are.
    pub days: i64,
    /// Plus this.
    pub exact: SignedDuration,
}

impl Length {
    /// Reads `P1W`, `P1DT2H30M` …; negative durations are refused.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix('+').unwrap_or(&text);
        let mut rest = text.strip_prefix('P')?;
        let (mut days, mut seconds, mut timed, mut any) = (0i64, 0i64, false, false);
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('T') {
                if timed {
                    return None;
                }
                timed = true;
                rest = after;
                continue;
            }
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let n: i64 = rest[..end].parse().ok()?;
            let (to, many) = match (timed, &rest[end..=end]) {
                (false, "W") => (&mut days, 7),
                (false, "D") => (&mut days, 1),
                (true, "H") => (&mut seconds, 3600),
                (true, "M") => (&mut seconds, 60),
                (true, "S") => (&mut seconds, 1),
                _ => return None,
            };
            *to = to.checked_add(n.checked_mul(many)?)?;
            any = true;
            rest = &rest[end + 1..];
        }
        any.then_some(Self { days, exact: SignedDuration::from_secs(seconds) })
    }

    /// The end of something that starts at a local time.
    pub fn end(&self, start: DateTime, clock: &Clock, person: &TimeZone) -> Option<Timestamp> {
        let civil = start.checked_add(Span::new().try_days(self.days).ok()?).ok()?;
        clock.instant(civil, person)?.checked_add(self.exact).ok()
    }

    /// A local time that is surely before the start of anything still going on at `time`.
    pub fn before(&self, time: DateTime) -> DateTime {
        let days = self.days.saturating_add(self.exact.as_hours() / 24).saturating_add(3);
        let span = Span::new().try_days(days);
        span.ok().and_then(|span| time.checked_sub(span).ok()).unwrap_or(DateTime::MIN)
    }
}

/// A local time that is surely after anything that begins before `time`, in any zone.
pub fn after(time: DateTime) -> DateTime {
    time.checked_add(2.days()).unwrap_or(DateTime::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_strictly() {
        let read = |text| Length::read(text).map(|length| (length.days, length.exact.as_secs()));
        assert_eq!(read("P1W"), Some((7, 0)));
        assert_eq!(read("P1DT2H30M"), Some((1, 9000)));
        assert_eq!(read("PT45M"), Some((0, 2700)));
        assert_eq!(read("PT0S"), Some((0, 0)));
        for bad in ["", "P", "PT", "1H", "-PT1H", "P1H", "PT1D", "P99999999999999999999D", "PT1HT1H", "P1"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
