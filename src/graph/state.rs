//! The one trait a workflow's state implements.

use super::{Answer, ChildResult, Event};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A thread's state, which is a fold over its updates.
///
/// State and update are a file format: threads live for months, so fields are only ever added, with defaults.
pub trait State: Default + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The keys of `start`.
    type Input: DeserializeOwned + JsonSchema;
    /// Everything that can happen, as data.
    type Update: Serialize + DeserializeOwned + Send + 'static;

    /// The thread begins.
    fn started(input: Self::Input) -> Self::Update;
    /// A person answered; answers stand in the order asked.
    fn answered(answers: Vec<Answer>) -> Self::Update;
    /// The children ended; results stand in the order spawned.
    fn joined(children: Vec<ChildResult>) -> Self::Update;
    /// Something came from outside. `None` says that this workflow takes no such thing.
    fn arrived(event: Event) -> Option<Self::Update>;
    /// The only place where state changes. It must not look at anything but `self` and `update`.
    fn apply(&mut self, update: Self::Update);
    /// One line that names the thread.
    fn title(&self) -> String;
    /// What the thread has produced so far.
    fn output(&self) -> Option<Value>;
}
