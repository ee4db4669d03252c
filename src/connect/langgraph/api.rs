//! A LangGraph server's API as typed calls. Knows no inbox.
//!
//! Interrupts keep the text of their values ([`Pending`]); everything else is parsed for display.

use super::client::{Client, ServerError};
use super::shape::Pending;
use crate::config::{self, Env};
use crate::text::{Visible, hex};
use crate::tools::web::WebError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How many threads a page has.
const PAGE: usize = 50;
/// How many pages of interrupted threads we read at most.
const MAX_PAGES: usize = 20;
/// How many interrupts of a thread a person can be asked at once.
pub(super) const MAX_INTERRUPTS: usize = 50;
/// The metadata field of a run that names the attempt of ours that made it.
const MARK: &str = "sayso";

/// A thread's status on its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemoteStatus {
    /// There is nothing to do.
    Idle,
    /// A run is active.
    Busy,
    /// It waits for a person.
    Interrupted,
    /// Its last run failed.
    Error,
}

/// A thread as its server has it.
#[derive(Clone, Debug)]
pub struct RemoteThread {
    pub id: String,
    pub status: RemoteStatus,
    pub graph: String,
    /// Who runs it: the assistant it was started with, or the graph itself.
    pub assistant: String,
    /// What it is about, if its metadata tells.
    pub title: String,
    /// Its open interrupts.
    pub pending: Vec<Pending>,
    /// Its state, if it was requested.
    pub values: Value,
    /// Why its last run failed.
    pub error: Value,
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

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Wire<'a> {
    thread_id: String,
    status: RemoteStatus,
    #[serde(default)]
    metadata: Value,
    #[serde(default, borrow)]
    interrupts: Option<BTreeMap<String, Vec<WireInterrupt<'a>>>>,
    #[serde(default, borrow)]
    values: Option<&'a RawValue>,
    #[serde(default)]
    error: Value,
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
        let text = |key: &str| wire.metadata.get(key).and_then(Value::as_str).map(str::to_owned);
        let graph = text("graph_id").unwrap_or_default();
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
            assistant: text("assistant_id").unwrap_or_else(|| graph.clone()),
            graph,
            title: text("title").or_else(|| text("name")).unwrap_or_default(),
            pending: pending.take(MAX_INTERRUPTS + 1).collect(),
            // A state nested too deeply is not shown; no decision depends on it.
            values: wire.values.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default(),
            error: wire.error,
        }
    }
}

/// One LangGraph server.
pub struct Remote {
    client: Client,
    /// Limits how many runs are followed, so that long runs do not keep other threads from being driven.
    pub(super) following: tokio::sync::Semaphore,
}

impl Remote {
    /// Creates the client for a `[[server]]`; nothing is sent yet.
    pub fn new(server: config::Server, env: Env) -> Self {
        let following = tokio::sync::Semaphore::new(super::FOLLOWED_AT_ONCE);
        Self { client: Client::new(server, env), following }
    }

    /// Its name in the inbox.
    pub fn name(&self) -> &str {
        &self.server().name
    }

    pub fn server(&self) -> &config::Server {
        &self.client.server
    }

    /// A short description.
    pub async fn info(&self) -> Result<String, ServerError> {
        let info: Value = parse(&self.client.get(&["info"]).await?)?;
        let version = info.get("version").and_then(Value::as_str).unwrap_or("of an unknown version");
        Ok(Visible::line(&format!("LangGraph server {version}")).into_string())
    }

    /// Every thread that waits for a person, as far as the config includes it.
    pub async fn interrupted(&self) -> Result<Vec<RemoteThread>, ServerError> {
        let graphs = &self.server().graphs;
        let mut all = Vec::new();
        for page in 0..MAX_PAGES {
            let body = json!({
                "status": "interrupted", "limit": PAGE, "offset": page * PAGE,
                "select": ["thread_id", "status", "metadata", "interrupts"],
            });
            let text = self.client.post(&["threads", "search"], body.to_string()).await?;
            let raw_threads: Vec<&RawValue> = parse(&text)?;
            let is_last = raw_threads.len() < PAGE;
            // An unreadable thread does not hide the others.
            let threads =
                raw_threads.into_iter().filter_map(|raw| serde_json::from_str::<Wire<'_>>(raw.get()).ok());
            let threads = threads.map(RemoteThread::from);
            all.extend(threads.filter(|thread| graphs.is_empty() || graphs.contains(&thread.graph)));
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// One thread with its state; `None` if the server has no thread with that id.
    pub async fn thread(&self, id: &str) -> Result<Option<RemoteThread>, ServerError> {
        match self.client.get(&["threads", id]).await {
            Ok(text) => Ok(Some(parse::<Wire<'_>>(&text)?.into())),
            Err(ServerError::Status { code: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether one of a thread's newest runs carries our mark.
    pub(super) async fn has_run(&self, thread: &str, mark: &str) -> Result<bool, ServerError> {
        match self.client.get(&["threads", thread, "runs"]).await {
            Ok(text) => {
                let runs: Vec<Run> = parse(&text)?;
                Ok(runs.iter().any(|run| run.metadata.get(MARK).and_then(Value::as_str) == Some(mark)))
            }
            Err(ServerError::Status { code: 404, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Begins a run with a person's answers. It never queues behind another run.
    pub(super) async fn resume(
        &self,
        thread: &str,
        assistant: &str,
        resume: &str,
        mark: &str,
    ) -> Result<(), ServerError> {
        let (assistant, metadata) = (Value::from(assistant), json!({ MARK: mark }));
        let body = format!(
            "{{\"assistant_id\":{assistant},\"command\":{{\"resume\":{resume}}},\"metadata\":{metadata},\
             \"multitask_strategy\":\"reject\"}}"
        );
        // An unreadable response counts as none: we then look whether the run began.
        parse::<Run>(&self.client.post(&["threads", thread, "runs"], body).await?).map(|_| ())
    }

    /// Ends a thread in its current state.
    pub(super) async fn end(&self, thread: &str) -> Result<(), ServerError> {
        let body = json!({"values": null, "as_node": "__end__"}).to_string();
        self.client.post(&["threads", thread, "state"], body).await.map(|_| ())
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ServerError> {
    serde_json::from_str(text).map_err(|_| {
        WebError::MaybeSent("it answered, but not as a LangGraph server does; check its url".to_owned())
            .into()
    })
}
