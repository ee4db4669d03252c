//! The threads on servers, as the inbox needs them. Implemented by the code that talks to such servers.

use crate::engine::graph::{BoxFuture, InterruptId, ThreadId};
use crate::inbox::InboxError;
use serde_json::Value;

/// What a server has to be asked for.
pub type RemoteFuture<'a, T> = BoxFuture<'a, Result<T, InboxError>>;

/// Threads on servers, decided on through their mirrors in the data folder.
pub trait RemoteThreads: Send + Sync {
    /// Whether a decision on this interrupt can be sent now.
    fn ready_for<'a>(&'a self, id: &'a InterruptId) -> RemoteFuture<'a, ()>;
    /// The server's state of a thread that is in the folder.
    fn state_there<'a>(&'a self, id: &'a ThreadId) -> RemoteFuture<'a, Option<Value>>;
    /// Checks every server once, unless a driver runs. Returns a sentence for each thing that could not be read.
    fn look_once(&self) -> RemoteFuture<'_, Vec<String>>;
}
