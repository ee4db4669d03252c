//! The folder of one run, created for it and deleted with it. It is locked as long as its run lives, so the next run
//! can tell what a killed one left behind, and deletes that. Files that code left in it are opened without following
//! links.

use crate::text::read_error_text;
use crate::tools::open_beneath::FolderHandle;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The most files and folders we count; more are too many.
const ENTRIES: usize = 2_000;

/// How the folders' names begin. A number follows: runs one after the other have the same name.
const PREFIX: &str = "sayso-sheet-";

/// The mode of every folder made here: nobody else may look into it.
const MODE: u32 = 0o700;

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

    /// The paths of the files where code ran, in order. One that is no text is named all the same.
    pub(super) fn names(&self) -> Vec<String> {
        let work = self.work();
        let name =
            |(path, _): &(PathBuf, u64)| Some(path.strip_prefix(&work).ok()?.to_string_lossy().into_owned());
        let mut names: Vec<String> = files(&work).found.iter().filter_map(name).collect();
        names.sort_unstable();
        names
    }

    /// Reads a file that code left, if it is a regular file of at most `most` bytes.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, String> {
        let folder = FolderHandle::open(&self.work()).map_err(|error| read_error_text(&error))?;
        folder.bytes(Path::new(name), most)
    }

    /// How many bytes are stored here; `None` if there is more than is counted.
    pub(super) fn size(&self) -> Option<u64> {
        let Files { found, more } = files(&self.root);
        (!more).then(|| found.iter().map(|(_, bytes)| bytes).sum())
    }
}

/// What lies in a folder and in those inside it.
#[derive(Default)]
struct Files {
    /// Each file with its length.
    found: Vec<(PathBuf, u64)>,
    /// Whether there are more than we count, or where we cannot look.
    more: bool,
}

fn files(root: &Path) -> Files {
    let (mut files, mut seen) = (Files::default(), 0);
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            // It vanished meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => return Files { more: true, ..files },
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES {
                return Files { more: true, ..files };
            }
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => files.found.push((entry.path(), meta.len())),
                Err(_) => {}
            }
        }
    }
    files
}

/// Deletes the folders whose runs are over. Those that others could reach into were not made here, and stay.
fn remove_left_behind(base: &Path) {
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        // Never through a link.
        let is_own = entry.metadata().is_ok_and(|meta| {
            meta.is_dir() && meta.mode() & 0o777 == MODE && meta.uid() == rustix::process::geteuid().as_raw()
        });
        if is_own && let Some(_lock) = lock(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Deletes a folder, however deep code made it: what lies in a folder inside it is first moved up, so that no path gets
/// long. No link leads out of it, since code can make none.
fn remove(root: &Path) {
    let mut moved = 0u64;
    loop {
        let (mut is_empty, mut goes_on) = (true, false);
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            is_empty = false;
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                goes_on |= std::fs::remove_file(&path).is_ok();
                continue;
            }
            open_to_owner(&path);
            for inner in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                if inner.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open_to_owner(&inner.path());
                    moved += 1;
                    goes_on |= std::fs::rename(inner.path(), root.join(format!("moved-up-{moved}"))).is_ok();
                } else {
                    goes_on |= std::fs::remove_file(inner.path()).is_ok();
                }
            }
            goes_on |= std::fs::remove_dir(&path).is_ok();
        }
        if is_empty || !goes_on {
            let _ = std::fs::remove_dir(root);
            return;
        }
    }
}

/// Code can make a folder that nobody may enter.
fn open_to_owner(folder: &Path) {
    let _ = std::fs::set_permissions(folder, Permissions::from_mode(MODE));
}

/// The lock on a folder, unless somebody has it or the folder is gone.
fn lock(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    lock.try_lock().ok().map(|()| lock)
}

fn make(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(MODE).create(path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};

    #[test]
    fn what_a_killed_run_left_behind_is_removed_by_the_next() {
        let base = tempfile::tempdir().unwrap();
        let running = Folder::new_in(base.path()).unwrap();
        assert!(running.root.ends_with("sayso-sheet-1"));
        std::fs::write(running.work().join("book.xlsx"), "live").unwrap();
        let left = base.path().join(format!("{PREFIX}left"));
        make(&left).unwrap();
        make(&left.join("work")).unwrap();
        let foreign = base.path().join(format!("{PREFIX}foreign"));
        std::fs::create_dir(&foreign).unwrap();
        std::fs::set_permissions(&foreign, Permissions::from_mode(0o755)).unwrap();
        std::fs::write(left.join("work/book.xlsx"), "a copy").unwrap();
        std::fs::create_dir(base.path().join("other")).unwrap();
        let next = Folder::new_in(base.path()).unwrap();
        assert!(!left.exists() && base.path().join("other").exists());
        assert!(foreign.exists(), "others could have put a link into it");
        assert!(running.work().join("book.xlsx").exists(), "a run that is not over keeps its folder");
        let root = next.root.clone();
        assert!(root.ends_with("sayso-sheet-2"));
        drop(next);
        assert!(!root.exists());
        assert_eq!(Folder::new_in(base.path()).unwrap().root, root, "the next run has the same name");
    }

    #[test]
    fn folders_inside_are_counted_and_removed_however_deep_they_are() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::new_in(base.path()).unwrap();
        std::fs::create_dir_all(folder.work().join("out/charts")).unwrap();
        std::fs::write(folder.work().join("out/charts/a.png"), "four").unwrap();
        std::fs::write(folder.work().join("b.csv"), "a").unwrap();
        assert_eq!(folder.names(), ["b.csv", "out/charts/a.png"]);
        assert_eq!(folder.size(), Some(5));
        // Longer than any path may be.
        let mut inner = rustix::fs::open(folder.spare(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        for _ in 0..5_000 {
            rustix::fs::mkdirat(&inner, "d", Mode::RWXU).unwrap();
            inner = rustix::fs::openat(&inner, "d", OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        rustix::fs::mkdirat(&inner, "closed", Mode::empty()).unwrap();
        assert_eq!(folder.size(), None);
        drop(folder);
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
