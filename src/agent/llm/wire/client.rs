//! The HTTP client of one model, and the address it may talk to.

use crate::text::words::clip;
use std::net::IpAddr;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::ExposeSecret;

use super::KeyHeader;
use crate::agent::llm::ModelSettings;
use crate::config::is_loopback;
use crate::text::Visible;
use crate::tools::web::{Trust, build_client, root_cause};

/// The configured address, if it is valid. Credentials in it are refused: they would end up in errors.
pub(super) fn base_url(settings: &ModelSettings) -> Result<Url, String> {
    if settings.name.trim().is_empty() {
        return Err("it has no name: set name to one of the provider's models".into());
    }
    let text =
        settings.base_url.as_deref().unwrap_or_else(|| settings.provider.base_url().unwrap_or_default());
    let url = Url::parse(text).map_err(|error| format!("base_url is not an address ({error})"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("base_url must begin with http:// or https:// and name a host".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("base_url holds a user or password: use api_key_env or api_key_command".into());
    }
    if settings.key.is_some() && url.scheme() == "http" && !near(&url) {
        return Err("a key would go unencrypted over http:// to a distant host: use https://".into());
    }
    Ok(url)
}

/// Whether a host is on this machine or network, as far as its name tells.
fn near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => {
            !host.contains('.')
                || [".local", ".lan", ".internal", ".home.arpa", ".localhost"]
                    .iter()
                    .any(|suffix| host.ends_with(suffix))
        }
    }
}

pub(super) fn build(settings: &ModelSettings, url: &Url) -> Result<Client, String> {
    build_client(settings.connect_timeout, Trust::Machine, |builder| {
        // A proxy is of no use on the way to this machine.
        if is_loopback(url.as_str()) { builder.no_proxy() } else { builder }
    })
}

/// The header with the key, marked so that no log shows it.
pub(super) fn key_headers(settings: &ModelSettings, header: &KeyHeader) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let Some(key) = &settings.key else { return Ok(headers) };
    let key = key.expose_secret().trim();
    if key.is_empty() {
        return Err("its key is empty".into());
    }
    let (name, value) = match header {
        KeyHeader::Bearer => (AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {key}"))),
        KeyHeader::Named(name) => (HeaderName::from_static(name), HeaderValue::from_str(key)),
    };
    let mut value =
        value.map_err(|_| "its key holds characters no key can have (a line break?)".to_owned())?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

/// Why a request did not get through: the innermost cause, and the server that was tried, without the rest of its
/// address.
pub(super) fn reason(error: reqwest::Error) -> String {
    let server = error.url().and_then(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default()?)));
    let to = server.map(|(host, port)| format!(" to {host}:{port}")).unwrap_or_default();
    let error = error.without_url();
    let kind = if error.is_timeout() {
        Some(format!("no connection{to} in time"))
    } else if error.is_connect() {
        Some(format!("no connection{to}"))
    } else {
        None
    };
    let cause = root_cause(&error).unwrap_or_else(|| error.to_string());
    let cause = clip(Visible::new(&cause).as_str(), 160);
    match kind {
        Some(kind) if cause != kind => format!("{kind} ({cause})"),
        Some(kind) => kind,
        None => cause,
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::agent::llm::Provider;

    fn at(base: &str, key: bool) -> Result<Url, String> {
        let mut settings = ModelSettings::new("m", Provider::Openai, "m");
        settings.base_url = Some(base.into());
        settings.key = key.then(|| SecretString::from("canary-key"));
        base_url(&settings)
    }

    #[test]
    fn keys_go_unencrypted_to_near_hosts_only() {
        for near in [
            "http://127.0.0.1:8080/v1",
            "http://[::1]/v1",
            "http://gpu/v1",
            "http://192.168.1.4/",
            "http://gpu.lan/",
        ] {
            assert!(at(near, true).is_ok(), "{near}");
        }
        for far in ["http://api.example.org/v1", "http://8.8.8.8/v1", "http://[2001:db8::1]/"] {
            assert!(at(far, true).is_err(), "{far}");
            assert!(at(far, false).is_ok(), "{far}");
        }
        assert!(at("https://api.example.org/v1", true).is_ok());
    }

    #[test]
    fn addresses_that_cannot_work_are_refused_without_repeating_them() {
        for bad in ["", "canary", "ftp://canary/", "http://user:canary@host/v1", "file:///canary"] {
            let why = at(bad, false).unwrap_err();
            assert!(!why.contains("canary"), "{why}");
        }
    }

    #[test]
    fn a_key_with_a_line_break_is_refused_without_repeating_it() {
        let mut settings = ModelSettings::new("m", Provider::Openai, "m");
        settings.key = Some(SecretString::from("canary\nkey"));
        let why = key_headers(&settings, &KeyHeader::Bearer).unwrap_err();
        assert!(!why.contains("canary"));
    }
}
