//! Sends the trace of each thread that ends to a server the user chose: OTLP over HTTP, in JSON, in one request.
//!
//! What is sent is the tree that people see under Trace: names and numbers, no contents. No thread waits for it, and
//! what the server does not take is not sent again. The demo and evaluations send nothing.

use super::background::Background;
use super::demo_script::is_demo;
use crate::config::{self, Config, Env};
use crate::engine::graph::{BoxFuture, ThreadId};
use crate::engine::store::DriverLock;
use crate::inbox::TraceView;
use crate::inbox::door::Inbox;
use crate::text::hex;
use crate::tools::web::{self, WebClient, WebRequest, WebTimeouts};
use reqwest::{Method, Url};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const TIMEOUTS: WebTimeouts = WebTimeouts {
    connect: Duration::from_secs(10),
    reply: Duration::from_secs(10),
    again: Duration::from_secs(2),
    longest: Duration::from_secs(2),
};
/// How much of an answer is read, in bytes.
const ANSWER: usize = 64 * 1024;
/// How long a process that is done tries to send the rest.
const PARTING: Duration = Duration::from_secs(2);

/// Sends traces in the background.
pub struct Traces {
    inbox: Inbox,
    config: config::Traces,
    env: Env,
    /// The last log entry that was looked at.
    seen: AtomicI64,
}

impl Traces {
    /// `None` if the config does not want traces, or the folder is the demo's.
    pub fn task(inbox: &Inbox, config: &Config, env: &Env) -> Option<Arc<dyn Background>> {
        let traces = config.traces.clone().filter(|_| !is_demo(&config.data))?;
        // What happened before is not sent.
        let seen = AtomicI64::new(inbox.engine().store().threads().last_entry().unwrap_or(i64::MAX));
        Some(Arc::new(Self { inbox: inbox.clone(), config: traces, env: env.clone(), seen }))
    }

    /// Sends the traces of the threads that ended since the last look.
    async fn send_ended(&self) {
        let store = self.inbox.engine().store();
        let ours = self.inbox.engine().lock().is_some() || DriverLock::holder(store.folder()).is_none();
        let (ended, last) = match store.threads().ended_after(self.seen.load(Ordering::Relaxed)) {
            Ok(found) => found,
            Err(error) => return tracing::warn!(%error, "no traces can be read"),
        };
        for thread in ended.into_iter().filter(|_| ours) {
            let sent = match self.inbox.threads().view(thread.clone()).await {
                Ok(view) => send(&self.config, &self.env, spans(&thread, &view.workflow, &view.trace)).await,
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = sent {
                tracing::warn!(%thread, %error, "a trace was not sent");
            }
        }
        // Not before: a process that is done drops this, and sends the rest when it finishes.
        self.seen.store(last, Ordering::Relaxed);
    }
}

impl Background for Traces {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let mut changes = self.inbox.changes();
            while changes.changed().await.is_ok() {
                self.send_ended().await;
            }
            std::future::pending().await
        })
    }

    fn runs_beside_single_threads(&self) -> bool {
        true
    }

    fn finish(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let _ = tokio::time::timeout(PARTING, self.send_ended()).await;
        })
    }
}

/// Checks whether the config's server takes traces: a sentence either way; `None` if the config names no server.
pub async fn check_traces(config: &Config, env: &Env) -> Option<Result<String, String>> {
    let traces = config.traces.clone()?;
    Some(send(&traces, env, Vec::new()).await.map(|()| "the endpoint takes them".to_owned()))
}

/// Sends spans, once.
async fn send(traces: &config::Traces, env: &Env, spans: Vec<Value>) -> Result<(), String> {
    let url = Url::parse(&traces.url).map_err(|_| {
        "`endpoint` in [traces] is not a URL; write one such as http://127.0.0.1:4318".to_owned()
    })?;
    let web = WebClient::new(&url, None, TIMEOUTS)?;
    let mut ask = WebRequest::new(Method::POST, url).body("application/json", request(spans)).most(ANSWER);
    ask.headers =
        web::headers(&traces.headers, env).await.map_err(|error| format!("{error}; see [traces]"))?;
    let reply = web.ask(&ask).await.map_err(|error| error.to_string())?;
    match reply.status {
        200..=299 if reply.body.trim_ascii_start().starts_with(b"<") => Err(format!(
            "{} answers with a page for browsers; `endpoint` in [traces] is the part before /v1/traces",
            web.place()
        )),
        200..=299 => Ok(()),
        status @ (401 | 403) => {
            Err(format!("{} does not let us in ({status}); check `headers` in [traces]", web.place()))
        }
        status => {
            Err(format!("{} does not take traces ({status}); check `endpoint` in [traces]", web.place()))
        }
    }
}

/// The body of a request. OTLP writes ids in hexadecimal, times in nanoseconds and whole numbers as strings.
fn request(spans: Vec<Value>) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let resource = json!({ "attributes": [text("service.name", "sayso"), text("service.version", version)] });
    let scopes = json!([{ "scope": { "name": "sayso", "version": version }, "spans": spans }]);
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": scopes }] }).to_string().into_bytes()
}

/// A thread with everything inside it. The ids derive from the places in the tree, so a thread that is continued and
/// ends once more sends the same spans and a few new ones.
fn spans(thread: &ThreadId, workflow: &str, tree: &TraceView) -> Vec<Value> {
    let trace = id(thread.as_str(), 16);
    let mut spans = Vec::new();
    let mut open = vec![(tree, None::<String>, thread.to_string())];
    while let Some((view, parent, path)) = open.pop() {
        let span = id(&path, 8);
        for (n, child) in view.children.iter().enumerate() {
            open.push((child, Some(span.clone()), format!("{path}/{n}")));
        }
        spans.push(json!({
            "traceId": trace,
            "spanId": span,
            "parentSpanId": parent,
            "name": view.name,
            "kind": if view.call.is_some() { 3 } else { 1 },
            "startTimeUnixNano": nanos(view.at.as_millisecond()),
            "endTimeUnixNano": nanos(view.at.as_millisecond().saturating_add_unsigned(view.ms)),
            "attributes": attributes(thread, workflow, view),
            "status": match &view.error {
                Some(why) => json!({ "code": 2, "message": why }),
                None => json!({ "code": 1 }),
            },
        }));
    }
    spans
}

fn attributes(thread: &ThreadId, workflow: &str, view: &TraceView) -> Vec<Value> {
    let mut attributes = vec![text("session.id", thread.as_str())];
    if let Some(inner) = &view.thread {
        attributes.push(text("gen_ai.operation.name", "invoke_agent"));
        attributes.push(text("gen_ai.conversation.id", inner.as_str()));
        if inner == thread {
            attributes.push(text("gen_ai.agent.name", workflow));
        }
    }
    if let Some(model) = &view.model {
        attributes.push(text("gen_ai.operation.name", "chat"));
        attributes.push(text("gen_ai.request.model", model));
        attributes.push(number("gen_ai.usage.input_tokens", view.input_tokens));
        attributes.push(number("gen_ai.usage.output_tokens", view.output_tokens));
        let cost = |cost: f64| json!({ "key": "gen_ai.usage.cost", "value": { "doubleValue": cost } });
        attributes.extend(view.cost.map(cost));
    }
    attributes.extend(view.step.map(|step| number("sayso.step", step)));
    attributes.extend(view.error.as_deref().map(|error| text("error.type", error)));
    attributes
}

fn text(key: &str, text: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": text } })
}

fn number(key: &str, number: u64) -> Value {
    json!({ "key": key, "value": { "intValue": number.to_string() } })
}

fn nanos(ms: i64) -> String {
    (i128::from(ms.max(0)) * 1_000_000).to_string()
}

/// An id that depends on this place alone: so many bytes, in hexadecimal.
fn id(place: &str, bytes: usize) -> String {
    hex(&Sha256::digest(place.as_bytes())[..bytes])
}
