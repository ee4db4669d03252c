//! What every HTTP client here has in common: its settings, and how its errors are read.

use super::{Trust, safe_excerpt};
use crate::text::io_error_text;
use jiff::Timestamp;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, redirect};
use std::error::Error;
use std::time::Duration;
use tokio_rustls::rustls::RootCertStore;

/// A client with the settings of all of them, and more by `with`. It verifies certificates, follows no redirects,
/// because keys would travel along, and asks for replies as they are, because nothing here unpacks them.
pub fn build_client(
    connect: Duration,
    trust: Trust,
    with: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, String> {
    let failed = |why: &str| format!("no HTTP client can be made: {}", safe_excerpt(why));
    // On a machine without root certificates plain http still works.
    let tls = trust.config().or_else(|_| Trust::Issuers(RootCertStore::empty()).config());
    let builder = Client::builder()
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
        .default_headers(HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]))
        .redirect(redirect::Policy::none())
        .connect_timeout(connect)
        .tls_backend_preconfigured(tls.map_err(|error| failed(&error.to_string()))?);
    with(builder).build().map_err(|error| failed(&root_cause(&error).unwrap_or_else(|| error.to_string())))
}

/// The innermost cause, if there is one. It does not name the URL, which may hold a secret: only the outermost error
/// does.
pub fn root_cause(error: &reqwest::Error) -> Option<String> {
    std::iter::successors(error.source(), |&cause| cause.source())
        .last()
        .map(|cause| cause.downcast_ref().map_or_else(|| cause.to_string(), io_error_text))
}

/// How long the header `Retry-After` asks us to wait: for some seconds, or until a date.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn servers_ask_for_seconds_or_for_a_date() {
        let asked = |text| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            retry_after(&headers, "2015-10-21T07:27:30Z".parse().unwrap())
        };
        assert_eq!(asked(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(asked("-3"), Some(Duration::ZERO));
        assert_eq!(asked("soon"), None);
        assert_eq!(asked("1e300"), None);
        assert_eq!(asked("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(asked("Wed, 21 Oct 2015 07:20:00 GMT"), Some(Duration::ZERO));
    }
}
