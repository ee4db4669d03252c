//! `[[server]]`: the LangGraph servers whose questions appear in the inbox.

use std::time::Duration;

use super::error::{Error, quoted};
use super::headers::{self, Header};
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, section};
use super::secret::Secret;
use super::url::{is_loopback, wrong_with_url};

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

section! {
    /// LangGraph servers (`langgraph dev`, self-hosted or in the cloud) whose questions appear in this inbox.
    pub(super) struct ServerSection in array("server", "") {
        /// A short name, and the address. Unless it is on this machine, it has to be https.
        name: Option<String> = example("prod"),
        url: Option<String> = example("https://agents.example.org"),
        /// Where its key is kept (sent as x-api-key); set one of the three. The file must be readable only by you. You
        /// can also set a command that prints a bearer token.
        api_key_env: Option<String> = example("LANGGRAPH_API_KEY"),
        api_key_command: Option<String> = example("pass show langgraph"),
        api_key_file: Option<String> = example("~/.config/sayso/prod.key"),
        token_command: Option<String> = example("gcloud auth print-identity-token"),
        /// More headers; $NAME is the variable NAME, $(COMMAND) what a command prints, $(<FILE) a file only you can
        /// read.
        headers: Vec<String> = default("").example("X-Tenant: acme, X-Gate: $GATE_PASS"),
        /// Only threads of these graphs; by default all.
        graphs: Vec<String> = default("").example("email_agent"),
        /// How often it is checked.
        every ("every_seconds"): Duration = default("5").range(1, 86_400),
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

impl Server {
    /// Reads all servers and checks that no two have the same name.
    pub(super) fn read_all<'a>(readers: impl Iterator<Item = Reader<'a>>) -> Result<Vec<Self>, Error> {
        let mut servers: Vec<Self> = Vec::new();
        for reader in readers {
            let server = Self::read(&reader)?;
            if servers.iter().any(|other| other.name == server.name) {
                let why = format!("is taken already; give this server a name other than {:?}", server.name);
                return Err(reader.bad("name", why));
            }
            servers.push(server);
        }
        Ok(servers)
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let server = ServerSection::read(reader)?;
        let name = server.name.ok_or_else(|| reader.missing("name", "write what to call the server"))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let why = format!("must be one short word, such as prod, not {:?}", quoted(&name));
            return Err(reader.bad("name", why));
        }
        let hint = "write where it is, such as http://127.0.0.1:2024";
        let url = server.url.ok_or_else(|| reader.missing("url", hint))?;
        if let Some(why) = wrong_with_url(&url) {
            return Err(reader.bad("url", why));
        }
        if url.starts_with("http://") && !is_loopback(&url) {
            return Err(reader.bad("url", "must begin with https://, since it is not on this machine"));
        }
        let key_sources = [&server.api_key_env, &server.api_key_command, &server.api_key_file];
        let api_key = reader.secret("api_key", key_sources)?;
        let token = server.token_command.map(Secret::Command);
        let mut headers = headers::read(reader, "headers", &server.headers)?;
        headers.extend(api_key.map(|key| ("x-api-key".to_owned(), Header::Secret(key))));
        headers.extend(token.map(|token| ("authorization".to_owned(), Header::Bearer(token))));
        Ok(Self {
            name,
            url: url.trim_end_matches('/').to_owned(),
            headers,
            graphs: server.graphs,
            every: server.every,
        })
    }
}
