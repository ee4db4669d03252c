//! Reads the text files of a folder, and nothing outside it.
//!
//! No link leads out of the folder, no device or pipe is opened, and size, number and depth are bounded. Every file
//! that was left out is listed with the reason.

use super::open_beneath::{FolderHandle, NO_FILE};
use crate::text::{self, Visible};
use rustix::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

/// How much is read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one text file.
    pub file: u64,
    /// Bytes of one document, in its packed form.
    pub document: u64,
    /// Bytes of all files together.
    pub total: u64,
    pub files: usize,
    pub depth: usize,
    /// How many folder entries are looked at.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 1 << 20, document: 16 << 20, total: 8 << 20, files: 500, depth: 8, entries: 20_000 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Its path within the folder.
    pub name: String,
    /// Its text, safe to show and to put into prompts.
    pub text: String,
}

/// A file that was not read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// Its path within the folder.
    pub name: String,
    pub why: String,
}

/// The contents of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Sorted by name.
    pub files: Vec<TextFile>,
    pub skipped: Vec<Skipped>,
}

/// Why a folder cannot be read at all.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FolderError {
    /// It does not exist, or may not be entered.
    #[error("the folder {} cannot be read: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("{} is not a folder; name the folder it is in", path.display())]
    NotAFolder { path: PathBuf },
}

/// Extracts the text of a document; the error is a reason for people.
pub type ReadDocument = fn(&[u8]) -> Result<String, String>;

/// Which files of a folder to read.
pub struct FileFilter<'a> {
    /// The extensions of text files, without the dot.
    pub endings: &'a [&'a str],
    /// The extensions of documents, each with its reader.
    pub documents: &'a [(&'a str, ReadDocument)],
    pub is_excluded: fn(&str) -> bool,
    /// Whether to enter subfolders.
    pub recursive: bool,
}

/// The real path of the folder, with all links resolved.
pub fn resolve(folder: &Path) -> Result<PathBuf, FolderError> {
    let path = folder.to_owned();
    let real = folder
        .canonicalize()
        .map_err(|e| FolderError::Unreadable { path: path.clone(), why: text::read_error_text(&e) })?;
    if real.is_dir() { Ok(real) } else { Err(FolderError::NotAFolder { path }) }
}

/// Follows the links in a path as far as it exists.
pub fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        let error = match existing.canonicalize() {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) => error,
        };
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else { return Err(error) };
        missing.push(name);
        existing = parent;
    }
}

/// Reads the files that pass the filter.
pub fn read(folder: &Path, filter: &FileFilter<'_>, limits: &Limits) -> Result<Reading, FolderError> {
    let root = resolve(folder)?;
    let unreadable =
        |e: io::Error| FolderError::Unreadable { path: folder.to_owned(), why: text::read_error_text(&e) };
    let beneath = FolderHandle::open(&root).map_err(unreadable)?;
    let mut walk = Walk {
        root: &root,
        beneath,
        filter,
        limits,
        reading: Reading::default(),
        entries: 0,
        total: 0,
        left_out: 0,
    };
    walk.enter(Path::new(""), 0).map_err(unreadable)?;
    if walk.left_out > 0 {
        let why = format!("{} more were left out", walk.left_out);
        walk.reading.skipped.push(Skipped { name: "…".to_owned(), why });
    }
    let mut reading = walk.reading;
    reading.files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(reading)
}

/// How many skipped files are listed by name.
const MAX_NAMED: usize = 50;

/// A walk that never leaves the folder.
struct Walk<'a> {
    root: &'a Path,
    beneath: FolderHandle,
    filter: &'a FileFilter<'a>,
    limits: &'a Limits,
    reading: Reading,
    entries: usize,
    total: u64,
    left_out: usize,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, depth: usize) -> io::Result<()> {
        let (entries, more) = self.beneath.list(folder, self.limits.entries - self.entries)?;
        self.entries += entries.len();
        if more {
            let why = format!(
                "the folder has more than {} entries; the others were not looked at",
                self.limits.entries
            );
            self.skip(folder, why);
        }
        for entry in entries {
            let path = folder.join(&entry.name);
            match entry.kind {
                Ok(FileType::Directory) => self.sub_folder(&path, depth),
                Ok(_) if !self.is_wanted(&path) => {}
                Ok(FileType::Symlink) => self.link(&path),
                Ok(FileType::RegularFile) => self.file(&path, &path),
                Ok(_) => self.skip(&path, NO_FILE),
                Err(error) => self.skip(&path, text::read_error_text(&error)),
            }
        }
        Ok(())
    }

    fn sub_folder(&mut self, path: &Path, depth: usize) {
        if !self.filter.recursive {
            return;
        }
        if depth >= self.limits.depth {
            self.skip(path, format!("it lies more than {} folders deep", self.limits.depth));
        } else if let Err(error) = self.enter(path, depth + 1) {
            self.skip(path, text::read_error_text(&error));
        }
    }

    /// A link counts as its target, if that is a wanted file in this folder.
    fn link(&mut self, path: &Path) {
        let target = match self.root.join(path).canonicalize() {
            Ok(target) => target,
            Err(_) => return self.skip(path, "it is a link that leads nowhere"),
        };
        let Ok(inside) = target.strip_prefix(self.root) else {
            return self.skip(path, "it is a link that leads out of the folder");
        };
        if !target.is_file() || !self.is_wanted(inside) {
            return self.skip(path, "it is a link to something that is not read");
        }
        self.file(path, inside);
    }

    fn file(&mut self, path: &Path, target: &Path) {
        if self.reading.files.len() >= self.limits.files {
            return self.skip(path, format!("more than {} files", self.limits.files));
        }
        match self.contents(target) {
            Ok(text) => {
                self.total += text.len() as u64;
                let text = Visible::new(&text).into_string();
                self.reading.files.push(TextFile { name: self.name(path), text });
            }
            Err(why) => self.skip(path, why),
        }
    }

    fn contents(&self, path: &Path) -> Result<String, String> {
        let fits = |bytes: u64| {
            let text = || format!("the files together are larger than {} MiB", self.limits.total >> 20);
            if self.total + bytes > self.limits.total { Err(text()) } else { Ok(()) }
        };
        if let Some(read) = self.document(path) {
            // Its packed size says little about the length of its text.
            let text = read(&self.beneath.bytes(path, self.limits.document)?)?;
            fits(text.len() as u64)?;
            return Ok(text);
        }
        let (_, bytes) = self.beneath.file(path)?;
        fits(bytes)?;
        self.beneath.text(path, self.limits.file)
    }

    fn document(&self, path: &Path) -> Option<ReadDocument> {
        let ending = ending(path)?;
        self.filter.documents.iter().find(|(extension, _)| *extension == ending).map(|(_, read)| *read)
    }

    fn is_wanted(&self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_text = ending(path).is_some_and(|ending| self.filter.endings.contains(&ending.as_str()));
        (is_text || self.document(path).is_some()) && !(self.filter.is_excluded)(&name)
    }

    fn name(&self, path: &Path) -> String {
        if path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            Visible::line(&path.to_string_lossy()).into_string()
        }
    }

    fn skip(&mut self, path: &Path, why: impl Into<String>) {
        if self.reading.skipped.len() >= MAX_NAMED {
            self.left_out += 1;
            return;
        }
        let name = self.name(path);
        self.reading.skipped.push(Skipped { name, why: why.into() });
    }
}

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn filter(recursive: bool) -> FileFilter<'static> {
        FileFilter {
            endings: &["txt", "md"],
            documents: &[],
            is_excluded: |name| name.starts_with("analysis_result"),
            recursive,
        }
    }

    fn skipped(reading: &Reading) -> Vec<(&str, &str)> {
        reading.skipped.iter().map(|s| (s.name.as_str(), s.why.as_str())).collect()
    }

    #[test]
    fn s05_only_plain_text_beneath_the_folder_is_read() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.txt"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.md"), "alpha").unwrap();
        std::fs::write(at("B.TXT"), "beta\u{202e}").unwrap();
        std::fs::write(at("c.rs"), "not wanted").unwrap();
        std::fs::write(at("analysis_result.md"), "never").unwrap();
        std::fs::write(at("big.txt"), vec![b'x'; 2 << 20]).unwrap();
        std::fs::write(at("latin.txt"), b"caf\xe9").unwrap();
        std::fs::write(at("binary.txt"), b"a\0b").unwrap();
        symlink(outside.path().join("secret.txt"), at("out.txt")).unwrap();
        symlink(at("a.md"), at("in.md")).unwrap();
        symlink("/dev/zero", at("zero.txt")).unwrap();
        symlink(at("nowhere"), at("dangling.txt")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe.txt")).status().unwrap().success());
        std::fs::create_dir(at("deeper")).unwrap();
        std::fs::write(at("deeper/d.txt"), "delta").unwrap();
        symlink(outside.path(), at("elsewhere")).unwrap();
        symlink(at("c.rs"), at("code.txt")).unwrap();
        symlink(at("analysis_result.md"), at("sly.md")).unwrap();

        let flat = read(folder.path(), &filter(false), &Limits::default()).unwrap();
        let names: Vec<_> = flat.files.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["B.TXT", "a.md", "in.md"]);
        assert!(!flat.files[0].text.contains('\u{202e}'));
        assert_eq!(
            skipped(&flat),
            [
                ("big.txt", "it is larger than 1024 KiB"),
                ("binary.txt", "it is not text"),
                ("code.txt", "it is a link to something that is not read"),
                ("dangling.txt", "it is a link that leads nowhere"),
                ("latin.txt", "it is not UTF-8 text"),
                ("out.txt", "it is a link that leads out of the folder"),
                ("pipe.txt", "it is a device, a pipe or a socket"),
                ("sly.md", "it is a link to something that is not read"),
                ("zero.txt", "it is a link that leads out of the folder"),
            ]
        );
        let deep = read(folder.path(), &filter(true), &Limits::default()).unwrap();
        assert!(deep.files.iter().any(|f| f.name == "deeper/d.txt"));
        assert!(!deep.files.iter().any(|f| f.text.contains("secret")));
    }

    #[test]
    fn limits_hold() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..5 {
            std::fs::write(folder.path().join(format!("{n}.txt")), "0123456789").unwrap();
        }
        let few = Limits { files: 2, ..Limits::default() };
        let reading = read(folder.path(), &filter(false), &few).unwrap();
        assert_eq!((reading.files.len(), reading.skipped.len()), (2, 3));
        let small = Limits { total: 25, ..Limits::default() };
        assert_eq!(read(folder.path(), &filter(false), &small).unwrap().files.len(), 2);
        let short = Limits { entries: 3, ..Limits::default() };
        let reading = read(folder.path(), &filter(false), &short).unwrap();
        assert_eq!((reading.files.len(), reading.skipped[0].name.as_str()), (3, "."));
        for n in 0..100 {
            std::fs::write(folder.path().join(format!("more{n}.txt")), "").unwrap();
        }
        let reading = read(folder.path(), &filter(false), &few).unwrap();
        assert_eq!(reading.skipped.len(), MAX_NAMED + 1);
        assert_eq!(reading.skipped[MAX_NAMED].why, "53 more were left out");
    }

    #[test]
    fn a_folder_that_is_none_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let missing = read(&folder.path().join("no"), &filter(false), &Limits::default()).unwrap_err();
        assert!(missing.to_string().ends_with("cannot be read: it does not exist"), "{missing}");
        let file = read(&folder.path().join("file"), &filter(false), &Limits::default()).unwrap_err();
        assert!(matches!(file, FolderError::NotAFolder { .. }));
    }
}
