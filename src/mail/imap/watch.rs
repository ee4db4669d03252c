//! Listens for new mail: one connection per folder that does nothing else, made again when it breaks. Only the first
//! few folders of an account are watched, since servers allow few connections; the others are checked now and then.
//!
//! We contact the server every few minutes, well within the half hour after which servers and routers forget a
//! connection. That also reveals a connection that is dead without a sign.

use super::fetch::open;
use super::names::Folder;
use super::session::{ImapError, Session};
use crate::config::MailServer;
use crate::mail::net::{Login, Timeouts};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The longest pause before reconnecting, as a multiple of the first.
const LONGEST: u32 = 60;

/// How many folders are watched.
const MAX_FOLDERS: usize = 3;

/// Waits for changes in an account's folders.
pub(super) struct Watch {
    server: MailServer,
    login: Login,
    patience: Timeouts,
    folders: Vec<Folder>,
    changes: Arc<Notify>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Watch {
    pub(super) fn new(server: MailServer, login: Login, patience: Timeouts, folders: &[Folder]) -> Self {
        let folders = folders.iter().take(MAX_FOLDERS).cloned().collect();
        Self { server, login, patience, folders, changes: Arc::default(), tasks: Mutex::default() }
    }

    /// Returns when something may have changed. Changes that happen between calls are reported by the next call.
    pub(super) async fn changed(&self) {
        self.listen();
        self.changes.notified().await;
    }

    /// Starts listening, once.
    fn listen(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.iter().any(|task| !task.is_finished()) {
            return;
        }
        let follow = |folder: &Folder| {
            let (server, login) = (self.server.clone(), self.login.clone());
            tokio::spawn(follow(server, login, self.patience, folder.clone(), self.changes.clone()))
        };
        *tasks = self.folders.iter().map(follow).collect();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let tasks = self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner);
        tasks.drain(..).for_each(|task| task.abort());
    }
}

async fn follow(server: MailServer, login: Login, patience: Timeouts, folder: Folder, changes: Arc<Notify>) {
    let mut pause = 1;
    let mut is_reconnect = false;
    loop {
        let started = tokio::time::Instant::now();
        let Err(error) = listen(&server, &login, &patience, &folder, &changes, is_reconnect).await;
        tracing::info!(host = %server.host, %error, "listening for mail broke off");
        is_reconnect = true;
        pause = if !error.is_temporary() {
            // Retrying a refused password too often may lock the account.
            LONGEST
        } else if started.elapsed() > patience.listen {
            // A connection that lasted a while is made again soon.
            1
        } else {
            (pause * 2).min(LONGEST)
        };
        tokio::time::sleep(patience.again * pause).await;
    }
}

/// Listens until the connection breaks.
async fn listen(
    server: &MailServer,
    login: &Login,
    patience: &Timeouts,
    folder: &Folder,
    changes: &Notify,
    is_reconnect: bool,
) -> Result<std::convert::Infallible, ImapError> {
    let mut session = Session::begin(server, login, patience).await?;
    open(&mut session, folder, false).await?;
    if is_reconnect {
        // We missed whatever happened meanwhile.
        changes.notify_one();
    }
    loop {
        if session.can("IDLE") {
            if session.idle(patience.listen).await? {
                changes.notify_one();
            }
        } else {
            tokio::time::sleep(patience.listen).await;
            session.noop().await?;
            changes.notify_one();
        }
    }
}
