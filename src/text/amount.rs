//! Amounts as people read them.

use jiff::SignedDuration;

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

/// A span of time to the second, as a clock shows it: `0:07`, `8:12`, `1:02:03`.
pub fn clock(span: SignedDuration) -> String {
    let seconds = span.as_secs().max(0);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
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
