//! Opens files that somebody else names. Only regular files are opened, and without blocking: a pipe without a writer,
//! or a device, would hold up the caller.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Opens a file for reading; follows links. [`io::ErrorKind::InvalidInput`] if it is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device, a pipe or a folder"))
    }
}

/// Reads a whole file; [`io::ErrorKind::FileTooLarge`] if it has more than `max` bytes.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    if file.metadata()?.len() <= max {
        // It may still grow.
        file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= max {
            return Ok(bytes);
        }
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"))
}

/// Reads at most the last `most` bytes of a file.
pub fn read_end(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, mknodat};

    #[test]
    fn only_files_are_opened_and_a_pipe_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        std::fs::write(&file, "text").unwrap();
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("file", &link).unwrap();
        let mut text = String::new();
        open(&link).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        for path in [&pipe, folder.path(), Path::new("/dev/null"), &folder.path().join("missing")] {
            assert!(open(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"text");
        assert_eq!(read(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(folder.path(), 4).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
