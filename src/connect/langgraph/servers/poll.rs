//! Polls servers: asks here what waits there, and closes here what was settled there.

use super::{PollError, Servers};
use crate::connect::langgraph::api::{Remote, RemoteThread};
use crate::connect::langgraph::mirror::{LOOK, MirrorInput};
use crate::engine::driver::arrival;
use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::StoreError;
use crate::inbox::{SourceLine, Status};
use crate::text::short_line;
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often success is recorded at least.
const NOTE_EVERY: Duration = Duration::from_secs(60);

const ANSWERED: &str = "it was answered elsewhere";
const CHANGED: &str = "its thread asks something else by now";
const GONE: &str = "the server no longer has its thread";

impl Servers {
    /// Polls every server forever. The caller must hold the driver's lock.
    pub async fn follow_all(&self) {
        if self.is_empty() {
            return std::future::pending().await;
        }
        join_all(self.remotes().iter().map(|remote| self.follow(remote))).await;
    }

    async fn follow(&self, remote: &Arc<Remote>) {
        let store = self.engine().store().clone();
        let mut changes = store.changes();
        let mut noted: Option<(Option<String>, Instant)> = None;
        loop {
            let sync_request = store.mail().sync_wanted().unwrap_or(0);
            let error = self.look(remote).await.err().map(|error| error.to_string());
            let stale = |(last_error, at): &(Option<String>, Instant)| {
                *last_error != error || at.elapsed() > NOTE_EVERY
            };
            if noted.as_ref().is_none_or(stale) && self.note(remote, error.clone()).await.is_ok() {
                noted = Some((error, Instant::now()));
            }
            changes.borrow_and_update();
            let requested = store.mail().next_sync_request(&mut changes, sync_request);
            let _ = tokio::time::timeout(remote.server().every, requested).await;
        }
    }

    /// Records how a poll of a server went, for people who want to know.
    pub(super) async fn note(&self, remote: &Remote, error: Option<String>) -> Result<(), StoreError> {
        if let Some(error) = &error {
            tracing::warn!(server = %remote.name(), %error, "a server could not be looked at");
        }
        let (store, source) = (self.engine().store(), source(remote));
        store.mail().source(source.clone(), store.now()).await?;
        store.mail().record_check(source, error.map_or(Ok(None), Err)).await
    }

    /// Polls a server once. Returns the mirrors that now have something to read there.
    pub(super) async fn look(&self, remote: &Arc<Remote>) -> Result<Vec<ThreadId>, PollError> {
        let threads = remote.interrupted().await?;
        let (mut asking, mut mirrors) = (HashSet::new(), Vec::new());
        for thread in threads.iter().filter(|thread| thread.asks()) {
            let key = format!("{}/{}", remote.name(), thread.id);
            mirrors.extend(self.ensure_mirrored(remote, thread, &key).await?);
            asking.insert(key);
        }
        let prefix = format!("{}/", remote.name());
        for (key, mirror) in self.engine().store().threads().waiting_with_keys()? {
            if key.starts_with(&prefix) && !asking.contains(&key) && !self.settle_if_changed(&mirror).await? {
                mirrors.push(mirror);
            }
        }
        Ok(mirrors)
    }

    /// Makes sure that a waiting thread is mirrored and its mirror asks the same questions. Returns the mirror if it
    /// still has to read them.
    async fn ensure_mirrored(
        &self,
        remote: &Arc<Remote>,
        thread: &RemoteThread,
        key: &str,
    ) -> Result<Option<ThreadId>, PollError> {
        let newest = self.engine().store().threads().newest_with_key(&workflow(remote, thread), key)?;
        let Some((mirror, status)) = newest else {
            return self.begin(remote, thread, key).await.map(Some);
        };
        let asked = self.mirror(&mirror)?.and_then(|(_, mirror)| mirror.asked);
        let same = asked.is_some_and(|batch| batch.fingerprint == thread.fingerprint());
        match status {
            Status::Done => self.look_again(&mirror).await?,
            Status::Waiting | Status::Held if !same => {
                self.settle_if_changed(&mirror).await?;
            }
            // Somebody gave it up here. Only a different question justifies a new item.
            Status::Abandoned if !same => {
                let key = format!("{key}#{}", thread.fingerprint());
                return self.begin(remote, thread, &key).await.map(Some);
            }
            // An active mirror looks for itself when it is driven.
            Status::Ready | Status::Running | Status::Joining => {}
            // Its questions are already asked, or given up; trouble is for a person to decide.
            Status::Waiting | Status::Held | Status::Abandoned | Status::Trouble => return Ok(None),
        }
        Ok(Some(mirror))
    }

    async fn begin(&self, remote: &Remote, thread: &RemoteThread, key: &str) -> Result<ThreadId, PollError> {
        let of = MirrorInput {
            server: remote.name().to_owned(),
            graph: graph_word(&thread.graph),
            thread: thread.id.clone(),
            assistant: thread.assistant.clone(),
            title: short_line(&thread.title, 80),
        };
        let (engine, workflow) = (self.engine(), workflow(remote, thread));
        let input = serde_json::to_value(of).map_err(|error| PollError::Thread(error.to_string()))?;
        let new = engine
            .new_thread(&workflow, input, key)
            .map_err(|error| PollError::Thread(format!("{workflow} cannot be mirrored: {error:?}")))?;
        Ok(engine.store().threads().start(new, engine.step_limit()).await?)
    }

    /// Makes a resting mirror look at its thread again.
    async fn look_again(&self, mirror: &ThreadId) -> Result<(), PollError> {
        let steps = self.engine().store().threads().line(mirror)?.steps;
        let what = EventKind::Corrected { payload: Value::from(LOOK) };
        self.deliver(mirror, &Event { id: format!("look:{steps}"), what }).await
    }

    /// Closes a mirror's questions if its thread asks other ones by now; `true` if they are the same.
    pub(super) async fn settle_if_changed(&self, mirror: &ThreadId) -> Result<bool, PollError> {
        let Some((remote, state)) = self.mirror(mirror)? else { return Ok(true) };
        let asked = state.asked.map(|batch| batch.fingerprint).unwrap_or_default();
        let reason = match remote.thread(&state.of.thread).await? {
            None => GONE,
            Some(now) if now.asks() && now.fingerprint() == asked => return Ok(true),
            Some(now) if now.asks() => CHANGED,
            Some(_) => ANSWERED,
        };
        let event = EventKind::AnsweredElsewhere { reason: reason.to_owned(), payload: Value::Null };
        self.deliver(mirror, &Event { id: format!("settled:{asked}"), what: event }).await?;
        Ok(false)
    }

    async fn deliver(&self, mirror: &ThreadId, event: &Event) -> Result<(), PollError> {
        let line = self.engine().store().threads().line(mirror)?;
        let Some(spec) = self.engine().registry().get(&line.workflow) else { return Ok(()) };
        let arrival =
            arrival(spec, &line.id, event, None).map_err(|error| PollError::Thread(error.to_string()))?;
        match self.engine().store().threads().deliver(arrival).await {
            // It has just moved on by itself.
            Ok(_) | Err(StoreError::NotOpen { .. } | StoreError::Moved | StoreError::Conflict(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The workflow of a thread's mirror.
fn workflow(remote: &Remote, thread: &RemoteThread) -> String {
    format!("{}/{}", remote.name(), graph_word(&thread.graph))
}

/// A graph's name as part of a workflow's name, in which a slash or a space would mislead.
fn graph_word(graph: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let word: String = graph.chars().take(60).map(plain).collect();
    if word.is_empty() { "thread".to_owned() } else { word }
}

/// The name of a server among the sources of this inbox.
fn source(remote: &Remote) -> String {
    format!("{}{}", SourceLine::SERVER, remote.name())
}
