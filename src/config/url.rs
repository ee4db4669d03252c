//! The addresses of servers.

use std::net::IpAddr;

use serde::Deserialize;
use serde::de::Deserializer;

/// The address of a server. Errors do not quote it, since it may hold a password.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Url(pub(super) String);

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, &'static str> {
        let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
            return Err("must begin with https:// or http://");
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("must be an address such as http://127.0.0.1:8080/v1");
        }
        if host.contains('@') {
            return Err("must not hold a user or password; say where the key is kept with api_key_env");
        }
        if rest.contains(['?', '#']) {
            return Err("must end with a path, without ? or #");
        }
        Ok(Self(url))
    }
}

impl Url {
    pub(super) fn one<'de, D: Deserializer<'de>, T: From<String>>(deserializer: D) -> Result<T, D::Error> {
        Ok(Self::deserialize(deserializer)?.0.into())
    }

    pub(super) fn many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        Ok(Vec::<Self>::deserialize(deserializer)?.into_iter().map(|url| url.0).collect())
    }
}

/// The address of a server that secrets are sent to: unencrypted, they go only to this machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Url")]
pub(super) struct SafeUrl(pub(super) String);

impl TryFrom<Url> for SafeUrl {
    type Error = &'static str;

    fn try_from(Url(url): Url) -> Result<Self, &'static str> {
        if url.starts_with("http://") && !is_loopback(&url) {
            return Err(
                "must begin with https://, because secrets are sent there; http:// is only for this machine",
            );
        }
        Ok(Self(url))
    }
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
    use super::{SafeUrl, Url};

    #[test]
    fn secrets_leave_this_machine_encrypted() {
        let is_safe = |url: &str| Url::try_from(url.to_owned()).and_then(SafeUrl::try_from).is_ok();
        for fine in ["https://a.example/x", "http://127.0.0.1:8080", "http://[::1]:80/x", "http://localhost/"]
        {
            assert!(is_safe(fine), "{fine}");
        }
        for odd in ["http://a.example", "http://10.0.0.1/", "http://127.0.0.1.evil.example/", "ftp://x", "x"]
        {
            assert!(!is_safe(odd), "{odd}");
        }
    }
}
