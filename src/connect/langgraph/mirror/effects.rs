//! The effect on a server: a person's answers, or the end of a thread. It leaves a trace there that can be found again.
//!
//! A run carries our mark in its metadata, so we read whether it began and do not guess. If a resume did arrive twice,
//! the second would name interrupts that no longer exist, and the server would do nothing; behind an active run it is
//! refused.

use crate::connect::langgraph::api::{Remote, RemoteThread};
use crate::connect::langgraph::client::ServerError;
use crate::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace};
use crate::tools::web::WebError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long a lost request may still be on its way.
const ON_ITS_WAY: Duration = Duration::from_secs(1);
/// How many times we look for its traces if the server does not answer.
const LOOKS: usize = 5;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ServerEffect {
    pub thread: String,
    pub assistant: String,
    /// The answers by interrupt, as JSON text; `None` ends the thread.
    pub resume: Option<String>,
    /// What the thread asked when it was answered.
    pub fingerprint: String,
    /// Identifies this attempt, and no other, on the server.
    pub mark: String,
}

/// Sends to one server.
pub(super) struct Sender(pub Arc<Remote>);

impl Effect for Sender {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let sending = thawed(frozen).map_err(EffectError::Refused)?;
            let sent = match &sending.resume {
                Some(resume) => {
                    self.0.resume(&sending.thread, &sending.assistant, resume, &sending.mark).await
                }
                None => self.0.end(&sending.thread).await,
            };
            sent.map(|()| done(&sending)).map_err(|error| self.effect_error(error))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            let sending = match thawed(frozen) {
                Ok(sending) => sending,
                Err(why) => return EffectTrace::Unknown(why),
            };
            let mut why = String::new();
            for _ in 0..LOOKS {
                sleep(ON_ITS_WAY).await;
                match self.look(&sending).await {
                    Ok(trace) => return trace,
                    Err(error) => why = format!("{} does not tell: {error}", self.0.name()),
                }
            }
            EffectTrace::Unknown(why)
        })
    }
}

fn thawed(frozen: &[u8]) -> Result<ServerEffect, String> {
    serde_json::from_slice(frozen).map_err(|_| "what was to be sent cannot be read".to_owned())
}

fn done(sending: &ServerEffect) -> Value {
    json!({ "thread": sending.thread })
}

impl Sender {
    fn effect_error(&self, error: ServerError) -> EffectError {
        let text = format!("{}: {error}", self.0.name());
        match error {
            // Busy, or too many requests: it was not accepted.
            ServerError::Web(WebError::NotSent(_)) | ServerError::Status { code: 409 | 429, .. } => {
                EffectError::NotDone(text)
            }
            ServerError::Status { code: 400..=499, .. } => EffectError::Refused(text),
            // A gateway that gave up does not know what became of it either.
            ServerError::Status { .. } | ServerError::Web(WebError::MaybeSent(_)) => {
                EffectError::Unknown(text)
            }
        }
    }

    async fn look(&self, sending: &ServerEffect) -> Result<EffectTrace, ServerError> {
        let now = self.0.thread(&sending.thread).await?;
        if self.0.has_run(&sending.thread, &sending.mark).await? {
            return Ok(EffectTrace::Done(done(sending)));
        }
        let asked = now.filter(RemoteThread::asks).map(|now| now.fingerprint());
        Ok(match asked {
            Some(asked) if asked == sending.fingerprint => EffectTrace::NotDone,
            None if sending.resume.is_none() => EffectTrace::Done(done(sending)),
            _ => EffectTrace::Unknown(
                "the thread has moved on, and no run there is known to be ours".to_owned(),
            ),
        })
    }
}
