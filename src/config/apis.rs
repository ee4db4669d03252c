//! `[apis.NAME]`: how to reach an API, instead of what its own description says.

use serde::Deserialize;

use super::document::Section;
use super::error::{Error, quoted};
use super::secret::{Secret, Variable};
use super::url::Url;
use super::values::section;

section! {
    pub(super) struct ApiSection {
        hosts: Vec<Url>,
        host_list: Option<Url>,
        private: Vec<HostAndPort>,
        api_key_env: Option<Variable>,
        api_key_command: Option<String>,
        api_key_file: Option<String>,
        api_key_header: Option<HeaderName>,
    }
}

/// How to reach an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Api {
    /// Servers to use instead of the ones the API names itself; empty if not set.
    pub hosts: Vec<String>,
    /// URL of a server list to use instead of the API's own.
    pub host_list: Option<String>,
    /// Hosts on this machine or in a private network that may be contacted, each with its port.
    pub private: Vec<(String, u16)>,
    /// Where its key is kept.
    pub key: Option<Secret>,
    /// The header field that carries the key, instead of what the API's own description says.
    pub key_header: Option<String>,
}

impl ApiSection {
    pub(super) fn resolve(self, section: &Section<'_>) -> Result<Api, Error> {
        Ok(Api {
            hosts: self.hosts.into_iter().map(|url| url.0).collect(),
            host_list: self.host_list.map(|url| url.0),
            private: self.private.into_iter().map(|HostAndPort(host, port)| (host, port)).collect(),
            key: section.secret("api_key", self.api_key_env, self.api_key_command, self.api_key_file)?,
            key_header: self.api_key_header.map(|name| name.0),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct HostAndPort(String, u16);

impl TryFrom<String> for HostAndPort {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parted = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let whole = parted.filter(|(host, _)| !host.is_empty() && !host.contains('/'));
        let (host, port) = whole.ok_or_else(|| {
            format!("must be a host with its port such as 127.0.0.1:8080, not {:?}", quoted(&text))
        })?;
        Ok(Self(host.trim_matches(['[', ']']).to_owned(), port))
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct HeaderName(String);

impl TryFrom<String> for HeaderName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, &'static str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if !name.is_empty() && name.bytes().all(is_plain) {
            return Ok(Self(name));
        }
        Err("must be the name of a header field such as X-Api-Key")
    }
}
