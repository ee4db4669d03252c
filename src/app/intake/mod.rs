//! Intake: turns arriving mail into threads, each mail once.
//!
//! Promises: a mail is known by its identity, and one transaction stores it together with the thread it starts or
//! joins. The cursor moves only after that, so after an interruption mail is looked at again, and nothing is lost or
//! stored twice. The first look at a mailbox is bounded, and asks before it costs money. An unreadable mail is one
//! question, and so is an expired login. A mailbox that fails says so, is tried less and less often, and does not
//! affect the others. A mail that cannot be fetched is reported and tried again, and does not affect other mail.
//!
//! It does not judge what a mail means, and uses no model. It runs only in the process that drives.

mod answered;
mod first_look;
mod login;
mod look;
mod route;

use crate::config::Config;
use crate::engine::driver::{Engine, Scope};
use crate::engine::store::{DriverLock, LockAttempt, StoreError};
use crate::mail::{Account, Mail, MailError};
use crate::workflows::hidden::intake;
use futures_util::future::join_all;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The longest pause between two looks at a mailbox that fails.
const MAX_PAUSE: Duration = Duration::from_secs(15 * 60);

/// Mail that arrives within this time is looked at together.
const GATHER_TIME: Duration = Duration::from_millis(200);

/// How often a process that waits for the driver's look checks whether it is done.
const CHECK_EVERY: Duration = Duration::from_millis(200);

/// Reads a mail of an account and returns it with its identity, or why it cannot be read.
pub type ReadMail = Arc<dyn Fn(&str, &[u8]) -> Result<(Mail, String), String> + Send + Sync>;

/// The result of a look at a mailbox. The field names are a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Synced {
    /// The account.
    pub source: String,
    /// Mails not known before.
    pub new: u64,
    /// Threads started.
    pub started: u64,
    /// What went wrong, in a sentence.
    pub error: Option<String>,
    /// Whether only a part of the mailbox could not be looked at.
    #[serde(skip)]
    pub is_partial: bool,
}

/// The progress of a look at a mailbox.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The account.
    pub source: &'a str,
    /// Mails looked at.
    pub done: u64,
    /// Their total, as far as known.
    pub total: u64,
}

/// Called at each step.
pub type OnStep<'a> = &'a (dyn Fn(Step<'_>) + Send + Sync);

/// Why a mailbox could not be looked at.
#[derive(Debug, thiserror::Error)]
enum IntakeError {
    #[error("{0}")]
    Mailbox(#[from] MailError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Thread(String),
}

/// Takes mail in. Cloning it is cheap.
#[derive(Clone)]
pub struct Intake(Arc<Inner>);

/// What the first look at a mailbox takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLook {
    /// What the config says; asks if that is a lot or its cost is not known.
    Usual,
    /// The newest so many, read or not, for a user who wants them and waits. The rest is for the next look.
    Newest(usize),
}

struct Inner {
    first: FirstLook,
    engine: Engine,
    config: Arc<Config>,
    accounts: Vec<Account>,
    read: ReadMail,
}

impl Intake {
    pub fn new(engine: Engine, config: Arc<Config>, accounts: Vec<Account>, read: ReadMail) -> Self {
        Self(Arc::new(Inner { first: FirstLook::Usual, engine, config, accounts, read }))
    }

    /// A copy with another first look.
    pub fn with_first_look(&self, first: FirstLook) -> Self {
        let Inner { first: _, engine, config, accounts, read } = &*self.0;
        let (engine, config, accounts) = (engine.clone(), config.clone(), accounts.clone());
        Self(Arc::new(Inner { first, engine, config, accounts, read: read.clone() }))
    }

    pub fn accounts(&self) -> &[Account] {
        &self.0.accounts
    }

    fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Looks at every mailbox once. The caller holds the driver's lock.
    pub async fn sync(&self, on_step: OnStep<'_>) -> Vec<Synced> {
        let one = |account| async move { self.sync_one(account, on_step).await };
        join_all(self.accounts().iter().map(one)).await
    }

    /// The threads that mail has started and that still need a driver.
    pub fn threads(&self) -> Result<Scope, StoreError> {
        let active = self.engine().store().threads().active_of(&[route::EMAIL, intake::NAME])?;
        Ok(Scope::Only(active.into_iter().map(|(thread, _)| thread).collect()))
    }

    /// Looks at every mailbox once: here, or in the process that drives. `None` if that process does not look within
    /// `patience`.
    pub async fn sync_here_or_in_driver(
        &self,
        on_step: OnStep<'_>,
        patience: Duration,
    ) -> Result<Option<Vec<Synced>>, StoreError> {
        match DriverLock::take(self.engine().store().folder())? {
            LockAttempt::Ours(lock) => {
                let synced = self.sync(on_step).await;
                drop(lock);
                Ok(Some(synced))
            }
            LockAttempt::Theirs(_) => self.wait_for_driver_sync(on_step, patience).await,
        }
    }

    async fn wait_for_driver_sync(
        &self,
        on_step: OnStep<'_>,
        patience: Duration,
    ) -> Result<Option<Vec<Synced>>, StoreError> {
        let store = self.engine().store();
        let (asked, last) = (store.now(), store.mail().newest_mail()?);
        store.mail().want_sync().await?;
        let deadline = Instant::now() + patience;
        loop {
            let sources = store.mail().sources()?;
            let looked = |account: &Account| {
                sources.iter().any(|line| line.source == account.name && line.checked_at >= Some(asked))
            };
            if self.accounts().iter().all(looked) {
                let since = |account: &Account| {
                    let (new, started) = store.mail().taken_since(&account.name, last)?;
                    let line = sources.iter().find(|line| line.source == account.name);
                    let error = line.and_then(|line| line.error.clone());
                    Ok(Synced { source: account.name.clone(), new, started, error, is_partial: false })
                };
                return self.accounts().iter().map(since).collect::<Result<_, _>>().map(Some);
            }
            // The driver may have ended without a look.
            if let LockAttempt::Ours(_lock) = DriverLock::take(store.folder())? {
                return Ok(Some(self.sync(on_step).await));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(CHECK_EVERY).await;
        }
    }

    /// Asks the driver to look at every mailbox, without waiting for it.
    pub async fn request_sync(&self) -> Result<(), StoreError> {
        self.engine().store().mail().want_sync().await
    }

    /// Looks at every mailbox whenever mail may have arrived.
    pub async fn follow_all(&self) {
        if self.accounts().is_empty() {
            // There is nothing to do, but ending would stop the driver.
            return std::future::pending().await;
        }
        join_all(self.accounts().iter().map(|account| self.follow(account))).await;
    }

    async fn follow(&self, account: &Account) {
        let store = self.engine().store().clone();
        let mut changes = store.changes();
        let mut failures = 0;
        loop {
            let sync_request = store.mail().sync_wanted().unwrap_or(0);
            failures = match self.sync_one(account, &|_| ()).await {
                Synced { error: Some(error), is_partial: false, .. } => {
                    tracing::warn!(account = %account.name, %error, "a mailbox could not be looked at");
                    failures + 1
                }
                _ => 0,
            };
            let login = self.open_login_thread(account).ok().flatten();
            changes.borrow_and_update();
            let due = Instant::now() + self.pause(failures);
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(due) => break,
                    () = account.mailbox.changed(), if failures == 0 => {
                        tokio::time::sleep(GATHER_TIME).await;
                        break;
                    }
                    changed = changes.changed() => {
                        if changed.is_err() {
                            return;
                        }
                        let asked = store.mail().sync_wanted().is_ok_and(|now| now != sync_request);
                        // A user who answers the question about a login wants it tried at once.
                        let tried = login.is_some() && self.open_login_thread(account).is_ok_and(|now| now != login);
                        if asked || tried || self.is_answered(account) {
                            break;
                        }
                    }
                }
            }
        }
    }

    fn pause(&self, failures: u32) -> Duration {
        let usual = Duration::from_secs(self.0.config.intake.every_seconds);
        usual.saturating_mul(2_u32.saturating_pow(failures)).min(MAX_PAUSE.max(usual))
    }

    async fn sync_one(&self, account: &Account, on_step: OnStep<'_>) -> Synced {
        let mut synced = Synced { source: account.name.clone(), ..Synced::default() };
        let looked = self.look(account, &mut synced, on_step).await;
        let login_card = self.update_login_card(account, &looked).await;
        let checked =
            looked.and_then(|missing| login_card.map(|()| missing)).map_err(|error| error.to_string());
        synced.is_partial = checked.is_ok();
        synced.error = checked.clone().unwrap_or_else(Some);
        let noted = self.engine().store().mail().record_check(account.name.clone(), checked).await;
        if let Err(error) = noted {
            (synced.error, synced.is_partial) = (synced.error.or(Some(error.to_string())), false);
        }
        synced
    }
}
