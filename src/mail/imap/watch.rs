//! Listening for news: a connection a folder that does nothing else, made again whenever it breaks. Of an account with
//! many folders only the first few are listened to, since servers let few connections in; the others are looked at now
//! and then.
//!
//! The server is asked for a sign of life every few minutes, which is far less than the half hour after which servers
//! and routers forget a connection; a connection that only seems to be there is found out by that.

use super::fetch::open;
use super::folders::Folder;
use super::session::{ImapError, Session};
use crate::config::MailServer;
use crate::mail::net::Patience;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The longest pause before a connection is made again, as so many of the first.
const LONGEST: u32 = 60;

/// How many folders are listened to.
const MOST_FOLDERS: usize = 3;

/// Hears of news in an account's folders.
pub(super) struct Watch {
    server: MailServer,
    patience: Patience,
    folders: Vec<Folder>,
    news: Arc<Notify>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Watch {
    pub(super) fn new(server: MailServer, patience: Patience, folders: &[Folder]) -> Self {
        let folders = folders.iter().take(MOST_FOLDERS).cloned().collect();
        Self { server, patience, folders, news: Arc::default(), tasks: Mutex::default() }
    }

    /// Ends when something may have changed. What happens while nobody waits is told to the next who does.
    pub(super) async fn changed(&self) {
        self.listen();
        self.news.notified().await;
    }

    /// Begins to listen, once.
    fn listen(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.iter().any(|task| !task.is_finished()) {
            return;
        }
        let follow = |folder: &Folder| {
            tokio::spawn(follow(self.server.clone(), self.patience, folder.clone(), self.news.clone()))
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

async fn follow(server: MailServer, patience: Patience, folder: Folder, news: Arc<Notify>) {
    let mut pause = 1;
    let mut again = false;
    loop {
        let begun = tokio::time::Instant::now();
        let Err(error) = listen(&server, &patience, &folder, &news, again).await;
        tracing::info!(host = %server.host, %error, "listening for mail broke off");
        again = true;
        pause = if !error.is_passing() {
            // A password that is refused again and again may close the account.
            LONGEST
        } else if begun.elapsed() > patience.listen {
            // One that held for a while is made again soon.
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
    patience: &Patience,
    folder: &Folder,
    news: &Notify,
    again: bool,
) -> Result<std::convert::Infallible, ImapError> {
    let mut session = Session::begin(server, patience).await?;
    open(&mut session, folder, false).await?;
    if again {
        // Whatever happened meanwhile was not heard.
        news.notify_one();
    }
    loop {
        if session.can("IDLE") {
            if session.idle(patience.listen).await? {
                news.notify_one();
            }
        } else {
            tokio::time::sleep(patience.listen).await;
            session.noop().await?;
            news.notify_one();
        }
    }
}
