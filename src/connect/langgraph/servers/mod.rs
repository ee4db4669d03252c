//! LangGraph servers, alongside the threads of this folder.
//!
//! Threads that wait for a person there are mirrored here (`poll.rs`, in the driver's process), so their questions are
//! items like all others. If there is no driver, listing polls once (`once.rs`). People who decide are told at once if
//! the server is away or the question is settled (`people.rs`); nothing waits unseen for a server to come back. The
//! state of a mirrored thread is read when somebody looks, and not stored.

mod once;
mod people;
mod poll;

use super::api::Remote;
use super::client::ServerError;
use super::mirror::Mirror;
use crate::engine::driver::Engine;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::engine::store::StoreError;
use crate::inbox::door::{RemoteFuture, RemoteThreads};
use crate::tools::web::WebError;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

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

    /// A mirror's current state, with its server.
    fn mirror(&self, thread: &ThreadId) -> Result<Option<(&Arc<Remote>, Mirror)>, StoreError> {
        let line = self.engine().store().threads().line(thread)?;
        let server = line.workflow.split('/').next();
        let Some(remote) = self.remotes().iter().find(|remote| Some(remote.name()) == server) else {
            return Ok(None);
        };
        let mirror = self.engine().state_of(&line.id, None)?;
        Ok(mirror.map(|mirror| (remote, Arc::unwrap_or_clone(mirror))))
    }
}

impl RemoteThreads for Servers {
    fn ready_for<'a>(&'a self, id: &'a InterruptId) -> RemoteFuture<'a, ()> {
        Box::pin(self.check_ready(id))
    }

    fn state_there<'a>(&'a self, id: &'a ThreadId) -> RemoteFuture<'a, Option<Value>> {
        Box::pin(self.read_state(id))
    }

    fn look_once(&self) -> RemoteFuture<'_, Vec<String>> {
        Box::pin(self.look_at_all())
    }
}

async fn with_timeout<T, E: From<ServerError>>(ask: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    match tokio::time::timeout(PATIENCE, ask).await {
        Ok(answer) => answer,
        Err(_) => {
            let text = format!("no answer within {} seconds", PATIENCE.as_secs());
            Err(ServerError::from(WebError::MaybeSent(text)).into())
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
            Ok::<_, ServerError>(match with_timeout(remote.interrupted()).await?.len() {
                1 => format!("{info}, 1 thread is waiting"),
                many => format!("{info}, {many} threads are waiting"),
            })
        };
        (server.name.clone(), result.await.map_err(|error| error.to_string()))
    };
    futures_util::future::join_all(config.servers.iter().map(check)).await
}
