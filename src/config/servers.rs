//! `[[server]]`: the LangGraph servers whose questions appear in the inbox.

use std::time::Duration;

use super::document::Section;
use super::error::{Error, quoted};
use super::headers::{Header, HeaderLine};
use super::secret::Secret;
use super::url::SafeUrl;
use super::values::{Whole, section};

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

section! {
    pub(super) struct ServerSection {
        name: Option<String>,
        url: Option<SafeUrl>,
        #[serde(rename = "api_key_*")]
        api_key: Option<Secret>,
        token_command: Option<String>,
        headers: Vec<HeaderLine>,
        graphs: Vec<String>,
        #[serde(rename = "every_seconds", with = "Whole::<1, 86_400>")]
        every: Duration = Duration::from_secs(5),
    }
}

/// A LangGraph server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What the inbox calls it.
    pub name: String,
    /// Its URL, without a trailing slash.
    pub url: String,
    /// What is sent with each request, by name: the headers written, the key as `x-api-key`, and the bearer token.
    pub headers: Vec<(String, Header)>,
    /// Only threads of these graphs; of all if empty.
    pub graphs: Vec<String>,
    /// How often it is checked.
    pub every: Duration,
}

impl ServerSection {
    pub(super) fn resolve(self, section: &Section<'_>) -> Result<Server, Error> {
        let name = self.name.ok_or_else(|| section.missing("name", "write what to call the server"))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let why = format!("must be one short word, such as prod, not {:?}", quoted(&name));
            return Err(section.bad("name", why));
        }
        let hint = "write where it is, such as http://127.0.0.1:2024";
        let SafeUrl(url) = self.url.ok_or_else(|| section.missing("url", hint))?;
        let token = self.token_command.map(Secret::Command);
        let mut headers = section.headers(self.headers);
        headers.extend(self.api_key.map(|key| ("x-api-key".to_owned(), Header::Secret(key))));
        headers.extend(token.map(|token| ("authorization".to_owned(), Header::Bearer(token))));
        let url = url.trim_end_matches('/').to_owned();
        Ok(Server { name, url, headers, graphs: self.graphs, every: self.every })
    }
}
