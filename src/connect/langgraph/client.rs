//! HTTP to one server, with its keys.

use crate::config::{self, Env, without_secrets};
use crate::text::short_line;
use crate::tools::web::{WebClient, WebError, WebRequest, WebTimeouts, headers};
use reqwest::header::HeaderMap;
use reqwest::{Method, Url};
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);
/// The longest response that is read, in bytes.
const LONGEST: usize = 32 << 20;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// There is no answer, or none that can be read.
    #[error(transparent)]
    Web(#[from] WebError),
    /// The server answered with an error.
    #[error("it answered {code}: {text}")]
    Status { code: u16, text: String },
}

/// Talks to one server.
pub(super) struct Client {
    pub server: config::Server,
    env: Env,
    web: Result<(WebClient, Url), String>,
    /// Read once, and again if the server no longer takes them.
    keys: Mutex<Option<HeaderMap>>,
}

impl Client {
    pub fn new(server: config::Server, env: Env) -> Self {
        let timeouts = WebTimeouts { connect: CONNECT, reply: ANSWER, ..WebTimeouts::default() };
        let url = Url::parse(&server.url).map_err(|_| "its `url` in [[server]] is not a URL".to_owned());
        let web = url.and_then(|url| Ok((WebClient::new(&url, None, timeouts)?, url)));
        Self { server, env, web, keys: Mutex::default() }
    }

    pub async fn get(&self, path: &[&str]) -> Result<String, ServerError> {
        self.ask(Method::GET, path, None).await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &[&str], body: String) -> Result<String, ServerError> {
        self.ask(Method::POST, path, Some(body)).await
    }

    /// The segments of the path are escaped, so that a server's text cannot lead elsewhere.
    async fn ask(&self, method: Method, path: &[&str], body: Option<String>) -> Result<String, ServerError> {
        let (web, base) = self.web.as_ref().map_err(|why| WebError::NotSent(why.clone()))?;
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let mut request = WebRequest::new(method, url).most(LONGEST);
        if let Some(body) = body {
            request = request.body("application/json", body.into_bytes());
        }
        request.headers = self.keys().await?;
        let mut reply = web.ask(&request).await?;
        // A token may have expired; a request that was not authorized did nothing.
        if reply.status == 401 {
            *self.keys.lock().await = None;
            request.headers = self.keys().await?;
            reply = web.ask(&request).await?;
        }
        let text = match String::from_utf8(reply.body) {
            Ok(text) if reply.is_complete => text,
            _ => {
                let why = format!("its answer is over {} MB long, or is not text", LONGEST >> 20);
                return Err(WebError::MaybeSent(why).into());
            }
        };
        match reply.status {
            200..=299 => Ok(text),
            code => Err(ServerError::Status { code, text: short_line(&without_secrets(message(text)), 200) }),
        }
    }

    /// The headers that hold our keys.
    async fn keys(&self) -> Result<HeaderMap, ServerError> {
        let mut keys = self.keys.lock().await;
        if let Some(keys) = &*keys {
            return Ok(keys.clone());
        }
        let read = headers(&self.server.headers, &self.env).await.map_err(WebError::NotSent)?;
        Ok(keys.insert(read).clone())
    }
}

/// A server's error message.
fn message(text: String) -> String {
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    json.get("detail").and_then(serde_json::Value::as_str).map_or(text, str::to_owned)
}
