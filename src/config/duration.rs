//! Parses durations such as `7d`.

use super::error::{Error, quoted};
use super::reader::Reader;
use crate::text::when;
use std::time::Duration;

/// The longest time that can be written: ten years.
const LONGEST: Duration = Duration::from_secs(3660 * 86_400);

/// Parses a duration such as `30m`, `12h`, `7d` or `2w`, of at least a minute and at most ten years.
pub fn parse_duration(word: &str) -> Option<Duration> {
    // Stricter than on the command line: without spaces, capitals and seconds.
    let is_plain = word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['m', 'h', 'd', 'w']);
    let lasts = when::parse_duration(word).ok().filter(|_| is_plain)?;
    (!lasts.is_zero() && lasts <= LONGEST).then_some(lasts)
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
