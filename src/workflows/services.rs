//! What nodes may use, each behind a trait that the app fills in.

use crate::config::User;
use crate::graph::{NodeError, Place};
use crate::llm::{Model, ModelError, Usage};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// A model, and what the config says of it.
#[derive(Clone)]
pub struct Picked {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What its provider calls it, by the config.
    pub name: String,
    /// Whether it is the rules built in, which cost nothing.
    pub builtin: bool,
    /// How many tokens it reads at most, where the config says so.
    pub window: Option<u64>,
}

/// The models of the config.
pub trait Models: Send + Sync {
    /// The model for a workflow's role (`turn`, `final` …), or the one a thread was started with. It may have to
    /// run a command for a key, so it is not called where nobody may wait.
    fn pick(&self, workflow: &str, role: &str, wanted: Option<&str>) -> Result<Picked, ModelError>;
    /// Whether a thread may be started with this model; the error names those there are.
    fn known(&self, name: &str) -> Result<(), String>;
}

/// One model call, as it is recorded.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// What it was for (`analyze.initial`).
    pub task: String,
    /// Which model was asked, by the config's name for it.
    pub model: String,
    /// The name it gave itself, which may be a longer one.
    pub answered_as: Option<String>,
    /// Whether it was the rules built in.
    pub builtin: bool,
    /// How long it took.
    pub took: Duration,
    /// What it used; nothing where it failed.
    pub usage: Usage,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
}

/// What calls cost, and how many there may be.
pub trait Meter: Send + Sync {
    /// Whether one more call is within the budgets.
    fn check(&self, place: &Place) -> Result<(), NodeError>;
    /// Records a call.
    fn record(&self, place: &Place, call: CallRecord);
}

/// Contents by their digest, so that states stay small.
pub trait Blobs: Send + Sync {
    /// Keeps bytes and gives their digest, in hexadecimal.
    fn put(&self, bytes: Vec<u8>) -> crate::graph::BoxFuture<'_, Result<String, NodeError>>;
    /// The bytes of a digest.
    fn get(&self, digest: &str) -> Result<Vec<u8>, NodeError>;
}

/// Everything a node may use besides its state.
pub struct Services {
    /// The models.
    pub models: Arc<dyn Models>,
    /// What they cost.
    pub meter: Arc<dyn Meter>,
    /// Contents by digest.
    pub blobs: Arc<dyn Blobs>,
    /// The person it all works for.
    pub user: User,
    /// The time of day.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}
