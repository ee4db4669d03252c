//! `[model]`, `[models.NAME]`, `[workflow.NAME]` and `[prices.NAME]`: the models, who uses which, and what they cost.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::{Error, quoted};
use super::keys::{Key, Kind, Section, default, example};
use super::reader::{Choice as _, FromSection as _, Reader, Sources, choice, section};
use super::secret::Secret;
use super::url::{is_loopback, wrong_with_url};

/// The name of the built-in rules, which always exist.
pub(super) const BUILTIN: &str = "builtin";
/// The name of the person in the model's place, who always exists too.
pub(super) const ME: &str = "me";

section! {
    /// The model that answers. `--model NAME` or SAYSO_MODEL picks another for everything: builtin, me, or one of
    /// `[models.NAME]`.
    pub(super) struct ModelSection in one("model") {
        /// builtin (no model: rules triage the mail) | me (no model: you take its place) | openai (any server that uses its
        /// protocol, Gemini's too) | anthropic | ollama
        provider: Provider = default("builtin"),
        /// What the provider calls the model. Every provider except builtin and me needs one.
        name: Option<String> = example("gpt-4.1-mini").or("none; only builtin needs none"),
        /// The server's address; the provider's own, unless you set it.
        base_url: Option<String> = example("http://127.0.0.1:8080/v1").or("the provider's own"),
        /// Where the key is kept; set one of the three. Without base_url the provider's usual variable is used
        /// (OPENAI_API_KEY, ANTHROPIC_API_KEY). The file must be readable only by you.
        api_key_env: Option<String> = example("OPENAI_API_KEY"),
        api_key_command: Option<String> = example("pass show openai"),
        api_key_file: Option<String> = example("~/.config/sayso/openai.key"),
        /// Calls at the same time, and calls started per minute (no limit, unless you set one).
        max_concurrent: usize = default("4").range(1, 1000),
        requests_per_minute: Option<u32> = example("60").range(1, 1_000_000).or("no limit"),
        /// How long to wait for a server that sends nothing.
        idle_timeout ("timeout_seconds"): Duration = default("120").range(1, 3600),
        /// The most a model can read, so that prompts are not made longer than that; up to the provider, unless you set
        /// it.
        context_tokens: Option<u64> = example("128000").range(256, 100_000_000).or("the provider's own"),
        /// The most a model may write in one answer.
        max_output_tokens: Option<u64> = default("4096").range(1, 10_000_000),
        /// How varied its answers are; up to the provider, unless you set it.
        temperature: Option<f64> = example("0.2").range(0, 2).or("the provider's own"),
    }
}

/// The models besides `[model]`.
pub(super) const MODELS: &Section = &Section::named(
    "models",
    "",
    r#"[models.cheap]
provider = "ollama"
name = "llama3.2"
base_url = "http://127.0.0.1:11434"
api_key_env = "OLLAMA_API_KEY"
api_key_command = "pass show ollama"
api_key_file = "~/.config/sayso/ollama.key"
max_concurrent = 4
requests_per_minute = 60
timeout_seconds = 120
context_tokens = 8192
max_output_tokens = 2048
temperature = 0.2
"#,
)
.with(&["More models, by name, with the same keys."], ModelSection::KEYS);

/// Any word may come before `_model`, so there is no struct for it: only the workflows know their tasks.
pub(super) const WORKFLOW: &Section = &Section::named("workflow", "analyze", "").with(
    &[
        "Which model a workflow uses, for all or one of its tasks: analyze has turn_model and final_model, docs has",
        "analyze_model, evaluate_model and answer_model, sheet has plan_model.",
    ],
    &[
        Key::new("model", Kind::Text, example("cheap"), &[]),
        Key::new("*_model", Kind::Text, example("cheap").called("final_model"), &[]),
        Key::new(
            "expire",
            Kind::Text,
            example("2w"),
            &["When its questions expire, if not as set in [approvals]."],
        ),
    ],
);

section! {
    /// Dollars per million tokens, by the provider's name for the model. Cached input costs as much as input, unless
    /// you set it.
    pub(super) struct PriceSection in named("prices", "\"gpt-4.1-mini\"", "") {
        input: Option<f64> = example("0.40").range(0, 1_000_000),
        output: Option<f64> = example("1.60").range(0, 1_000_000),
        cached: Option<f64> = example("0.10").range(0, 1_000_000),
    }
}

/// A model and how to reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What the config calls it: `cheap` for `[models.cheap]`, `model` for `[model]`.
    pub label: String,
    pub provider: Provider,
    /// What the provider calls it; `builtin` for the built-in rules.
    pub name: String,
    /// The server's URL without a trailing slash; empty for the built-in rules.
    pub base_url: String,
    /// Where its key is kept, if it needs one.
    pub api_key: Option<Secret>,
    /// The most calls at the same time.
    pub max_concurrent: usize,
    /// The most calls started per minute; `None` is no limit.
    pub requests_per_minute: Option<u32>,
    /// How long to wait for a silent server.
    pub idle_timeout: Duration,
    /// How much the model can read; `None` if not known.
    pub context_tokens: Option<u64>,
    /// How much the model may write in one answer; `None` leaves it to the provider.
    pub max_output_tokens: Option<u64>,
    /// How varied its answers are; `None` leaves it to the provider.
    pub temperature: Option<f64>,
}

impl Model {
    /// Whether everything it reads stays on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        matches!(self.provider, Provider::Builtin | Provider::Me) || is_loopback(&self.base_url)
    }
}

choice! {
    /// Who serves a model.
    #[derive(Hash)]
    pub enum Provider {
        /// The built-in rules: no network, no key, no cost.
        Builtin = "builtin",
        /// The person in the model's place.
        Me = "me",
        /// OpenAI, and any server that speaks its protocol.
        Openai = "openai",
        Anthropic = "anthropic",
        /// A local Ollama.
        Ollama = "ollama",
    }
}

impl Provider {
    /// How the config spells it.
    pub fn name(self) -> &'static str {
        self.word()
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

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// What the model reads.
    pub input: f64,
    /// What the model writes.
    pub output: f64,
    /// What the model reads from its cache.
    pub cached: f64,
}

impl Model {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let model = ModelSection::read(reader)?;
        let key_sources = [&model.api_key_env, &model.api_key_command, &model.api_key_file];
        let api_key = reader.secret("api_key", key_sources)?;
        if let Some(why) = model.base_url.as_deref().and_then(wrong_with_url) {
            return Err(reader.bad("base_url", why));
        }
        let name = model.name.filter(|name| !name.trim().is_empty());
        let name = match (model.provider, name) {
            (provider @ (Provider::Builtin | Provider::Me), _) => provider.name().to_owned(),
            (_, Some(name)) => name,
            (provider, None) => {
                // Reported at the provider's line, since the name may be written but blank.
                return Err(Error::MissingKey {
                    section: reader.header(),
                    key: "name".to_owned(),
                    at: reader.origin("provider"),
                    hint: format!("write what {} calls the model", provider.name()),
                });
            }
        };
        Ok(Self {
            label: reader.label().to_owned(),
            provider: model.provider,
            name,
            base_url: model.base_url.unwrap_or_default().trim_end_matches('/').to_owned(),
            api_key,
            max_concurrent: model.max_concurrent,
            requests_per_minute: model.requests_per_minute,
            idle_timeout: model.idle_timeout,
            context_tokens: model.context_tokens,
            max_output_tokens: model.max_output_tokens,
            temperature: model.temperature,
        })
    }
}

impl Price {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let price = PriceSection::read(reader)?;
        let missing = |key| reader.missing(key, "write the dollars for a million tokens");
        let input = price.input.ok_or_else(|| missing("input"))?;
        let output = price.output.ok_or_else(|| missing("output"))?;
        Ok(Self { input, output, cached: price.cached.unwrap_or(input) })
    }
}

/// Reads `[workflow.NAME]`: keys such as `triage_model`, each with the name of a model that has to exist.
pub(super) fn read_workflows(
    sources: Sources<'_>,
    models: &BTreeMap<String, Model>,
) -> Result<BTreeMap<String, BTreeMap<String, String>>, Error> {
    let mut workflows = BTreeMap::new();
    for reader in sources.each(WORKFLOW) {
        let mut keys = reader.all::<String>()?;
        keys.remove("expire");
        if let Some((key, model)) = keys.iter().find(|(_, model)| !models.contains_key(*model)) {
            let known = models.keys().cloned().collect();
            return Err(Error::UnknownModel { name: quoted(model), at: reader.origin(key), known });
        }
        workflows.insert(reader.name.clone(), keys);
    }
    Ok(workflows)
}
