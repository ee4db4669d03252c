//! Puts a mail into a Maildir: writes and syncs it in `tmp`, renames it to its place, then syncs the folder. A crash in
//! between leaves a file in `tmp`, which nobody reads.
//!
//! Lines end in a newline alone, as in every Maildir.

use super::folder::Folder;
use super::header::{copy_of, identity};
use super::trouble;
use crate::mail::MailError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Which part of a folder a mail goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryTarget {
    /// `new`: unseen.
    New,
    /// `cur`, as a mail the user sent.
    Sent,
    /// `cur`, as a draft.
    Draft,
}

impl DeliveryTarget {
    fn place(self, folder: &Path, name: &str) -> PathBuf {
        match self {
            Self::New => folder.join("new").join(name),
            Self::Sent => folder.join("cur").join(format!("{name}:2,S")),
            Self::Draft => folder.join("cur").join(format!("{name}:2,DS")),
        }
    }
}

/// A mail that is safely on disk but not delivered yet.
#[derive(Debug)]
pub struct Delivery {
    folder: Folder,
    name: String,
    target: DeliveryTarget,
    temporary: PathBuf,
}

impl Delivery {
    /// Writes a mail below `path`, under a name derived from its bytes: delivered twice, it is there once.
    pub fn begin(path: &Path, raw: &[u8], target: DeliveryTarget) -> Result<Self, MailError> {
        let folder = Folder::new("", path.to_owned());
        let name = identity(raw);
        let temporary = path.join("tmp").join(&name);
        write(&temporary, &newlines(raw)).map_err(|error| trouble(&temporary, &error))?;
        Ok(Self { folder, name, target, temporary })
    }

    /// Where a mail with these bytes waits between [`Delivery::begin`] and [`Delivery::finish`].
    pub fn waiting(path: &Path, raw: &[u8]) -> PathBuf {
        path.join("tmp").join(identity(raw))
    }

    /// Moves the mail to its place, unless it is already there, and says where that is.
    pub fn finish(self) -> Result<PathBuf, MailError> {
        if let Some(entry) = self.folder.find(&self.name)? {
            let _ = fs::remove_file(&self.temporary);
            return Ok(self.folder.path().join(entry.path()));
        }
        let place = self.target.place(self.folder.path(), &self.name);
        fs::rename(&self.temporary, &place)
            .and_then(|()| File::open(place.parent().unwrap_or(&place))?.sync_all())
            .map_err(|error| trouble(&place, &error))?;
        Ok(place)
    }
}

/// Writes and syncs the whole file. Removes what an earlier attempt left: it is the same mail.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    // The name must survive a crash too: it shows that a delivery began.
    File::open(path.parent().unwrap_or(path))?.sync_all()
}

/// Converts line ends to newlines.
pub(in crate::mail) fn newlines(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    for (at, byte) in raw.iter().enumerate() {
        if *byte != b'\r' || raw.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// Saves a draft; the same Message-ID once.
pub(super) fn draft(folder: &Folder, raw: &[u8]) -> Result<(), MailError> {
    folder.create()?;
    if copy_of(folder, raw)?.is_none() {
        Delivery::begin(folder.path(), raw, DeliveryTarget::Draft)?.finish()?;
    }
    Ok(())
}
