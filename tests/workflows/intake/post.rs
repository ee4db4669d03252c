//! An inbox, a mailbox, and intake between them.

use super::CONFIG;
use super::email_workflow;
use super::folder_mailbox::{FolderMailbox, letter};
use crate::support::TestInbox;
use crate::support::test_inbox::{BackgroundDriver, Folder};
use sayso::app::{App, Engine, Intake, ReadMail, Settings, Setup, Synced};
use sayso::config::{Config, Env};
use sayso::engine::graph::{Decision, InterruptId};
use sayso::engine::store::Store;
use sayso::inbox::door::Inbox;
use sayso::inbox::{MailLine, MailQuery, ThreadQuery, ThreadView};
use sayso::mail::Account;
use sayso::workflows;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

pub struct Post {
    pub inbox: TestInbox,
    pub config: Arc<Config>,
    pub mailbox: Arc<FolderMailbox>,
    pub read: ReadMail,
}

/// Reads mail as sayso does, and refuses mail that begins with `BROKEN`.
pub fn reader() -> ReadMail {
    Arc::new(|account, raw| {
        if raw.starts_with(b"BROKEN") {
            return Err("it is broken".to_owned());
        }
        let mail = sayso::mail::parse(raw).map_err(|error| error.to_string())?;
        let identity = sayso::mail::identity(account, &mail);
        Ok((mail, identity))
    })
}

impl Deref for Post {
    type Target = TestInbox;

    fn deref(&self) -> &TestInbox {
        &self.inbox
    }
}

impl Post {
    /// A folder of its own, with the least config that intake needs and this.
    pub fn new(more: &str) -> Self {
        Self::open(tempfile::tempdir().unwrap(), &format!("{CONFIG}{more}"))
    }

    /// The same folder opened by another process.
    pub fn other_process(&self) -> Self {
        let config = std::fs::read_to_string(self.data().join("config.toml")).unwrap();
        Self::open(self.folder(), &config)
    }

    /// Drives and takes mail in until it is stopped.
    pub async fn drive_in_background(&self) -> BackgroundDriver {
        BackgroundDriver::start(App::new((*self.inbox).clone()).with(Arc::new(self.intake()))).await
    }

    /// Opens what is in `folder`, with this config.
    pub fn open(folder: impl Into<Folder>, config: &str) -> Self {
        let folder = folder.into();
        let data = folder.path().join("data");
        let store = Store::open(&data).unwrap();
        std::fs::write(data.join("config.toml"), config).unwrap();
        let config = crate::support::config::load(&data, &Env::default());
        let services = Arc::new(Setup::over((*config).clone(), Env::default(), store.clone()).services());
        let registry = sayso::inbox::Registry::new([
            email_workflow::spec(),
            workflows::hidden::intake::spec(services).unwrap(),
        ]);
        let settings = Settings { hold: Duration::ZERO, soft_hold: Duration::ZERO, ..Settings::default() };
        let inbox = Inbox::new(Engine::new(store, registry, settings));
        let mailbox = FolderMailbox::new(folder.path().join("mailbox"));
        let inbox = TestInbox::of(inbox, folder, Arc::new(jiff::Timestamp::now));
        Self { inbox, config, mailbox, read: reader() }
    }

    pub fn intake(&self) -> Intake {
        self.intake_of(vec![self.mailbox.account("home")])
    }

    pub fn intake_of(&self, accounts: Vec<Account>) -> Intake {
        Intake::new(self.inbox.engine().clone(), self.config.clone(), accounts, self.read.clone())
    }

    pub async fn sync(&self) -> Synced {
        self.intake().sync(&|_| ()).await.remove(0)
    }

    /// Fetches mail and drives the threads as far as they go.
    pub async fn sync_and_drive(&self) -> Synced {
        let synced = self.sync().await;
        self.drive().await;
        synced
    }

    pub async fn mails(&self) -> Vec<MailLine> {
        let mut mails = self.inbox.mail().list(MailQuery { limit: 9999, after: None }).await.unwrap().rows;
        mails.reverse();
        mails
    }

    /// The threads of a workflow, oldest first.
    pub async fn threads(&self, workflow: &str) -> Vec<ThreadView> {
        let query = ThreadQuery { limit: 9999, ..Default::default() };
        let mut views = Vec::new();
        for line in self.inbox.threads().list(query).await.unwrap().rows.into_iter().rev() {
            if line.workflow == workflow {
                views.push(self.inbox.threads().view(line.id).await.unwrap());
            }
        }
        views
    }

    pub async fn decide(&self, id: &InterruptId, decision: Decision) {
        self.inbox.decide(id, decision).await.unwrap();
        self.drive().await;
    }

    /// Answers the only open question, and drives on.
    pub async fn answer(&self, decision: Decision) {
        let items = self.items().await;
        assert_eq!(items.len(), 1, "{items:?}");
        self.decide(&items[0].id, decision).await;
    }

    /// Waits for a condition that only a write can make true.
    pub async fn wait_for_write(&self, condition: impl AsyncFn() -> bool) {
        let _watcher = self.store().watch_others();
        let mut changes = self.store().changes();
        while !condition().await {
            let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
            changed.expect("the condition came true").unwrap();
        }
    }

    /// Puts a letter of this number on a subject into the mailbox, and gives its place.
    pub fn put(&self, n: usize, subject: &str, headers: &str) -> String {
        self.mailbox.put(&letter(n, "bob@b.example", subject, headers))
    }
}
