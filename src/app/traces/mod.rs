//! Sends traces to a server the user chose, in the background: OTLP over HTTP, in JSON.
//!
//! Promises: no thread waits for it, since it reads what is already in the store. A cursor in the store moves only
//! after the server took everything before it, so a crash sends a few spans twice, under the same ids, and leaves none
//! out. A server that is away is tried less and less often, and no sooner than it wishes. Names and numbers are sent,
//! contents only if the config says so, secrets never. What happened before traces were turned on is not sent.
//!
//! The demo, evaluations and replays send nothing.

mod endpoint;
mod spans;
mod wire;
mod words;

use super::background::Background;
use super::setup::wanted_traces;
use crate::config::{Config, Env};
use crate::driver::Engine;
use crate::graph::BoxFuture;
use crate::inbox::SourceLine;
use crate::llm::Redactor;
use crate::store::{DriverLock, StoreError, TraceCursor};
use crate::web::WebTimeouts;
use endpoint::{Endpoint, SendOutcome};
use serde_json::Value;
use spans::SpanBuilder;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Most rows of each kind in one request.
const ROWS: usize = 64;
/// Most bytes of spans in one request, unless one row alone has more.
const BYTES: usize = 1 << 20;
/// The longest pause after failures, unless the server asks for a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(300);
/// How often an unchanged state is noted again.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How long a process that is done tries to send the rest.
const PARTING: Duration = Duration::from_secs(2);

/// Sends traces. Cloning it is cheap.
#[derive(Clone)]
pub struct Traces(Arc<Inner>);

struct Inner {
    engine: Engine,
    config: Arc<Config>,
    endpoint: Endpoint,
    wait: WebTimeouts,
    /// How many rows of each kind fit into a request.
    rows: AtomicUsize,
}

/// The spans of one request.
struct Batch {
    before: TraceCursor,
    after: TraceCursor,
    rows: usize,
    spans: Vec<Value>,
}

/// The result of sending one batch.
enum SendResult {
    /// There may be more.
    More,
    Nothing,
    /// Try again, no sooner than the server wishes.
    Later(Option<Duration>),
}

/// The last note about the server, and its time.
type Noted = Option<(Option<String>, Instant)>;

impl Traces {
    /// The timeouts. `again` also collects spans that come together into one request.
    pub const WAIT: WebTimeouts = WebTimeouts {
        connect: Duration::from_secs(10),
        reply: Duration::from_secs(30),
        again: Duration::from_secs(2),
        longest: Duration::from_secs(3600),
    };

    /// `None` if the config does not want traces, or the folder is the demo's.
    fn new(engine: &Engine, config: &Arc<Config>, env: &Env, wait: WebTimeouts) -> Option<Self> {
        let traces = wanted_traces(config)?.clone();
        let endpoint = Endpoint::new(config, traces, env.clone(), wait);
        let (engine, config) = (engine.clone(), config.clone());
        Some(Self(Arc::new(Inner { engine, config, endpoint, wait, rows: AtomicUsize::new(ROWS) })))
    }

    /// The background task: sends traces, or turns them off in the store if the config does not want them.
    pub fn task(engine: &Engine, config: &Arc<Config>, env: &Env, wait: WebTimeouts) -> Arc<dyn Background> {
        match Self::new(engine, config, env, wait) {
            Some(traces) => Arc::new(traces),
            None => Arc::new(NoTraces(engine.clone())),
        }
    }

    /// Everything that happens from now on is sent.
    async fn start_sending(&self) {
        let store = self.0.engine.store();
        let begun = async {
            store.figures().begin_traces().await?;
            store.mail().source(SourceLine::TRACES.to_owned(), store.now()).await
        };
        if let Err(error) = begun.await {
            tracing::warn!(%error, "traces cannot be sent");
        }
    }

    /// Sends whatever is new, for ever.
    async fn send_forever(&self) -> Infallible {
        let store = self.0.engine.store().clone();
        let mut changes = store.changes();
        let (mut failures, mut noted): (u32, Noted) = (0, None);
        loop {
            changes.borrow_and_update();
            let sync_requested = store.mail().sync_wanted().unwrap_or(0);
            let turn = if self.is_ours() { self.send_batch(&mut noted).await } else { SendResult::Nothing };
            let retry_after = match turn {
                SendResult::More => {
                    failures = 0;
                    continue;
                }
                SendResult::Nothing => {
                    if changes.changed().await.is_err() {
                        return std::future::pending().await;
                    }
                    tokio::time::sleep(self.0.wait.again).await;
                    continue;
                }
                SendResult::Later(retry_after) => retry_after,
            };
            let pause = pause(self.0.wait, failures, retry_after);
            failures = failures.saturating_add(1);
            let _ = tokio::time::timeout(pause, store.mail().next_sync_request(&mut changes, sync_requested))
                .await;
        }
    }

    /// Sends the rest if that takes only a moment.
    async fn send_rest(&self) {
        let sending =
            async { while self.is_ours() && matches!(self.send_batch(&mut None).await, SendResult::More) {} };
        // The next driver sends whatever remains.
        let _ = tokio::time::timeout(PARTING, sending).await;
    }

    /// Whether no other process drives; the one that drives sends the traces.
    fn is_ours(&self) -> bool {
        self.0.engine.lock().is_some() || DriverLock::holder(self.0.engine.store().folder()).is_none()
    }

    /// Sends one batch.
    async fn send_batch(&self, noted: &mut Noted) -> SendResult {
        let inner = &self.0;
        let keys = match inner.endpoint.keys().await {
            Ok(keys) => keys,
            Err(why) => return self.later(why, None, noted).await,
        };
        let limit = inner.rows.load(Ordering::Relaxed);
        let (this, for_reading) = (self.clone(), keys.clone());
        let read = tokio::task::spawn_blocking(move || this.read(&for_reading.redactor, limit)).await;
        let batch = match read {
            Ok(Ok(batch)) => batch,
            Ok(Err(error)) => return self.later(error.to_string(), None, noted).await,
            Err(_) => return SendResult::Later(None),
        };
        let Some(mut batch) = batch else { return SendResult::Nothing };
        let count = batch.spans.len();
        let verdict = match count {
            0 => SendOutcome::Taken(None),
            _ => inner.endpoint.send(&keys, std::mem::take(&mut batch.spans)).await,
        };
        let left_out = match verdict {
            SendOutcome::Taken(left_out) => left_out,
            SendOutcome::Refused(why) => Some(why),
            SendOutcome::TooLarge if limit > 1 => {
                inner.rows.store((limit.min(batch.rows) / 2).max(1), Ordering::Relaxed);
                return SendResult::More;
            }
            SendOutcome::TooLarge => {
                Some(format!("{count} spans are more than is taken at once, and are let go"))
            }
            SendOutcome::Later(why, retry_after) => return self.later(why, retry_after, noted).await,
        };
        // After a crash here, the same spans are sent again.
        if let Err(error) = inner.engine.store().figures().mark_exported(batch.before, batch.after).await {
            return self.later(error.to_string(), None, noted).await;
        }
        if count > 0 {
            inner.rows.store((limit * 2).min(ROWS), Ordering::Relaxed);
            self.note(left_out, noted).await;
        }
        SendResult::More
    }

    async fn later(&self, why: String, retry_after: Option<Duration>, noted: &mut Noted) -> SendResult {
        self.note(Some(why), noted).await;
        SendResult::Later(retry_after)
    }

    /// Notes the state of the server for Activity.
    async fn note(&self, error: Option<String>, noted: &mut Noted) {
        let stale =
            |(last_error, at): &(Option<String>, Instant)| *last_error != error || at.elapsed() > NOTE_EVERY;
        if !noted.as_ref().is_none_or(stale) {
            return;
        }
        if let Some(error) = &error {
            tracing::warn!(%error, "traces were not taken");
        }
        let store = self.0.engine.store();
        let registered = store.mail().source(SourceLine::TRACES.to_owned(), store.now()).await;
        if registered.is_ok()
            && store.mail().record_check(SourceLine::TRACES.to_owned(), error.clone()).await.is_ok()
        {
            *noted = Some((error, Instant::now()));
        }
    }

    /// The next batch; `None` if everything was sent.
    fn read(&self, redactor: &Redactor, limit: usize) -> Result<Option<Batch>, StoreError> {
        let Inner { engine, config, .. } = &*self.0;
        let pending = engine.store().figures().pending(limit)?;
        if pending.spans.is_empty() && pending.after == pending.before {
            return Ok(None);
        }
        let mut builder = SpanBuilder::new(engine, config, redactor);
        let (before, after) = (pending.before, pending.after);
        let mut batch = Batch { before, after, rows: 0, spans: Vec::new() };
        let (mut bytes, mut last) = (0, before);
        for (thread, what, then) in pending.spans {
            if builder.waits(&thread, &what) {
                batch.after = last;
                break;
            }
            let spans: Vec<Value> = builder.spans_of(&thread, &what).iter().map(wire::Span::json).collect();
            bytes += spans.iter().map(|span| span.to_string().len()).sum::<usize>();
            if bytes > BYTES && !batch.spans.is_empty() {
                batch.after = last;
                break;
            }
            batch.spans.extend(spans);
            batch.rows += 1;
            last = then;
        }
        Ok(Some(batch).filter(|batch| batch.rows > 0 || batch.after != batch.before))
    }
}

impl Background for Traces {
    fn begin(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.start_sending())
    }

    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { match self.send_forever().await {} })
    }

    fn runs_beside_single_threads(&self) -> bool {
        true
    }

    /// Sends the rest if that takes only a moment.
    fn finish(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.send_rest())
    }
}

/// Turns traces off if the driver's config does not want them. If two configs share a folder, the driver's counts.
struct NoTraces(Engine);

impl Background for NoTraces {
    fn begin(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Err(error) = self.0.store().figures().end_traces().await {
                tracing::debug!(%error, "how far traces were told is still on record");
            }
        })
    }

    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// Grows with each failure, and is at least as long as the server wishes.
fn pause(wait: WebTimeouts, failures: u32, retry_after: Option<Duration>) -> Duration {
    let longer = wait.again.saturating_mul(2_u32.saturating_pow(failures));
    longer.min(MAX_PAUSE).max(retry_after.unwrap_or_default().min(wait.longest))
}

/// Checks whether the config's server takes traces: a sentence either way; `None` if the config names no server.
pub async fn check_traces(config: &Arc<Config>, env: &Env) -> Option<Result<String, String>> {
    let traces = config.traces.clone()?;
    let what = if traces.contents { "with contents" } else { "names and numbers alone" };
    let endpoint = Endpoint::new(
        config,
        traces,
        env.clone(),
        WebTimeouts { reply: Duration::from_secs(10), ..Traces::WAIT },
    );
    let keys = match endpoint.keys().await {
        Ok(keys) => keys,
        Err(why) => return Some(Err(why)),
    };
    Some(match endpoint.send(&keys, Vec::new()).await {
        SendOutcome::Taken(_) => Ok(format!("the endpoint takes them, {what}")),
        // We sent no spans, so this refuses none. A server that refuses has read the request.
        SendOutcome::Refused(_) | SendOutcome::TooLarge => Ok(format!("the endpoint answers, {what}")),
        SendOutcome::Later(why, _) => Err(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_as_long_as_the_server_wishes() {
        let seconds = Duration::from_secs;
        for (failures, wish, expected) in [
            (0, None, seconds(2)),
            (1, None, seconds(4)),
            (5, None, seconds(64)),
            (40, None, MAX_PAUSE),
            (0, Some(seconds(30)), seconds(30)),
            (5, Some(seconds(30)), seconds(64)),
            (0, Some(seconds(900)), seconds(900)),
            (0, Some(seconds(1_000_000)), Traces::WAIT.longest),
        ] {
            assert_eq!(pause(Traces::WAIT, failures, wish), expected, "{failures} {wish:?}");
        }
    }
}
