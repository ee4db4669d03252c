//! The connection to the trace server: fetches secrets when needed, sends one bounded request and judges the answer.

use super::wire::{left_out, request};
use crate::config::{Config, Env, Header, Traces};
use crate::llm::Redactor;
use crate::web::{Reply, WebClient, WebRequest, WebTimeouts, safe_excerpt};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How much of an answer is read, in bytes.
const ANSWER: usize = 64 * 1024;

/// The server that takes traces.
pub(super) struct Endpoint {
    config: Arc<Config>,
    traces: Traces,
    env: Env,
    connection: Result<(WebClient, Url), String>,
    keys: Mutex<Option<Arc<Keys>>>,
}

/// The headers to send, and the secrets to keep out.
pub(super) struct Keys {
    headers: Vec<(HeaderName, SecretString)>,
    /// Removes every known secret from a text.
    pub redactor: Redactor,
}

/// The result of a request.
#[derive(Debug)]
pub(super) enum SendOutcome {
    /// The server took it; a sentence says what it left out.
    Taken(Option<String>),
    /// The server will never take it.
    Refused(String),
    /// It is more than the server takes at once.
    TooLarge,
    /// The server did not take it now; it may say how long to wait.
    Later(String, Option<Duration>),
}

impl Endpoint {
    pub(super) fn new(config: &Arc<Config>, traces: Traces, env: Env, wait: WebTimeouts) -> Self {
        let connection = Url::parse(&traces.url)
            .map_err(|_| {
                "`endpoint` in [traces] is not a URL; write one such as http://127.0.0.1:4318".to_owned()
            })
            .and_then(|url| Ok((WebClient::new(&url, None, wait)?, url)));
        Self { config: config.clone(), traces, env, connection, keys: Mutex::default() }
    }

    /// The secrets, fetched again after the server did not let us in.
    pub(super) async fn keys(&self) -> Result<Arc<Keys>, String> {
        let cached = self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(keys) = cached {
            return Ok(keys);
        }
        let (config, traces, env) = (self.config.clone(), self.traces.clone(), self.env.clone());
        // A command may wait for a fingerprint, so it runs off the runtime's threads.
        let read = tokio::task::spawn_blocking(move || Keys::read(&config, &traces, &env)).await;
        let keys =
            Arc::new(read.unwrap_or_else(|_| Err("what [traces] sends along cannot be read".to_owned()))?);
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = Some(keys.clone());
        Ok(keys)
    }

    /// Sends spans, once.
    pub(super) async fn send(&self, keys: &Keys, spans: Vec<Value>) -> SendOutcome {
        let (web, url) = match &self.connection {
            Ok(connection) => connection,
            Err(why) => return SendOutcome::Later(why.clone(), None),
        };
        let count = spans.len();
        let mut ask =
            WebRequest::new(Method::POST, url.clone()).body("application/json", request(spans)).most(ANSWER);
        for (name, value) in &keys.headers {
            ask = ask.header(name.clone(), value.expose_secret());
        }
        match web.ask(&ask).await {
            Ok(reply) => self.judge(web.place(), keys, &reply, count),
            Err(error) => SendOutcome::Later(error.to_string(), None),
        }
    }

    fn judge(&self, place: &str, keys: &Keys, reply: &Reply, count: usize) -> SendOutcome {
        let status = reply.status;
        let later = |why: String| SendOutcome::Later(why, reply.retry_after());
        let wrong = |what: &str| {
            let hint = "check `endpoint` in [traces]: it is the part before /v1/traces";
            later(format!("{place} {what}; {hint}"))
        };
        match status {
            200..=299 if is_page(reply) => wrong("answers with a page for browsers"),
            200..=299 => SendOutcome::Taken(left_out(&reply.body).map(|(omitted, why)| {
                format!("{place} left out {omitted} of {count} spans{}", self.reason_suffix(keys, &why))
            })),
            400 | 422 => {
                let why = self.reason_suffix(keys, &String::from_utf8_lossy(&reply.body));
                SendOutcome::Refused(format!(
                    "{place} refused {count} spans ({status}); they are dropped{why}"
                ))
            }
            413 => SendOutcome::TooLarge,
            401 | 403 => {
                *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = None;
                later(format!("{place} does not let us in ({status}); check `headers` in [traces]"))
            }
            408 | 429 | 500..=599 => {
                later(format!("{place} cannot take traces now ({status}); they are kept"))
            }
            _ => wrong(&format!("takes no traces at that address ({status})")),
        }
    }

    /// The server's reason; empty if contents are sent, because it may repeat them.
    fn reason_suffix(&self, keys: &Keys, why: &str) -> String {
        let why = if self.traces.contents { String::new() } else { safe_excerpt(&keys.redactor.text(why)) };
        if why.is_empty() { why } else { format!(": {why}") }
    }
}

fn is_page(reply: &Reply) -> bool {
    reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html"))
        || reply.body.trim_ascii_start().starts_with(b"<")
}

impl Keys {
    fn read(config: &Config, traces: &Traces, env: &Env) -> Result<Self, String> {
        let mut headers = Vec::new();
        let mut secrets = config.readable_secrets(env);
        for (name, value) in &traces.headers {
            let value = match value {
                Header::Text(text) => SecretString::from(text.as_str()),
                Header::Secret(secret) => {
                    let value = secret.read(env).map_err(|error| {
                        format!("the header {name} of [traces] is not available: {error}")
                    })?;
                    let bare = value.expose_secret().split_whitespace().last().unwrap_or_default().to_owned();
                    secrets.extend([value.clone(), SecretString::from(bare)]);
                    value
                }
            };
            let (Ok(header), Ok(_)) =
                (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value.expose_secret()))
            else {
                return Err(format!("the header {name} of [traces] holds characters no header can have"));
            };
            headers.push((header, value));
        }
        Ok(Self { headers, redactor: Redactor::new(secrets) })
    }
}
