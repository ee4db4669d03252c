//! One request, one bounded reply.

use super::{Trust, build_client, retry_after, root_cause, safe_excerpt};
use crate::config::{Env, Header, Secret, is_loopback};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;

/// How long we wait.
#[derive(Clone, Copy, Debug)]
pub struct WebTimeouts {
    pub connect: Duration,
    /// For the whole reply.
    pub reply: Duration,
    /// Between two tries; grows each time.
    pub again: Duration,
    /// The longest `Retry-After` we wait out; a longer one is an error that says so.
    pub longest: Duration,
}

impl Default for WebTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(20),
            reply: Duration::from_secs(120),
            again: Duration::from_secs(1),
            longest: Duration::from_secs(60),
        }
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum WebError {
    /// The request surely was not sent.
    #[error("{0}")]
    NotSent(String),
    /// The server may have received it.
    #[error("{0}")]
    MaybeSent(String),
}

#[derive(Clone)]
pub struct WebRequest {
    pub method: Method,
    pub url: Url,
    /// Beyond the usual ones.
    pub headers: HeaderMap,
    /// The media type and the bytes.
    pub body: Option<(String, Vec<u8>)>,
    /// How many bytes of the reply we keep.
    pub most: usize,
}

impl WebRequest {
    /// A request without a body, whose reply may be one mebibyte long.
    pub fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: None, most: 1 << 20 }
    }

    pub fn body(mut self, kind: &str, body: Vec<u8>) -> Self {
        self.body = Some((kind.to_owned(), body));
        self
    }

    /// Sets another limit for the reply.
    pub fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Adds a header, marked as sensitive. An invalid value is left out.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
        self
    }
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    /// The body, or the start of it.
    pub body: Vec<u8>,
    pub is_complete: bool,
}

impl Reply {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// How long the server asks us to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers, jiff::Timestamp::now())
    }
}

/// A client for one server.
#[derive(Clone)]
pub struct WebClient {
    client: Client,
    pub wait: WebTimeouts,
    /// The server's name in errors.
    place: String,
}

impl WebClient {
    /// A client for the server at `url`. Trusts the machine's certificates, or only `ca` if given.
    pub fn new(url: &Url, ca: Option<&[u8]>, wait: WebTimeouts) -> Result<Self, String> {
        let place = place(url);
        let issuers =
            ca.map(|pem| Trust::issuers(pem).map_err(|why| format!("the ca_file for {place} {why}")));
        let client = build_client(wait.connect, issuers.transpose()?.unwrap_or(Trust::Machine), |builder| {
            // A proxy is useless on the way to this machine.
            if is_loopback(url.as_str()) { builder.no_proxy() } else { builder }
        })?;
        Ok(Self { client, wait, place })
    }

    /// The server's name in errors.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Sends it once. Dropping the future ends the request.
    pub async fn ask(&self, ask: &WebRequest) -> Result<Reply, WebError> {
        match tokio::time::timeout(self.wait.reply, self.send_once(ask)).await {
            Ok(replied) => replied,
            Err(_) => {
                let seconds = self.wait.reply.as_secs();
                Err(WebError::MaybeSent(format!("{} did not answer within {seconds} seconds", self.place)))
            }
        }
    }

    async fn send_once(&self, ask: &WebRequest) -> Result<Reply, WebError> {
        let mut request =
            self.client.request(ask.method.clone(), ask.url.clone()).headers(ask.headers.clone());
        if let Some((kind, body)) = &ask.body {
            request = request.header(reqwest::header::CONTENT_TYPE, kind).body(body.clone());
        }
        let mut response = request.send().await.map_err(|error| self.failed(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| {
                WebError::MaybeSent(format!("the reply of {} broke off ({})", self.place, reason(&error)))
            })?;
            let Some(chunk) = chunk else { return Ok(Reply { status, headers, body, is_complete: true }) };
            let room = ask.most.saturating_sub(body.len());
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                return Ok(Reply { status, headers, body, is_complete: false });
            }
        }
    }

    fn failed(&self, error: &reqwest::Error) -> WebError {
        let why = reason(error);
        if error.is_connect() || error.is_builder() {
            let text = format!("{} cannot be reached ({why}); check the address and the network", self.place);
            return WebError::NotSent(text);
        }
        WebError::MaybeSent(format!("the connection to {} broke off ({why})", self.place))
    }
}

/// Only the server: a path may name the person.
fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    safe_excerpt(&url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn reason(error: &reqwest::Error) -> String {
    root_cause(error).map_or_else(|| "no reason given".to_owned(), |cause| safe_excerpt(&cause))
}

/// The headers of a config, marked as sensitive. Reading them may run commands.
pub async fn headers(written: &[(String, Header)], env: &Env) -> Result<HeaderMap, String> {
    let (written, env) = (written.to_vec(), env.clone());
    let read = move |(name, value): &(String, Header)| {
        let value =
            value.read(&env).map_err(|error| format!("the header {name} is not available: {error}"))?;
        let value = HeaderValue::from_str(value.expose_secret());
        let (Ok(header), Ok(mut value)) = (HeaderName::from_bytes(name.as_bytes()), value) else {
            return Err(format!("the header {name} holds characters no header can have"));
        };
        value.set_sensitive(true);
        Ok((header, value))
    };
    // A command may wait for a fingerprint, so it runs off the runtime's threads.
    let read = tokio::task::spawn_blocking(move || written.iter().map(read).collect());
    read.await.unwrap_or_else(|_| Err("the headers could not be read".to_owned()))
}

/// Fetches a secret; this may run a command. The error is a sentence that starts with `whose`.
pub async fn secret(secret: &Secret, whose: &str) -> Result<SecretString, String> {
    let owned = secret.clone();
    let read = tokio::task::spawn_blocking(move || owned.read(&Env::process())).await;
    let Ok(read) = read else { return Err(format!("{whose} could not be fetched")) };
    read.map_err(|error| format!("{whose} is not available: {error}"))
}
