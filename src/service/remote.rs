//! Threads that live on servers, as the inbox needs them. Whoever talks to such servers implements this.

use crate::graph::{BoxFuture, InterruptId, ThreadId};
use crate::inbox::{InboxError, ThreadPage, ThreadQuery, ThreadView};
use serde_json::Value;

type Answer<'a, T> = BoxFuture<'a, Result<T, InboxError>>;

/// Threads of servers, listed and decided on beside those of the data folder.
pub trait RemoteThreads: Send + Sync {
    /// The servers by name.
    fn names(&self) -> Vec<String>;
    /// Whether a workflow is a server's.
    fn has(&self, workflow: &str) -> bool;
    /// Whether a decision on this interrupt can be sent now.
    fn ready_for<'a>(&'a self, id: &'a InterruptId) -> Answer<'a, ()>;
    /// Begins a run on a server; `None` if the workflow is no server's.
    fn start<'a>(&'a self, workflow: &'a str, input: &'a Value) -> Answer<'a, Option<ThreadId>>;
    /// Ends a thread on its server; `None` if the thread is to be stopped here.
    fn end<'a>(&'a self, thread: &'a ThreadId) -> Answer<'a, Option<ThreadId>>;
    /// A page of the folder's threads and the servers'.
    fn threads<'a>(&'a self, query: &'a ThreadQuery) -> Answer<'a, ThreadPage>;
    /// A server's thread that is not in the folder.
    fn thread<'a>(&'a self, id: &'a ThreadId) -> Answer<'a, Option<ThreadView>>;
    /// What its server says of a thread that is in the folder.
    fn state_there<'a>(&'a self, id: &'a ThreadId) -> Answer<'a, Option<Value>>;
    /// What a server's graph starts with; `None` if the workflow is no server's.
    fn input_schema<'a>(&'a self, workflow: &'a str) -> Answer<'a, Option<Value>>;
    /// Looks at every server once, unless somebody drives. Gives a sentence for each thing that could not be read.
    fn look_once(&self) -> Answer<'_, Vec<String>>;
}
