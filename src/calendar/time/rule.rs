//! Recurrence rules (RFC 5545, section 3.3.10), parsed strictly.
//!
//! An unknown part is an error: following half a rule would invent free time.

use super::written::Written;
use crate::calendar::short;
use jiff::civil::Weekday;

/// The frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

/// A weekday, perhaps only the nth in its month or year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NthDay {
    pub nth: Option<i16>,
    pub day: Weekday,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub every: Frequency,
    pub interval: i64,
    pub count: Option<u32>,
    pub until: Option<Written>,
    pub week_start: Weekday,
    pub months: Vec<i16>,
    pub weeks: Vec<i16>,
    pub year_days: Vec<i16>,
    pub month_days: Vec<i16>,
    pub days: Vec<NthDay>,
    pub hours: Vec<i8>,
    pub minutes: Vec<i8>,
    pub seconds: Vec<i8>,
    pub positions: Vec<i16>,
}

impl Rule {
    /// Reads `FREQ=…;…`.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rule = Self {
            every: Frequency::Year,
            interval: 1,
            count: None,
            until: None,
            week_start: Weekday::Monday,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            days: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
        };
        let not_followed = |what: &str| format!("its rule uses {what}, which sayso does not follow");
        let mut every = None;
        for part in text.trim().split(';').filter(|part| !part.trim().is_empty()) {
            let odd = || format!("its rule has a part that is not understood ({})", short(part));
            let (key, value) = part.split_once('=').ok_or_else(odd)?;
            let value = value.trim();
            match key.trim().to_ascii_uppercase().as_str() {
                "FREQ" => every = Some(frequency(value).ok_or_else(odd)?),
                "INTERVAL" => rule.interval = value.parse().ok().filter(|n| *n >= 1).ok_or_else(odd)?,
                "COUNT" => rule.count = Some(value.parse().ok().filter(|n| *n >= 1).ok_or_else(odd)?),
                "UNTIL" => rule.until = Some(Written::read(value).ok_or_else(odd)?),
                "WKST" => rule.week_start = weekday(value).ok_or_else(odd)?,
                "BYMONTH" => rule.months = numbers(value, 1, 12).ok_or_else(odd)?,
                "BYWEEKNO" => rule.weeks = signed(value, 53).ok_or_else(odd)?,
                "BYYEARDAY" => rule.year_days = signed(value, 366).ok_or_else(odd)?,
                "BYMONTHDAY" => rule.month_days = signed(value, 31).ok_or_else(odd)?,
                "BYDAY" => rule.days = nth_days(value).ok_or_else(odd)?,
                "BYHOUR" => rule.hours = small(value, 23).ok_or_else(odd)?,
                "BYMINUTE" => rule.minutes = small(value, 59).ok_or_else(odd)?,
                "BYSECOND" => rule.seconds = small(value, 60).ok_or_else(odd)?,
                "BYSETPOS" => rule.positions = signed(value, 366).ok_or_else(odd)?,
                "RSCALE" if value.eq_ignore_ascii_case("GREGORIAN") => {}
                "SKIP" if value.eq_ignore_ascii_case("OMIT") => {}
                "RSCALE" | "SKIP" => return Err(not_followed(&short(part))),
                _ => return Err(odd()),
            }
        }
        rule.every = every.ok_or("its rule says no FREQ")?;
        if !rule.weeks.is_empty() && rule.every != Frequency::Year {
            return Err(not_followed("BYWEEKNO without FREQ=YEARLY"));
        }
        // A leap second counts as the second before it.
        rule.seconds.iter_mut().for_each(|second| *second = (*second).min(59));
        for list in [&mut rule.hours, &mut rule.minutes, &mut rule.seconds] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(rule)
    }

    /// Whether the rule itself names days.
    pub fn names_days(&self) -> bool {
        !(self.weeks.is_empty()
            && self.year_days.is_empty()
            && self.month_days.is_empty()
            && self.days.is_empty())
    }
}

fn frequency(value: &str) -> Option<Frequency> {
    Some(match value.to_ascii_uppercase().as_str() {
        "YEARLY" => Frequency::Year,
        "MONTHLY" => Frequency::Month,
        "WEEKLY" => Frequency::Week,
        "DAILY" => Frequency::Day,
        "HOURLY" => Frequency::Hour,
        "MINUTELY" => Frequency::Minute,
        "SECONDLY" => Frequency::Second,
        _ => return None,
    })
}

fn weekday(value: &str) -> Option<Weekday> {
    Some(match value.to_ascii_uppercase().as_str() {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

fn numbers(value: &str, least: i16, most: i16) -> Option<Vec<i16>> {
    value.split(',').map(|n| n.trim().parse().ok().filter(|n| (least..=most).contains(n))).collect()
}

fn signed(value: &str, most: i16) -> Option<Vec<i16>> {
    numbers(value, -most, most).filter(|list| !list.contains(&0))
}

fn small(value: &str, most: i16) -> Option<Vec<i8>> {
    numbers(value, 0, most)?.into_iter().map(|n| i8::try_from(n).ok()).collect()
}

fn nth_days(value: &str) -> Option<Vec<NthDay>> {
    let day = |text: &str| {
        let text = text.trim();
        let split = text.len().checked_sub(2).filter(|at| text.is_char_boundary(*at))?;
        let (nth, name) = text.split_at(split);
        let nth = match nth {
            "" => None,
            nth => Some(nth.parse().ok().filter(|n: &i16| *n != 0 && n.abs() <= 53)?),
        };
        Some(NthDay { nth, day: weekday(name)? })
    };
    value.split(',').map(day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read() {
        let rule = Rule::read("FREQ=MONTHLY;BYDAY=-1FR,MO;INTERVAL=2;BYSECOND=60,1").unwrap();
        assert_eq!(
            (rule.every, rule.interval, rule.seconds.as_slice()),
            (Frequency::Month, 2, [1, 59].as_slice())
        );
        let days = [(Some(-1), Weekday::Friday), (None, Weekday::Monday)];
        assert_eq!(rule.days, days.map(|(nth, day)| NthDay { nth, day }));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, expected) in [
            ("BYDAY=MO", "its rule says no FREQ"),
            ("FREQ=FORTNIGHTLY", "its rule has a part that is not understood (FREQ=FORTNIGHTLY)"),
            ("FREQ=DAILY;INTERVAL=0", "its rule has a part that is not understood (INTERVAL=0)"),
            ("FREQ=DAILY;BYDAY=XX", "its rule has a part that is not understood (BYDAY=XX)"),
            ("FREQ=DAILY;BYDAY=é", "its rule has a part that is not understood (BYDAY=é)"),
            ("FREQ=DAILY;COUNT=-1", "its rule has a part that is not understood (COUNT=-1)"),
            ("FREQ=DAILY;BYMOON=1", "its rule has a part that is not understood (BYMOON=1)"),
            ("RSCALE=CHINESE;FREQ=YEARLY", "its rule uses RSCALE=CHINESE, which sayso does not follow"),
            (
                "FREQ=DAILY;BYWEEKNO=3",
                "its rule uses BYWEEKNO without FREQ=YEARLY, which sayso does not follow",
            ),
        ] {
            assert_eq!(Rule::read(text).unwrap_err(), expected);
        }
    }
}
