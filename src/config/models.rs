//! `[model]`, `[models.NAME]`, `[workflow.NAME]` and `[prices.NAME]`: the models, who uses which, and what they cost.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use strum::IntoStaticStr;

use super::document::Section;
use super::duration::Lasts;
use super::error::Error;
use super::secret::Secret;
use super::url::{Url, is_loopback};
use super::values::{Amount, Whole, section};

/// The name of the built-in rules, which always exist.
pub(super) const BUILTIN: &str = "builtin";
/// The name of the person in the model's place, who always exists too.
pub const ME: &str = "me";

section! {
    /// A model and how to reach it.
    pub struct Model {
        /// What the config calls it: `cheap` for `[models.cheap]`, `model` for `[model]`.
        #[serde(skip)]
        pub label: String,
        pub provider: Provider,
        /// What the provider calls it; `builtin` for the built-in rules.
        pub name: String,
        /// The server's URL without a trailing slash; empty for the built-in rules.
        #[serde(deserialize_with = "Url::one")]
        pub base_url: String,
        /// Where its key is kept, if it needs one.
        #[serde(rename = "api_key_*")]
        pub api_key: Option<Secret>,
        /// The most calls at the same time.
        #[serde(with = "Whole::<1, 1000>")]
        pub max_concurrent: usize = 4,
        /// The most calls started per minute; `None` is no limit.
        #[serde(with = "Whole::<1, 1_000_000>")]
        pub requests_per_minute: Option<u32>,
        /// How long to wait for a silent server.
        #[serde(rename = "timeout_seconds", with = "Whole::<1, 3600>")]
        pub idle_timeout: Duration = Duration::from_secs(120),
        /// How much the model can read; `None` if not known.
        #[serde(with = "Whole::<256, 100_000_000>")]
        pub context_tokens: Option<u64>,
        /// How much the model may write in one answer; `None` leaves it to the provider.
        #[serde(with = "Whole::<1, 10_000_000>")]
        pub max_output_tokens: Option<u64> = Some(4096),
        /// How varied its answers are; `None` leaves it to the provider.
        #[serde(with = "Amount::<2>")]
        pub temperature: Option<f64>,
    }
}

section! {
    /// Dollars per million tokens.
    #[derive(Copy)]
    pub struct Price {
        /// What the model reads.
        #[serde(with = "Amount::<1_000_000>")]
        pub input: f64,
        /// What the model writes.
        #[serde(with = "Amount::<1_000_000>")]
        pub output: f64,
        /// What the model reads from its cache; as much as other input unless it is written.
        #[serde(with = "Amount::<1_000_000>")]
        pub cached: f64,
    }
}

/// Who serves a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase", expecting = "a string")]
#[strum(serialize_all = "lowercase")]
pub enum Provider {
    /// The built-in rules: no network, no key, no cost.
    #[default]
    Builtin,
    /// The person in the model's place.
    Me,
    /// OpenAI, and any server that speaks its protocol.
    Openai,
    Anthropic,
    /// A local Ollama.
    Ollama,
}

impl Provider {
    /// How the config spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The provider's own server; `None` if there is none.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::Builtin | Self::Me => None,
            Self::Openai => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }

    /// The variable that usually holds the provider's key.
    pub fn api_key_env(self) -> Option<&'static str> {
        match self {
            Self::Builtin | Self::Me | Self::Ollama => None,
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
        }
    }
}

impl Model {
    /// One that needs no server: the built-in rules, or the person.
    pub(super) fn without_server(provider: Provider) -> Self {
        let name = provider.name().to_owned();
        Self { label: name.clone(), provider, name, ..Self::default() }
    }

    /// Fills in the provider's server, and the variable its key is usually in. A default never sends a key to another
    /// server: with a `base_url`, the key has to be named.
    pub(super) fn resolve(mut self, label: &str, section: &Section<'_>) -> Result<Self, Error> {
        if self.base_url.is_empty() {
            self.base_url = self.provider.base_url().unwrap_or_default().to_owned();
            let usual = || self.provider.api_key_env().map(|name| Secret::Env(name.to_owned()));
            self.api_key = self.api_key.take().or_else(usual);
        }
        if matches!(self.provider, Provider::Builtin | Provider::Me) {
            self.name = self.provider.name().to_owned();
        }
        if self.name.trim().is_empty() {
            let hint = format!("write what {} calls the model", self.provider.name());
            return Err(section.missing("name", &hint));
        }
        self.base_url.truncate(self.base_url.trim_end_matches('/').len());
        self.label = label.to_owned();
        Ok(self)
    }

    /// Whether everything it reads stays on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        matches!(self.provider, Provider::Builtin | Provider::Me) || is_loopback(&self.base_url)
    }
}

impl Price {
    pub(super) fn resolve(mut self, section: &Section<'_>) -> Result<Self, Error> {
        if let Some(key) = ["input", "output"].into_iter().find(|key| !section.has(key)) {
            return Err(section.missing(key, "write the dollars for a million tokens"));
        }
        if !section.has("cached") {
            self.cached = self.input;
        }
        Ok(self)
    }
}

/// What `[workflow.NAME]` says.
pub(super) struct Workflow {
    /// From a key such as `triage_model` to the name of a model.
    pub(super) models: BTreeMap<String, String>,
    pub(super) expire: Option<Option<Duration>>,
}

impl Workflow {
    /// Any word may come before `_model`, so there is no struct for the keys: only the workflows know their tasks.
    pub(super) fn resolve(
        mut keys: BTreeMap<String, String>,
        section: &Section<'_>,
        models: &BTreeMap<String, Model>,
    ) -> Result<Self, Error> {
        let expire = keys.remove("expire").map(Lasts::try_from).transpose();
        let expire = expire.map_err(|why| section.bad("expire", why))?.map(|lasts| lasts.0);
        for (key, model) in &keys {
            if key != "model" && !key.ends_with("_model") {
                return Err(section.unknown(key, &["model", "*_model", "expire"]));
            }
            if !models.contains_key(model) {
                return Err(section.no_model(key, model, models.keys()));
            }
        }
        Ok(Self { models: keys, expire })
    }
}
