//! Times of day as people write them: `3pm`, `14.30 Uhr`, `2-3pm`, `at 3`.

use jiff::civil::Time;

use super::when::{small, word};

/// A time at the beginning of `tokens`, with its end if there is one.
pub(super) fn time(tokens: &[String], before: Option<&str>) -> Option<(Time, Option<Time>, usize)> {
    match word(tokens, 0) {
        "noon" | "midday" => return Some((Time::constant(12, 0, 0, 0), None, 1)),
        _ => {}
    }
    let (start, used) = clock(tokens)?;
    let joined = matches!(word(tokens, used), "-" | "–" | "to" | "bis" | "until" | "and" | "und");
    let (end, end_used) = match clock(&tokens[(used + 1).min(tokens.len())..]) {
        Some((end, more)) if joined => (Some(end), used + 1 + more),
        _ => (None, used),
    };
    // A bare number is a time only after certain words.
    let said = matches!(
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
    let sure = start.sure || end.as_ref().is_some_and(|end| end.sure);
    if !sure && !said {
        return None;
    }
    if !sure && matches!(before, Some("by" | "before" | "until" | "or" | "oder")) {
        return None;
    }
    let half = end.as_ref().and_then(|end| end.half).filter(|_| start.half.is_none());
    Some((start.time(half)?, end.and_then(|end| end.time(None)), end_used))
}

#[derive(Clone, Copy)]
struct Clock {
    hour: i8,
    minute: i8,
    /// `pm` is true, `am` is false.
    half: Option<bool>,
    /// Written in a form that can only be a time.
    sure: bool,
    german: bool,
}

impl Clock {
    fn time(self, half: Option<bool>) -> Option<Time> {
        let hour = match self.half.or(half) {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            Some(_) => self.hour,
            // Nobody meets at three in the morning.
            None if !self.german && (1..=6).contains(&self.hour) => self.hour + 12,
            None => self.hour,
        };
        Time::new(hour, self.minute, 0, 0).ok()
    }
}

fn clock(tokens: &[String]) -> Option<(Clock, usize)> {
    let hour = small(tokens, 0).filter(|hour| (0..24).contains(hour))?;
    let mut clock = Clock { hour, minute: 0, half: None, sure: false, german: false };
    let mut at = 1;
    let minutes = || word(tokens, 2).len() == 2 && small(tokens, 2).is_some_and(|m| (0..60).contains(&m));
    let dotted = word(tokens, 1) == "." && matches!(word(tokens, 3), "uhr" | "am" | "pm");
    if (word(tokens, 1) == ":" || dotted) && minutes() {
        clock.minute = small(tokens, 2)?;
        clock.sure = true;
        clock.german = word(tokens, 0).len() == 2;
        at = 3;
    }
    match word(tokens, at) {
        "am" | "pm" => {
            clock.half = Some(word(tokens, at) == "pm");
            clock.sure = true;
            at += 1;
        }
        "a" | "p" if word(tokens, at + 1) == "." && word(tokens, at + 2) == "m" => {
            clock.half = Some(word(tokens, at) == "p");
            clock.sure = true;
            at += 3;
        }
        "uhr" | "h" => {
            clock.sure = true;
            clock.german = true;
            at += 1;
        }
        "%" | "€" | "$" | "/" => return None,
        _ => {}
    }
    Some((clock, at))
}
