//! iCalendar files on disk: read with size limits, and changed without losing anything.

use super::CalendarError;
use super::lines::LONGEST_TEXT;
use crate::text::{self, hex, io_error_text};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The maximum number of files in a folder.
const MAX_FILES: usize = 50_000;
/// The maximum size of all files together.
const MAX_BYTES: usize = 128 << 20;

/// Reads a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, CalendarError> {
    let wrong = |error: io::Error| unreadable(path, &error);
    // Check before opening: opening a pipe would wait for its other end.
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error)),
    };
    if !meta.is_file() {
        return Err(CalendarError::Permanent(format!(
            "{} is not a file; name a calendar file",
            path.display()
        )));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(wrong)?.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() > LONGEST_TEXT {
        let most = LONGEST_TEXT >> 20;
        let text = format!("the calendar {} is larger than {most} MiB; name a smaller one", path.display());
        return Err(CalendarError::Permanent(text));
    }
    Ok(Some(bytes))
}

/// Reads every calendar file of a folder, sorted by name.
pub(super) fn read_folder(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, CalendarError> {
    let wrong = |error: io::Error| unreadable(folder, &error);
    let real = folder.canonicalize().map_err(wrong)?;
    let mut paths = Vec::new();
    for entry in fs::read_dir(&real).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if hidden {
            continue;
        }
        if is_calendar(&path) {
            paths.push(path);
        } else if path.is_dir() && holds_calendars(&path)? {
            // Skipping it would invent free time.
            let text = format!(
                "{} holds folders of calendars ({}); name one of them",
                folder.display(),
                path.file_name().unwrap_or_default().to_string_lossy()
            );
            return Err(CalendarError::Permanent(text));
        }
        if paths.len() > MAX_FILES {
            let text =
                format!("{} holds more than {MAX_FILES} events; name a smaller calendar", folder.display());
            return Err(CalendarError::Permanent(text));
        }
    }
    paths.sort();
    let mut files = Vec::new();
    let mut total = 0;
    for path in paths {
        let target = path.canonicalize().map_err(|error| unreadable(&path, &error))?;
        if !target.starts_with(&real) {
            let text = format!("{} leads out of its folder; put the file itself there", path.display());
            return Err(CalendarError::Permanent(text));
        }
        // A file that disappeared meanwhile was deleted by its owner.
        let Some(bytes) = read(&path)? else { continue };
        total += bytes.len();
        if total > MAX_BYTES {
            let most = MAX_BYTES >> 20;
            let text = format!("{} holds more than {most} MiB; name a smaller calendar", folder.display());
            return Err(CalendarError::Permanent(text));
        }
        files.push((path, bytes));
    }
    Ok(files)
}

fn is_calendar(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ics"))
}

fn holds_calendars(folder: &Path) -> Result<bool, CalendarError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    Ok(entries.take(MAX_FILES).any(|entry| entry.is_ok_and(|entry| is_calendar(&entry.path()))))
}

/// Keeps other sayso processes from changing a calendar; other programs ignore it.
pub(super) struct Lock {
    _folder: File,
}

/// Waits until no other sayso process changes the calendar at `path`.
pub(super) fn lock(path: &Path) -> Result<Lock, CalendarError> {
    let folder = File::open(folder_of(path)).map_err(|error| unwritable(path, &error))?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|error| unwritable(path, &error.into()))?;
    Ok(Lock { _folder: folder })
}

/// The path itself if it is a folder, else the file's folder.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        _ if path.is_dir() => path,
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The result of a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Changed {
    /// It is on disk.
    Done,
    /// Somebody else was faster; nothing was changed.
    Meanwhile,
}

/// Replaces a file if it has not changed since it was read.
pub(super) fn replace(path: &Path, before: Option<&[u8]>, bytes: &[u8]) -> Result<Changed, CalendarError> {
    // A link stays a link; its target is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let wrong = |error: io::Error| unwritable(&path, &error);
    let folder = folder_of(&path);
    let changed = write(&path, folder, before, bytes).map_err(wrong)?;
    if changed == Changed::Done {
        sync(folder, &path)?;
    }
    Ok(changed)
}

/// Removes a file if it has not changed since it was read.
pub(super) fn remove(path: &Path, before: &[u8]) -> Result<Changed, CalendarError> {
    let wrong = |error: io::Error| unwritable(path, &error);
    match fs::read(path) {
        Ok(bytes) if digest(&bytes) == digest(before) => {}
        Ok(_) => return Ok(Changed::Meanwhile),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Changed::Meanwhile),
        Err(error) => return Err(wrong(error)),
    }
    fs::remove_file(path).map_err(wrong)?;
    sync(folder_of(path), path)?;
    Ok(Changed::Done)
}

/// A new or removed name is durable only after the folder is synced.
fn sync(folder: &Path, path: &Path) -> Result<(), CalendarError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| {
        CalendarError::Unknown(format!(
            "the calendar {} may not be safe on the disk: {}",
            path.display(),
            io_error_text(&error)
        ))
    })
}

fn write(path: &Path, folder: &Path, before: Option<&[u8]>, bytes: &[u8]) -> io::Result<Changed> {
    let mut new = tempfile::Builder::new().prefix(".sayso-").tempfile_in(folder)?;
    new.write_all(bytes)?;
    match before {
        Some(before) => {
            new.as_file().set_permissions(fs::Permissions::from_mode(
                fs::metadata(path)?.permissions().mode() & 0o777,
            ))?;
            new.as_file().sync_all()?;
            if digest(&fs::read(path)?) != digest(before) {
                return Ok(Changed::Meanwhile);
            }
            new.persist(path)?;
        }
        None => {
            new.as_file().sync_all()?;
            // A file that appeared meanwhile stays.
            match new.persist_noclobber(path) {
                Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => {
                    return Ok(Changed::Meanwhile);
                }
                other => other?,
            };
        }
    }
    Ok(Changed::Done)
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Whether we can write at `path`.
pub(super) fn is_writable(path: &Path) -> bool {
    rustix::fs::access(folder_of(path), rustix::fs::Access::WRITE_OK).is_ok()
}

/// A file name for an event: its UID if that is a plain name, else a digest of it.
pub(super) fn name_for(uid: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.');
    if !uid.is_empty() && uid.len() <= 120 && !uid.starts_with('.') && uid.chars().all(plain) {
        return format!("{uid}.ics");
    }
    format!("{}.ics", hex(&digest(uid.as_bytes())))
}

fn unreadable(path: &Path, error: &io::Error) -> CalendarError {
    let text = format!(
        "the calendar {} cannot be read: {}; check [calendar] path",
        path.display(),
        text::read_error_text(error)
    );
    classify_io_error(error, text)
}

fn unwritable(path: &Path, error: &io::Error) -> CalendarError {
    classify_io_error(
        error,
        format!("the calendar {} cannot be written: {}", path.display(), io_error_text(error)),
    )
}

/// Sorts errors into temporary and permanent ones.
fn classify_io_error(error: &io::Error, text: String) -> CalendarError {
    use io::ErrorKind::{Interrupted, ResourceBusy, StorageFull, TimedOut, WouldBlock};
    match error.kind() {
        Interrupted | ResourceBusy | StorageFull | TimedOut | WouldBlock => CalendarError::Temporary(text),
        _ => CalendarError::Permanent(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_wrote_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work.ics");
        assert_eq!(replace(&path, None, b"one").unwrap(), Changed::Done);
        assert_eq!(replace(&path, None, b"other").unwrap(), Changed::Meanwhile);
        fs::write(&path, "theirs").unwrap();
        assert_eq!(replace(&path, Some(b"one"), b"two").unwrap(), Changed::Meanwhile);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(replace(&path, Some(b"theirs"), b"two").unwrap(), Changed::Done);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left lying about");
    }

    #[test]
    fn links_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("real.ics"), folder.path().join("link.ics"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(replace(&link, Some(b"one"), b"two").unwrap(), Changed::Done);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(name_for("a-1@sayso"), "a-1@sayso.ics");
        for odd in ["../../etc/passwd", ".hidden", "", "a b", "é", &"x".repeat(200)] {
            let name = name_for(odd);
            assert!(name.len() == 68 && !name.contains('/') && !name.starts_with('.'), "{name}");
        }
    }
}
