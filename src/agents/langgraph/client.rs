//! HTTP to one server: credentials, timeouts and limits.
//!
//! Promises: redirects are not followed (a key would travel along), certificates are verified, every wait and every
//! body is bounded, no key appears in an error, and an error says whether the request certainly did not arrive.

use crate::config::{self, Env, Header, Secret};
use crate::text::short_line;
use crate::web::{build_client, root_cause};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client as Http, Method, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What precedes a token in its header.
const BEARER: &str = "Bearer ";

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);
/// The longest response that is read, in bytes.
const LONGEST: usize = 32 << 20;
/// How long keys are used before we read them again.
const KEYS_LAST: Duration = Duration::from_secs(300);

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It did not arrive.
    #[error("{0}")]
    NotSent(String),
    /// It may have arrived.
    #[error("{0}")]
    Unclear(String),
    /// The server answered with an error.
    #[error("it answered {code}{}", with_colon(text))]
    Status {
        /// The HTTP status.
        code: u16,
        /// The server's message.
        text: String,
    },
    /// The server's response was not what we asked for.
    #[error("{0}")]
    Odd(String),
}

fn with_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// Talks to one server.
pub(super) struct Client {
    server: config::Server,
    env: Env,
    http: Result<Http, String>,
    keys: Mutex<Option<(HeaderMap, Instant)>>,
}

impl Client {
    pub fn new(server: config::Server, env: Env) -> Self {
        let http = build(&server.url);
        Self { server, env, http, keys: Mutex::default() }
    }

    pub fn server(&self) -> &config::Server {
        &self.server
    }

    pub async fn get(&self, path: &str) -> Result<String, ServerError> {
        self.ask(Method::GET, path, None).await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &str, body: String) -> Result<String, ServerError> {
        self.ask(Method::POST, path, Some(body)).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<String>) -> Result<String, ServerError> {
        let mut keys = self.keys().await?;
        let mut response = self.send(method.clone(), path, body.clone(), &keys).await?;
        // A token may have expired; a request that was not authorized did nothing.
        if response.status() == StatusCode::UNAUTHORIZED && self.forget_keys() {
            keys = self.keys().await?;
            response = self.send(method, path, body, &keys).await?;
        }
        let status = response.status();
        let text = read(response).await?;
        if status.is_success() {
            return Ok(text);
        }
        let text = short_line(&without_keys(message(&text), &keys), 200);
        Err(ServerError::Status { code: status.as_u16(), text })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        keys: &HeaderMap,
    ) -> Result<Response, ServerError> {
        let http = self.http.as_ref().map_err(|why| ServerError::NotSent(why.clone()))?;
        let mut headers = keys.clone();
        let mut request = http.request(method, format!("{}{path}", self.server.url)).timeout(ANSWER);
        if let Some(body) = body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            request = request.body(body);
        }
        request.headers(headers).send().await.map_err(|error| {
            let arrived = !error.is_connect() && !error.is_builder();
            let text = reason(error);
            if arrived { ServerError::Unclear(text) } else { ServerError::NotSent(text) }
        })
    }

    /// Forgets the keys; returns whether there was a token that may have expired.
    fn forget_keys(&self) -> bool {
        let had = self.keys.lock().unwrap_or_else(PoisonError::into_inner).take();
        had.is_some() && self.server.token.is_some()
    }

    /// The headers that hold our keys.
    async fn keys(&self) -> Result<HeaderMap, ServerError> {
        let cached = self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((headers, _)) = cached.filter(|(_, since)| since.elapsed() < KEYS_LAST) {
            return Ok(headers);
        }
        let (server, env) = (self.server.clone(), self.env.clone());
        // A command may ask for a fingerprint, so do not block this thread.
        let read = tokio::task::spawn_blocking(move || read_keys(&server, &env)).await;
        let headers = read
            .unwrap_or_else(|_| Err("its key could not be read".to_owned()))
            .map_err(ServerError::NotSent)?;
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = Some((headers.clone(), Instant::now()));
        Ok(headers)
    }
}

/// The text without our keys, in case the server repeats them.
fn without_keys(text: String, keys: &HeaderMap) -> String {
    let values = keys.values().filter(|value| value.is_sensitive()).filter_map(|value| value.to_str().ok());
    let secrets = values.map(|value| value.strip_prefix(BEARER).unwrap_or(value));
    secrets.fold(text, |text, secret| text.replace(secret, "[redacted]"))
}

fn read_keys(server: &config::Server, env: &Env) -> Result<HeaderMap, String> {
    let read = |what: &str, secret: &Secret| {
        secret.read(env).map_err(|error| format!("{what} is not available: {error}"))
    };
    let mut headers = HeaderMap::new();
    for (name, value) in &server.headers {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("`{name}` is not a header's name"))?;
        let value = match value {
            Header::Text(text) => {
                HeaderValue::from_str(text).map_err(|_| format!("the header {name} cannot be sent"))?
            }
            Header::Secret(secret) => sensitive(&read(&format!("the header {name}"), secret)?, "")?,
        };
        headers.insert(name, value);
    }
    if let Some(secret) = &server.api_key {
        headers.insert(HeaderName::from_static("x-api-key"), sensitive(&read("the key", secret)?, "")?);
    }
    if let Some(secret) = &server.token {
        headers.insert(AUTHORIZATION, sensitive(&read("the token", secret)?, BEARER)?);
    }
    Ok(headers)
}

/// A header value that no log shows.
fn sensitive(secret: &SecretString, prefix: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::from_str(&format!("{prefix}{}", secret.expose_secret()));
    let mut value = value.map_err(|_| "its key holds characters no key can have".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

fn build(url: &str) -> Result<Http, String> {
    build_client(CONNECT, |builder| {
        // Only servers on this machine use plain http, and a proxy is of no use there.
        if url.starts_with("http://") { builder.no_proxy() } else { builder }
    })
    .map_err(|error| format!("no HTTP client can be made: {}", reason(error)))
}

async fn read(mut response: Response) -> Result<String, ServerError> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > LONGEST => {
                return Err(ServerError::Odd(format!("its answer is over {} MB long", LONGEST >> 20)));
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => {
                return Err(ServerError::Unclear(format!("its answer broke off: {}", reason(error))));
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| ServerError::Odd("its answer is not UTF-8 text".to_owned()))
}

/// A server's error message.
fn message(text: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
    match &json {
        Some(json) => {
            let message = json.get("detail").or_else(|| json.get("message")).unwrap_or(json);
            message.as_str().map_or_else(|| message.to_string(), str::to_owned)
        }
        // A page made for browsers tells people here nothing.
        None if text.trim_start().starts_with('<') => "with a page for browsers".to_owned(),
        None => text.to_owned(),
    }
}

/// Why a request did not get through: the innermost cause, without the address.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let kind = match () {
        () if error.is_timeout() && error.is_connect() => "no connection in time",
        () if error.is_timeout() => "no answer in time",
        () if error.is_connect() => "no connection",
        () => "the connection broke off",
    };
    let cause = root_cause(&error).unwrap_or_else(|| error.to_string());
    format!("{kind} ({})", short_line(&cause, 160))
}
