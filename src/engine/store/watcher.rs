//! Notices writes by other processes: that something changed, never what.

use crate::engine::store::StoreError;
use crate::engine::store::rows::Moved;
use rusqlite::Connection;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::sync::{broadcast, watch};

/// How often we ask SQLite; people do not notice shorter delays.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    stop: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watcher {
    pub(in crate::engine::store) fn start(
        db: Connection,
        changed: watch::Sender<u64>,
        moved: broadcast::Sender<Moved>,
    ) -> Result<Self, StoreError> {
        let (stop, stopped) = channel::<()>();
        let version = |db: &Connection| db.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0));
        let mut last_version = version(&db)?;
        let thread = std::thread::Builder::new()
            .name("sayso-watcher".to_owned())
            .spawn(move || {
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(POLL_INTERVAL) {
                    // If the version cannot be read now, we try again next time.
                    if let Ok(now) = version(&db)
                        && now != last_version
                    {
                        last_version = now;
                        let _ = moved.send(Moved::Any);
                        changed.send_modify(|count| *count += 1);
                    }
                }
            })
            .map_err(|e| StoreError::Sql(format!("the watcher could not be started: {e}")))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
