//! The folder of one run, created for it and deleted with it. It is locked as long as its run lives, so the next run
//! can tell what a killed one left behind, and deletes that. Files that code left in it are opened without following
//! links.

use crate::text::read_error_text;
use crate::tools::open_beneath::FolderHandle;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The most files we count; more are too many.
const FILES: usize = 2_000;

/// How the folders' names begin. A number follows: runs one after the other have the same name.
const PREFIX: &str = "sayso-sheet-";

/// A private folder with two inside: one to work in, one for what libraries keep for a while.
pub struct Folder {
    root: PathBuf,
    /// Open and locked, until the run ends or is killed.
    _lock: File,
}

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir().canonicalize()?)
    }

    fn new_in(base: &Path) -> io::Result<Self> {
        remove_left_behind(base);
        for number in 1u32.. {
            let root = base.join(format!("{PREFIX}{number}"));
            match make(&root) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Another run may take a folder that is not locked yet for one left behind. Then we make another.
            let Some(lock) = lock(&root) else { continue };
            let folder = Self { root, _lock: lock };
            match make(&folder.work()).and_then(|()| make(&folder.spare())) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => return made.map(|()| folder),
            }
        }
        Err(io::Error::other("there is no room for its folder"))
    }

    /// Where code runs.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Where libraries keep temporary files.
    pub(super) fn spare(&self) -> PathBuf {
        self.root.join("spare")
    }

    /// A copy of the workbook, for the driver to make what [`Self::read_plain`] reads.
    pub(super) fn before(&self) -> PathBuf {
        self.spare().join("before.xlsx")
    }

    /// What openpyxl alone makes of the workbook; empty if that is not known.
    pub(super) fn read_plain(&self, most: u64) -> Vec<u8> {
        let folder = FolderHandle::open(&self.spare()).ok();
        folder.and_then(|folder| folder.bytes(Path::new("plain.xlsx"), most).ok()).unwrap_or_default()
    }

    /// The names of what lies where code ran, in order. One that is no text is named all the same.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.work()).into_iter().flatten().flatten().take(FILES);
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Reads a file that code left, if it is a regular file of at most `most` bytes.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, String> {
        let folder = FolderHandle::open(&self.work()).map_err(|error| read_error_text(&error))?;
        folder.bytes(Path::new(name), most)
    }

    /// How many bytes are stored here; `None` if there are too many files. Code cannot create folders.
    pub(super) fn size(&self) -> Option<u64> {
        let mut total = 0u64;
        let folders = [self.work(), self.spare()];
        // Files that vanished meanwhile take no room.
        let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        for (at, entry) in entries.enumerate() {
            if at >= FILES {
                return None;
            }
            total = total.saturating_add(entry.metadata().map_or(0, |meta| meta.len()));
        }
        Some(total)
    }
}

/// Deletes the folders whose runs are over. Those of other people cannot be opened, and stay.
fn remove_left_behind(base: &Path) {
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        // Never through a link.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && let Some(_lock) = lock(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The lock on a folder, unless somebody has it or the folder is gone.
fn lock(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    lock.try_lock().ok().map(|()| lock)
}

fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_behind_is_removed_by_the_next() {
        let base = tempfile::tempdir().unwrap();
        let running = Folder::new_in(base.path()).unwrap();
        assert!(running.root.ends_with("sayso-sheet-1"));
        std::fs::write(running.work().join("book.xlsx"), "live").unwrap();
        let left = base.path().join(format!("{PREFIX}left"));
        std::fs::create_dir_all(left.join("work")).unwrap();
        std::fs::write(left.join("work/book.xlsx"), "a copy").unwrap();
        std::fs::create_dir(base.path().join("other")).unwrap();
        let next = Folder::new_in(base.path()).unwrap();
        assert!(!left.exists() && base.path().join("other").exists());
        assert!(running.work().join("book.xlsx").exists(), "a run that is not over keeps its folder");
        let root = next.root.clone();
        assert!(root.ends_with("sayso-sheet-2"));
        drop(next);
        assert!(!root.exists());
        assert_eq!(Folder::new_in(base.path()).unwrap().root, root, "the next run has the same name");
    }
}
