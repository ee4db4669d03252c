//! Codex's app-server, which its windows share: what it asks them is asked here as well, and whoever answers first has
//! answered.
//!
//! Promised: nothing is answered but by a decision, and only the very request it was made on. What is answered there is
//! taken back here, and a server that ends takes its questions along. Where nobody follows, or something fails, Codex's
//! own question stands; nothing is let through by it.
//!
//! Its hooks leave to it what it asks itself, while it is followed.
//!
//! Only a Codex that `sayso connect` connected is followed. A thread of it is joined when it waits for somebody, and left
//! when its turn ends.

mod connection;
mod follow;
mod followed;

use crate::agents::connect::asks_here;
use crate::config::Env;
use crate::service::Inbox;
use connection::{Connection, Trouble};
use follow::Follower;
use followed::Followed;
pub use followed::starter_is_followed;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often it is looked whether a server has come up.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The app-server of the Codex that is connected.
#[derive(Clone)]
pub struct AppServer {
    inbox: Inbox,
    /// Where Codex keeps its things.
    folder: PathBuf,
}

impl AppServer {
    /// The one of this environment; `None` where that names no place for it.
    pub fn new(inbox: &Inbox, env: &Env) -> Option<Self> {
        let named = env.get("CODEX_HOME").map(PathBuf::from);
        let folder = named.or_else(|| Some(PathBuf::from(env.get("HOME")?).join(".codex")))?;
        Some(Self { inbox: inbox.clone(), folder })
    }

    /// Follows it, whenever it runs.
    pub async fn follow(&self) {
        let socket = self.folder.join("app-server-control/app-server-control.sock");
        let hooks = self.folder.join("hooks.json");
        let mut told = String::new();
        loop {
            if socket.exists()
                && asks_here(&hooks)
                && let Err(error) = self.follow_one(&socket).await
            {
                let error = error.to_string();
                // It may fail like this again and again.
                if error != told {
                    tracing::warn!(%error, "Codex's app-server cannot be followed now");
                }
                told = error;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Follows the server that listens now, until it is gone.
    async fn follow_one(&self, socket: &Path) -> Result<(), Trouble> {
        let connection = Connection::open(socket).await?;
        let _mark = Followed::mark(self.inbox.engine().store().folder(), connection.server());
        Follower::new(&self.inbox, connection).run().await
    }
}
