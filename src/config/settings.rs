//! The config as meant: plain values, nothing optional that has an answer, names looked up.
//!
//! Holds no secret, only where each is kept, and so may be printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::Deserialize;

use super::apis::Api;
use super::describe::Setting;
use super::error::{Error, quoted};
use super::expiry::Expiry;
use super::mail::{Calendar, Intake, Learning, Mail, Policy, Rule};
use super::origin::Origin;
use super::secret::Secret;
use super::servers::Server;
use super::sheet::Sheet;
use super::traces::Traces;

/// What everything else goes by.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder the database and everything else is kept in.
    pub data: PathBuf,
    /// The config file that was read; `None` when there is none yet.
    pub file: Option<PathBuf>,
    /// Whose inbox this is.
    pub user: User,
    /// The model that is used where no other is named.
    pub model: Model,
    /// The models by name; `builtin` is always one of them.
    pub models: BTreeMap<String, Model>,
    /// What models cost, by the provider's name for them.
    pub prices: BTreeMap<String, Price>,
    /// How approvals behave.
    pub approvals: Approvals,
    /// How much may be spent before a person is asked.
    pub budget: Budget,
    /// How threads are driven.
    pub engine: Engine,
    /// The mail accounts, in the order written.
    pub mail: Vec<Mail>,
    /// What decides on mail before any model, in the order written: the first that matches counts.
    pub rules: Vec<Rule>,
    /// Where the person's times are kept; `None` where nothing is said.
    pub calendar: Option<Calendar>,
    /// What of the mail becomes threads.
    pub intake: Intake,
    /// How answers become memory.
    pub learning: Learning,
    /// What tools may do without asking, by the tool's name.
    pub policies: BTreeMap<String, Policy>,
    /// How APIs are reached, by their names.
    pub apis: BTreeMap<String, Api>,
    /// The LangGraph servers whose questions stand in the inbox, in the order written.
    pub servers: Vec<Server>,
    /// How work on workbooks goes, and what its code may use up.
    pub sheet: Sheet,
    /// The colours of the screen.
    pub theme: ThemeName,
    /// How a person is told that something new waits.
    pub notices: Notices,
    /// A command that tells them, where there is one.
    pub notice_command: Option<NoticeCommand>,
    /// Where what threads took is told; `None` where nothing is sent.
    pub traces: Option<Traces>,
    /// Keys by the name of their action, where they are not the usual ones.
    pub keys: BTreeMap<String, Vec<String>>,
    /// How much is written to the log.
    pub log: Level,
    /// The model that `--model` or `SAYSO_MODEL` picked for everything, if one was.
    pub picked: Option<String>,
    /// `[workflow.NAME]`: a key such as `triage_model` to the name of a model, all of which exist.
    pub(super) workflows: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) settings: Vec<Setting>,
}

impl Config {
    /// The model that `workflow` uses in a `role` such as `triage`: the one named by `ROLE_model` in its section, else
    /// by `model` there, else the one of `[model]`. With `--model` or `SAYSO_MODEL` it is that one, everywhere.
    pub fn model_for(&self, workflow: &str, role: &str) -> &Model {
        let named = self.workflows.get(workflow).and_then(|keys| {
            let name = keys.get(&format!("{role}_model")).or_else(|| keys.get("model"))?;
            self.models.get(name)
        });
        named.unwrap_or(&self.model)
    }

    /// Every `[workflow.NAME]` with its keys and where each was written, for whoever knows the workflows.
    pub fn workflow_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.workflows
            .iter()
            .flat_map(|(name, keys)| keys.keys().map(move |key| (name.as_str(), key.as_str())))
    }

    /// The model called `name`, for a thread that asks for one; the error names the known ones.
    pub fn model_named(&self, name: &str) -> Result<&Model, Error> {
        self.models.get(name).ok_or_else(|| Error::UnknownModel {
            name: quoted(name),
            at: Origin::Flag("the thread's own key `model`"),
            known: self.models.keys().cloned().collect(),
        })
    }

    /// Every key, what it is set to and where that came from. Secrets are shown by where they are kept.
    pub fn describe(&self) -> &[Setting] {
        &self.settings
    }
}

/// Whose inbox this is.
#[derive(Clone, Debug)]
pub struct User {
    /// The person's name; empty if not given.
    pub name: String,
    /// Who the person is and what matters to them, for prompts; empty if not given.
    pub background: String,
    /// Where the person's days begin and end.
    pub time_zone: TimeZone,
    /// The person's address; empty if not given.
    pub address: String,
    /// Further addresses that reach the person.
    pub aliases: Vec<String>,
    /// What stands below the person's mail; empty if not given.
    pub signature: String,
    /// Whether replies quote the mail they answer.
    pub quote: bool,
    /// The person's home folder, where it is known.
    pub home: Option<PathBuf>,
    /// After how long they want to hear that nobody answered a mail of theirs.
    pub remind_after: Option<Duration>,
}

/// Nobody in particular, whose days begin with those of UTC.
impl Default for User {
    fn default() -> Self {
        Self {
            name: String::new(),
            background: String::new(),
            time_zone: TimeZone::UTC,
            address: String::new(),
            aliases: Vec::new(),
            signature: String::new(),
            quote: true,
            home: None,
            remind_after: None,
        }
    }
}

impl User {
    /// A path that the person typed: `~` is their home folder.
    pub fn path(&self, typed: &str) -> PathBuf {
        let typed = Path::new(typed);
        super::paths::at_home(typed, self.home.as_deref()).unwrap_or_else(|| typed.to_owned())
    }

    /// Every address that is the person's by `[user]`; accounts may have more.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        let own = (!self.address.is_empty()).then_some(self.address.as_str());
        own.into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// A model and how to reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What the config calls it: `cheap` for `[models.cheap]`, `model` for `[model]`.
    pub label: String,
    /// Who answers.
    pub provider: Provider,
    /// What the provider calls it; `builtin` for the built-in rules.
    pub name: String,
    /// The server, without a slash at its end; empty for the built-in rules.
    pub base_url: String,
    /// Where its key is kept, if it needs one.
    pub api_key: Option<Secret>,
    /// Calls under way at once.
    pub max_concurrent: usize,
    /// Calls begun in a minute; `None` is no limit.
    pub requests_per_minute: Option<u32>,
    /// How long a silent server is waited for.
    pub idle_timeout: Duration,
    /// How much the model can read; `None` is not known.
    pub context_tokens: Option<u64>,
    /// How much the model may write in one answer; `None` is up to the provider.
    pub max_output_tokens: Option<u64>,
    /// How freely the model answers; `None` is up to the provider.
    pub temperature: Option<f64>,
}

/// Who answers for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The rules that are built in: no network, no key, no cost.
    Builtin,
    /// OpenAI, and any server that speaks its language.
    Openai,
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// A local Ollama.
    Ollama,
}

impl Provider {
    /// How each is written in the config.
    pub const NAMES: &'static [&'static str] = &["builtin", "openai", "anthropic", "gemini", "ollama"];

    /// How it is written in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The provider written as `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Builtin, Self::Openai, Self::Anthropic, Self::Gemini, Self::Ollama];
        all.into_iter().find(|provider| provider.name() == name)
    }

    /// The provider's own server; `None` where there is none to reach.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::Builtin => None,
            Self::Openai => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }

    /// The variable in which the provider's key is usually kept.
    pub fn api_key_env(self) -> Option<&'static str> {
        match self {
            Self::Builtin | Self::Ollama => None,
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
        }
    }
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// What the model reads.
    pub input: f64,
    /// What the model writes.
    pub output: f64,
    /// What the model reads again from its cache.
    pub cached: f64,
}

/// How approvals behave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// How long an accepted effect can be taken back; zero acts at once.
    pub hold: Duration,
    /// When a question that nobody answers is over.
    pub expiry: Expiry,
}

/// How much may be spent before a person is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Dollars in a day.
    pub day: f64,
    /// Dollars in one thread.
    pub thread: f64,
    /// Model calls in one thread.
    pub calls_per_thread: u64,
}

/// How threads are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Threads driven at once.
    pub concurrency: usize,
    /// How long one node may take.
    pub node_timeout: Duration,
    /// Steps after which a thread asks whether to go on.
    pub step_limit: u64,
    /// How often a node that failed in passing is tried again.
    pub retries: u32,
}

/// How much is written to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// Also what looks wrong.
    Warn,
    /// Also what happened.
    Info,
    /// Also why.
    Debug,
    /// Everything.
    Trace,
}

/// The colours of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeName {
    /// The terminal's own colours, for a dark ground.
    #[default]
    Default,
    /// For a light ground.
    Light,
    /// As much contrast as there is.
    Contrast,
    /// No colours at all; also what NO_COLOR asks for.
    Plain,
}

/// How a person is told that something new waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notices {
    /// Ring the terminal's bell.
    pub bell: bool,
    /// Have the terminal show a notice on the desktop.
    pub desktop: Desktop,
}

impl Default for Notices {
    fn default() -> Self {
        Self { bell: true, desktop: Desktop::Off }
    }
}

/// A command that tells the person of something new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeCommand {
    /// Its words; a title and a gist are added.
    pub command: Vec<String>,
    /// Which kinds of items are told, by their words.
    pub kinds: Vec<String>,
    /// From when until when nothing is told, by the person's clock.
    pub quiet: Option<(Time, Time)>,
    /// It is not run again sooner than this.
    pub every: Duration,
}

/// How terminals are asked for a notice on the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Desktop {
    /// Not at all.
    Off,
    /// As iTerm2, WezTerm, kitty and Windows Terminal understand it.
    Osc9,
    /// As rxvt-unicode, foot and Ghostty understand it.
    Osc777,
}
