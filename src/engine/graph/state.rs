//! The trait that a workflow's state implements.

use super::{Answer, ChildResult, Event};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A thread's state, which is a fold over its updates.
///
/// State and update are a file format: threads live for months, so fields are only ever added, with defaults.
pub trait State: Default + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The input of `start`.
    type Input: DeserializeOwned + JsonSchema;
    /// Everything that can happen, as data.
    type Update: Serialize + DeserializeOwned + Send + 'static;

    /// The thread starts.
    fn started(input: Self::Input) -> Self::Update;
    /// A person answered; the answers are in the order asked.
    fn answered(answers: Vec<Answer>) -> Self::Update;
    /// The children ended; the results are in the order spawned. A workflow that starts children must take them in.
    fn joined(_children: Vec<ChildResult>) -> Option<Self::Update> {
        None
    }
    /// An event came from outside. Returns `None` if this workflow does not take it.
    fn arrived(_event: Event) -> Option<Self::Update> {
        None
    }
    /// The only place where state changes. It must depend on `self` and `update` alone.
    fn apply(&mut self, update: Self::Update);
    /// The thread's title, one line.
    fn title(&self) -> String;
    /// The thread's result so far.
    fn output(&self) -> Option<Value>;
}
