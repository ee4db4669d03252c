//! `[[server]]`: the LangGraph servers whose questions stand in the inbox.

use std::time::Duration;

use super::entries::ordinal;
use super::error::{Error, quoted};
use super::headers::Header;
use super::raw;
use super::resolve::{Meaning, wrong_with_url};
use super::secret::Secret;

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

/// A LangGraph server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What the inbox calls it.
    pub name: String,
    /// Where it is, without a slash at its end.
    pub url: String,
    /// Where its key is kept, sent as `x-api-key`.
    pub api_key: Option<Secret>,
    /// What prints a bearer token.
    pub token: Option<Secret>,
    /// Further headers, by their names.
    pub headers: Vec<(String, Header)>,
    /// Only threads of these graphs; of all where there are none.
    pub graphs: Vec<String>,
    /// Only threads of these assistants; of all where there are none.
    pub assistants: Vec<String>,
    /// Only threads with this metadata.
    pub metadata: Vec<(String, String)>,
    /// How often it is looked at.
    pub every: Duration,
}

impl Meaning<'_> {
    pub(super) fn servers(&self, servers: Vec<raw::Server>) -> Result<Vec<Server>, Error> {
        let mut meant: Vec<Server> = Vec::new();
        for (index, server) in servers.into_iter().enumerate() {
            let at = ordinal(index + 1);
            let server = self.remote(&at, server)?;
            if meant.iter().any(|other| other.name == server.name) {
                let why = format!("is taken already; give this server a name other than {:?}", server.name);
                return Err(self.bad("server", &at, "name", why));
            }
            meant.push(server);
        }
        Ok(meant)
    }

    fn remote(&self, at: &str, server: raw::Server) -> Result<Server, Error> {
        let bad = |key: &str, why: String| self.bad("server", at, key, why);
        let missing = |key, hint| self.missing("server", at, key, hint);
        let name = server.name.ok_or_else(|| missing("name", "write what to call the server"))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let why = format!("must be one short word, such as prod, not {:?}", quoted(&name));
            return Err(bad("name", why));
        }
        let url =
            server.url.ok_or_else(|| missing("url", "write where it is, such as http://127.0.0.1:2024"))?;
        if let Some(why) = wrong_with_url(&url) {
            return Err(bad("url", why.to_owned()));
        }
        if url.starts_with("http://") && !is_loopback(&url) {
            let why = "must begin with https://, since it is not on this machine".to_owned();
            return Err(bad("url", why));
        }
        let keys = [&server.api_key_env, &server.api_key_command, &server.api_key_file];
        let api_key = self.api_key("server", at, keys)?;
        let headers = self.headers("server", at, &server.headers)?;
        let mut metadata = Vec::new();
        for written in &server.metadata {
            let Some((key, value)) = written.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
                let why = format!("must be words such as team=ops, not {:?}", quoted(written));
                return Err(bad("metadata", why));
            };
            metadata.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(Server {
            name,
            url: url.trim_end_matches('/').to_owned(),
            api_key,
            token: server.token_command.map(Secret::Command),
            headers,
            graphs: server.graphs,
            assistants: server.assistants,
            metadata,
            every: Duration::from_secs(server.every_seconds),
        })
    }
}

/// Whether an address is on this machine, whatever names resolve to.
fn is_loopback(url: &str) -> bool {
    let rest = url.trim_start_matches("http://");
    let host = rest.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
