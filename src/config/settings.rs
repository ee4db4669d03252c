//! The resolved config: plain values, names looked up, and nothing optional that has a default.
//!
//! Holds no secret, only where each is kept, so it may be printed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::apis::Api;
use super::approvals::Approvals;
use super::calendar::Calendar;
use super::commands::OwnCommand;
use super::error::Error;
use super::mail::Mail;
use super::models::{Model, Price};
use super::notices::{NoticeCommand, Notices};
use super::plain::{Budget, Engine, Intake, Learning, Level, Policy, Sheet, ThemeName};
use super::rules::Rule;
use super::servers::Server;
use super::traces::Traces;
use super::user::User;

/// The settings that everything else uses.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder for the database and everything else.
    pub data: PathBuf,
    /// The config file that was read; `None` if there is none yet.
    pub file: Option<PathBuf>,
    /// Whose inbox this is.
    pub user: User,
    /// The model used if no other is named.
    pub model: Model,
    /// The models by name; `builtin` is always one of them.
    pub models: BTreeMap<String, Model>,
    /// What models cost, by the provider's name for them.
    pub prices: BTreeMap<String, Price>,
    /// How approvals behave.
    pub approvals: Approvals,
    /// How much may be spent before the user is asked.
    pub budget: Budget,
    /// How threads are driven.
    pub engine: Engine,
    /// The mail accounts, in the order written.
    pub mail: Vec<Mail>,
    /// Rules that decide on mail before any model, in the order written: the first that matches counts.
    pub rules: Vec<Rule>,
    /// Where the user's calendar is; `None` if none is configured.
    pub calendar: Option<Calendar>,
    /// Which mail becomes threads.
    pub intake: Intake,
    /// How answers become memory.
    pub learning: Learning,
    /// What tools may do without asking, by the tool's name.
    pub policies: BTreeMap<String, Policy>,
    /// How to reach APIs, by their names.
    pub apis: BTreeMap<String, Api>,
    /// The LangGraph servers whose questions appear in the inbox, in the order written.
    pub servers: Vec<Server>,
    /// How workbooks are worked on, and how much the code may use.
    pub sheet: Sheet,
    /// The colours of the screen.
    pub theme: ThemeName,
    /// How the terminal tells the user that something new is waiting.
    pub notices: Notices,
    /// A command that tells the user, if there is one.
    pub notice_command: Option<NoticeCommand>,
    /// Where traces of threads are sent; `None` if nowhere.
    pub traces: Option<Traces>,
    /// Keys by the name of their action, if not the usual ones.
    pub keys: BTreeMap<String, Vec<String>>,
    /// The user's own commands, in the order written.
    pub commands: Vec<OwnCommand>,
    /// How much is written to the log.
    pub log: Level,
    /// The model that `--model` or `SAYSO_MODEL` picked for everything, if one was.
    pub picked: Option<String>,
    /// `[workflow.NAME]`: from a key such as `triage_model` to the name of a model, all of which exist.
    pub(super) workflows: BTreeMap<String, BTreeMap<String, String>>,
}

impl Config {
    /// The model that `workflow` uses for a `role` such as `triage`: the one named by `ROLE_model` in its section, else
    /// by `model` there, else `[model]`. With `--model` or `SAYSO_MODEL` it is that one, everywhere: a user who says
    /// `--model builtin` means that nothing goes over the network.
    pub fn model_for(&self, workflow: &str, role: &str) -> &Model {
        let keys = self.workflows.get(workflow).filter(|_| self.picked.is_none());
        let model = keys.and_then(|keys| {
            let name = keys.get(&format!("{role}_model")).or_else(|| keys.get("model"))?;
            self.models.get(name)
        });
        model.unwrap_or(&self.model)
    }

    /// The keys of every `[workflow.NAME]`, each with its NAME, for callers that know the workflows.
    pub fn workflow_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.workflows
            .iter()
            .flat_map(|(name, keys)| keys.keys().map(move |key| (name.as_str(), key.as_str())))
    }

    /// The model called `name`, for a thread that asks for one; the error lists the known ones.
    pub fn model_named(&self, name: &str) -> Result<&Model, Error> {
        let place = "in the thread's own key `model`";
        self.models.get(name).ok_or_else(|| Error::no_model(name, place, self.models.keys()))
    }
}
