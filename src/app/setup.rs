//! Opens a data folder from a config.

use super::accounts::{ConfiguredAccounts, accounts, read_mail};
use super::intake::Intake;
use super::models::ConfiguredModels;
use super::node_services::services;
use crate::agent::Services;
use crate::config::{Config, Env, Policy, PolicyMode, Server};
use crate::connect::langgraph::{self, Remote, Servers};
use crate::engine::driver::{Engine, Settings};
use crate::engine::graph::BuildError;
use crate::engine::store::{self, DriverLock, Mode, Store, StoreError, Verified};
use crate::inbox::Registry;
use crate::inbox::door::Inbox;
use crate::mail::Account;
use crate::mail::risk::Receiver;
use crate::text::nearest;
use crate::tools::catalogue::CatalogueError;
use crate::workflows;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Everything that workflows and their services are built from.
pub struct Setup {
    pub config: Arc<Config>,
    /// API keys come from here.
    pub env: Env,
    pub store: Store,
    /// The mail accounts; nodes and intake share their connections.
    accounts: Vec<Account>,
    /// The servers; nodes and background work share their connections.
    remotes: Vec<Arc<Remote>>,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkflowsError {
    /// A graph is inconsistent: a bug in sayso.
    #[error("a workflow is not consistent: {0}")]
    Build(#[from] BuildError),
    /// A server has the name of a workflow.
    #[error("the config calls a [[server]] `{server}`, which is a workflow; give it another name")]
    NameTaken {
        /// Its name in the config.
        server: String,
    },
    /// The config names a workflow that does not exist.
    #[error(
        "the config has a section [workflow.{workflow}], and there is no such workflow{}",
        did_you_mean(near)
    )]
    NoWorkflow {
        workflow: String,
        /// The workflow that was probably meant.
        near: Option<String>,
    },
    /// The config chooses a model for a task the workflow does not have.
    #[error("the config has `{key}` in [workflow.{workflow}]; it takes model, {keys}")]
    NoRole {
        workflow: String,
        key: String,
        /// The keys it takes.
        keys: String,
    },
    /// The config names an API that does not exist.
    #[error("{0}")]
    NoApi(CatalogueError),
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The result of checking the whole data folder.
#[derive(Clone, Debug)]
pub struct Health {
    /// Why the folder cannot be written to, if so.
    pub view_only: Option<String>,
    pub format: i64,
    /// The version of SQLite.
    pub sqlite: &'static str,
    pub verified: Verified,
    pub driver: Option<u32>,
    /// Whether all driving is paused.
    pub paused: bool,
}

/// Whether the folder has a database.
pub fn has_data(folder: &Path) -> bool {
    folder.join(store::FILE).exists()
}

impl Setup {
    /// Opens the data folder, and creates it if there is none.
    pub fn open(config: Config, env: Env) -> Result<Self, StoreError> {
        Self::open_waiting(config, env, store::LOCK_WAIT)
    }

    /// Like `open`, waiting at most so long for another process that has the database locked.
    pub fn open_waiting(config: Config, env: Env, lock_wait: Duration) -> Result<Self, StoreError> {
        let store = Store::open_waiting(&config.data, lock_wait)?;
        Ok(Self::over(config, env, store))
    }

    /// Like `open`, over a database that is open already.
    pub fn over(config: Config, env: Env, store: Store) -> Self {
        let accounts = accounts(&config);
        let remote = |server: &Server| Arc::new(Remote::new(server.clone(), env.clone()));
        let remotes = config.servers.iter().map(remote).collect();
        Self { config: Arc::new(config), env, store, accounts, remotes }
    }

    pub fn intake(&self, engine: &Engine) -> Intake {
        let read = Arc::new(read_mail);
        Intake::new(engine.clone(), self.config.clone(), self.accounts.clone(), read)
    }

    /// The inbox of an engine, including the threads of the config's servers.
    pub fn inbox(&self, engine: Engine) -> Inbox {
        let servers = self.servers(&engine);
        let accounts = Arc::new(ConfiguredAccounts(self.accounts.clone()));
        let models = Arc::new(ConfiguredModels::new(self.config.clone(), self.env.clone()));
        let mut inbox = Inbox::new(engine).with_accounts(accounts).with_models(models);
        if let Some(servers) = servers {
            inbox = inbox.with_remote(Arc::new(servers));
        }
        inbox
    }

    /// The servers of the config; `None` if it names none.
    pub(super) fn servers(&self, engine: &Engine) -> Option<Servers> {
        Some(Servers::new(engine.clone(), self.remotes.clone())).filter(|servers| !servers.is_empty())
    }

    /// What nodes use.
    pub fn services(&self) -> Services {
        let accounts = Arc::new(ConfiguredAccounts(self.accounts.clone()));
        services(&self.config, self.env.clone(), &self.store, accounts)
    }

    /// All workflows, with services from this config and this data folder.
    pub fn workflows(&self) -> Result<Registry, WorkflowsError> {
        let services = self.services();
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

    /// An engine that knows these workflows.
    pub fn engine(&self, registry: Registry) -> Engine {
        Engine::new(self.store.clone(), registry, Settings::from(&*self.config))
    }

    /// Why the folder cannot be written to, if so.
    pub fn view_only(&self) -> Option<String> {
        match self.store.mode() {
            Mode::ReadWrite => None,
            Mode::ViewOnly(why) => Some(why),
        }
    }

    /// Rebuilds every list from the log; returns which rows differed from it.
    pub async fn repair(&self) -> Result<Vec<String>, StoreError> {
        self.store.audit().repair().await
    }

    /// The accounts of the config, each with the server whose sender checks are trusted, once that is known.
    pub fn receivers(&self) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let receiver = |name: &String| {
            let stored = self.store.mail().receiver(name)?;
            let known = stored.and_then(|stored| serde_json::from_str::<Receiver>(&stored).ok());
            Ok((name.clone(), known.filter(Receiver::is_trusted).map(|receiver| receiver.id)))
        };
        self.config.mail.iter().map(|account| &account.name).map(receiver).collect()
    }

    /// Reads and checks everything in the data folder.
    pub fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            view_only: self.view_only(),
            format: store::VERSION,
            sqlite: store::sqlite_version(),
            verified: self.store.audit().verify()?,
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
            policies: allow_policies(config),
            expiry: config.approvals.expiry.clone(),
            ..Self::default()
        }
    }
}

/// The tools that the config allows to act without asking, with their conditions.
fn allow_policies(config: &Config) -> BTreeMap<String, Policy> {
    let allow = |policy: &&Policy| policy.mode == PolicyMode::Allow;
    let allowed = config.policies.iter().filter(|(_, policy)| allow(policy));
    allowed.map(|(tool, policy)| (tool.clone(), policy.clone())).collect()
}
