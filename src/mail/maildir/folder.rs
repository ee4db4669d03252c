//! One Maildir folder: listing and opening its files.

use super::cursor::{Short, short};
use super::name::{self, Name};
use super::trouble;
use crate::mail::MailError;
use rustix::fs::{FileType, Mode, OFlags};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// How often we look for a mail that is just being renamed.
const LOOKS: usize = 5;

/// The flag suffixes that most mails in `cur` have after the key.
const USUAL: [&str; 9] = [":2,S", ":2,", ":2,RS", ":2,FS", ":2,FRS", ":2,R", ":2,F", ":2,FR", ""];

/// A folder with `cur`, `new` and `tmp`.
#[derive(Clone, Debug)]
pub(in crate::mail) struct Folder {
    /// Its name in places.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// `new` or `cur`.
    pub(super) part: &'static str,
    /// Its file name there.
    pub(super) file: OsString,
    pub(super) flags: String,
}

impl Entry {
    pub(super) fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Relative to its folder.
    pub(super) fn path(&self) -> PathBuf {
        Path::new(self.part).join(&self.file)
    }
}

/// An open mail file, and when it was delivered.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) arrived: jiff::Timestamp,
}

impl Folder {
    pub(in crate::mail) fn new(name: &str, path: PathBuf) -> Self {
        Self { name: name.to_owned(), path }
    }

    pub(in crate::mail) fn path(&self) -> &Path {
        &self.path
    }

    /// All mails by key.
    pub(super) fn list(&self) -> Result<BTreeMap<String, Entry>, MailError> {
        let mut entries = BTreeMap::new();
        self.for_each(|key, entry| {
            entries.insert(key, entry);
        })?;
        Ok(entries)
    }

    /// The mails that are not known yet, by key, each with its short name, which depends on `namespace`. The short names
    /// of the others are added to `known`; a mail that is moving may be added twice. A large folder is looked through
    /// often, and nearly all of its mails are known, so nothing else is kept of them.
    pub(super) fn list_unknown(
        &self,
        namespace: &str,
        is_known: impl Fn(Short) -> bool,
        known: &mut Vec<Short>,
    ) -> Result<BTreeMap<String, (Short, Entry)>, MailError> {
        let mut unknown = BTreeMap::new();
        self.for_each(|key, entry| {
            let short = short(namespace, &key);
            if is_known(short) {
                known.push(short);
            } else {
                unknown.insert(key, (short, entry));
            }
        })?;
        Ok(unknown)
    }

    /// Goes through all mails. `new` comes first, so that a mail moving to `cur` is seen at least once; it may be seen
    /// twice, and the second time counts.
    fn for_each(&self, mut each: impl FnMut(String, Entry)) -> Result<(), MailError> {
        for part in ["new", "cur"] {
            let path = self.path.join(part);
            self.for_each_in(part, &mut each).map_err(|error| trouble(&path, &error))?;
        }
        Ok(())
    }

    fn for_each_in(&self, part: &'static str, each: &mut impl FnMut(String, Entry)) -> io::Result<()> {
        for entry in fs::read_dir(self.path.join(part))? {
            let entry = entry?;
            // The listing nearly always knows the type; opening checks again.
            let is_irregular = entry.file_type().is_ok_and(|kind| !kind.is_file());
            let file = entry.file_name();
            if let (false, Some(Name { key, flags })) = (is_irregular, name::read(&file)) {
                each(key, Entry { part, file, flags });
            }
        }
        Ok(())
    }

    /// The mail with a key. Tries again if another program is just renaming it.
    pub(super) fn find(&self, key: &str) -> Result<Option<Entry>, MailError> {
        if let Some(entry) = self.find_usual(key) {
            return Ok(Some(entry));
        }
        for _ in 0..LOOKS {
            let mut found = None;
            self.for_each(|other, entry| {
                if other == key {
                    found = Some(entry);
                }
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Tries the file names that most mails have: listing a large folder is slow.
    pub(super) fn find_usual(&self, key: &str) -> Option<Entry> {
        let in_cur = USUAL.iter().map(|flags| ("cur", format!("{key}{flags}")));
        in_cur.chain([("new", key.to_owned())]).find_map(|(part, file)| {
            let file = OsString::from(file);
            // A key with escapes may be the name of another mail.
            let Name { flags, .. } = name::read(&file).filter(|name| name.key == key)?;
            let entry = Entry { part, file, flags };
            fs::symlink_metadata(self.path.join(entry.path())).ok()?.is_file().then_some(entry)
        })
    }

    /// Does something with the file of a mail, even if it is renamed meanwhile; `None` if it is gone.
    pub(super) fn with<T>(
        &self,
        key: &str,
        mut entry: Entry,
        act: impl Fn(&Entry) -> io::Result<T>,
    ) -> Result<Option<T>, MailError> {
        for _ in 0..LOOKS {
            match act(&entry) {
                Ok(done) => return Ok(Some(done)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(trouble(&self.path.join(entry.path()), &error)),
            }
            match self.find(key)? {
                Some(renamed) => entry = renamed,
                None => return Ok(None),
            }
        }
        let place = self.path.join(entry.path());
        Err(MailError::Temporary(format!(
            "{} is renamed all the time; it will be tried again",
            place.display()
        )))
    }

    /// Moves a mail to `cur` of a folder, which may be this one, and adds flags; `None` if it is gone. A synchroniser's
    /// number is valid in one folder only, so it stays behind.
    pub(super) fn move_mail(
        &self,
        key: &str,
        entry: Entry,
        target: &Folder,
        more: &str,
    ) -> Result<Option<()>, MailError> {
        let cur = target.path.join("cur");
        if !cur.is_dir() {
            return Err(trouble(&cur, &io::ErrorKind::NotFound.into()));
        }
        self.with(key, entry, |entry| {
            let is_same = self.path == target.path;
            let file = if is_same { entry.file.clone() } else { name::without_number(&entry.file) };
            let to = cur.join(name::with_flags(&file, &name::more_flags(&entry.flags, more)));
            let from = self.path.join(entry.path());
            if from == to { Ok(()) } else { rename(&from, &to, &target.path) }
        })
    }

    /// Opens a mail and nothing else: does not follow links or wait for pipes.
    pub(super) fn open(&self, entry: &Entry) -> io::Result<Opened> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(self.path.join(entry.path()), flags, Mode::empty())?);
        let meta = file.metadata()?;
        if FileType::from_raw_mode(meta.mode()) != FileType::RegularFile {
            return Err(io::Error::other("it is a device, a pipe or a folder"));
        }
        Ok(Opened { arrived: arrived(&meta, &entry.file), file })
    }

    /// When a mail was delivered; `None` if it is gone or no regular file.
    pub(super) fn arrived(&self, entry: &Entry) -> Option<jiff::Timestamp> {
        let meta = fs::symlink_metadata(self.path.join(entry.path())).ok()?;
        meta.is_file().then(|| arrived(&meta, &entry.file))
    }

    /// The first bytes of a mail.
    pub(super) fn beginning(&self, entry: &Entry, bytes: u64) -> io::Result<Vec<u8>> {
        let mut beginning = Vec::new();
        self.open(entry)?.file.take(bytes).read_to_end(&mut beginning)?;
        Ok(beginning)
    }

    /// Creates the folder if missing, for its owner only.
    pub(in crate::mail) fn create(&self) -> Result<(), MailError> {
        let created = ["tmp", "new", "cur"].iter().try_for_each(|part| {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(self.path.join(part))
        });
        created.map_err(|error| trouble(&self.path, &error))
    }

    pub(in crate::mail) fn exists(&self) -> bool {
        self.path.join("cur").is_dir()
    }

    /// Checks that files can be written.
    pub(in crate::mail) fn writable(&self) -> Result<(), MailError> {
        for part in ["tmp", "new", "cur"] {
            let path = self.path.join(part);
            let access =
                rustix::fs::access(&path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK);
            access.map_err(|error| trouble(&path, &error.into()))?;
        }
        Ok(())
    }
}

/// Renames a file, also across disks.
fn rename(from: &Path, to: &Path, target: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let Some(name) = to.file_name() else { return Err(error) };
            let copy = target.join("tmp").join(name);
            fs::copy(from, &copy)?;
            File::open(&copy)?.sync_all()?;
            fs::rename(&copy, to)?;
            // The copy is safe before the original is removed.
            File::open(target.join("cur"))?.sync_all()?;
            fs::remove_file(from)
        }
        other => other,
    }
}

/// The modification time is the time of delivery, since files in a Maildir never change. If it is out of range, the
/// seconds at the start of the name are used.
fn arrived(meta: &fs::Metadata, file: &OsStr) -> jiff::Timestamp {
    let by_name = || {
        let name = file.to_string_lossy();
        let seconds = name.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        jiff::Timestamp::from_second(seconds).ok()
    };
    let by_meta = jiff::Timestamp::new(meta.mtime(), i32::try_from(meta.mtime_nsec()).unwrap_or(0)).ok();
    by_meta.or_else(by_name).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}
