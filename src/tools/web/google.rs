//! Calls Google's APIs: shows a token, waits when Google asks us to, reads lists page by page, and reports errors as
//! sentences.

use super::oauth::{Bearer, LoginError};
use super::{Reply, WebClient, WebError, WebRequest, WebTimeouts, safe_excerpt};
use crate::config::Google;
use reqwest::header::AUTHORIZATION;
use reqwest::{Method, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How many times we try a call before giving up.
const TRIES: u32 = 4;

/// The most pages a list may have.
const MAX_PAGES: usize = 2_000;

/// Mail by IMAP and SMTP.
pub const MAIL: &str = "https://mail.google.com/";
pub const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
pub const FREE_BUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";

/// Whether a call may be repeated if we do not know whether it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Repeating it does no harm.
    Freely,
    /// Only if it surely did not happen.
    Never,
}

/// Why a call failed; a sentence for people.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// It surely did not happen, and may work next time.
    #[error("{0}")]
    Temporary(String),
    /// It may have happened.
    #[error("{0}")]
    Unknown(String),
    /// The person has to log in again.
    #[error("{0}")]
    Login(String),
    /// Google refuses it.
    #[error("{text}")]
    Refused {
        status: u16,
        /// A sentence with Google's message.
        text: String,
    },
    /// It surely did not happen, and will not until somebody fixes the config.
    #[error("{0}")]
    Permanent(String),
}

impl From<LoginError> for CallError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::LoginRequired(text) => Self::Login(text),
            LoginError::Temporary(text) => Self::Temporary(text),
            LoginError::Permanent(text) => Self::Permanent(text),
        }
    }
}

/// One page of a list.
pub trait Page: DeserializeOwned {
    /// The token of the page after it.
    fn next_page(&self) -> Option<&str>;
}

/// A list, read page by page.
pub struct Pages<'a> {
    api: &'a Api,
    first: WebRequest,
    /// The token of the next page: empty for the first one, `None` after the last.
    next: Option<String>,
    read: usize,
}

impl Pages<'_> {
    /// The next page, or `None` after the last. A list that never ends is an error: part of it would pass for the
    /// whole.
    pub async fn next<P: Page>(&mut self) -> Result<Option<P>, CallError> {
        let Some(token) = self.next.take() else { return Ok(None) };
        let mut ask = self.first.clone();
        if !token.is_empty() {
            ask.url.query_pairs_mut().append_pair("pageToken", &token);
        }
        let page: P = self.api.json(ask, Repeat::Freely).await?;
        self.next = page.next_page().filter(|next| !next.is_empty()).map(str::to_owned);
        self.read += 1;
        if self.next.as_ref().is_some_and(|next| *next == token) || self.read > MAX_PAGES {
            return Err(self.api.unexpected("a list that does not end"));
        }
        Ok(Some(page))
    }
}

/// One of Google's APIs, used with one account. Clones share tokens and waiting times.
#[derive(Clone)]
pub struct Api {
    base: Url,
    web: WebClient,
    bearer: Bearer,
    /// Until when Google wants us to wait.
    pause_until: Arc<Mutex<Option<Instant>>>,
}

impl Api {
    /// The API at `base`, for a login that has to cover `scopes`. Sends nothing yet.
    pub fn new(
        login: &Google,
        base: &str,
        scopes: &'static [&'static str],
        wait: WebTimeouts,
    ) -> Result<Self, String> {
        let base = Url::parse(base).map_err(|_| "an address in [google] is not a URL".to_owned())?;
        let web = WebClient::new(&base, None, wait)?;
        Ok(Self { base, web, bearer: Bearer::new(login.clone(), scopes, wait), pause_until: Arc::default() })
    }

    /// A request for a path below the base; the segments are escaped so that none can leave it.
    pub fn request(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> WebRequest {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        WebRequest::new(method, url)
    }

    /// The server's name in errors.
    pub fn place(&self) -> &str {
        self.web.place()
    }

    /// Makes a call. If a reply is returned, the call happened.
    pub async fn call(&self, ask: WebRequest, repeat: Repeat) -> Result<Reply, CallError> {
        let mut renewed = false;
        let mut tries = 0;
        let mut token = self.bearer.token().await?;
        loop {
            self.wait_out_pause().await?;
            let shown = ask.clone().header(AUTHORIZATION, &format!("Bearer {token}"));
            let reply = match self.web.ask(&shown).await {
                Ok(reply) => reply,
                Err(WebError::MaybeSent(text)) if repeat == Repeat::Never => {
                    return Err(CallError::Unknown(text));
                }
                Err(WebError::NotSent(text) | WebError::MaybeSent(text)) => {
                    tries += 1;
                    if tries >= TRIES {
                        return Err(CallError::Temporary(text));
                    }
                    tokio::time::sleep(self.backoff(tries)).await;
                    continue;
                }
            };
            match self.meaning(&reply) {
                Meaning::Fine => return Ok(reply),
                Meaning::Unauthorized if !renewed => {
                    token = self.bearer.instead_of(&token).await?;
                    renewed = true;
                }
                Meaning::Unauthorized => {
                    let text = format!("{} refuses a new token too; {}", self.place(), self.bearer.log_in());
                    return Err(CallError::Login(text));
                }
                Meaning::Busy(after) => {
                    tries += 1;
                    let after = after.unwrap_or_else(|| self.backoff(tries));
                    self.pause(after);
                    if tries >= TRIES {
                        let text = format!("{} asks sayso to wait ({})", self.place(), words(&reply));
                        return Err(CallError::Temporary(text));
                    }
                }
                Meaning::Failing if repeat == Repeat::Never => {
                    let text = format!("{} failed midway ({})", self.place(), words(&reply));
                    return Err(CallError::Unknown(text));
                }
                Meaning::Failing => {
                    tries += 1;
                    if tries >= TRIES {
                        return Err(CallError::Temporary(format!(
                            "{} fails ({})",
                            self.place(),
                            words(&reply)
                        )));
                    }
                    tokio::time::sleep(
                        reply.retry_after().unwrap_or_else(|| self.backoff(tries)).min(self.web.wait.longest),
                    )
                    .await;
                }
                Meaning::Refused(error) => return Err(error),
            }
        }
    }

    /// Makes a call and parses its reply as JSON.
    pub async fn json<T: DeserializeOwned>(&self, ask: WebRequest, repeat: Repeat) -> Result<T, CallError> {
        let reply = self.call(ask, repeat).await?;
        if !reply.is_complete {
            return Err(self.unexpected("more than was asked for"));
        }
        // Errors from serde may quote the reply.
        serde_json::from_slice(&reply.body).map_err(|_| self.unexpected("something unexpected"))
    }

    /// The list whose first page this request asks for.
    pub fn pages(&self, first: WebRequest) -> Pages<'_> {
        Pages { api: self, first, next: Some(String::new()), read: 0 }
    }

    /// An error for a reply that makes no sense. The next one may.
    pub fn unexpected(&self, what: &str) -> CallError {
        CallError::Temporary(format!("{} answers with {what}", self.place()))
    }

    fn backoff(&self, tries: u32) -> Duration {
        self.web.wait.again.saturating_mul(1 << tries.min(6)).min(self.web.wait.longest)
    }

    fn pause_until(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.pause_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pause(&self, time: Duration) {
        let until = Instant::now().checked_add(time.min(Duration::from_secs(24 * 3600)));
        let mut pause_until = self.pause_until();
        *pause_until = until.max(*pause_until);
    }

    /// Waits until Google may be asked again; returns an error if that takes too long.
    async fn wait_out_pause(&self) -> Result<(), CallError> {
        loop {
            let until = *self.pause_until();
            let Some(until) = until.filter(|until| *until > Instant::now()) else { return Ok(()) };
            let remaining = until.duration_since(Instant::now());
            if remaining > self.web.wait.longest {
                let text = format!("{} asks sayso to wait {} seconds", self.place(), remaining.as_secs());
                return Err(CallError::Temporary(text));
            }
            tokio::time::sleep_until(until).await;
        }
    }

    fn meaning(&self, reply: &Reply) -> Meaning {
        let why = Why::of(reply);
        match reply.status {
            200..300 => Meaning::Fine,
            401 => Meaning::Unauthorized,
            429 => Meaning::Busy(reply.retry_after()),
            403 if why.is_limit() => Meaning::Busy(reply.retry_after()),
            403 if why.has(&["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) => {
                let text = format!("{} was not allowed to do this; {}", self.place(), self.bearer.log_in());
                Meaning::Refused(CallError::Login(text))
            }
            403 if why.has(&["accessNotConfigured", "SERVICE_DISABLED"]) => {
                Meaning::Refused(CallError::Permanent(format!(
                    "the interface at {} is switched off for your OAuth client; switch it on in Google's console \
                     (APIs & Services), wait a minute and try again",
                    self.place()
                )))
            }
            500.. => Meaning::Failing,
            status => {
                let text = format!("{} says no ({})", self.place(), words(reply));
                Meaning::Refused(CallError::Refused { status, text })
            }
        }
    }
}

enum Meaning {
    Fine,
    Unauthorized,
    Busy(Option<Duration>),
    Failing,
    Refused(CallError),
}

/// The reasons in Google's reply, as far as we can read them.
struct Why(Vec<String>);

impl Why {
    fn of(reply: &Reply) -> Self {
        let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let error = json.get("error");
        let lists = ["errors", "details"].into_iter().filter_map(|key| error?.get(key)?.as_array());
        let reasons = lists.flatten().take(20).filter_map(|one| one.get("reason")?.as_str());
        Self(reasons.map(str::to_owned).collect())
    }

    fn has(&self, any: &[&str]) -> bool {
        self.0.iter().any(|reason| any.contains(&reason.as_str()))
    }

    fn is_limit(&self) -> bool {
        self.has(&[
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "quotaExceeded",
            "dailyLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
        ])
    }
}

/// Google's message, or the status if there is none.
fn words(reply: &Reply) -> String {
    let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let message = json.get("error").and_then(|error| error.get("message")?.as_str());
    message.map_or_else(|| format!("status {}", reply.status), safe_excerpt)
}
