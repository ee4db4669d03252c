//! Times as iCalendar writes them, without their zones.

use jiff::civil::{Date, DateTime, Time};

/// What a time is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A whole day.
    Day,
    /// The time of a clock that is named elsewhere.
    Local,
    Utc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub civil: DateTime,
    pub form: Form,
}

impl Written {
    /// Reads `20261117`, `20261117T090000` or `20261117T090000Z`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (day, time) = match text.split_once(['T', 't']) {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        digits(day, 8)?;
        let day = Date::new(day[..4].parse().ok()?, day[4..6].parse().ok()?, day[6..].parse().ok()?).ok()?;
        let Some(time) = time else {
            return Some(Self { civil: day.at(0, 0, 0, 0), form: Form::Day });
        };
        let (time, form) = match time.strip_suffix(['Z', 'z']) {
            Some(time) => (time, Form::Utc),
            None => (time, Form::Local),
        };
        digits(time, 6)?;
        // A leap second counts as the second before it.
        let second = time[4..].parse::<i8>().ok().filter(|second| *second <= 60)?.min(59);
        let time = Time::new(time[..2].parse().ok()?, time[2..4].parse().ok()?, second, 0).ok()?;
        Some(Self { civil: day.to_datetime(time), form })
    }
}

fn digits(text: &str, many: usize) -> Option<()> {
    (text.len() == many && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn times_are_read_strictly() {
        let civil = |text| Written::read(text).map(|time| time.civil);
        assert_eq!(civil("20261117"), Some(date(2026, 11, 17).at(0, 0, 0, 0)));
        assert_eq!(civil("20261117T093000Z"), Some(date(2026, 11, 17).at(9, 30, 0, 0)));
        assert_eq!(civil("20161231T235960Z"), Some(date(2016, 12, 31).at(23, 59, 59, 0)));
        for bad in [
            "",
            "2026-11-17",
            "20261317",
            "20260230",
            "20261117T0930",
            "20261117T250000",
            "20261117T09:30:00",
            "２０２６",
        ] {
            assert_eq!(Written::read(bad), None, "{bad}");
        }
    }
}
