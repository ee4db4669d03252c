//! The context of a verb: the typed flags and, on demand, the config and an open data folder.

use super::failure::{Exit, Failure};
use super::global::Global;
use super::log;
use super::output::Format;
use crate::app::{App, Engine, Intake, LOCK_WAIT, Setup, WorkflowsError, has_data};
use crate::config::{self, Config, Env, Host, Inputs};
use crate::inbox::Registry;
use crate::inbox::door::Inbox;
use crate::tui;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Builds the registry of workflows.
pub type Workflows = fn(&Setup) -> Result<Registry, WorkflowsError>;

/// The state before anything is opened. A verb takes only what it needs, so `sayso man` works without a home folder.
pub(super) struct Context {
    inputs: Inputs,
    verbose: u8,
    workflows: Workflows,
    command: fn() -> clap::Command,
    lock_wait: Duration,
    pub(super) format: Format,
}

impl Context {
    pub(super) fn new(global: Global, workflows: Workflows, command: fn() -> clap::Command) -> Self {
        let inputs = Inputs { flags: global.flags(), env: Env::process(), host: Host::system() };
        let format = Format::new(global.json, inputs.host.time_zone.clone());
        let lock_wait = LOCK_WAIT;
        Self { inputs, verbose: global.verbose, workflows, command, lock_wait, format }
    }

    /// The definition of the whole command line.
    pub(super) fn command(&self) -> clap::Command {
        (self.command)()
    }

    /// The config; from here on, the log is written as it says.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        let config = Config::load(&self.inputs)?;
        log::start(&config, self.verbose);
        Ok(config)
    }

    /// API keys come from here.
    pub(super) fn env(&self) -> &Env {
        &self.inputs.env
    }

    /// Everything the config is made from, other than its file.
    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The path for a new config.
    pub(super) fn new_config_path(&self) -> Result<PathBuf, Failure> {
        Ok(config::place_for_new(&self.inputs)?)
    }

    /// Whether there is no config and no data yet, so this is the first time.
    pub(super) fn is_new(&self) -> bool {
        let config = Config::load(&self.inputs);
        config.is_ok_and(|config| config.file.is_none() && !has_data(&config.data))
    }

    /// Whether there is any data. Also true if we cannot tell, so that opening it says why.
    pub(super) fn has_data(&self) -> bool {
        config::data_folder(&self.inputs).map_or(true, |folder| has_data(&folder))
    }

    /// The data folder; `None` if it cannot be determined.
    pub(super) fn data_folder(&self) -> Option<PathBuf> {
        config::data_folder(&self.inputs).ok()
    }

    /// Expands a path as it was typed.
    pub(super) fn path(&self, typed: &Path) -> PathBuf {
        self.inputs.host.expand(typed)
    }

    /// Switches to the config that was just written.
    pub(super) fn with_config(mut self, path: &Path) -> Self {
        self.inputs.flags.config = Some(path.to_owned());
        self
    }

    /// Waits at most so long for another process that has the database locked.
    pub(super) fn with_lock_wait(self, lock_wait: Duration) -> Self {
        Self { lock_wait, ..self }
    }

    /// The demo's folder: that of `--data`, else `demo` in the data folder.
    pub(super) fn demo_folder(&self) -> Result<PathBuf, Failure> {
        let data = config::data_folder(&self.inputs)?;
        Ok(if self.inputs.flags.data.is_some() { data } else { data.join("demo") })
    }

    /// Switches to the demo in `folder`, with the demo's config unless another was named.
    pub(super) fn in_demo(mut self, folder: &Path) -> Self {
        self.inputs.flags.data = Some(folder.to_owned());
        self.inputs.flags.config.get_or_insert_with(|| folder.join("config.toml"));
        self
    }

    /// Opens the data folder.
    pub(super) fn open(self) -> Result<OpenFolder, Failure> {
        let config = self.config()?;
        let mut format = self.format.clone();
        format.zone = config.user.time_zone.clone();
        let env = self.inputs.env.clone();
        let setup = Setup::open_waiting(config, env, self.lock_wait)?;
        let registry = (self.workflows)(&setup).map_err(|error| {
            let is_bug = matches!(error, WorkflowsError::Build(_));
            Failure::new(if is_bug { Exit::Failed } else { Exit::Usage }, error.to_string())
        })?;
        let app = App::open(&setup, registry);
        let (path, model) = (setup.config.data.display().to_string(), self.inputs.flags.model.clone());
        Ok(OpenFolder { app, format, path, model, config: setup.config })
    }
}

/// An open data folder.
pub(super) struct OpenFolder {
    app: App,
    pub(super) config: Arc<Config>,
    pub(super) format: Format,
    /// Where it is, for messages.
    pub(super) path: String,
    /// The value of `--model`.
    model: Option<String>,
}

impl OpenFolder {
    /// What to do if there is no mail account.
    pub(super) fn no_account(&self) -> &'static str {
        match self.config.file {
            Some(_) => {
                "the config names no mail account; add a [[mail]] to it, config.example.toml shows how"
            }
            None => {
                "there is no config yet that names a mail account; `sayso init` finds yours and writes one"
            }
        }
    }

    pub(super) fn inbox(&self) -> &Inbox {
        self.app.inbox()
    }

    /// The inbox, with its background work.
    pub(super) fn app(&self) -> &App {
        &self.app
    }

    /// The parts that the screen needs.
    pub(super) fn into_parts(self) -> (App, Arc<Config>) {
        (self.app, self.config)
    }

    /// `None` if the config names no account.
    pub(super) fn intake(&self) -> Option<&Intake> {
        self.app.intake()
    }

    /// Whether the config names a server.
    pub(super) fn has_servers(&self) -> bool {
        !self.config.servers.is_empty()
    }

    pub(super) fn engine(&self) -> &Engine {
        self.app.engine()
    }

    /// Adds the model of `--model` to the input of a new thread, so that any process that drives it later uses it.
    pub(super) fn with_model(&self, workflow: &str, mut input: Map<String, Value>) -> Map<String, Value> {
        let schema = self.registry().get(workflow).map(|spec| spec.workflow.input_schema());
        let takes_one = schema.is_some_and(|schema| schema.pointer("/properties/model").is_some());
        if let Some(model) = self.model.as_ref().filter(|_| takes_one) {
            input.entry("model").or_insert_with(|| Value::from(model.as_str()));
        }
        input
    }

    pub(super) fn registry(&self) -> &Registry {
        self.app.engine().registry()
    }
}

/// Says which keys in the config the screen would refuse, and why.
pub(super) fn check_keys(config: &Config) -> Result<(), String> {
    let file = config.file.as_ref().map(|file| format!("{}: ", file.display())).unwrap_or_default();
    tui::Keymap::new(&config.keys, &config.commands).map(drop).map_err(|why| format!("{file}{why}"))
}
