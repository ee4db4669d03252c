//! LangGraph servers, alongside the threads of this folder.
//!
//! Threads that wait for a person there are mirrored here (`poll.rs`, in the driver's process), so their questions are
//! items like all others. If there is no driver, listing polls once (`once.rs`). People who decide are told at once if
//! the server is away or the question is settled (`people.rs`); nothing waits unseen for a server to come back. The state
//! of a mirrored thread is read when somebody looks (`threads.rs`) and not stored.

mod once;
mod people;
mod poll;
mod threads;

use crate::agents::langgraph::{Mirror, MirrorInput, Remote, ServerError};
use crate::driver::Engine;
use crate::graph::{BoxFuture, InterruptId, ThreadId};
use crate::inbox::InboxError;
use crate::service::RemoteThreads;
use crate::store::{NewThread, StoreError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

type Answer<'a, T> = BoxFuture<'a, Result<T, InboxError>>;

/// How long a person waits for a server.
const PATIENCE: Duration = Duration::from_secs(5);

/// The servers of the config. Cloning is cheap.
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    engine: Engine,
    remotes: Vec<Arc<Remote>>,
}

/// Why a server could not be polled.
#[derive(Debug, thiserror::Error)]
enum PollError {
    #[error("{0}")]
    Server(#[from] ServerError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Thread(String),
}

impl Servers {
    /// The given servers, mirrored by threads of this engine.
    pub fn new(engine: Engine, remotes: Vec<Arc<Remote>>) -> Self {
        Self(Arc::new(Inner { engine, remotes }))
    }

    /// Whether the config names no server.
    pub fn is_empty(&self) -> bool {
        self.0.remotes.is_empty()
    }

    fn engine(&self) -> &Engine {
        &self.0.engine
    }

    fn remotes(&self) -> &[Arc<Remote>] {
        &self.0.remotes
    }

    /// The server that a workflow's name begins with, and the rest of the name.
    fn of<'w>(&self, workflow: &'w str) -> Option<(&Arc<Remote>, &'w str)> {
        let (server, graph) = workflow.split_once('/')?;
        self.remotes().iter().find(|remote| remote.name() == server).map(|remote| (remote, graph))
    }

    /// A mirror's current state, with its server.
    fn mirror(&self, thread: &ThreadId) -> Result<Option<(&Arc<Remote>, Mirror)>, StoreError> {
        let line = self.engine().store().threads().line(thread)?;
        let Some((remote, _)) = self.of(&line.workflow) else { return Ok(None) };
        let state = self.engine().state_at(&line.id, None)?;
        Ok(state.and_then(|state| state.get::<Mirror>().cloned()).map(|mirror| (remote, mirror)))
    }

    /// A new thread that will mirror a server's thread.
    fn new_mirror(&self, of: &MirrorInput, key: &str) -> Result<NewThread, PollError> {
        let input = serde_json::to_value(of).map_err(|error| PollError::Thread(error.to_string()))?;
        let workflow = workflow(of);
        let thread = self.engine().new_thread(&workflow, input, key);
        thread.map_err(|error| PollError::Thread(format!("{workflow} cannot be mirrored: {error:?}")))
    }
}

impl RemoteThreads for Servers {
    fn names(&self) -> Vec<String> {
        self.remotes().iter().map(|remote| remote.name().to_owned()).collect()
    }

    fn has(&self, workflow: &str) -> bool {
        self.of(workflow).is_some()
    }

    fn ready_for<'a>(&'a self, id: &'a InterruptId) -> Answer<'a, ()> {
        Box::pin(self.check_ready(id))
    }

    fn start<'a>(&'a self, workflow: &'a str, input: &'a Value) -> Answer<'a, Option<ThreadId>> {
        Box::pin(self.start_run(workflow, input))
    }

    fn end<'a>(&'a self, thread: &'a ThreadId) -> Answer<'a, Option<ThreadId>> {
        Box::pin(self.end_thread(thread))
    }

    fn state_there<'a>(&'a self, id: &'a ThreadId) -> Answer<'a, Option<Value>> {
        Box::pin(self.read_state(id))
    }

    fn input_schema<'a>(&'a self, workflow: &'a str) -> Answer<'a, Option<Value>> {
        Box::pin(self.schema_of(workflow))
    }

    fn look_once(&self) -> Answer<'_, Vec<String>> {
        Box::pin(async { Ok(self.look_at_all().await?) })
    }
}

/// The key of the mirror of a server's thread.
fn key(server: &str, thread: &str) -> String {
    format!("{server}/{thread}")
}

/// The workflow of a mirror.
fn workflow(of: &MirrorInput) -> String {
    format!("{}/{}", of.server, of.graph)
}

/// The error for people when a server does not work.
fn inbox_error(remote: &Remote, fault: &ServerError) -> InboxError {
    InboxError::Failed(format!("{}: {fault}", remote.name()))
}

async fn with_timeout<T, E: From<ServerError>>(ask: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    match tokio::time::timeout(PATIENCE, ask).await {
        Ok(answer) => answer,
        Err(_) => {
            Err(ServerError::Unclear(format!("no answer within {} seconds", PATIENCE.as_secs())).into())
        }
    }
}

/// Checks whether each server can be reached: its name, and a sentence either way.
pub async fn check_servers(
    config: &crate::config::Config,
    env: &crate::config::Env,
) -> Vec<(String, Result<String, String>)> {
    let check = async |server: &crate::config::Server| {
        let remote = Remote::new(server.clone(), env.clone());
        let result = async {
            let info = with_timeout(remote.info()).await?;
            let waiting = with_timeout(remote.interrupted()).await?.len();
            let waiting = match waiting {
                1 => "1 thread is waiting".to_owned(),
                many => format!("{many} threads are waiting"),
            };
            Ok::<_, ServerError>(format!("{info}, {waiting}"))
        };
        (server.name.clone(), result.await.map_err(|fault| fault.to_string()))
    };
    futures_util::future::join_all(config.servers.iter().map(check)).await
}
