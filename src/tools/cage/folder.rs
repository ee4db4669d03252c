//! The folder of one run, created for it and deleted with it. Files that code left in it are opened without following
//! links.

use crate::text::random_hex;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The most files we count; more are too many.
const FILES: usize = 2_000;

/// A private folder with two inside: one to work in, one kept aside.
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let base = std::env::temp_dir().canonicalize()?;
        let root = base.join(format!("sayso-sheet-{}", random_hex::<12>()?));
        let folder = Self { root };
        for path in [folder.root.clone(), folder.work(), folder.spare()] {
            make(&path)?;
        }
        Ok(folder)
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Where libraries keep temporary files, and the driver keeps the workbook from before the last cell.
    pub(super) fn spare(&self) -> PathBuf {
        self.root.join("spare")
    }

    /// Reads a file that code left here, if it is a regular file of at most `most` bytes.
    pub(super) fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        use rustix::fs::{FileType, Mode, OFlags};
        let refused = |why: &str| io::Error::other(why.to_owned());
        let beneath = path.strip_prefix(&self.root).map_err(|_| refused("it lies elsewhere"))?;
        let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut at = rustix::fs::open(&self.root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        for part in beneath.components() {
            let Component::Normal(name) = part else { return Err(refused("its name leads elsewhere")) };
            at = rustix::fs::openat(&at, name, flags, Mode::empty())?;
        }
        let stat = rustix::fs::fstat(&at)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(refused("it is no plain file"));
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::from(at).take(most + 1).read_to_end(&mut bytes)?;
        if read as u64 > most { Err(refused("it is too large")) } else { Ok(bytes) }
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

#[cfg(unix)]
fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn make(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
