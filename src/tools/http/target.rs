//! Checks that a URL leads to a host that may be reached.

use reqwest::Url;

/// A host that requests may go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name or IP address.
    pub name: String,
    /// The only allowed port, if it is not the scheme's default.
    pub port: Option<u16>,
    /// Whether it may be on this machine or in a private network; only the person's config says so.
    pub private: bool,
}

impl Host {
    /// A host of the public internet.
    pub fn public(name: &str) -> Self {
        Self { name: name.to_owned(), port: None, private: false }
    }
}

/// A parsed URL whose host is on the list.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub url: Url,
    /// The host as it is resolved: no brackets, no trailing dot.
    pub host: String,
    pub port: u16,
    pub private: bool,
}

/// Parses a URL and finds its host on the list; the error says what is wrong with it.
pub(super) fn parse(text: &str, hosts: &[Host]) -> Result<Target, String> {
    let url = Url::parse(text).map_err(|error| format!("that is no address: {error}"))?;
    check(url, hosts)
}

/// Like [`parse`], for a parsed URL.
pub(super) fn check(mut url: Url, hosts: &[Host]) -> Result<Target, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` addresses are not reached, only http and https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address carries a user name or a password; leave them out".to_owned());
    }
    url.set_fragment(None);
    let Some(host) = url.host_str() else {
        return Err("the address names no host".to_owned());
    };
    let host = normalized(host);
    let Some(port) = url.port_or_known_default() else {
        return Err("the address names no port".to_owned());
    };
    let usual = url.port().is_none();
    let listed = hosts.iter().find(|listed| {
        normalized(&listed.name) == host && listed.port.map_or(usual, |listed_port| listed_port == port)
    });
    match listed {
        Some(listed) => {
            let private = listed.private;
            // We connect by exactly this name, so that the connection goes to the address that was checked.
            let written = if host.contains(':') { format!("[{host}]") } else { host.clone() };
            url.set_host(Some(&written)).map_err(|error| format!("{host} is no host: {error}"))?;
            Ok(Target { private, url, host, port })
        }
        None => {
            let port = if usual { String::new() } else { format!(":{port}") };
            Err(format!("{host}{port} is not among the hosts this request may go to"))
        }
    }
}

/// A host in lower case, without brackets or trailing dot.
fn normalized(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_hosts_at_their_port_by_http() {
        let hosts =
            [Host::public("api.example"), Host { name: "127.0.0.1".into(), port: Some(8080), private: true }];
        for good in [
            "https://api.example/v1",
            "HTTP://API.example./v1?q=1#x",
            "https://api.example:443/",
            "http://127.0.0.1:8080/",
            "http://2130706433:8080/",
        ] {
            assert!(parse(good, &hosts).is_ok(), "{good}");
        }
        for bad in [
            "ftp://api.example/",
            "file:///etc/passwd",
            "gopher://api.example/",
            "https://api.example:8443/",
            "https://ada:secret@api.example/",
            "https://api.example@evil.example/",
            "https://api.example.evil.example/",
            "https://evil.example/api.example",
            "https://127.0.0.1/",
            "http://127.0.0.1:8081/",
            "https:///path",
            "//api.example/",
            "api.example",
            "",
        ] {
            assert!(parse(bad, &hosts).is_err(), "{bad}");
        }
        let target = parse("https://API.example./a#b", &hosts).unwrap();
        assert_eq!((target.url.as_str(), target.host.as_str()), ("https://api.example/a", "api.example"));
    }
}
