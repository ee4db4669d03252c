//! Times of day as people write them: `3pm`, `14.30 Uhr`, `2-3pm`, `at 3`.

use jiff::civil::Time;

/// A time at the beginning of `tokens`, with its end if there is one.
pub(super) fn time(tokens: &[String], before: Option<&str>) -> Option<(Time, Option<Time>, usize)> {
    match word(tokens, 0) {
        "noon" | "midday" => return Some((Time::constant(12, 0, 0, 0), None, 1)),
        _ => {}
    }
    let (start, used) = parse_clock_time(tokens)?;
    let is_range = matches!(word(tokens, used), "-" | "–" | "to" | "bis" | "until" | "and" | "und");
    let (end, end_used) = match parse_clock_time(&tokens[(used + 1).min(tokens.len())..]) {
        Some((end, more)) if is_range => (Some(end), used + 1 + more),
        _ => (None, used),
    };
    // A bare number is a time only after certain words.
    let is_after_time_word = matches!(
        before,
        Some(
            "at" | "um"
                | "from"
                | "between"
                | "von"
                | "zwischen"
                | "ab"
                | "around"
                | "gegen"
                | "@"
                | "before"
                | "by"
                | "after"
                | "until"
                | "or"
                | "oder"
        )
    );
    let is_certain = start.is_certain || end.as_ref().is_some_and(|end| end.is_certain);
    if !is_certain && !is_after_time_word {
        return None;
    }
    if !is_certain && matches!(before, Some("by" | "before" | "until" | "or" | "oder")) {
        return None;
    }
    let pm = end.as_ref().and_then(|end| end.pm).filter(|_| start.pm.is_none());
    Some((start.time(pm)?, end.and_then(|end| end.time(None)), end_used))
}

#[derive(Clone, Copy)]
struct ClockTime {
    hour: i8,
    minute: i8,
    /// `pm` is true, `am` is false.
    pm: Option<bool>,
    /// Written in a form that can only be a time.
    is_certain: bool,
    is_german: bool,
}

impl ClockTime {
    fn time(self, pm: Option<bool>) -> Option<Time> {
        let hour = match self.pm.or(pm) {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            Some(_) => self.hour,
            // Nobody meets at three in the morning.
            None if !self.is_german && (1..=6).contains(&self.hour) => self.hour + 12,
            None => self.hour,
        };
        Time::new(hour, self.minute, 0, 0).ok()
    }
}

fn parse_clock_time(tokens: &[String]) -> Option<(ClockTime, usize)> {
    let hour = small_number(tokens, 0).filter(|hour| (0..24).contains(hour))?;
    let mut clock = ClockTime { hour, minute: 0, pm: None, is_certain: false, is_german: false };
    let mut at = 1;
    let minutes =
        || word(tokens, 2).len() == 2 && small_number(tokens, 2).is_some_and(|m| (0..60).contains(&m));
    let dotted = word(tokens, 1) == "." && matches!(word(tokens, 3), "uhr" | "am" | "pm");
    if (word(tokens, 1) == ":" || dotted) && minutes() {
        clock.minute = small_number(tokens, 2)?;
        clock.is_certain = true;
        clock.is_german = word(tokens, 0).len() == 2;
        at = 3;
    }
    match word(tokens, at) {
        "am" | "pm" => {
            clock.pm = Some(word(tokens, at) == "pm");
            clock.is_certain = true;
            at += 1;
        }
        "a" | "p" if word(tokens, at + 1) == "." && word(tokens, at + 2) == "m" => {
            clock.pm = Some(word(tokens, at) == "p");
            clock.is_certain = true;
            at += 3;
        }
        "uhr" | "h" => {
            clock.is_certain = true;
            clock.is_german = true;
            at += 1;
        }
        "%" | "€" | "$" | "/" => return None,
        _ => {}
    }
    Some((clock, at))
}

pub(super) fn word(tokens: &[String], at: usize) -> &str {
    tokens.get(at).map(String::as_str).unwrap_or_default()
}

pub(super) fn small_number(tokens: &[String], at: usize) -> Option<i8> {
    word(tokens, at).parse().ok()
}
