//! How long to wait before trying again.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::agent::llm::ModelSettings;
use crate::tools::web::retry_after;

/// The pause before retry number `retry` (from 0). `None` if the server asks for longer than we wait here.
pub(super) fn pause(
    settings: &ModelSettings,
    retry: u32,
    requested: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    let longest = settings.longest_pause;
    if requested.is_some_and(|requested| requested > longest) {
        return None;
    }
    let doubled = settings.backoff.saturating_mul(2u32.saturating_pow(retry)).min(longest);
    // Between half and all of it, so that callers that failed together do not come back together.
    let backoff = doubled.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0));
    Some(backoff.max(requested.unwrap_or_default()))
}

/// A number from 0 to 1; the middle if the system has no randomness to give.
pub(super) fn jitter() -> f64 {
    getrandom::u32().map_or(0.5, |n| f64::from(n) / f64::from(u32::MAX))
}

/// How long the server asks us to wait: in a header, or in the details of a Google error.
pub(super) fn requested_pause(headers: &HeaderMap, details: &Value) -> Option<Duration> {
    let ms = headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
    if let Some(ms) = ms {
        return seconds(ms / 1000.0);
    }
    if headers.contains_key(RETRY_AFTER) {
        return retry_after(headers, Timestamp::now());
    }
    let delays = details.as_array()?.iter().filter_map(|detail| detail.get("retryDelay"));
    delays.filter_map(Value::as_str).find_map(|text| seconds(text.strip_suffix('s')?.parse().ok()?))
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.max(0.0)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::llm::Provider;

    fn settings() -> ModelSettings {
        let mut settings = ModelSettings::new("m", Provider::Openai, "m");
        settings.backoff = Duration::from_secs(1);
        settings.longest_pause = Duration::from_secs(20);
        settings
    }

    #[test]
    fn pauses_double_within_bounds_and_spread() {
        let at = |retry, jitter| pause(&settings(), retry, None, jitter).unwrap().as_secs_f64();
        assert_eq!([at(0, 1.0), at(1, 1.0), at(2, 1.0), at(10, 1.0)], [1.0, 2.0, 4.0, 20.0]);
        assert_eq!([at(0, 0.0), at(40, 0.0)], [0.5, 10.0]);
    }

    #[test]
    fn what_the_server_asks_is_honoured_up_to_the_bound() {
        let pause_for = |n| pause(&settings(), 0, Some(Duration::from_secs(n)), 1.0);
        assert_eq!(pause_for(0), Some(Duration::from_secs(1)));
        assert_eq!(pause_for(7), Some(Duration::from_secs(7)));
        assert_eq!(pause_for(21), None);
    }

    #[test]
    fn the_request_to_wait_is_read_in_every_form() {
        let with = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            requested_pause(&headers, &Value::Null)
        };
        assert_eq!(with("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(with("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        let details = json!([{"@type": "x"}, {"retryDelay": "34s"}]);
        assert_eq!(requested_pause(&HeaderMap::new(), &details), Some(Duration::from_secs(34)));
    }
}
