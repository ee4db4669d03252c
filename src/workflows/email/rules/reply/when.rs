//! Days and times as people write them, in English and German: "next Tuesday at 3", "am Donnerstag um 14 Uhr", "17
//! Nov". We read only what is written; a missing day stays unknown.

use jiff::civil::{Date, Time, Weekday};
use jiff::{Span, ToSpan};

use super::clock::{small_number, time, word};

/// A day or time mentioned in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub day: Day,
    pub time: Option<Time>,
    pub until: Option<Time>,
    pub part: Option<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Day {
    /// This day.
    On(Date),
    /// Some day of the week that starts on this Monday.
    Week(Date),
    /// No day was named.
    Unnamed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
}

impl Part {
    /// Start and end.
    pub fn hours(self) -> (Time, Time) {
        match self {
            Self::Morning => (Time::constant(0, 0, 0, 0), Time::constant(12, 0, 0, 0)),
            Self::Afternoon => (Time::constant(12, 0, 0, 0), Time::constant(18, 0, 0, 0)),
            Self::Evening => (Time::constant(17, 0, 0, 0), Time::constant(22, 0, 0, 0)),
        }
    }
}

/// All days and times in `text`, in order. `base` is the day it was written. A time belongs to the day before it in the
/// same sentence, else to the one after it.
pub(super) fn mentions(text: &str, base: Date) -> Vec<Mention> {
    let mut out: Vec<Mention> = Vec::new();
    for sentence in sentences(text) {
        out.extend(in_sentence(sentence, base));
    }
    let mut seen = Vec::new();
    out.retain(|mention| {
        !seen.contains(mention) && {
            seen.push(*mention);
            true
        }
    });
    out
}

/// Splits a text into sentences. The dots in `17.11.` do not end one.
fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let ends_sentence = matches!(c, '?' | '!' | ';')
            || c == '.' && !before.is_ascii_digit()
            || c == '\n' && before == '\n';
        if ends_sentence {
            out.push(&text[start..at]);
            start = at;
        }
        before = c;
    }
    out.push(&text[start..]);
    out
}

fn in_sentence(sentence: &str, base: Date) -> Vec<Mention> {
    let tokens = tokens(sentence);
    let mut out: Vec<Mention> = Vec::new();
    let mut dayless: Option<Mention> = None;
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let before = at.checked_sub(1).and_then(|n| tokens.get(n)).map(String::as_str);
        if let Some((day, used)) = day(rest, before, base) {
            let mut mention = dayless.take().unwrap_or(Mention { day, time: None, until: None, part: None });
            mention.day = day;
            out.push(mention);
            at += used;
        } else if let Some((time, until, used)) = time(rest, before) {
            match out.last_mut() {
                Some(last) if last.time.is_none() => {
                    last.time = Some(time);
                    last.until = until;
                }
                // "Tuesday at 10 or 14:30": the same day again.
                Some(last) => {
                    let day = last.day;
                    out.push(Mention { day, time: Some(time), until, part: None });
                }
                None => {
                    dayless = Some(Mention { day: Day::Unnamed, time: Some(time), until, part: None });
                }
            }
            at += used;
        } else if let Some(part) = part(rest, before) {
            match out.last_mut() {
                Some(last) => last.part = Some(part),
                None => {
                    let unnamed = Mention { day: Day::Unnamed, time: None, until: None, part: None };
                    dayless.get_or_insert(unnamed).part = Some(part);
                }
            }
            at += 1;
        } else {
            at += 1;
        }
    }
    out.extend(dayless);
    out
}

/// The length of a meeting, in minutes.
pub(super) fn minutes(text: &str) -> Option<u32> {
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(String::as_str).unwrap_or_default();
        let unit =
            if next == "-" { tokens.get(at + 2).map(String::as_str).unwrap_or_default() } else { next };
        let is_hour = |word: &str| matches!(word, "hour" | "hours" | "stunde" | "stunden");
        if let Ok(count) = token.parse::<u32>() {
            if matches!(unit, "min" | "mins" | "minute" | "minutes" | "minuten") && (5..=480).contains(&count)
            {
                return Some(count);
            }
            if is_hour(unit) && (1..=8).contains(&count) {
                return Some(count * 60);
            }
        }
        match token.as_str() {
            "half" if tokens[at..].iter().take(3).any(|word| is_hour(word)) => return Some(30),
            "halbe" | "halben" if is_hour(next) => return Some(30),
            "an" | "one" | "eine" if is_hour(next) => return Some(60),
            "quarter" | "viertelstunde"
                if token == "viertelstunde" || tokens[at..].iter().take(4).any(|w| is_hour(w)) =>
            {
                return Some(15);
            }
            _ => {}
        }
    }
    None
}

/// Lower-case words, numbers and signs, each separate: `3pm` is two tokens, `17.11.` four.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let continues_token =
            (c.is_ascii_digit() && last.is_ascii_digit()) || (c.is_alphabetic() && last.is_alphabetic());
        match out.last_mut() {
            Some(token) if continues_token => token.extend(c.to_lowercase()),
            _ if c.is_whitespace() => {}
            _ => out.push(c.to_lowercase().collect()),
        }
        last = c;
    }
    out
}

fn number(tokens: &[String], at: usize) -> Option<i16> {
    word(tokens, at).parse().ok()
}

/// A day at the beginning of `tokens`, and how many tokens it takes.
fn day(tokens: &[String], before: Option<&str>, base: Date) -> Option<(Day, usize)> {
    let days_ahead = |days: i32| base.checked_add(Span::new().days(days)).ok().map(Day::On);
    let is_next =
        matches!(before, Some("next" | "nächsten" | "nächster" | "nächste" | "kommenden" | "kommende"));
    match word(tokens, 0) {
        // In "You may 4 times", "may" is not a month.
        "may" if matches!(before, Some("i" | "you" | "we" | "they" | "he" | "she" | "it")) => return None,
        "today" | "heute" | "tonight" => return Some((days_ahead(0)?, 1)),
        "tomorrow" => return Some((days_ahead(1)?, 1)),
        // "Guten Morgen" and "am Morgen" are not days.
        "morgen" if !matches!(before, Some("guten" | "am" | "jeden")) => return Some((days_ahead(1)?, 1)),
        "übermorgen" => return Some((days_ahead(2)?, 1)),
        "day" if word(tokens, 1) == "after" && word(tokens, 2) == "tomorrow" => {
            return Some((days_ahead(2)?, 3));
        }
        "week" | "woche" if is_next => return Some((Day::Week(monday(base, 1)?), 1)),
        "week" | "woche" if matches!(before, Some("this" | "diese" | "dieser")) => {
            return Some((Day::Week(monday(base, 0)?), 1));
        }
        name => {
            if let Some(weekday) = weekday(name) {
                let offset = i32::from(weekday.to_monday_zero_offset());
                let date = if is_next {
                    monday(base, 1)?.checked_add(Span::new().days(offset)).ok()?
                } else {
                    let days = base.weekday().until(weekday);
                    // On a Thursday, "Thursday" means next week's.
                    let days = if days == 0 { 7 } else { i32::from(days) };
                    base.checked_add(Span::new().days(days)).ok()?
                };
                // In "Thursday, 19 November" the date counts.
                let skip = 1 + usize::from(matches!(word(tokens, 1), ","));
                let date_at = skip + usize::from(matches!(word(tokens, skip), "den" | "the"));
                if let Some((day, used)) = calendar_date(&tokens[date_at.min(tokens.len())..], base) {
                    return Some((day, date_at + used));
                }
                return Some((Day::On(date), 1));
            }
        }
    }
    calendar_date(tokens, base)
}

/// `2026-11-17`, `17.11.`, `17 Nov`, `November 17th`.
fn calendar_date(tokens: &[String], base: Date) -> Option<(Day, usize)> {
    let is_sign = |at: usize, sign: &str| word(tokens, at) == sign;
    if let Some(first) = number(tokens, 0) {
        if first > 1900 && is_sign(1, "-") && is_sign(3, "-") {
            let date = Date::new(first, small_number(tokens, 2)?, small_number(tokens, 4)?).ok()?;
            return Some((Day::On(date), 5));
        }
        let day = i8::try_from(first).ok().filter(|day| (1..=31).contains(day))?;
        if is_sign(1, ".")
            && is_sign(3, ".")
            && let Some(month) = small_number(tokens, 2)
        {
            let year = number(tokens, 4).filter(|year| *year > 1900);
            return Some((resolve_date(year, month, day, base)?, if year.is_some() { 5 } else { 4 }));
        }
        let mut at = 1;
        while matches!(word(tokens, at), "." | "st" | "nd" | "rd" | "th" | "of") {
            at += 1;
        }
        let month = month(word(tokens, at))?;
        at += 1;
        if is_sign(at, ".") && number(tokens, at + 1).is_some() {
            at += 1;
        }
        let year = number(tokens, at).filter(|year| *year > 1900);
        return Some((resolve_date(year, month, day, base)?, at + usize::from(year.is_some())));
    }
    let month = month(word(tokens, 0))?;
    let at = 1 + usize::from(is_sign(1, "."));
    let day = small_number(tokens, at).filter(|day| (1..=31).contains(day))?;
    // "May 3 pm" is a time, not a date.
    if matches!(word(tokens, at + 1), ":" | "am" | "pm") {
        return None;
    }
    let ordinal = usize::from(matches!(word(tokens, at + 1), "st" | "nd" | "rd" | "th"));
    let year_at = at + 1 + ordinal + usize::from(is_sign(at + 1 + ordinal, ","));
    let year = number(tokens, year_at).filter(|year| *year > 1900);
    Some((resolve_date(year, month, day, base)?, if year.is_some() { year_at + 1 } else { at + 1 + ordinal }))
}

/// A day of a month. Without a year, the next such day, or one up to 60 days ago.
fn resolve_date(year: Option<i16>, month: i8, day: i8, base: Date) -> Option<Day> {
    let date = Date::new(year.unwrap_or(base.year()), month, day).ok()?;
    let long_gone = year.is_none() && date < base.checked_sub(60.days()).ok()?;
    Some(Day::On(if long_gone { Date::new(base.year() + 1, month, day).ok()? } else { date }))
}

/// The Monday of this week, or of a later one.
fn monday(base: Date, weeks: i32) -> Option<Date> {
    let back = i32::from(base.weekday().to_monday_zero_offset());
    base.checked_add(Span::new().days(weeks * 7 - back)).ok()
}

fn weekday(name: &str) -> Option<Weekday> {
    let name = name.strip_suffix('s').filter(|name| name.ends_with("day")).unwrap_or(name);
    Some(match name {
        "monday" | "mon" | "montag" => Weekday::Monday,
        "tuesday" | "tue" | "tues" | "dienstag" => Weekday::Tuesday,
        "wednesday" | "weds" | "mittwoch" => Weekday::Wednesday,
        "thursday" | "thu" | "thurs" | "donnerstag" => Weekday::Thursday,
        "friday" | "fri" | "freitag" => Weekday::Friday,
        "saturday" | "samstag" | "sonnabend" => Weekday::Saturday,
        "sunday" | "sonntag" => Weekday::Sunday,
        _ => return None,
    })
}

fn month(name: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january januar jan",
        "february februar feb",
        "march märz mar",
        "april apr",
        "may mai",
        "june juni jun",
        "july juli jul",
        "august aug",
        "september sep sept",
        "october oktober oct okt",
        "november nov",
        "december dezember dec dez",
    ];
    let index = NAMES.iter().position(|names| names.split(' ').any(|alias| alias == name))?;
    i8::try_from(index + 1).ok()
}

fn part(tokens: &[String], before: Option<&str>) -> Option<Part> {
    Some(match word(tokens, 0) {
        "morning" | "mornings" | "vormittag" | "vormittags" | "früh"
            if !matches!(before, Some("good" | "guten")) =>
        {
            Part::Morning
        }
        "afternoon" | "afternoons" | "nachmittag" | "nachmittags" if before != Some("good") => {
            Part::Afternoon
        }
        "evening" | "abend" | "abends" | "tonight" if !matches!(before, Some("good" | "guten")) => {
            Part::Evening
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn mentioned(text: &str) -> Vec<String> {
        // A Wednesday.
        let base = date(2026, 11, 11);
        mentions(text, base)
            .iter()
            .map(|mention| {
                let day = match mention.day {
                    Day::On(date) => date.to_string(),
                    Day::Week(date) => format!("week {date}"),
                    Day::Unnamed => "?".to_owned(),
                };
                let time = mention.time.map(|t| t.strftime(" %H:%M").to_string()).unwrap_or_default();
                let until = mention.until.map(|t| t.strftime("-%H:%M").to_string()).unwrap_or_default();
                let part = mention.part.map(|part| format!(" {part:?}")).unwrap_or_default();
                format!("{day}{time}{until}{part}")
            })
            .collect()
    }

    #[test]
    fn days_and_times_are_read_as_people_write_them() {
        let rows: &[(&str, &[&str])] = &[
            ("Shall we meet next Tuesday at 3?", &["2026-11-17 15:00"]),
            ("Passt es dir am Donnerstag um 14 Uhr?", &["2026-11-12 14:00"]),
            ("The review is on 17 Nov, 10:30 am.", &["2026-11-17 10:30"]),
            ("We meet on November 17th at 3pm.", &["2026-11-17 15:00"]),
            ("Deadline: 2026-12-01", &["2026-12-01"]),
            ("Am 17.11. von 14 bis 15 Uhr", &["2026-11-17 14:00-15:00"]),
            ("Am 17.11.2027 um 9.30 Uhr", &["2027-11-17 09:30"]),
            ("Tomorrow morning or Friday afternoon?", &["2026-11-12 Morning", "2026-11-13 Afternoon"]),
            ("Could you do Tuesday at 10 or 14:30?", &["2026-11-17 10:00", "2026-11-17 14:30"]),
            ("Are you free at 11 on Monday?", &["2026-11-16 11:00"]),
            ("Sometime next week would be good.", &["week 2026-11-16"]),
            ("Hast du nächste Woche Zeit, vielleicht am Mittwoch?", &["week 2026-11-16", "2026-11-18"]),
            ("Thursday, 19 November, 2-3pm", &["2026-11-19 14:00-15:00"]),
            ("Guten Morgen! Morgen Nachmittag?", &["2026-11-12 Afternoon"]),
            ("Good morning, the 3 of us owe 40% of 500.", &[]),
            ("We have 12 seats and 3 rooms.", &[]),
            ("Back on 5 January", &["2027-01-05"]),
            ("On Wednesday at noon", &["2026-11-18 12:00"]),
            ("Bis übermorgen", &["2026-11-13"]),
            ("May I ask 3 things? You may 4 times.", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(mentioned(text), *expected, "{text}");
        }
    }

    #[test]
    fn lengths_are_read() {
        for (text, expected) in [
            ("a 30-minute call", Some(30)),
            ("45 Minuten", Some(45)),
            ("half an hour", Some(30)),
            ("eine halbe Stunde", Some(30)),
            ("an hour", Some(60)),
            ("2 hours", Some(120)),
            ("30 people", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
