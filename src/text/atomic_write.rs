//! Writes files without losing any: the old file is kept next to the new one, dated, unless the caller lets it go.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes `bytes` to `path` atomically. An existing file with other bytes is kept next to it, with `stamp` in its name,
/// unless `is_disposable` accepts them; returns where. It is asked while no other sayso writer is in the folder.
pub fn write(
    path: &Path,
    bytes: &[u8],
    stamp: &str,
    is_disposable: &dyn Fn(&[u8]) -> bool,
) -> io::Result<Option<PathBuf>> {
    put(path, bytes, stamp, is_disposable, 0o666)
}

/// Like [`write`], for a file that only its owner may read; an existing one is always kept.
pub fn write_private(path: &Path, bytes: &[u8], stamp: &str) -> io::Result<Option<PathBuf>> {
    put(path, bytes, stamp, &|_| false, 0o600)
}

fn put(
    path: &Path,
    bytes: &[u8],
    stamp: &str,
    is_disposable: &dyn Fn(&[u8]) -> bool,
    mode: u32,
) -> io::Result<Option<PathBuf>> {
    if holds(path, bytes)? {
        return Ok(None);
    }
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder has that name"));
    }
    let folder = File::open(folder_of(path))?;
    // Only one writer per folder, across all processes: each keeps what the previous one wrote.
    folder.lock()?;
    let new = beside(path, bytes, mode)?;
    let needs_backup = path.exists() && !fs::read(path).is_ok_and(|bytes| is_disposable(&bytes));
    let backup = if needs_backup { Some(back_up(path, stamp)?) } else { None };
    new.persist(path)?;
    // The name is durable only once the folder is.
    folder.sync_all()?;
    Ok(backup)
}

/// Creates a file that only its owner may read, all or nothing. An existing file stays (`AlreadyExists`).
pub fn create_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes, 0o600)?.persist_noclobber(path)?;
    // The file is there and whole. A folder that cannot be synced makes the name less durable, not the file missing.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Creates or replaces a file that only its owner may read, all or nothing; also creates its folder.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    beside(path, bytes, 0o600)?.persist(path)?;
    File::open(folder)?.sync_all()
}

/// Makes sure of a copy that only its owner may read and nobody writes, all or nothing; also creates its folder. A file
/// with other bytes stays (`AlreadyExists`).
pub fn keep_copy(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if holds(path, bytes)? {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder_of(path))?;
    beside(path, bytes, 0o400)?.persist_noclobber(path)?;
    Ok(())
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file with these bytes next to `path`, which goes away unless it is given a name.
fn beside(path: &Path, mut bytes: impl Read, mode: u32) -> io::Result<NamedTempFile> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut file = tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".part")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder_of(path))?;
    io::copy(&mut bytes, &mut file)?;
    file.as_file().sync_all()?;
    Ok(file)
}

pub fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == bytes.len() as u64 => Ok(fs::read(path)? == bytes),
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The copies that were kept of a file next to it, in the order of their stamps.
pub fn backups(path: &Path) -> Vec<PathBuf> {
    let Some(stem) = path.file_stem().map(|stem| format!("{}-", stem.to_string_lossy())) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder_of(path)).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_copy = |other: &PathBuf| {
        let stamp = other.file_stem().and_then(|other| other.to_str()?.strip_prefix(&stem));
        other.extension() == path.extension()
            && stamp.is_some_and(|stamp| stamp.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut backups: Vec<PathBuf> = entries.filter(is_copy).collect();
    backups.sort_unstable_by_key(|backup| backup.file_stem().map(ToOwned::to_owned));
    backups
}

/// Gives the file at `path` a second name, so that it is never gone, not even for a moment.
fn back_up(path: &Path, stamp: &str) -> io::Result<PathBuf> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    for n in 0..1000 {
        let again = if n == 0 { String::new() } else { format!("-{n}") };
        let backup = path.with_file_name(format!("{stem}-{stamp}{again}{ending}"));
        match fs::hard_link(path, &backup) {
            Ok(()) => return Ok(backup),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Some file systems have no hard links.
            Err(_) => {
                copy(path, &backup)?;
                return Ok(backup);
            }
        }
    }
    Err(io::Error::other("there are a thousand backups of it already"))
}

/// Copies a file for those who may read the original, and nobody else.
fn copy(path: &Path, backup: &Path) -> io::Result<()> {
    let original = File::open(path)?;
    let mode = original.metadata()?.permissions().mode() & 0o777;
    beside(backup, original, mode)?.persist_noclobber(backup)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_kept_dated_and_the_same_bytes_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.md");
        assert_eq!(write(&path, b"one", "2026-01-01", &|_| false).unwrap(), None);
        assert_eq!(write(&path, b"one", "2026-01-01", &|_| false).unwrap(), None);
        let backup = write(&path, b"two", "2026-01-01", &|_| false).unwrap().unwrap();
        assert_eq!(backup.file_name().unwrap(), "result-2026-01-01.md");
        let again = write(&path, b"three", "2026-01-01", &|_| false).unwrap().unwrap();
        assert_eq!(again.file_name().unwrap(), "result-2026-01-01-1.md");
        assert_eq!(fs::read(&backup).unwrap(), b"one");
        assert_eq!(fs::read(&again).unwrap(), b"two");
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_copy_is_written_once_for_nobody_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opened/one/letter.pdf");
        let inode = || {
            keep_copy(&path, b"one").unwrap();
            std::os::unix::fs::MetadataExt::ino(&fs::metadata(&path).unwrap())
        };
        assert_eq!(inode(), inode());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o400);
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"two").unwrap();
        assert_eq!(keep_copy(&path, b"one").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"two", "somebody changed it");
    }

    #[test]
    fn a_private_file_takes_no_other_ones_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        create_private(&path, b"one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(create_private(&path, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let backup = write_private(&path, b"two", "x").unwrap().unwrap();
        assert_eq!(
            (fs::read(&backup).unwrap(), fs::read(&path).unwrap()),
            (b"one".to_vec(), b"two".to_vec())
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left lying about");
    }

    #[test]
    fn a_copy_is_as_private_as_its_original() {
        let folder = tempfile::tempdir().unwrap();
        let (path, backup) = (folder.path().join("config.toml"), folder.path().join("config-x.toml"));
        create_private(&path, b"one").unwrap();
        copy(&path, &backup).unwrap();
        assert_eq!(fs::read(&backup).unwrap(), b"one");
        assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_new_file_counts_as_written_if_only_its_folder_cannot_be_synced() {
        let folder = tempfile::tempdir().unwrap();
        // Files can be made in it, but it cannot be opened itself, except by root.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o300)).unwrap();
        let path = folder.path().join("thread.md");
        create_private(&path, b"one").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_may_go_is_replaced_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        let ours = |bytes: &[u8]| bytes.starts_with(b"ours");
        assert_eq!(write(&path, b"ours 1", "x", &ours).unwrap(), None);
        assert_eq!(write(&path, b"ours 2", "x", &ours).unwrap(), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::write(&path, "theirs").unwrap();
        assert!(write(&path, b"ours 3", "x", &ours).unwrap().is_some());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_in_the_way_stays_and_nothing_is_left_lying_about() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.md");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"one", "2026-01-01", &|_| false).unwrap_err();
        assert_eq!(error.to_string(), "a folder has that name");
        let error = write_private(&path, b"one", "2026-01-01").unwrap_err();
        assert_eq!(error.to_string(), "a folder has that name");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
