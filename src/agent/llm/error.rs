//! What can go wrong with a model, in words for people.
//!
//! No variant holds a prompt, a key or a raw body: `why` is our own sentence or a short, visible, redacted
//! excerpt of the server's message.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A call that gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "kind", rename_all = "snake_case")]
// The fields are the same throughout: the model's label, and why in a sentence.
#[strum(serialize_all = "snake_case")]
pub enum ModelError {
    /// No connection.
    #[error("{} cannot be reached: {why}", model_name(model))]
    Unreachable { model: String, why: String },
    /// Connected, but no answer in time.
    #[error("{} does not answer: {why}", model_name(model))]
    Silent { model: String, why: String },
    /// The key is missing, wrong, not allowed, or without credit.
    #[error("{} does not accept the key: {why}", model_name(model))]
    Unauthorised { model: String, why: String },
    /// Too many requests.
    #[error("{} limits requests: {why}", model_name(model))]
    RateLimited { model: String, retry_after: Option<Duration>, why: String },
    /// The server is busy or failed.
    #[error("{} is overloaded or failing: {why}", model_name(model))]
    Overloaded { model: String, retry_after: Option<Duration>, why: String },
    /// The conversation does not fit the model's window.
    #[error("the conversation is too long for {}: {why}", model_name(model))]
    ContextTooLong { model: String, why: String },
    /// The answer did not fit into the tokens it was given.
    #[error("{} needed more than {limit} tokens for its answer", model_name(model))]
    AnswerTooLong { model: String, limit: u32 },
    /// The model, or a filter before it, declined to answer.
    #[error("{} refused to answer: {why}", model_name(model))]
    Refused { model: String, why: String },
    /// The answer ended in the middle; none of it was used.
    #[error("the answer of {} was cut: {why}", model_name(model))]
    Cut { model: String, why: String },
    /// The answer, or the server's format, cannot be used.
    #[error("the answer of {} is unreadable: {why}", model_name(model))]
    Unreadable { model: String, why: String },
    /// The server does not accept the request: an unknown model, an address that is not an API.
    #[error("{} rejected the request (HTTP {status}): {why}", model_name(model))]
    Rejected { model: String, status: u16, why: String },
    /// The settings cannot work.
    #[error("the settings of {} cannot work: {why}", model_name(model))]
    Settings { model: String, why: String },
    /// The built-in rules do not do this task.
    #[error("`{task}` needs a language model")]
    NeedsModel { task: String },
    /// The facts of a task have the wrong shape: a mistake in the workflow.
    #[error("the facts for `{task}` do not have the shape they should: {why}")]
    BadFacts { task: String, why: String },
    /// Nobody wrote an answer to this for the demo.
    #[error("the demo's script has no answer to this")]
    Unscripted,
    /// A cassette holds no answer for the request.
    #[error("the recording holds no further answer for `{task}`: {why}")]
    NotRecorded { task: String, why: String },
}

/// The model of `[model]` needs no name.
fn model_name(label: &str) -> String {
    if label == "model" { "the model".to_owned() } else { format!("model {label}") }
}

impl ModelError {
    /// Whether the same request may work later without anybody changing anything.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Silent { .. }
            | Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Cut { .. } => true,
            Self::Unauthorised { .. }
            | Self::ContextTooLong { .. }
            | Self::AnswerTooLong { .. }
            | Self::Refused { .. }
            | Self::Unreadable { .. }
            | Self::Rejected { .. }
            | Self::Settings { .. }
            | Self::NeedsModel { .. }
            | Self::BadFacts { .. }
            | Self::Unscripted
            | Self::NotRecorded { .. } => false,
        }
    }

    /// How long the server asked us to wait, if it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// A short name for counting and for scripts.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// What a person can do about it.
    pub fn explain(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "Is the server running, is base_url right, and is there a network?",
            Self::Silent { .. } => {
                "A local model may need longer to load, or for a long mail: raise timeout_seconds."
            }
            Self::Unauthorised { .. } => {
                "Set api_key_env (or api_key_command) to where the provider's key is, and look whether the \
                 key is valid, may use this model and has credit."
            }
            Self::RateLimited { .. } => {
                "Wait, or lower requests_per_minute and max_concurrent for this model in the config."
            }
            Self::Overloaded { .. } => "Try again later, or name another model in the config.",
            Self::ContextTooLong { .. } => {
                "Use a model with a larger window, or give the thread less to read (for Ollama: context_tokens)."
            }
            Self::AnswerTooLong { .. } => "Raise max_output_tokens for this model in the config.",
            Self::Refused { .. } => "Answer this one yourself, or name another model in the config.",
            Self::Cut { .. } => "Try again; if it stays, look at the server's log or a proxy in between.",
            Self::Unreadable { .. } => {
                "Try again, or use a model that follows JSON schemas and calls tools better."
            }
            Self::Rejected { .. } => {
                "Look at the model's name and at base_url (an OpenAI-compatible one usually ends in /v1); \
                 some models cannot call tools."
            }
            Self::Settings { .. } => "Correct the [model] section of the config.",
            Self::NeedsModel { .. } => "Put one into [model] of the config, or run `sayso init`.",
            Self::BadFacts { .. } => "This is a mistake in sayso: please report it with this sentence.",
            Self::Unscripted => {
                "Put a model of your own into [model] of the demo's config.toml, and ask again."
            }
            Self::NotRecorded { .. } => "Record again: the recording was made by a different conversation.",
        }
    }

    pub(super) fn unreadable(model: &str, why: impl Into<String>) -> Self {
        Self::Unreadable { model: model.to_owned(), why: why.into() }
    }
}
