//! What git says about a folder.

use super::folder::follow_links;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder in which git looks for hooks: `Some(None)` outside of a repository, `None` if git does not say.
pub fn hooks_folder(folder: &Path) -> Option<Option<PathBuf>> {
    if !folder.ancestors().any(|folder| folder.join(".git").exists()) {
        return Some(None);
    }
    let asked = Command::new("git")
        .args(["rev-parse", "--git-path", "hooks"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|asked| asked.status.success())?;
    let named = String::from_utf8(asked.stdout).ok()?;
    follow_links(&folder.join(named.trim_end_matches('\n'))).ok().map(Some)
}
