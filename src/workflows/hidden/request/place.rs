//! The folder a program works in, and which of its files a grant may leave open: those that decide nothing about what
//! else is done there.

use super::shell::file_inside;
use crate::dialects::steers;
use crate::engine::graph::Act;
use crate::text::hex;
use crate::tools::folder::follow_links;
use crate::tools::git::hooks_folder;
use crate::tools::regular_file;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The largest program or script that is looked at, in bytes.
const MAX_PROGRAM: u64 = 64 << 20;

/// What follows the name of a file whose digest is fixed.
pub(super) const AS_IT_IS: &str = " as it is";

/// The longest text of which a change is shown, in bytes.
const MAX_SHOWN: usize = 64 << 10;

pub(super) struct Place {
    folder: String,
    /// Where its links lead.
    root: Option<PathBuf>,
    /// What git says about its hooks, once somebody asked.
    hooks: OnceCell<Option<Option<PathBuf>>>,
}

impl Place {
    pub(super) fn of(folder: &str) -> Self {
        let root = follow_links(Path::new(folder)).ok();
        Self { folder: folder.to_owned(), root, hooks: OnceCell::new() }
    }

    /// Whether a word of a command is a path that another such path may stand in for.
    pub(super) fn is_open_word(&self, word: &str, folder: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
        let is_path = || word.contains('/') || Path::new(folder).join(word).is_file();
        !word.is_empty()
            && !word.starts_with('-')
            && word.chars().all(is_plain)
            && is_path()
            && self.is_open(word, folder, true)
    }

    /// Whether a file may be changed without asking, if a person said so about another one.
    pub(super) fn is_open_file(&self, path: &str, folder: &str) -> bool {
        self.is_open(path, folder, false)
    }

    fn is_open(&self, path: &str, folder: &str, or_folder: bool) -> bool {
        let Some(root) = &self.root else { return false };
        let is_below = folder == self.folder || file_inside(folder, &self.folder).is_some();
        let Some(named) = file_inside(path, folder).filter(|_| is_below) else { return false };
        let Ok(real) = follow_links(&Path::new(folder).join(path)) else { return false };
        let (Ok(named), Ok(rest)) = (named.strip_prefix(&self.folder), real.strip_prefix(root)) else {
            return false;
        };
        let is_seen = |path: &Path| {
            let mut names = path.iter().map(|name| name.to_string_lossy());
            path.iter().next().is_some() && names.all(|name| !name.starts_with('.') && !steers(&name))
        };
        let is_usual = match real.symlink_metadata() {
            Ok(found) if found.is_file() => found.permissions().mode() & 0o111 == 0 && found.nlink() == 1,
            Ok(found) => found.is_dir() && or_folder,
            Err(_) => true,
        };
        is_seen(named)
            && is_seen(rest)
            && is_usual
            && !is_in_repository(&real, root)
            && self.is_hook(&real) == Some(false)
    }

    /// Whether git runs it.
    pub(super) fn is_hook_of_git(&self, file: &str) -> bool {
        follow_links(&Path::new(&self.folder).join(file)).is_ok_and(|real| self.is_hook(&real) == Some(true))
    }

    /// Whether git runs a file, or runs what lies below it; `None` if git does not say.
    fn is_hook(&self, file: &Path) -> Option<bool> {
        let hooks = self.hooks.get_or_init(|| hooks_folder(Path::new(&self.folder))).as_ref()?;
        let lower = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
        let file = lower(file);
        Some(
            hooks
                .as_deref()
                .map(lower)
                .is_some_and(|hooks| file.starts_with(&hooks) || hooks.starts_with(&file)),
        )
    }

    /// Fixes what a file contains, if it is one inside the folder; `None` if it cannot be read.
    pub(super) fn pin(&self, file: &str, act: &mut Act) -> Option<()> {
        let path = Path::new(&act.folder).join(file);
        let Ok(real) = path.canonicalize() else { return Some(()) };
        if !self.root.as_ref().is_some_and(|root| real.starts_with(root)) || !real.is_file() {
            return Some(());
        }
        let bytes = regular_file::read(&real, MAX_PROGRAM).ok()?;
        let name = format!("{file}{AS_IT_IS}");
        act.fixed.insert(name.clone(), hex(&Sha256::digest(&bytes)).chars().take(32).collect());
        let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_SHOWN);
        act.texts.extend(text.map(|text| (name, text)));
        Some(())
    }
}

/// Whether a file belongs to a repository without a work tree that lies in the folder.
fn is_in_repository(file: &Path, root: &Path) -> bool {
    let is_repository = |folder: &Path| {
        folder.join("HEAD").exists() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
    };
    file.ancestors().take_while(|folder| folder.starts_with(root)).any(is_repository)
}
