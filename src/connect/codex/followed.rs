//! A lock file in the data folder that marks a server as followed, so that hooks leave its requests to it.
//!
//! The lock ends with its holder. If a hook is wrong about it, the question is left to Codex's own window.

use crate::tools::process::Process;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const FILE: &str = "codex.lock";

/// Held while a server is followed.
#[derive(Debug)]
pub(super) struct Followed {
    _file: File,
}

impl Followed {
    /// Marks this server as followed; `None` if that fails, or if a server is already followed by somebody else.
    pub(super) fn mark(folder: &Path, server: &Process) -> Option<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(folder.join(FILE)).ok()?;
        file.try_lock().ok()?;
        file.set_len(0).ok()?;
        file.write_all(serde_json::to_string(server).ok()?.as_bytes()).ok()?;
        Some(Self { _file: file })
    }
}

/// Whether the program that started this process is a followed server.
pub fn starter_is_followed(folder: &Path) -> bool {
    Process::starter().is_some_and(|starter| is_followed(folder, &starter))
}

fn is_followed(folder: &Path, server: &Process) -> bool {
    let Ok(file) = File::open(folder.join(FILE)) else { return false };
    let held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let marked = std::io::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok());
    held && marked.as_ref() == Some(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_followed_while_the_mark_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let server = Process { pid: 7, born: 9 };
        assert!(!is_followed(folder.path(), &server));
        let mark = Followed::mark(folder.path(), &server);
        assert!(mark.is_some() && is_followed(folder.path(), &server));
        assert!(!is_followed(folder.path(), &Process { pid: 7, born: 8 }), "it is another one");
        assert!(Followed::mark(folder.path(), &Process { pid: 8, born: 9 }).is_none());
        drop(mark);
        assert!(!is_followed(folder.path(), &server));
        // A later mark overwrites all of it.
        let _mark = Followed::mark(folder.path(), &Process { pid: 1, born: 2 });
        assert!(is_followed(folder.path(), &Process { pid: 1, born: 2 }));
    }
}
