//! Durations such as `7d`.

use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;

use super::error::quoted;
use crate::text::when;

/// The longest time that can be written: ten years.
const LONGEST: Duration = Duration::from_secs(3660 * 86_400);

/// Parses a duration such as `30m`, `12h`, `7d` or `2w`, of at least a minute and at most ten years.
pub fn parse_duration(word: &str) -> Option<Duration> {
    // Stricter than on the command line: without spaces, capitals and seconds.
    let is_plain = word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['m', 'h', 'd', 'w']);
    let lasts = when::parse_duration(word).ok().filter(|_| is_plain)?;
    (!lasts.is_zero() && lasts <= LONGEST).then_some(lasts)
}

/// A duration, or `never`, which is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Lasts(pub Option<Duration>);

impl TryFrom<String> for Lasts {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(None));
        }
        let lasts = parse_duration(&text).ok_or_else(|| {
            format!("must be never, or a time such as 12h, 7d or 2w, not {:?}", quoted(&text))
        })?;
        Ok(Self(Some(lasts)))
    }
}

impl Lasts {
    pub(super) fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Self::deserialize(deserializer)?.0)
    }
}
