//! What a model is opened with. The app maps the config to it; nothing here reads a file or the environment.

use std::time::Duration;

pub use crate::config::Provider;
use secrecy::SecretString;

/// One named model. `Debug` shows no key.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// Its name in the config, for people.
    pub label: String,
    /// Who answers.
    pub provider: Provider,
    /// The model's name at the provider.
    pub name: String,
    /// The server's address; the provider's own where absent.
    pub base_url: Option<String>,
    /// The key, where the server wants one.
    pub key: Option<SecretString>,
    /// Calls under way at once.
    pub max_concurrent: usize,
    /// Requests in any minute, retries included; none is no limit.
    pub requests_per_minute: Option<u32>,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest silence, before the first byte or between two. Local servers load a model in it.
    pub idle_timeout: Duration,
    /// Longest single try as a whole, however busily the server drips.
    pub total_timeout: Duration,
    /// Tokens of answer when the request names no number.
    pub max_output_tokens: u32,
    /// Randomness, where the model allows it to be set; the server's default where absent.
    pub temperature: Option<f32>,
    /// Ollama's `num_ctx`; chosen by the conversation's length where absent.
    pub context_window: Option<u32>,
    /// How often a transient failure is tried again.
    pub retries: u32,
    /// The first pause before trying again; it doubles each time, with jitter.
    pub backoff: Duration,
    /// Longest pause between two tries. A server that asks for a longer one ends the call, and the error says
    /// how long.
    pub longest_pause: Duration,
}

impl ModelSettings {
    /// Settings with the defaults of the config.
    pub fn new(label: &str, provider: Provider, name: &str) -> Self {
        Self {
            label: label.to_owned(),
            provider,
            name: name.to_owned(),
            base_url: None,
            key: None,
            max_concurrent: 4,
            requests_per_minute: None,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            total_timeout: Duration::from_secs(600),
            max_output_tokens: 4096,
            temperature: None,
            context_window: None,
            retries: 3,
            backoff: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
        }
    }
}
