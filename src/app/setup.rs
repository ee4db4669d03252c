//! From a config to an open data folder.

use super::accounts::{ConfiguredAccounts, accounts, read_mail};
use super::intake::Intake;
use super::node_services::services;
use super::policy;
use crate::agents::langgraph::{self, Remote, Servers};
use crate::config::{self, Config, Env, Server};
use crate::driver::{Engine, Settings};
use crate::graph::BuildError;
use crate::inbox::Registry;
use crate::mail::Account;
use crate::mail::risk::Receiver;
use crate::service::Inbox;
use crate::store::{self, DriverLock, Mode, Store, StoreError};
use crate::text::nearest;
use crate::tools::catalogue::ShelfError;
use crate::workflows;
use std::path::Path;
use std::sync::Arc;

/// The file that makes a folder the demo's.
pub(super) const DEMO_MARKER: &str = ".sayso-demo";

/// What workflows and their services are made from.
pub struct Setup {
    /// What is meant.
    pub config: Arc<Config>,
    /// Where keys come from.
    pub env: Env,
    /// The open database.
    pub store: Store,
    /// The mail accounts; nodes and intake share their doors.
    accounts: Vec<Account>,
    /// The servers; nodes and whoever looks at them share their doors.
    remotes: Vec<Arc<Remote>>,
}

/// Why the workflows cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowsError {
    /// A graph does not hold together; a mistake in sayso.
    #[error("a workflow is not consistent: {0}")]
    Build(#[from] BuildError),
    /// A server goes by a workflow's name.
    #[error("the config calls a [[server]] `{server}`, which is a workflow; give it another name")]
    NameTaken {
        /// The name.
        server: String,
    },
    /// The config speaks of a workflow there is none of.
    #[error("the config has a section [workflow.{workflow}], and there is no such workflow{}", meant(near))]
    NoWorkflow {
        /// What it says.
        workflow: String,
        /// What it may mean.
        near: Option<String>,
    },
    /// The config chooses a model for a task the workflow does not have.
    #[error("the config has `{key}` in [workflow.{workflow}]; it takes model, {keys}")]
    NoRole {
        workflow: String,
        /// What it says.
        key: String,
        /// What it could say.
        keys: String,
    },
    /// The config speaks of an API there is none of.
    #[error("{0}")]
    NoApi(ShelfError),
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// What a look over the whole data folder found.
#[derive(Clone, Debug)]
pub struct Health {
    /// Why nothing can be written, if nothing can.
    pub view_only: Option<String>,
    /// The format of the database.
    pub format: i64,
    /// The SQLite that reads it.
    pub sqlite: &'static str,
    /// How many threads were read through.
    pub threads: u64,
    /// Every row that is not as it was written, each in a sentence.
    pub damaged: Vec<String>,
    /// Every row of a list that is not what the log says, each in a sentence.
    pub differing: Vec<String>,
    /// The process that drives, if one does.
    pub driver: Option<u32>,
    /// Whether all driving is paused.
    pub paused: bool,
}

/// Whether there are threads in a folder, or were.
pub fn has_data(folder: &Path) -> bool {
    folder.join(store::FILE).exists()
}

/// Whether a data folder is the demo's.
pub fn is_demo(folder: &Path) -> bool {
    folder.join(DEMO_MARKER).is_file()
}

/// Where traces go, if the config wants them told; the demo tells none.
pub(super) fn wanted_traces(config: &Config) -> Option<&config::Traces> {
    config.traces.as_ref().filter(|_| !is_demo(&config.data))
}

impl Setup {
    /// Opens the data folder, and makes it where there is none.
    pub fn open(config: Config, env: Env) -> Result<Self, StoreError> {
        let store = Store::open(&config.data)?;
        Ok(Self::over(config, env, store))
    }

    /// The same over a database that is open already.
    pub fn over(config: Config, env: Env, store: Store) -> Self {
        let accounts = accounts(&config);
        let remote = |server: &Server| Arc::new(Remote::new(server.clone(), env.clone()));
        let remotes = config.servers.iter().map(remote).collect();
        Self { config: Arc::new(config), env, store, accounts, remotes }
    }

    /// Intake for every account of the config.
    pub fn intake(&self, engine: &Engine) -> Intake {
        let read = Arc::new(read_mail);
        Intake::new(engine.clone(), self.config.clone(), self.accounts.clone(), read)
    }

    /// The inbox of an engine, with the threads of the config's servers in it.
    pub fn inbox(&self, engine: Engine) -> Inbox {
        let servers = self.servers(&engine);
        let mut inbox = Inbox::new(engine);
        if let Some(servers) = servers {
            inbox = inbox.with_remote(Arc::new(servers));
        }
        if wanted_traces(&self.config).is_some() { inbox.with_traces() } else { inbox }
    }

    /// The servers of the config; `None` if it names none.
    pub(super) fn servers(&self, engine: &Engine) -> Option<Servers> {
        Some(Servers::new(engine.clone(), self.remotes.clone())).filter(|servers| !servers.is_empty())
    }

    /// The workflows sayso has, with services from this config and this data folder.
    pub fn workflows(&self) -> Result<Registry, WorkflowsError> {
        let mut services = services(&self.config, self.env.clone(), &self.store);
        services.accounts = Arc::new(ConfiguredAccounts(self.accounts.clone()));
        if let Some((_, error)) = services.apis.unknown().into_iter().next() {
            return Err(WorkflowsError::NoApi(error));
        }
        let mut registry = workflows::all(&Arc::new(services))?;
        for remote in &self.remotes {
            if registry.get(remote.name()).is_some() {
                return Err(WorkflowsError::NameTaken { server: remote.name().to_owned() });
            }
            registry = registry.with(langgraph::spec(remote)?);
        }
        let expiring = self.config.approvals.expiry.workflows.keys().map(|name| (name.as_str(), "model"));
        for (workflow, key) in self.config.workflow_keys().chain(expiring) {
            let Some(spec) = registry.get(workflow) else {
                let near = nearest(workflow, registry.names()).map(str::to_owned);
                return Err(WorkflowsError::NoWorkflow { workflow: workflow.to_owned(), near });
            };
            let role = key.strip_suffix("_model").unwrap_or_default();
            if key != "model" && !spec.roles.contains(&role) {
                let keys: Vec<String> = spec.roles.iter().map(|role| format!("{role}_model")).collect();
                let (workflow, key, keys) = (workflow.to_owned(), key.to_owned(), keys.join(", "));
                return Err(WorkflowsError::NoRole { workflow, key, keys });
            }
        }
        Ok(registry)
    }

    /// The engine over it that knows these workflows.
    pub fn engine(&self, registry: Registry) -> Engine {
        Engine::new(self.store.clone(), registry, Settings::from(&*self.config))
    }

    /// Why nothing can be written here, if nothing can.
    pub fn view_only(&self) -> Option<String> {
        match self.store.mode() {
            Mode::ReadWrite => None,
            Mode::ViewOnly(why) => Some(why),
        }
    }

    /// Makes every list anew from the log; says which rows were not what it says.
    pub async fn repair(&self) -> Result<Vec<String>, StoreError> {
        self.store.audit().repair().await
    }

    /// The accounts of the config, each with the server whose word on senders counts, once that is known.
    pub fn receivers(&self) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let receiver = |name: &String| {
            let kept = self.store.mail().receiver(name)?;
            let known = kept.and_then(|kept| serde_json::from_str::<Receiver>(&kept).ok());
            Ok((name.clone(), known.filter(Receiver::is_trusted).map(|receiver| receiver.id)))
        };
        self.config.mail.iter().map(|account| &account.name).map(receiver).collect()
    }

    /// Reads everything there is and says how it is.
    pub fn health(&self) -> Result<Health, StoreError> {
        let verified = self.store.audit().verify()?;
        Ok(Health {
            view_only: self.view_only(),
            format: store::VERSION,
            sqlite: store::sqlite_version(),
            threads: verified.threads,
            damaged: verified.damaged,
            differing: verified.differing,
            driver: DriverLock::holder(self.store.folder()),
            paused: self.store.paused()?,
        })
    }
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        Self {
            hold: config.approvals.hold,
            agents_hold: config.approvals.hold_agents,
            concurrency: config.engine.concurrency,
            node_timeout: config.engine.node_timeout,
            step_limit: u32::try_from(config.engine.step_limit).unwrap_or(u32::MAX),
            retries: config.engine.retries,
            learning_delay: config.learning.delay,
            policies: policy::allowing(config),
            expiry: config.approvals.expiry.clone(),
            ..Self::default()
        }
    }
}
