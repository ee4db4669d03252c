//! Amounts as people read them.

use jiff::{SignedDuration, Timestamp};
use std::fmt::Display;

/// `812 bytes`, `18 KB`, `2.4 MB`.
pub fn bytes(number: u64) -> String {
    match number {
        1 => "1 byte".to_owned(),
        ..1000 => format!("{number} bytes"),
        1000..1_000_000 => format!("{} KB", number / 1000),
        _ => format!("{}.{} MB", number / 1_000_000, number / 100_000 % 10),
    }
}

/// `812`, `12.4k`, `2.4M`.
pub fn short_count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}.{}k", number / 1000, number / 100 % 10),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// `1 mail`, `2 mails`.
pub fn count_noun<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `340 ms`, `1.2 s`, `3 min 20 s`.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// A span of time to the second, as a clock shows it: `0:07`, `8:12`, `1:02:03`.
pub fn clock(span: SignedDuration) -> String {
    let seconds = span.as_secs().max(0);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// How long ago, in at most three letters: `now`, `5m`, `3h`, `2d`, `9w`.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(since.as_second());
    match seconds {
        ..60 => "now".to_owned(),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..1_209_600 => format!("{}d", seconds / 86_400),
        1_209_600..60_480_000 => format!("{}w", seconds / 604_800),
        _ => "old".to_owned(),
    }
}

/// How long ago, in words: `just now`, `5m ago`.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    match age(at, now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_like_a_clock() {
        for (seconds, expected) in [(-3, "0:00"), (7, "0:07"), (492, "8:12"), (3723, "1:02:03")] {
            assert_eq!(clock(SignedDuration::from_secs(seconds)), expected);
        }
    }
}
