//! Writes new files, and never overwrites one.

use crate::text::atomic_write::create_private;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} is there already, and is left as it is; give another name", .0.display())]
    Exists(PathBuf),
    #[error("{} cannot be written: {}", .path.display(), crate::text::io_error_text(.error))]
    Failed { path: PathBuf, error: io::Error },
}

/// Writes a whole new file, readable only by its owner; fails if the path exists.
pub fn write_new(path: &Path, text: &str) -> Result<(), ExportError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
        _ => ExportError::Failed { path: path.to_owned(), error },
    };
    if path.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(path.to_owned()));
    }
    if path.file_name().is_none() {
        return Err(failed(io::Error::other("it names no file")));
    }
    create_private(path, text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_written_once_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thread.md");
        write_new(&path, "one\n").unwrap();
        let again = write_new(&path, "two\n").unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        let nowhere = write_new(&folder.path().join("no/such.md"), "").unwrap_err().to_string();
        assert!(nowhere.contains("cannot be written"), "{nowhere}");
        std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("link.md")).unwrap();
        assert!(matches!(write_new(&folder.path().join("link.md"), ""), Err(ExportError::Exists(_))));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
