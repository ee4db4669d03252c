//! What a verb works with: the typed flags, and from there, on demand, the config and an open data folder.

use super::CheckKeys;
pub(super) use super::EditText;
use super::failure::Failure;
use super::global::Global;
use super::log;
use super::output::Page;
use crate::app::{App, Engine, Intake, REPLAY, Setup, WorkflowsError, has_data};
use crate::config::{self, Config, Env, Host, Inputs};
use crate::inbox::Registry;
use crate::service::Inbox;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who knows the workflows.
pub(super) type Workflows<'a> = Box<dyn Fn(&Setup) -> anyhow::Result<Registry> + 'a>;

/// Before anything is opened. A verb takes from it what it needs, so that `sayso man` works without a home.
pub(super) struct Context<'a> {
    inputs: Inputs,
    verbose: u8,
    workflows: Workflows<'a>,
    edit: EditText,
    keys: CheckKeys,
    command: fn() -> clap::Command,
    pub(super) page: Page,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        global: Global,
        workflows: Workflows<'a>,
        edit: EditText,
        keys: CheckKeys,
        command: fn() -> clap::Command,
    ) -> Self {
        let inputs = Inputs { flags: global.flags(), env: Env::process(), host: Host::system() };
        let page = Page::new(global.json, inputs.host.time_zone.clone());
        Self { inputs, verbose: global.verbose, workflows, edit, keys, command, page }
    }

    /// The whole command line, as it is defined.
    pub(super) fn command(&self) -> clap::Command {
        (self.command)()
    }

    /// The person's editor.
    pub(super) fn edit(&self) -> EditText {
        self.edit
    }

    /// Which of the config's keys the screen would refuse, and why.
    pub(super) fn check_keys(&self, config: &Config) -> Result<(), String> {
        (self.keys)(config)
    }

    /// What is meant.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        Ok(Config::load(&self.inputs)?)
    }

    /// What another config means, with the same flags.
    pub(super) fn config_of(&self, file: &Path) -> Result<Config, Failure> {
        let mut inputs = self.inputs.clone();
        inputs.flags.config = Some(file.to_owned());
        Ok(Config::load(&inputs)?)
    }

    /// Where keys come from.
    pub(super) fn env(&self) -> &Env {
        &self.inputs.env
    }

    /// Everything the config is made from besides its file.
    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Where a new config belongs.
    pub(super) fn new_config(&self) -> Result<PathBuf, Failure> {
        Ok(config::place_for_new(&self.inputs)?)
    }

    /// Whether there is neither a config nor any data yet, so that somebody is here for the first time.
    pub(super) fn is_new(&self) -> bool {
        let config = self.config();
        config.is_ok_and(|config| config.file.is_none() && !has_data(&config.data))
    }

    /// Whether there is any data; also where it cannot be told, so that whoever opens it hears why.
    pub(super) fn has_data(&self) -> bool {
        config::data_folder(&self.inputs).map_or(true, |folder| has_data(&folder))
    }

    /// Where the data lies; `None` where that cannot be told.
    pub(super) fn data_folder(&self) -> Option<PathBuf> {
        config::data_folder(&self.inputs).ok()
    }

    /// A path as it was typed.
    pub(super) fn path(&self, typed: &Path) -> PathBuf {
        self.inputs.host.expand(typed)
    }

    /// The same with the config that was just written.
    pub(super) fn written(mut self, path: &Path) -> Self {
        self.inputs.flags.config = Some(path.to_owned());
        self
    }

    /// Where the demo lies: exactly in the folder of `--data`, else beneath the data folder.
    pub(super) fn demo_folder(&self) -> Result<PathBuf, Failure> {
        let data = config::data_folder(&self.inputs)?;
        Ok(if self.inputs.flags.data.is_some() { data } else { data.join("demo") })
    }

    /// The same on the demo in `folder`, with its own config unless another was named.
    pub(super) fn in_demo(mut self, folder: &Path) -> Self {
        self.inputs.flags.data = Some(folder.to_owned());
        self.inputs.flags.config.get_or_insert_with(|| folder.join("config.toml"));
        self
    }

    /// Opens the data folder.
    pub(super) fn open(self) -> Result<Here, Failure> {
        self.open_with(self.inputs.env.clone())
    }

    /// Opens the data folder with models that answer from a recording.
    pub(super) fn open_replaying(&self, recording: &Path) -> Result<Here, Failure> {
        self.open_with(self.inputs.env.clone().with(REPLAY, recording))
    }

    fn open_with(&self, env: Env) -> Result<Here, Failure> {
        let config = self.config()?;
        let mut page = self.page.clone();
        page.zone = config.user.time_zone.clone();
        let setup = Setup::open(config, env).map_err(anyhow::Error::from)?;
        log::start(&setup, &self.inputs.env, self.verbose);
        let registry = (self.workflows)(&setup).map_err(|error| match error.downcast_ref() {
            Some(
                WorkflowsError::NoWorkflow { .. }
                | WorkflowsError::NoRole { .. }
                | WorkflowsError::NoApi(_)
                | WorkflowsError::NameTaken { .. },
            ) => Failure::usage(error.to_string()),
            Some(WorkflowsError::Build(_)) | None => Failure::from(error),
        })?;
        let app = App::open(&setup, registry);
        let (folder, model) = (setup.config.data.display().to_string(), self.inputs.flags.model.clone());
        Ok(Here { app, page, folder, model, config: setup.config })
    }
}

/// An open data folder.
pub(super) struct Here {
    app: App,
    config: Arc<Config>,
    pub(super) page: Page,
    /// Where it is, for messages.
    pub(super) folder: String,
    /// What `--model` names.
    model: Option<String>,
}

impl Here {
    /// What to do where there is no mail account.
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

    /// The inbox, with what works beside its driver.
    pub(super) fn app(&self) -> &App {
        &self.app
    }

    /// What the screen shows.
    pub(super) fn for_screen(self) -> (App, Arc<Config>) {
        (self.app, self.config)
    }

    /// What takes mail in; `None` if the config names no account.
    pub(super) fn intake(&self) -> Option<&Intake> {
        self.app.intake()
    }

    /// Whether the config names a server.
    pub(super) fn has_servers(&self) -> bool {
        !self.config.servers.is_empty()
    }

    /// What drives them.
    pub(super) fn engine(&self) -> &Engine {
        self.app.engine()
    }

    /// The input of a new thread that keeps to the model of `--model`, whichever process drives it later.
    pub(super) fn with_model(&self, workflow: &str, mut input: Map<String, Value>) -> Map<String, Value> {
        let schema = self.registry().get(workflow).map(|spec| spec.workflow.input_schema());
        let takes_one = schema.is_some_and(|schema| schema.pointer("/properties/model").is_some());
        if let Some(model) = self.model.as_ref().filter(|_| takes_one) {
            input.entry("model").or_insert_with(|| Value::from(model.as_str()));
        }
        input
    }

    /// The workflows there are.
    pub(super) fn registry(&self) -> &Registry {
        self.app.engine().registry()
    }
}
