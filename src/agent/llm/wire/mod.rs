//! One path to every server: wait for a place, keep the pace, send, read within limits, retry, and only then answer.
//!
//! A provider is a [`Protocol`]: how to write a request and how to read a frame. It keeps no state; the answer grows in
//! a [`PartialReply`]. Nothing is spawned, so dropping the future closes the connection.

mod calls;
mod client;
mod fault;
mod frames;
mod partial_reply;
mod pause;

use std::sync::{Mutex, PoisonError};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::time::{sleep, timeout};

pub(super) use calls::{Args, Piece};
pub(super) use fault::Fault;
pub(super) use frames::Framing;
pub(super) use partial_reply::PartialReply;

use super::{BoxFuture, Delta, Limiter, Model, ModelError, ModelSettings, OnText, Redactor, Reply, Request};
use frames::Frames;

/// The most that is read of one answer, decompressed.
const MAX_BODY: usize = 24 << 20;

/// The most that is read of an error's body.
const MAX_ERROR_BODY: usize = 64 << 10;

/// How often a request is rewritten for a server that lacks a feature, before it counts as rejected.
const MAX_REWRITES: usize = 6;

/// How long to wait for the tail of a finished answer (its usage).
const TAIL: std::time::Duration = std::time::Duration::from_secs(2);

/// How to talk to one provider.
pub(super) trait Protocol: Send + Sync + 'static {
    /// Where requests go, given the configured address without its last slash.
    fn url(&self, base: &str, settings: &ModelSettings) -> String;
    /// The header that carries the key.
    fn key_header(&self) -> KeyHeader;
    /// More headers.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// What we assume at first that the server supports.
    fn quirks(&self) -> Quirks {
        Quirks::default()
    }
    /// How the stream is split into frames.
    fn framing(&self) -> Framing;
    /// The request as JSON.
    fn body(&self, settings: &ModelSettings, request: &Request, quirks: Quirks) -> Value;
    /// Reads one frame of the answer.
    fn read(&self, draft: &mut PartialReply, frame: &Value, on_text: OnText<'_>) -> Result<(), Fault>;
    /// What to leave out next time, if the server's complaint (in lower case) names it.
    fn adapt(&self, _sent: Quirks, _request: &Request, _complaint: &str) -> Option<Quirks> {
        None
    }
}

/// Where the key goes.
pub(super) enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// A header with this name.
    Named(&'static str),
}

/// How to ask for an answer that is data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OutputMode {
    /// Through the server's own support for JSON schemas.
    #[default]
    Schema,
    /// Through a tool that must be called.
    Tool,
    /// With words in the prompt.
    Text,
}

/// What a server turned out not to support; remembered as long as the model is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// The way to ask for data that works.
    pub output: OutputMode,
    /// A call cannot be required.
    pub no_tool_choice: bool,
    /// Usage cannot be asked for in a stream.
    pub no_stream_options: bool,
    /// Randomness cannot be set.
    pub no_temperature: bool,
    /// The token limit is named `max_completion_tokens`.
    pub completion_tokens: bool,
}

/// A model on a server.
pub(super) struct HttpModel<P> {
    protocol: P,
    settings: ModelSettings,
    client: Client,
    url: String,
    headers: HeaderMap,
    limiter: Limiter,
    redactor: Redactor,
    quirks: Mutex<Quirks>,
}

/// Why a try gave no answer, and what to do about it.
enum Failure {
    /// The same request may work in a moment.
    Retry(ModelError),
    /// A rewritten request may work.
    Rewrite(Quirks, ModelError),
    /// Neither.
    Final(ModelError),
}

impl<P: Protocol> HttpModel<P> {
    /// Checks the settings and prepares the connection; sends nothing.
    pub fn open(settings: &ModelSettings, protocol: P) -> Result<Self, ModelError> {
        let wrong = |why: String| ModelError::Settings { model: settings.label.clone(), why };
        let base = client::base_url(settings).map_err(wrong)?;
        let client = client::build(settings, &base).map_err(wrong)?;
        let mut headers = client::key_headers(settings, &protocol.key_header()).map_err(wrong)?;
        for (name, value) in protocol.headers() {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let url = protocol.url(base.as_str().trim_end_matches('/'), settings);
        Ok(Self {
            url,
            headers,
            client,
            limiter: Limiter::new(settings.max_concurrent, settings.requests_per_minute),
            redactor: Redactor::new(settings.key.clone()),
            quirks: Mutex::new(protocol.quirks()),
            settings: settings.clone(),
            protocol,
        })
    }

    async fn answer(&self, request: &Request, on_text: OnText<'_>) -> Result<Reply, ModelError> {
        let _place = self.limiter.enter().await;
        let mut retries = 0;
        let mut rewrites = 0;
        loop {
            self.limiter.pace().await;
            let tried = timeout(self.settings.total_timeout, self.attempt(request, on_text)).await;
            let failure = match tried {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::Retry(ModelError::Cut {
                    model: self.settings.label.clone(),
                    why: format!("not done after {} s", self.settings.total_timeout.as_secs_f32()),
                }),
            };
            match failure {
                Failure::Rewrite(quirks, error) => {
                    rewrites += 1;
                    if rewrites > MAX_REWRITES {
                        return Err(error);
                    }
                    tracing::debug!(model = %self.settings.label, ?quirks, "request rewritten for the server");
                    *self.quirks.lock().unwrap_or_else(PoisonError::into_inner) = quirks;
                }
                Failure::Retry(error) => {
                    if retries >= self.settings.retries {
                        return Err(error);
                    }
                    let requested = error.retry_after();
                    let Some(pause) = pause::pause(&self.settings, retries, requested, pause::jitter())
                    else {
                        return Err(error);
                    };
                    retries += 1;
                    tracing::info!(
                        model = %self.settings.label, task = %request.task, error = error.code(), retries,
                        pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX), "model call tried again"
                    );
                    on_text(Delta::Restart);
                    sleep(pause).await;
                }
                Failure::Final(error) => return Err(error),
            }
        }
    }

    async fn attempt(&self, request: &Request, on_text: OnText<'_>) -> Result<Reply, Failure> {
        let quirks = *self.quirks.lock().unwrap_or_else(PoisonError::into_inner);
        let body = self.protocol.body(&self.settings, request, quirks);
        let sent = self.client.post(&self.url).headers(self.headers.clone()).json(&body).send();
        let idle = self.settings.idle_timeout;
        let response = match timeout(idle, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(Failure::Retry(self.unreachable(client::reason(error)))),
            Err(_) => {
                let why = format!("no answer within {} s", idle.as_secs_f32());
                let model = self.settings.label.clone();
                return Err(Failure::Retry(ModelError::Silent { model, why }));
            }
        };
        if response.status() != StatusCode::OK {
            return Err(self.refused(response, request, quirks).await);
        }
        let mut draft = PartialReply::new(request, quirks.output);
        match self.read(response, &mut draft, on_text).await.and_then(|()| draft.finish(request)) {
            Ok(reply) => Ok(reply.visible()),
            Err(fault) => Err(self.failed(fault, request)),
        }
    }

    /// Reads frames until the answer is complete. Silence and broken connections after its end do not matter.
    async fn read(
        &self,
        mut response: reqwest::Response,
        draft: &mut PartialReply,
        on_text: OnText<'_>,
    ) -> Result<(), Fault> {
        let is_json = response
            .headers()
            .get(reqwest::header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.trim_start().starts_with("application/json"));
        let mut frames = Frames::new(if is_json { Framing::Whole } else { self.protocol.framing() });
        let mut size = 0;
        let mut broke = None;
        while !draft.closed() {
            let wait =
                if draft.ended() { self.settings.idle_timeout.min(TAIL) } else { self.settings.idle_timeout };
            let chunk = match timeout(wait, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => {
                    broke = Some(client::reason(error));
                    break;
                }
                Err(_) => {
                    broke = Some(format!("silence for {} s", wait.as_secs_f32()));
                    break;
                }
            };
            size += chunk.len();
            if size > MAX_BODY {
                return Err(Fault::TooLarge(format!("it is larger than {} MB", MAX_BODY >> 20)));
            }
            for frame in frames.feed(&chunk)? {
                self.frame(draft, &frame, on_text)?;
            }
        }
        for frame in frames.rest() {
            // A broken connection usually leaves half a frame: then the break is the reason.
            match self.frame(draft, &frame, on_text) {
                Err(Fault::Garbled(_)) if !is_json || broke.is_some() => break,
                other => other?,
            }
        }
        if draft.ended() {
            return Ok(());
        }
        Err(Fault::Cut(broke.unwrap_or_else(|| "the stream ended before the answer did".into())))
    }

    fn frame(&self, draft: &mut PartialReply, frame: &str, on_text: OnText<'_>) -> Result<(), Fault> {
        if frame.trim() == "[DONE]" {
            draft.close();
            return Ok(());
        }
        // A sloppy server leaves out blank lines, so one frame may hold several values.
        for value in serde_json::Deserializer::from_str(frame).into_iter::<Value>() {
            let value = value.map_err(|_| Fault::Garbled("a frame is not JSON".into()))?;
            if let Some(fault) = fault::in_frame(&value) {
                return Err(fault);
            }
            self.protocol.read(draft, &value, on_text)?;
        }
        Ok(())
    }

    /// Reads why a server refused.
    async fn refused(&self, mut response: reqwest::Response, request: &Request, sent: Quirks) -> Failure {
        let status = response.status();
        let headers = response.headers().clone();
        let mut body = Vec::new();
        while let Ok(Ok(Some(chunk))) = timeout(self.settings.idle_timeout, response.chunk()).await {
            let room = MAX_ERROR_BODY - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() >= MAX_ERROR_BODY {
                break;
            }
        }
        let reported = fault::parse_error(&body);
        let requested = pause::requested_pause(&headers, &reported.details);
        let error = self.error(status.as_u16(), &reported, requested, request);
        if matches!(error, ModelError::Rejected { .. } | ModelError::Overloaded { .. })
            && matches!(status.as_u16(), 400 | 404 | 422 | 500 | 501)
            && let Some(quirks) = self.protocol.adapt(sent, request, &reported.message.to_lowercase())
        {
            return Failure::Rewrite(quirks, error);
        }
        if error.is_transient() { Failure::Retry(error) } else { Failure::Final(error) }
    }

    fn failed(&self, fault: Fault, request: &Request) -> Failure {
        let model = self.settings.label.clone();
        match fault {
            Fault::Cut(why) => Failure::Retry(ModelError::Cut { model, why }),
            Fault::Garbled(why) => Failure::Retry(ModelError::Unreadable { model, why }),
            Fault::TooLarge(why) => Failure::Final(ModelError::Unreadable { model, why }),
            Fault::Refused(why) => {
                let why = fault::excerpt(&why, &self.redactor, request);
                Failure::Final(ModelError::Refused { model, why })
            }
            Fault::OutOfTokens => {
                let limit = request.max_tokens.unwrap_or(self.settings.max_output_tokens);
                Failure::Final(ModelError::AnswerTooLong { model, limit })
            }
            Fault::Server(reported) => {
                let requested = pause::requested_pause(&HeaderMap::new(), &reported.details);
                let error = self.error(reported.likely_status(), &reported, requested, request);
                if error.is_transient() { Failure::Retry(error) } else { Failure::Final(error) }
            }
        }
    }

    fn error(
        &self,
        status: u16,
        reported: &fault::ProviderError,
        requested: Option<std::time::Duration>,
        request: &Request,
    ) -> ModelError {
        let why = fault::excerpt(&reported.message, &self.redactor, request);
        let why = if why.is_empty() { format!("HTTP {status} without a reason") } else { why };
        fault::classify(&self.settings.label, status, reported, requested, why)
    }

    fn unreachable(&self, why: String) -> ModelError {
        ModelError::Unreachable { model: self.settings.label.clone(), why: self.redactor.text(&why) }
    }
}

impl<P: Protocol> Model for HttpModel<P> {
    fn label(&self) -> &str {
        &self.settings.label
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(self.answer(request, on_text))
    }
}
