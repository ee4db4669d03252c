//! The texts and documents of a folder, and nothing outside it.
//!
//! No link leads out of the folder, no device or pipe is opened, and size, number and depth are bounded. What is left
//! out is counted, and listed with the reason.

use super::open_beneath::{FolderHandle, NO_FILE};
use crate::text::{self, Visible};
use rustix::fs::FileType;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// How much is looked at and read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one text file.
    pub file: u64,
    /// Bytes of one document, in its packed form.
    pub document: u64,
    pub files: usize,
    pub depth: usize,
    /// How many folder entries are looked at.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 1 << 20, document: 16 << 20, files: 20_000, depth: 8, entries: 100_000 }
    }
}

/// A file that may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Listed {
    /// Its path within the folder.
    pub name: String,
    pub bytes: u64,
}

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// Its path within the folder.
    pub name: String,
    pub why: String,
}

/// What a folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The files that may be read, sorted by name.
    pub files: Vec<Listed>,
    /// How many files have another ending, by ending.
    pub other: BTreeMap<String, usize>,
    /// How many folders were not entered.
    pub folders: usize,
    pub skipped: Vec<Skipped>,
    /// How many more were skipped.
    pub more_skipped: usize,
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

/// Follows the links in a path as far as it exists. A link that leads nowhere is an error: what is written there may end
/// up anywhere.
pub fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        let error = match existing.canonicalize() {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) => error,
        };
        let (false, Some(parent), Some(name)) =
            (existing.is_symlink(), existing.parent(), existing.file_name())
        else {
            return Err(error);
        };
        missing.push(name);
        existing = parent;
    }
}

/// Looks at the names and sizes of the files that pass the filter.
pub fn survey(folder: &Path, filter: &FileFilter<'_>, limits: &Limits) -> Result<Survey, FolderError> {
    let root = resolve(folder)?;
    let unreadable =
        |e: io::Error| FolderError::Unreadable { path: folder.to_owned(), why: text::read_error_text(&e) };
    let beneath = FolderHandle::open(&root).map_err(unreadable)?;
    let mut walk = Walk { root: &root, beneath, filter, limits, survey: Survey::default(), entries: 0 };
    walk.enter(Path::new(""), 0).map_err(unreadable)?;
    let mut survey = walk.survey;
    survey.files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(survey)
}

/// Reads the files of a folder by their names, and nothing outside it.
pub fn text_reader(
    folder: &Path,
    filter: FileFilter<'static>,
    limits: Limits,
) -> Result<impl Fn(&str) -> Result<String, String> + Send + Sync + use<>, FolderError> {
    let root = resolve(folder)?;
    let why =
        |e: io::Error| FolderError::Unreadable { path: folder.to_owned(), why: text::read_error_text(&e) };
    let beneath = FolderHandle::open(&root).map_err(why)?;
    Ok(move |name: &str| {
        // A link may lead to another file of the folder.
        let target = root.join(name).canonicalize().map_err(|e| text::read_error_text(&e))?;
        let inside = target.strip_prefix(&root).map_err(|_| "it lies outside the folder".to_owned())?;
        let text = match filter.document(inside) {
            Some(read) => read(&beneath.bytes(inside, limits.document)?)?,
            None => beneath.text(inside, limits.file)?,
        };
        Ok(Visible::new(&text).into_string())
    })
}

/// How many skipped files are listed by name.
const MAX_NAMED: usize = 50;

impl FileFilter<'_> {
    fn document(&self, path: &Path) -> Option<ReadDocument> {
        let ending = ending(path);
        self.documents.iter().find(|(extension, _)| *extension == ending).map(|(_, read)| *read)
    }

    fn accepts(&self, path: &Path) -> bool {
        self.endings.contains(&ending(path).as_str()) || self.document(path).is_some()
    }
}

/// A walk that never leaves the folder.
struct Walk<'a> {
    root: &'a Path,
    beneath: FolderHandle,
    filter: &'a FileFilter<'a>,
    limits: &'a Limits,
    survey: Survey,
    entries: usize,
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
                Ok(_) if (self.filter.is_excluded)(&entry.name.to_string_lossy()) => {}
                Ok(_) if !self.filter.accepts(&path) => {
                    *self.survey.other.entry(ending(&path)).or_default() += 1;
                }
                Ok(FileType::Symlink) => self.link(&path),
                Ok(FileType::RegularFile) => self.file(&path, &path, entry.bytes),
                Ok(_) => self.skip(&path, NO_FILE),
                Err(error) => self.skip(&path, text::read_error_text(&error)),
            }
        }
        Ok(())
    }

    fn sub_folder(&mut self, path: &Path, depth: usize) {
        if !self.filter.recursive {
            self.survey.folders += 1;
        } else if depth >= self.limits.depth {
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
        let name = inside.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        match target.metadata() {
            Ok(meta)
                if meta.is_file() && self.filter.accepts(inside) && !(self.filter.is_excluded)(&name) =>
            {
                self.file(path, inside, meta.len());
            }
            _ => self.skip(path, "it is a link to something that is not read"),
        }
    }

    fn file(&mut self, path: &Path, target: &Path, bytes: u64) {
        let is_document = self.filter.document(target).is_some();
        let most = if is_document { self.limits.document } else { self.limits.file };
        if self.survey.files.len() >= self.limits.files {
            self.skip(path, format!("more than {} files", self.limits.files));
        } else if bytes > most {
            self.skip(path, format!("it is larger than {} KiB", most >> 10));
        } else {
            match path.to_str() {
                Some(name) => self.survey.files.push(Listed { name: name.to_owned(), bytes }),
                None => self.skip(path, "its name is not UTF-8"),
            }
        }
    }

    fn skip(&mut self, path: &Path, why: impl Into<String>) {
        if self.survey.skipped.len() >= MAX_NAMED {
            self.survey.more_skipped += 1;
            return;
        }
        let name = if path.as_os_str().is_empty() { ".".into() } else { path.to_string_lossy() };
        let name = Visible::line(&name).into_string();
        self.survey.skipped.push(Skipped { name, why: why.into() });
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
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

    fn skipped(survey: &Survey) -> Vec<(&str, &str)> {
        survey.skipped.iter().map(|s| (s.name.as_str(), s.why.as_str())).collect()
    }

    fn names(survey: &Survey) -> Vec<&str> {
        survey.files.iter().map(|file| file.name.as_str()).collect()
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

        let flat = survey(folder.path(), &filter(false), &Limits::default()).unwrap();
        assert_eq!(names(&flat), ["B.TXT", "a.md", "binary.txt", "in.md", "latin.txt"]);
        assert_eq!(
            (flat.folders, flat.other.clone()),
            (1, BTreeMap::from([("".to_owned(), 1), ("rs".to_owned(), 1)]))
        );
        assert_eq!(
            skipped(&flat),
            [
                ("big.txt", "it is larger than 1024 KiB"),
                ("code.txt", "it is a link to something that is not read"),
                ("dangling.txt", "it is a link that leads nowhere"),
                ("out.txt", "it is a link that leads out of the folder"),
                ("pipe.txt", "it is a device, a pipe or a socket"),
                ("sly.md", "it is a link to something that is not read"),
                ("zero.txt", "it is a link that leads out of the folder"),
            ]
        );
        let text = text_reader(folder.path(), filter(false), Limits::default()).unwrap();
        assert_eq!((text("a.md"), text("in.md")), (Ok("alpha".to_owned()), Ok("alpha".to_owned())));
        assert!(!text("B.TXT").unwrap().contains('\u{202e}'));
        assert_eq!(text("binary.txt"), Err("it is not text".to_owned()));
        assert_eq!(text("latin.txt"), Err("it is not UTF-8 text".to_owned()));
        for out in ["out.txt", "zero.txt", "elsewhere/secret.txt", "../x", "/etc/passwd", "pipe.txt"] {
            assert!(text(out).is_err(), "{out}");
        }
        let deep = survey(folder.path(), &filter(true), &Limits::default()).unwrap();
        assert!(names(&deep).contains(&"deeper/d.txt"));
        assert!(!names(&deep).iter().any(|name| name.contains("secret")));
    }

    #[test]
    fn limits_hold() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..5 {
            std::fs::write(folder.path().join(format!("{n}.txt")), "0123456789").unwrap();
        }
        let few = Limits { files: 2, ..Limits::default() };
        let found = survey(folder.path(), &filter(false), &few).unwrap();
        assert_eq!((found.files.len(), found.skipped.len()), (2, 3));
        let short = Limits { entries: 3, ..Limits::default() };
        let found = survey(folder.path(), &filter(false), &short).unwrap();
        assert_eq!((found.files.len(), found.skipped[0].name.as_str()), (3, "."));
        for n in 0..100 {
            std::fs::write(folder.path().join(format!("more{n}.txt")), "").unwrap();
        }
        let found = survey(folder.path(), &filter(false), &few).unwrap();
        assert_eq!((found.skipped.len(), found.more_skipped), (MAX_NAMED, 53));
    }

    #[test]
    fn a_folder_that_is_none_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let missing = survey(&folder.path().join("no"), &filter(false), &Limits::default()).unwrap_err();
        assert!(missing.to_string().ends_with("cannot be read: it does not exist"), "{missing}");
        let file = survey(&folder.path().join("file"), &filter(false), &Limits::default()).unwrap_err();
        assert!(matches!(file, FolderError::NotAFolder { .. }));
    }
}
