//! Notices when something may have changed.
//!
//! Uses inotify on Linux, which costs nothing while nothing happens. Elsewhere, or if the system has no watches left,
//! we check the folders' modification times every few seconds. Changes between two calls are not missed: the second
//! call returns at once, and so does the very first.

use super::folder::Folder;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;

/// How often we check folders that cannot be watched.
const EVERY: Duration = Duration::from_secs(5);

/// When each folder last changed; `None` if it is missing.
type Times = Vec<Option<SystemTime>>;

/// What we watch, starting with the first call.
#[derive(Default)]
pub(super) struct Watch(Mutex<Watching>);

#[derive(Default)]
enum Watching {
    #[default]
    Nothing,
    #[cfg(target_os = "linux")]
    Events(linux::Events),
    Times(Times),
}

impl Watch {
    /// Returns when a mail may have come, gone or been flagged since the last call.
    pub(super) async fn changed(&self, folders: &[Folder]) {
        let parts: Vec<PathBuf> =
            folders.iter().flat_map(|folder| ["new", "cur"].map(|part| folder.path().join(part))).collect();
        let mut watching = self.0.lock().await;
        match &mut *watching {
            Watching::Nothing => *watching = begin(parts).await,
            #[cfg(target_os = "linux")]
            Watching::Events(events) => {
                if !events.next().await {
                    *watching = Watching::Nothing;
                }
            }
            Watching::Times(before) => loop {
                let now = times(parts.clone()).await;
                if now != *before {
                    *before = now;
                    return;
                }
                tokio::time::sleep(EVERY).await;
            },
        }
    }
}

async fn begin(parts: Vec<PathBuf>) -> Watching {
    #[cfg(target_os = "linux")]
    if let Ok(events) = linux::Events::of(&parts) {
        return Watching::Events(events);
    }
    Watching::Times(times(parts).await)
}

async fn times(parts: Vec<PathBuf>) -> Times {
    let read_times = move || parts.iter().map(|part| part.metadata().ok()?.modified().ok()).collect();
    tokio::task::spawn_blocking(read_times).await.unwrap_or_default()
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::inotify::{CreateFlags, ReadFlags, WatchFlags, add_watch, init};
    use std::io::ErrorKind;
    use std::path::PathBuf;
    use tokio::net::unix::pipe::Receiver;

    /// Unread events wait in the handle, which is read like a pipe.
    pub(super) struct Events(Receiver);

    impl Events {
        pub(super) fn of(parts: &[PathBuf]) -> std::io::Result<Self> {
            let handle = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let changes = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            for part in parts {
                add_watch(&handle, part, changes)?;
            }
            Ok(Self(Receiver::from_owned_fd_unchecked(handle)?))
        }

        /// Waits for an event and reads all pending ones; `false` if a folder is gone, and the watch with it.
        pub(super) async fn next(&mut self) -> bool {
            let mut has_read = false;
            let mut is_present = true;
            let mut buffer = [0; 4096];
            loop {
                match self.0.try_read(&mut buffer) {
                    Ok(length @ 1..) => {
                        has_read = true;
                        is_present &= !lost(&buffer[..length]);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock && has_read => return is_present,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        if self.0.readable().await.is_err() {
                            return false;
                        }
                    }
                    Ok(0) | Err(_) => return false,
                }
            }
        }
    }

    /// Whether one of these events says that a folder is gone. Each event is four numbers (watch, mask, cookie, length
    /// of the name) and a name.
    fn lost(mut events: &[u8]) -> bool {
        while let Some((head, rest)) = events.split_first_chunk::<16>() {
            let number = |at: usize| head.as_chunks::<4>().0.get(at).map_or(0, |n| u32::from_ne_bytes(*n));
            let flags = ReadFlags::from_bits_retain(number(1));
            if flags.intersects(ReadFlags::MOVE_SELF | ReadFlags::IGNORED) {
                return true;
            }
            events = rest.get(number(3) as usize..).unwrap_or_default();
        }
        false
    }
}
