//! Opens files inside a folder, and nothing else.
//!
//! Everything is opened from the folder's handle, one name at a time, without following links: an entry that was
//! swapped a moment ago leads nowhere. Only regular files within the size limit are read.

use crate::text::read_error_text;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// A folder that nothing leads out of.
#[derive(Debug)]
pub(super) struct FolderHandle {
    handle: OwnedFd,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub name: OsString,
    /// Its file type; the error says why it cannot be determined.
    pub kind: io::Result<FileType>,
    pub bytes: u64,
}

impl FolderHandle {
    /// Opens the folder at `root`. Its own path may contain links.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let handle = rustix::fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { handle })
    }

    /// The entries of `folder`, sorted by name: at most `most`, and whether there are more.
    pub(super) fn list(&self, folder: &Path, most: usize) -> io::Result<(Vec<Entry>, bool)> {
        let handle = self.reach(folder, OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        let mut more = false;
        for entry in Dir::read_from(&handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            if name == "." || name == ".." {
                continue;
            }
            if names.len() >= most {
                more = true;
                break;
            }
            names.push(name);
        }
        names.sort();
        let look = |name: OsString| {
            let stat = rustix::fs::statat(&handle, &name, AtFlags::SYMLINK_NOFOLLOW);
            let bytes = stat.as_ref().map_or(0, |stat| stat.st_size.unsigned_abs());
            let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode)).map_err(Into::into);
            Entry { name, kind, bytes }
        };
        Ok((names.into_iter().map(look).collect(), more))
    }

    /// The text of a file of at most `most` bytes; the error is a reason for people.
    pub(super) fn text(&self, path: &Path, most: u64) -> Result<String, String> {
        let bytes = self.bytes(path, most)?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        if text.contains('\0') { Err("it is not text".to_owned()) } else { Ok(text) }
    }

    /// The bytes of a file, at most `most`; the error is a reason for people.
    pub(super) fn bytes(&self, path: &Path, most: u64) -> Result<Vec<u8>, String> {
        let (file, _) = self.file(path)?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| read_error_text(&e))?;
        if bytes.len() as u64 > most {
            return Err(format!("it is larger than {} KiB", most >> 10));
        }
        Ok(bytes)
    }

    /// A regular file and its length.
    pub(super) fn file(&self, path: &Path) -> Result<(File, u64), String> {
        // Do not wait for a writer: what looked like a file may have become a pipe.
        let file = File::from(self.reach(path, OFlags::NONBLOCK).map_err(|e| read_error_text(&e))?);
        let meta = file.metadata().map_err(|e| read_error_text(&e))?;
        if meta.is_file() { Ok((file, meta.len())) } else { Err(NO_FILE.to_owned()) }
    }

    fn reach(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let mut handle = self.handle.try_clone()?;
        let names: Vec<&OsStr> = path.iter().collect();
        if path.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it lies outside the folder"));
        }
        for (at, name) in names.iter().enumerate() {
            let last = at + 1 == names.len();
            let flags = if last { flags } else { OFlags::DIRECTORY };
            let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            handle = rustix::fs::openat(&handle, *name, flags, Mode::empty())?;
        }
        // A handle that is listed needs its own read position.
        if names.is_empty() {
            handle = rustix::fs::openat(&handle, ".", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        }
        Ok(handle)
    }
}

/// Why we do not read a device, pipe or socket.
pub(super) const NO_FILE: &str = "it is a device, a pipe or a socket";
