//! A source tree as facts: its files, languages, descriptions and dependencies.
//!
//! Promises: files ignored by .gitignore are left out, no link is followed, no device or pipe is opened, and the
//! number, size and depth of what we look at are bounded; what was not looked at is counted and named. All text in the
//! result is [`Visible`](crate::text::Visible). Imports and names are found by how they are usually written, which is
//! right for almost all code; how a program works is for whoever searches and reads it.
//!
//! Does not read a .gitignore above the folder or git's own excludes, and does not judge what it finds.

mod imports;
mod language;
mod manifest;
mod outline;
mod parts;
mod source;
mod walk;

use super::folder::{FolderError, Skipped, resolve};
use super::open_beneath::FolderHandle;
use crate::text::{self, Visible};
use std::path::Path;

pub use imports::{FileDependencies, Import, Link, file_dependencies, links};
pub use language::Language;
pub use manifest::{Dependency, Manifest, ManifestKind, Purpose, Run};
pub use outline::Item;
pub use parts::Parts;
pub use source::Source;

/// The line, counted from 1, on which a file's text declares a name.
pub fn line_of(path: &str, text: &str, name: &str) -> Option<u32> {
    let language = language::of(Path::new(path)).filter(Language::is_read)?;
    outline::line_of(&outline::items(language.syntax, text), name)
}

/// Reads files of a folder by their paths, up to a limit, and nothing outside it.
pub fn text_reader(
    folder: &Path,
) -> std::io::Result<impl Fn(&str) -> Result<String, String> + Send + Sync + use<>> {
    let beneath = FolderHandle::open(folder)?;
    Ok(move |path: &str| beneath.text(Path::new(path), Limits::default().file))
}

/// How much we look at.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub files: usize,
    /// How many entries, including folders and ignored files.
    pub entries: usize,
    /// How deep we go into folders.
    pub depth: usize,
    /// Bytes of one file we read.
    pub file: u64,
    /// Bytes of all files we read.
    pub total: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 60_000, entries: 400_000, depth: 40, file: 512 << 10, total: 256 << 20 }
    }
}

/// One file of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Its path within the tree.
    pub path: String,
    pub bytes: u64,
    /// Its language, if its name tells.
    pub language: Option<Language>,
    /// What reading it showed; empty if it was not read.
    pub source: Source,
}

impl File {
    /// Whether it is written in a programming language.
    pub fn is_program(&self) -> bool {
        self.language.is_some_and(|language| language.code)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The folder's name.
    pub name: String,
    /// Sorted by path.
    pub files: Vec<File>,
    /// How many folders it has.
    pub folders: usize,
    pub manifests: Vec<Manifest>,
    /// The first things that were not looked at or not read.
    pub skipped: Vec<Skipped>,
    /// How many more were skipped.
    pub more_skipped: usize,
    /// The first paragraph of its README.
    pub readme: Option<String>,
    /// Its README, up to a limit.
    pub readme_text: String,
}

/// Reports progress: the activity, how much is done, of how much.
pub type OnProgress<'a> = &'a (dyn Fn(&str, u64, u64) + Sync);

/// How many skipped things are listed by name.
const MAX_NAMED: usize = 50;

/// How many bytes of a README we keep.
const MAX_README: usize = 12_000;

/// How many files pass between two progress reports.
const PROGRESS_INTERVAL: usize = 256;

/// Scans a tree. Skips the folders in `excluded`, given by their real paths.
pub fn scan(
    folder: &Path,
    excluded: &[&Path],
    limits: &Limits,
    progress: OnProgress<'_>,
) -> Result<Tree, FolderError> {
    let root = resolve(folder)?;
    let unreadable = |why: String| FolderError::Unreadable { path: folder.to_owned(), why };
    let beneath = FolderHandle::open(&root).map_err(|e| unreadable(text::read_error_text(&e)))?;
    let excluded: Vec<&Path> = excluded.iter().filter_map(|path| path.strip_prefix(&root).ok()).collect();
    let name = root.file_name().map(|name| visible(&name.to_string_lossy())).unwrap_or_default();
    let mut tree = Tree { name, ..Tree::default() };
    let files = walk::walk(&beneath, &excluded, limits, progress, &mut tree).map_err(unreadable)?;
    let (mut remaining, all) = (limits.total, files.len());
    for (at, (path, bytes)) in files.into_iter().enumerate() {
        if at % PROGRESS_INTERVAL == 0 {
            progress("reading files", at as u64, all as u64);
        }
        let file = tree.read(&beneath, &path, bytes, limits, &mut remaining);
        tree.files.push(file);
    }
    progress("reading files", all as u64, all as u64);
    Ok(tree)
}

impl Tree {
    fn read(
        &mut self,
        beneath: &FolderHandle,
        path: &Path,
        bytes: u64,
        limits: &Limits,
        remaining: &mut u64,
    ) -> File {
        let language = language::of(path);
        let mut file =
            File { path: visible(&path.to_string_lossy()), bytes, language, source: Source::default() };
        let manifest = manifest::kind(path);
        let readme = is_readme(path) && self.readme.is_none();
        if language.is_none() && manifest.is_none() && !readme {
            return file;
        }
        if bytes > *remaining {
            self.skip(path, "the files together are too large to read them all");
            return file;
        }
        let text = match beneath.text(path, limits.file) {
            Ok(text) => text,
            Err(why) => {
                self.skip(path, &why);
                return file;
            }
        };
        *remaining -= bytes;
        if let Some(kind) = manifest {
            match manifest::read(kind, &file.path, &text) {
                Ok(manifest) => self.manifests.push(manifest),
                Err(why) => self.skip(path, &why),
            }
        }
        if readme {
            self.readme = opening(&text);
            self.readme_text = Visible::new(&text[..text.floor_char_boundary(MAX_README)]).into_string();
        }
        if let Some(language) = language {
            file.source = source::read(language, &file.path, &text);
        }
        file
    }

    fn skip(&mut self, path: &Path, why: &str) {
        if self.skipped.len() < MAX_NAMED {
            let name = if path.as_os_str().is_empty() { ".".into() } else { path.to_string_lossy() };
            self.skipped.push(Skipped { name: visible(&name), why: why.to_owned() });
        } else {
            self.more_skipped += 1;
        }
    }
}

/// Makes text safe, on one line.
fn visible(text: &str) -> String {
    Visible::line(text).into_string()
}

/// At most `most` characters of a safe line.
fn clipped(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    let start: String = text.chars().take(max_chars).collect();
    let is_complete = start.len() == text.len();
    visible(&if is_complete { start } else { format!("{}…", start.trim_end()) })
}

fn is_readme(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    matches!(name.as_str(), "readme" | "readme.md" | "readme.rst" | "readme.txt")
}

/// The first paragraph of text: no heading, badge, quote mark or code.
fn opening(text: &str) -> Option<String> {
    let mut fenced = false;
    let mut words = Vec::new();
    for line in text.lines().take(200) {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let decoration = line.starts_with(['#', '!', '<', '[', '|', '=', '-', '*']) && words.is_empty();
        match (fenced || decoration, line.is_empty()) {
            (true, _) => {}
            (false, true) if words.is_empty() => {}
            (false, true) => break,
            (false, false) => words.push(line.trim_start_matches("> ")),
        }
    }
    let text = words.join(" ");
    if text.is_empty() { None } else { Some(clipped(&text, 600)) }
}

#[cfg(test)]
mod tests;
