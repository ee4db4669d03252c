//! `[apis.NAME]`: how to reach an API, instead of what its own description says.

use super::error::{Error, quoted};
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, section};
use super::secret::Secret;
use super::url::wrong_with_url;

section! {
    /// How an API that `ask` uses is reached, if not as `sayso apis show NAME` says.
    pub(super) struct ApiSection in named("apis", "audius", "") {
        /// Its servers, or where the list of them is.
        hosts: Option<Vec<String>> = example("https://discoveryprovider.audius.co"),
        host_list: Option<String> = example("https://api.audius.co"),
        /// Hosts with their port on this machine or a private network that may be contacted. No others there ever are.
        private: Vec<String> = default("").example("127.0.0.1:8080"),
        /// Where its key is kept; set one of the three. The file must be readable only by you.
        api_key_env: Option<String> = example("AUDIUS_API_KEY"),
        api_key_command: Option<String> = example("pass show audius"),
        api_key_file: Option<String> = example("~/.config/sayso/audius.key"),
        /// The header field that carries the key as it is, if not the one the API's document names. If neither names
        /// one, the key is sent as a bearer token.
        api_key_header: Option<String> = example("X-Api-Key"),
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

impl Api {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let api = ApiSection::read(reader)?;
        let hosts = api.hosts.unwrap_or_default();
        if let Some(why) = hosts.iter().find_map(|url| wrong_with_url(url)) {
            return Err(reader.bad("hosts", why));
        }
        if let Some(why) = api.host_list.as_deref().and_then(wrong_with_url) {
            return Err(reader.bad("host_list", why));
        }
        let mut private = Vec::new();
        for written in &api.private {
            let parted = written.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
            let Some((host, port)) = parted.filter(|(host, _)| !host.is_empty() && !host.contains('/'))
            else {
                let why = format!(
                    "must be hosts with their port such as 127.0.0.1:8080, not {:?}",
                    quoted(written)
                );
                return Err(reader.bad("private", why));
            };
            private.push((host.trim_matches(['[', ']']).to_owned(), port));
        }
        let key_sources = [&api.api_key_env, &api.api_key_command, &api.api_key_file];
        let key = reader.secret("api_key", key_sources)?;
        let key_header = api.api_key_header;
        let is_name = |name: &String| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if key_header.as_ref().is_some_and(|name| !is_name(name)) {
            return Err(reader
                .bad("api_key_header", "must be the name of a header field such as X-Api-Key".to_owned()));
        }
        Ok(Self { hosts, host_list: api.host_list, private, key, key_header })
    }
}
