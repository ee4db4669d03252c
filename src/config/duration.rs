//! Parses durations such as `7d`.

use std::time::Duration;

use super::error::{Error, quoted};
use super::reader::Reader;

/// The longest time that can be written: ten years.
const LONGEST: u64 = 3660 * 86_400;

/// Parses a duration such as `30m`, `12h`, `7d` or `2w`; ten years at most.
pub fn parse_duration(word: &str) -> Option<Duration> {
    let (count, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let seconds = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    let digits = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let lasts = digits.then(|| count.parse::<u64>().ok()?.checked_mul(seconds)).flatten();
    lasts.filter(|lasts| (1..=LONGEST).contains(lasts)).map(Duration::from_secs)
}

/// Parses the duration that `key` holds; `None` means never.
pub(super) fn parse_never_or_duration(
    reader: &Reader<'_>,
    key: &str,
    text: &str,
) -> Result<Option<Duration>, Error> {
    if text == "never" {
        return Ok(None);
    }
    parse_duration(text).map(Some).ok_or_else(|| {
        let why = format!("must be never, or a time such as 12h, 7d or 2w, not {:?}", quoted(text));
        reader.bad(key, why)
    })
}
