//! The inbox as people and programs use it: the only way to threads, decisions, memory, grants and mail.
//!
//! The screen, the command line, hooks and MCP all use [`Inbox`]. A process that is not the driver can still read and
//! decide; it waits for the driver to act.

mod activity_page;
mod agent_activity;
mod attachments;
mod cards;
mod decisions;
mod drive_or_wait;
mod expiry;
mod export;
mod grants;
mod letters;
mod mail;
mod memory;
mod prune;
mod put_away;
mod remote;
mod requests;
mod sessions;
mod statistics;
mod thread_view;
mod threads;
mod trace;
mod why;

pub use activity_page::ActivityPage;
pub use agent_activity::{AgentActivity, AgentEvent, Recorded};
pub use attachments::{AttachedFile, Programs};
pub use decisions::Decisions;
pub use drive_or_wait::{DriveReport, drive_or_wait, family_outcome};
pub use export::{ExportError, Exported, Format, export, write_new};
pub use grants::Grants;
pub use mail::Mail;
pub use memory::{Memory, rows_named};
pub use prune::Prune;
pub use put_away::MailMove;
pub use remote::{RemoteFuture, RemoteThreads};
pub use requests::{NewRequest, Requests, WaitResult};
pub use sessions::{News, SessionNews, Sessions, Used};
pub use statistics::Statistics;
pub use threads::Threads;

pub use crate::mail::Destination;
pub use crate::workflows::email::defaults::describe as profile_words;
pub use crate::workflows::email::{Letter, new_mail};
pub use crate::workflows::hidden::request::{Report, is_warned_about};

pub use crate::workflows::{action_words, name_words};

use crate::agent::{Accounts, Models};
use crate::engine::driver::Engine;
use crate::engine::store::Store;
use crate::inbox::InboxError;
use std::sync::Arc;
use tokio::sync::watch;

/// The inbox of one data folder. Cloning is cheap.
#[derive(Clone)]
pub struct Inbox {
    engine: Engine,
    remote: Option<Arc<dyn RemoteThreads>>,
    accounts: Option<Arc<dyn Accounts>>,
    models: Option<Arc<dyn Models>>,
}

impl Inbox {
    /// The inbox of an engine's threads.
    pub fn new(engine: Engine) -> Self {
        Self { engine, remote: None, accounts: None, models: None }
    }

    /// Adds threads that live on servers.
    pub fn with_remote(mut self, remote: Arc<dyn RemoteThreads>) -> Self {
        self.remote = Some(remote);
        self
    }

    /// Adds the models that may take a step back from a person.
    pub fn with_models(mut self, models: Arc<dyn Models>) -> Self {
        self.models = Some(models);
        self
    }

    /// Whether there is a model that a person may give a step to.
    fn has_model(&self) -> bool {
        self.models.as_ref().is_some_and(|models| models.has_any())
    }

    /// Adds the mail accounts whose folders can be listed.
    pub fn with_accounts(mut self, accounts: Arc<dyn Accounts>) -> Self {
        self.accounts = Some(accounts);
        self
    }

    /// Open questions and past decisions.
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions(self)
    }

    /// Starts, reads, forks and stops threads.
    pub fn threads(&self) -> Threads<'_> {
        Threads(self)
    }

    /// What was learned.
    pub fn memory(&self) -> Memory<'_> {
        Memory(self)
    }

    /// What may be done without asking.
    pub fn grants(&self) -> Grants<'_> {
        Grants(self)
    }

    /// Mail that was taken in.
    pub fn mail(&self) -> Mail<'_> {
        Mail(self)
    }

    /// Recent activity in numbers.
    pub fn statistics(&self) -> Statistics<'_> {
        Statistics(self)
    }

    /// Deletes old threads.
    pub fn prune(&self) -> Prune<'_> {
        Prune(self)
    }

    /// Sessions of coding agents.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(self)
    }

    /// Programs that ask a person.
    pub fn requests(&self) -> Requests<'_> {
        Requests(self)
    }

    /// Pauses or resumes all driving, in every process.
    pub async fn pause(&self, paused: bool) -> Result<(), InboxError> {
        self.store().pause(paused).await
    }

    /// Changes whenever something changed, here or in another process.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.store().changes()
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn store(&self) -> &Store {
        self.engine.store()
    }

    /// Works outside the runtime's threads, because reading a big thread or waiting for the disk takes time.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, InboxError> + Send + 'static,
    ) -> Result<T, InboxError> {
        let this = self.clone();
        let broke = |_| InboxError::Failed("reading broke off".to_owned());
        tokio::task::spawn_blocking(move || work(&this)).await.map_err(broke)?
    }
}
