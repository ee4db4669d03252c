//! Codex's app-server, which its windows share: its requests to them are asked here as well, and the first answer wins.
//!
//! Promises: only a decision answers a request, and only the exact request it was made on. When a request is answered
//! there, the question is withdrawn here; when a server ends, so do its questions. If nobody follows the server, or
//! something fails, Codex's own question stays open and nothing is let through.
//!
//! While the server is followed, Codex's hooks leave its requests to it.
//!
//! We follow only a Codex that was connected by `sayso connect`. We join a thread when it waits for somebody, and leave
//! it when its turn ends.

mod connection;
mod follow;
mod followed;

use crate::config::Env;
use crate::connect::setup::asks_here;
use crate::inbox::door::Inbox;
use connection::{Connection, FollowError};
use follow::Follower;
use followed::Followed;
pub use followed::starter_is_followed;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often we look whether a server is running.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The app-server of the connected Codex.
#[derive(Clone)]
pub struct AppServer {
    inbox: Inbox,
    /// Codex's home folder.
    folder: PathBuf,
}

impl AppServer {
    /// The server for this environment; `None` if the environment does not say where Codex's folder is.
    pub fn new(inbox: &Inbox, env: &Env) -> Option<Self> {
        let named = env.get("CODEX_HOME").map(PathBuf::from);
        let folder = named.or_else(|| Some(PathBuf::from(env.get("HOME")?).join(".codex")))?;
        Some(Self { inbox: inbox.clone(), folder })
    }

    /// Follows the server whenever it runs.
    pub async fn follow(&self) {
        let socket = self.folder.join("app-server-control/app-server-control.sock");
        let hooks = self.folder.join("hooks.json");
        let mut last_error = String::new();
        loop {
            if socket.exists()
                && asks_here(&hooks)
                && let Err(error) = self.follow_one(&socket).await
            {
                let error = error.to_string();
                // The same failure may repeat many times; log it once.
                if error != last_error {
                    tracing::warn!(%error, "Codex's app-server cannot be followed now");
                }
                last_error = error;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Follows the server that is listening now, until it is gone.
    async fn follow_one(&self, socket: &Path) -> Result<(), FollowError> {
        let connection = Connection::open(socket).await?;
        let _mark = Followed::mark(self.inbox.engine().store().folder(), connection.server());
        Follower::new(&self.inbox, connection).run().await
    }
}
