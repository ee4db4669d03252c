//! The settings to open a model with. The app makes them from the config; nothing here reads a file or the environment.

use std::time::Duration;

pub use crate::config::Provider;
use secrecy::SecretString;

/// One named model. `Debug` shows no key.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// Its name in the config, for people.
    pub label: String,
    pub provider: Provider,
    /// The model's name at the provider.
    pub name: String,
    /// The server's address; the provider's own if not set.
    pub base_url: Option<String>,
    /// The key, if the server wants one.
    pub key: Option<SecretString>,
    /// The most calls at the same time.
    pub max_concurrent: usize,
    /// The most requests in any minute, including retries; `None` is no limit.
    pub requests_per_minute: Option<u32>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest silence, before the first byte or between two. Local servers load a model during it.
    pub idle_timeout: Duration,
    /// The longest a single try may take, however steadily the server sends.
    pub total_timeout: Duration,
    /// The most tokens of an answer if the request names no number.
    pub max_output_tokens: u32,
    /// Randomness, if the model allows it to be set; the server's default if not set.
    pub temperature: Option<f32>,
    /// Ollama's `num_ctx`; chosen by the conversation's length if not set.
    pub context_window: Option<u32>,
    /// How often a transient failure is tried again.
    pub retries: u32,
    /// The first pause before trying again; it doubles each time, with jitter.
    pub backoff: Duration,
    /// The longest pause between two tries. If a server asks for a longer one, the call ends, and the error says how
    /// long.
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
