//! Writes files whole or not at all.

use super::Change;
use crate::text::atomic_write;
use crate::text::io_error_text;
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes changes. If another program changed a file since it was read, that file and the rest are refused. Old
/// contents are kept next to each file in a dated copy; the paths of the copies are returned.
pub fn write(changes: &[Change], now: Timestamp) -> Result<Vec<PathBuf>, String> {
    let stamp = now.strftime("%Y%m%d-%H%M%S").to_string();
    let mut backups = Vec::new();
    for change in changes.iter().filter(|change| change.is_something()) {
        let failed = |error: io::Error| {
            format!("{} cannot be written: {}", change.path.display(), io_error_text(&error))
        };
        if super::read(&change.path)? != change.before {
            return Err(format!("{} was just changed by another program; try again", change.path.display()));
        }
        match &change.after {
            Some(text) => backups.extend(put(&change.path, text, &stamp).map_err(failed)?),
            None => fs::remove_file(&change.path).map_err(failed)?,
        }
    }
    Ok(backups)
}

fn put(path: &Path, text: &str, stamp: &str) -> io::Result<Option<PathBuf>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Configs are often links into a person's own repository; we write the target, and it keeps its mode.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = fs::metadata(&path).map(|metadata| metadata.permissions()).ok();
    let backup = atomic_write::write_private(&path, text.as_bytes(), stamp)?;
    if let Some(mode) = mode {
        fs::set_permissions(&path, mode)?;
    }
    Ok(backup)
}

/// The copies that were kept of a file, oldest first.
pub(super) fn copies(path: &Path) -> Vec<PathBuf> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    atomic_write::backups(&path)
}
