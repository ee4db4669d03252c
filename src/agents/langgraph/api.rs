//! A LangGraph server's API as typed calls. Knows no inbox.
//!
//! Interrupts keep the text of their values ([`Pending`]); everything else is parsed for display.

use super::client::{Client, ServerError};
use super::shape::Pending;
use crate::config::{self, Env};
use crate::text::hex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How many threads a page has.
const PAGE: usize = 50;
/// How many pages of interrupted threads we read at most.
const MAX_PAGES: usize = 20;
/// How many interrupts of a thread we read at most.
const MAX_INTERRUPTS: usize = 50;
/// The metadata field of a run that names the attempt of ours that made it.
const MARK: &str = "sayso";

/// A thread's status on its server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemoteStatus {
    /// There is nothing to do.
    #[default]
    Idle,
    /// A run is active.
    Busy,
    /// It waits for a person.
    Interrupted,
    /// Its last run failed.
    Error,
}

/// A thread as its server has it.
#[derive(Clone, Debug, Default)]
pub struct RemoteThread {
    pub id: String,
    pub status: RemoteStatus,
    pub graph: String,
    /// The assistant it was started with.
    pub assistant: Option<String>,
    /// Its open interrupts.
    pub pending: Vec<Pending>,
    /// Its state, if it was requested.
    pub values: Value,
    pub metadata: Value,
    /// Why its last run failed.
    pub error: Option<String>,
}

impl RemoteThread {
    /// A digest of its open interrupts, which changes when a question changes.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for pending in &self.pending {
            for part in [&pending.id, &pending.value] {
                hash.update(part.len().to_le_bytes());
                hash.update(part);
            }
        }
        hex(&hash.finalize())
    }

    pub fn asks(&self) -> bool {
        self.status == RemoteStatus::Interrupted && !self.pending.is_empty()
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    pub run_id: String,
    /// `pending`, `running`, `success`, `error`, `timeout` or `interrupted`.
    pub status: String,
    #[serde(default)]
    pub metadata: Value,
}

impl Run {
    pub fn ended(&self) -> bool {
        !matches!(self.status.as_str(), "pending" | "running")
    }

    pub fn failed(&self) -> bool {
        matches!(self.status.as_str(), "error" | "timeout")
    }

    /// Whether this attempt of ours made it.
    pub fn is_marked(&self, mark: &str) -> bool {
        self.metadata.get(MARK).and_then(Value::as_str) == Some(mark)
    }
}

/// An assistant: a graph with its own configuration.
#[derive(Clone, Debug, Deserialize)]
pub struct Assistant {
    pub assistant_id: String,
    pub graph_id: String,
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    thread_id: String,
    status: RemoteStatus,
    #[serde(default)]
    metadata: Option<Value>,
    #[serde(default, borrow)]
    interrupts: Option<BTreeMap<String, Vec<WireInterrupt<'a>>>>,
    #[serde(default, borrow)]
    values: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct WireInterrupt<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(default, borrow)]
    response_schema: Option<&'a RawValue>,
}

impl From<Wire<'_>> for RemoteThread {
    fn from(wire: Wire<'_>) -> Self {
        let metadata = wire.metadata.unwrap_or_default();
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).map(str::to_owned);
        let interrupts = wire.interrupts.unwrap_or_default().into_values().flatten();
        let pending = interrupts.filter_map(|interrupt| {
            Some(Pending {
                id: interrupt.id?,
                value: interrupt.value.get().to_owned(),
                schema: interrupt.response_schema.map(|schema| schema.get().to_owned()),
            })
        });
        Self {
            id: wire.thread_id,
            status: wire.status,
            graph: text("graph_id").unwrap_or_default(),
            assistant: text("assistant_id"),
            pending: pending.take(MAX_INTERRUPTS + 1).collect(),
            // A state nested too deeply is not shown; no decision depends on it.
            values: wire.values.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default(),
            error: wire.error.filter(|error| !error.is_null()).map(|error| {
                let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
                message.unwrap_or_else(|| error.to_string())
            }),
            metadata,
        }
    }
}

/// One LangGraph server.
pub struct Remote {
    client: Client,
    /// Limits how many runs are followed, so that long runs do not keep other threads from being driven.
    pub(super) following: tokio::sync::Semaphore,
    /// How long we look for the traces of a request while the server is away.
    pub(super) patience: std::time::Duration,
}

impl Remote {
    /// Creates the client for a `[[server]]`; nothing is sent yet.
    pub fn new(server: config::Server, env: Env) -> Self {
        Self {
            client: Client::new(server, env),
            following: tokio::sync::Semaphore::new(super::FOLLOWED_AT_ONCE),
            patience: super::PATIENCE,
        }
    }

    /// Sets how long to wait for an absent server after a request with an unknown outcome.
    pub fn with_patience(mut self, patience: std::time::Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Its name in the inbox.
    pub fn name(&self) -> &str {
        &self.client.server().name
    }

    pub fn server(&self) -> &config::Server {
        self.client.server()
    }

    /// A short description.
    pub async fn info(&self) -> Result<String, ServerError> {
        let info: Value = parse(&self.client.get("/info").await?)?;
        let version = info.get("version").and_then(Value::as_str).unwrap_or("of an unknown version");
        Ok(crate::text::Visible::line(&format!("LangGraph server {version}")).into_string())
    }

    /// Every thread that waits for a person, as far as the config includes it.
    pub async fn interrupted(&self) -> Result<Vec<RemoteThread>, ServerError> {
        let server = self.client.server();
        let mut metadata: serde_json::Map<String, Value> =
            server.metadata.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect();
        if let [graph] = server.graphs.as_slice() {
            metadata.insert("graph_id".to_owned(), Value::from(graph.as_str()));
        }
        let mut all = Vec::new();
        for page in 0..MAX_PAGES {
            let body = json!({
                "status": "interrupted", "metadata": metadata, "limit": PAGE, "offset": page * PAGE,
                "select": ["thread_id", "status", "metadata", "interrupts"],
            });
            let text = self.client.post("/threads/search", body.to_string()).await?;
            let raw_threads: Vec<&RawValue> = parse(&text)?;
            let is_last = raw_threads.len() < PAGE;
            // An unreadable thread does not hide the others.
            let threads =
                raw_threads.into_iter().filter_map(|raw| serde_json::from_str::<Wire<'_>>(raw.get()).ok());
            all.extend(threads.map(RemoteThread::from).filter(|thread| self.is_ours(thread)));
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// Whether the config includes a thread.
    fn is_ours(&self, thread: &RemoteThread) -> bool {
        let server = self.client.server();
        let has = |key: &str, value: &str| thread.metadata.get(key).and_then(Value::as_str) == Some(value);
        let assistant = thread.assistant.as_deref().unwrap_or_default();
        (server.graphs.is_empty() || server.graphs.contains(&thread.graph))
            && (server.assistants.is_empty() || server.assistants.iter().any(|known| known == assistant))
            && server.metadata.iter().all(|(key, value)| has(key, value))
    }

    /// One thread with its state; `None` if the server has no thread with that id.
    pub async fn thread(&self, id: &str) -> Result<Option<RemoteThread>, ServerError> {
        match self.client.get(&format!("/threads/{}", plain(id)?)).await {
            Ok(text) => Ok(Some(parse::<Wire<'_>>(&text)?.into())),
            Err(ServerError::Status { code: 404, .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The newest runs of a thread; `None` if there is no such thread.
    pub async fn runs(&self, id: &str) -> Result<Option<Vec<Run>>, ServerError> {
        match self.client.get(&format!("/threads/{}/runs?limit=100", plain(id)?)).await {
            Ok(text) => Ok(Some(parse(&text)?)),
            Err(ServerError::Status { code: 404, .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    pub async fn run(&self, thread: &str, run: &str) -> Result<Run, ServerError> {
        parse(&self.client.get(&format!("/threads/{}/runs/{}", plain(thread)?, plain(run)?)).await?)
    }

    pub async fn assistants(&self) -> Result<Vec<Assistant>, ServerError> {
        parse(&self.client.post("/assistants/search", json!({"limit": 100}).to_string()).await?)
    }

    /// The JSON schema of a graph's input; `None` if the server cannot tell.
    pub async fn input_schema(&self, assistant: &str) -> Result<Option<Value>, ServerError> {
        let text = self.client.get(&format!("/assistants/{}/schemas", plain(assistant)?)).await?;
        let mut schemas: Value = parse(&text)?;
        Ok(schemas.get_mut("input_schema").map(Value::take).filter(Value::is_object))
    }

    /// Creates a thread with this id, unless it exists.
    pub(super) async fn make_thread(&self, id: &str) -> Result<(), ServerError> {
        let server = self.client.server();
        let metadata: BTreeMap<&str, &str> =
            server.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let body = json!({"thread_id": id, "if_exists": "do_nothing", "metadata": metadata});
        self.client.post("/threads", body.to_string()).await.map(|_| ())
    }

    /// Begins a run; `what` is a field with its text, such as `"input":{…}`. It never queues behind another run.
    pub(super) async fn begin_run(
        &self,
        thread: &str,
        assistant: &str,
        what: &str,
        mark: &str,
    ) -> Result<Run, ServerError> {
        let (assistant, metadata) = (Value::from(assistant), json!({ MARK: mark }));
        let body = format!(
            "{{\"assistant_id\":{assistant},{what},\"metadata\":{metadata},\"multitask_strategy\":\"reject\"}}"
        );
        // An unreadable response counts as none: we then look whether the run began.
        let text = self.client.post(&format!("/threads/{}/runs", plain(thread)?), body).await?;
        parse(&text)
    }

    /// Ends a thread in its current state.
    pub(super) async fn end(&self, id: &str) -> Result<(), ServerError> {
        let body = json!({"values": null, "as_node": "__end__"}).to_string();
        self.client.post(&format!("/threads/{}/state", plain(id)?), body).await.map(|_| ())
    }
}

/// Checks an id for use in a path, so that a server's text cannot lead elsewhere.
fn plain(id: &str) -> Result<&str, ServerError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !id.is_empty() && id.len() <= 100 && id.chars().all(is_plain) {
        return Ok(id);
    }
    Err(ServerError::NotSent("the server sent an id that cannot be one".to_owned()))
}

fn parse<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, ServerError> {
    serde_json::from_str(text).map_err(|_| {
        let what =
            if text.trim_start().starts_with('<') { "with a page for browsers" } else { "something else" };
        ServerError::Odd(format!("it answered {what}, not as a LangGraph server does; check its url"))
    })
}
