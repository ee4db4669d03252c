//! Effects on a server: beginning a run, ending a thread. Each leaves a trace there that can be found again.
//!
//! A run carries our mark in its metadata, so we read whether it began and do not guess. If a resume did arrive twice,
//! the second would name interrupts that no longer exist, and the server would do nothing; behind an active run it is
//! refused.

use crate::agents::langgraph::api::Remote;
use crate::agents::langgraph::client::ServerError;
use crate::graph::{BoxFuture, Effect, EffectError, EffectTrace};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a lost request may still be on its way.
const ON_ITS_WAY: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum ServerEffect {
    /// A new run on a new thread.
    Begin { thread: String, assistant: String, input: String, mark: String },
    /// Answers to a thread's questions, by interrupt.
    Resume { thread: String, assistant: String, resume: String, fingerprint: String, mark: String },
    /// The end of a thread.
    End { thread: String, fingerprint: String },
}

impl ServerEffect {
    pub fn frozen(&self) -> Vec<u8> {
        // It contains only strings, so this cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Sends to one server.
pub(super) struct Sender(pub Arc<Remote>);

impl Effect for Sender {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let sending = thawed(frozen).map_err(EffectError::Refused)?;
            self.send(&sending).await.map_err(|fault| self.effect_error(fault))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            let sending = match thawed(frozen) {
                Ok(sending) => sending,
                Err(why) => return EffectTrace::Unknown(why),
            };
            let until = Instant::now() + self.0.patience;
            let mut pause = Duration::from_millis(200);
            loop {
                match self.look(&sending).await {
                    Ok(trace) => return trace,
                    Err(fault) if Instant::now() + pause >= until => {
                        return EffectTrace::Unknown(format!("{} does not tell: {fault}", self.0.name()));
                    }
                    Err(_) => sleep(pause).await,
                }
                pause = (pause * 2).min(Duration::from_secs(3));
            }
        })
    }
}

fn thawed(frozen: &[u8]) -> Result<ServerEffect, String> {
    serde_json::from_slice(frozen).map_err(|_| "what was to be sent cannot be read".to_owned())
}

impl Sender {
    async fn send(&self, sending: &ServerEffect) -> Result<Value, ServerError> {
        match sending {
            ServerEffect::Begin { thread, assistant, input, mark } => {
                self.0.make_thread(thread).await?;
                let run = self.0.begin_run(thread, assistant, &format!("\"input\":{input}"), mark).await?;
                Ok(json!({ "run": run.run_id }))
            }
            ServerEffect::Resume { thread, assistant, resume, mark, .. } => {
                let body = format!("\"command\":{{\"resume\":{resume}}}");
                let run = self.0.begin_run(thread, assistant, &body, mark).await?;
                Ok(json!({ "run": run.run_id }))
            }
            ServerEffect::End { thread, .. } => {
                self.0.end(thread).await?;
                Ok(json!({ "ended": thread }))
            }
        }
    }

    fn effect_error(&self, fault: ServerError) -> EffectError {
        let text = format!("{}: {fault}", self.0.name());
        match fault {
            ServerError::NotSent(_) => EffectError::NotDone(text),
            // Busy, or too many requests: it was not accepted.
            ServerError::Status { code: 409 | 429, .. } => EffectError::NotDone(text),
            ServerError::Status { code: 400..=499, .. } => EffectError::Refused(text),
            // A gateway that gave up does not know what became of it either.
            ServerError::Status { .. } | ServerError::Unclear(_) | ServerError::Odd(_) => {
                EffectError::Unknown(text)
            }
        }
    }

    async fn look(&self, sending: &ServerEffect) -> Result<EffectTrace, ServerError> {
        match sending {
            ServerEffect::Begin { thread, mark, .. } => {
                if let Some(found) = self.marked(thread, mark).await? {
                    return Ok(found);
                }
                sleep(ON_ITS_WAY).await;
                Ok(self.marked(thread, mark).await?.unwrap_or(EffectTrace::NotDone))
            }
            ServerEffect::Resume { thread, mark, fingerprint, .. } => {
                if let Some(found) = self.marked(thread, mark).await? {
                    return Ok(found);
                }
                sleep(ON_ITS_WAY).await;
                let now = self.0.thread(thread).await?;
                if let Some(found) = self.marked(thread, mark).await? {
                    return Ok(found);
                }
                let unchanged = now.is_some_and(|now| now.asks() && now.fingerprint() == *fingerprint);
                Ok(if unchanged {
                    EffectTrace::NotDone
                } else {
                    EffectTrace::Unknown(
                        "the thread has moved on, and no run there is known to be ours".to_owned(),
                    )
                })
            }
            ServerEffect::End { thread, fingerprint } => Ok(match self.0.thread(thread).await? {
                None => EffectTrace::Done(json!({ "gone": thread })),
                Some(now) if now.asks() && now.fingerprint() == *fingerprint => EffectTrace::NotDone,
                Some(now) if now.asks() => {
                    EffectTrace::Unknown("the thread asks something else now".to_owned())
                }
                Some(_) => EffectTrace::Done(json!({ "ended": thread })),
            }),
        }
    }

    /// The run with our mark, if there is one.
    async fn marked(&self, thread: &str, mark: &str) -> Result<Option<EffectTrace>, ServerError> {
        let runs = self.0.runs(thread).await?.unwrap_or_default();
        let marked_run = runs.into_iter().find(|run| run.is_marked(mark));
        Ok(marked_run.map(|run| EffectTrace::Done(json!({ "run": run.run_id }))))
    }
}
