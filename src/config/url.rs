//! The addresses of servers.

use std::net::IpAddr;

use serde::Deserialize;
use serde::de::Deserializer;

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Url(pub(super) String);

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, &'static str> {
        wrong_with_url(&url).map_or(Ok(Self(url)), Err)
    }
}

impl Url {
    pub(super) fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(Self::deserialize(deserializer)?.0)
    }
}

/// The address of a server that secrets may be sent to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct SafeUrl(pub(super) String);

impl TryFrom<String> for SafeUrl {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, &'static str> {
        unsafe_url(&url).map_or(Ok(Self(url)), Err)
    }
}

/// What is wrong with a server's address. The address is not quoted, since it may hold a password.
fn wrong_with_url(url: &str) -> Option<&'static str> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Some("must begin with https:// or http://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("must be an address such as http://127.0.0.1:8080/v1");
    }
    if host.contains('@') {
        return Some("must not hold a user or password; say where the key is kept with api_key_env");
    }
    if rest.contains(['?', '#']) {
        return Some("must end with a path, without ? or #");
    }
    None
}

/// Why secrets must not go to an address: unencrypted, they go only to this machine.
fn unsafe_url(url: &str) -> Option<&'static str> {
    if let Some(why) = wrong_with_url(url) {
        return Some(why);
    }
    (url.starts_with("http://") && !is_loopback(url)).then_some(
        "must begin with https://, because secrets are sent there; http:// is only for this machine",
    )
}

/// Whether an address is on this machine, judged by its text: names are not resolved.
pub fn is_loopback(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(host, _)| host),
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::unsafe_url;

    #[test]
    fn secrets_leave_this_machine_encrypted() {
        for fine in ["https://a.example/x", "http://127.0.0.1:8080", "http://[::1]:80/x", "http://localhost/"]
        {
            assert_eq!(unsafe_url(fine), None, "{fine}");
        }
        for odd in ["http://a.example", "http://10.0.0.1/", "http://127.0.0.1.evil.example/", "ftp://x", "x"]
        {
            assert!(unsafe_url(odd).is_some(), "{odd}");
        }
    }
}
