//! A source tree as facts: what lies in it, in which languages, what it says of itself, what it leans on.
//!
//! Promises: what .gitignore files leave out is left out, no link is followed, no device or pipe is opened, and the
//! number, size and depth of what is looked at are bounded; what was not looked at is counted and named. All text in
//! the answer is [`Visible`](crate::text::Visible). Comments and strings are told from code; beyond that, imports and names are
//! found by how they are usually written, which is right for almost all code.
//!
//! Not here: a .gitignore above the folder, git's own excludes, and any judgement of what was found.

mod blank;
mod calls;
mod excerpt;
mod imports;
mod items;
mod language;
mod links;
mod manifest;
mod parts;
mod runs;
mod rust;
mod source;
mod walk;

use super::folder::{FolderError, Skipped, resolve};
use super::open_beneath::Beneath;
use crate::text::{self, Visible};
use std::path::Path;

pub use excerpt::{From, body, excerpt};
pub use imports::Import;
pub use items::Item;
pub use language::Language;
pub use links::{Leanings, Link, leanings, links};
pub use manifest::{Dependency, Manifest, ManifestKind};
pub use parts::Parts;
pub use runs::{Purpose, Run, runs};
pub use source::Source;

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many files.
    pub files: usize,
    /// How many entries, folders and files left out included.
    pub entries: usize,
    /// How deep folders are entered.
    pub depth: usize,
    /// Bytes of a file that is read.
    pub file: u64,
    /// Bytes of all files that are read.
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
    /// How long it is.
    pub bytes: u64,
    /// What it is written in, where its name says so.
    pub language: Option<Language>,
    /// What reading it showed; nothing where it was not read.
    pub source: Source,
}

impl File {
    /// Whether it is program text.
    pub fn is_program(&self) -> bool {
        self.language.is_some_and(|language| language.code)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The folder's own name.
    pub name: String,
    /// Its files, by path.
    pub files: Vec<File>,
    /// How many folders hold them.
    pub folders: usize,
    /// What their manifests say.
    pub manifests: Vec<Manifest>,
    /// What was not looked at or not read, the first of it.
    pub skipped: Vec<Skipped>,
    /// How many more were not.
    pub more_skipped: usize,
    /// The opening of its README, the first words of it.
    pub readme: Option<String>,
    /// Its README, as far as it is kept.
    pub readme_text: String,
}

/// Told how far it has come: what is being done, how much of how much.
pub type OnProgress<'a> = &'a (dyn Fn(&str, u64, u64) + Sync);

/// How many things left out are named one by one.
const NAMED: usize = 50;

/// How many bytes of a README are kept.
const README: usize = 12_000;

/// How often progress is told.
const EVERY: usize = 256;

/// Looks at a tree. What lies in one of the folders of `never`, by their real paths, is not looked at.
pub fn scan(
    folder: &Path,
    never: &[&Path],
    limits: &Limits,
    progress: OnProgress<'_>,
) -> Result<Tree, FolderError> {
    let root = resolve(folder)?;
    let unreadable = |why: String| FolderError::Unreadable { path: folder.to_owned(), why };
    let beneath = Beneath::open(&root).map_err(|e| unreadable(text::unreadable(&e)))?;
    let never: Vec<&Path> = never.iter().filter_map(|path| path.strip_prefix(&root).ok()).collect();
    let walked = walk::walk(&beneath, &never, limits, progress).map_err(unreadable)?;
    let mut tree = Tree {
        name: root.file_name().map(|name| visible(&name.to_string_lossy())).unwrap_or_default(),
        folders: walked.folders,
        skipped: walked.skipped,
        more_skipped: walked.more,
        ..Tree::default()
    };
    let (mut left, all) = (limits.total, walked.files.len());
    for (at, (path, bytes)) in walked.files.into_iter().enumerate() {
        if at % EVERY == 0 {
            progress("reading files", at as u64, all as u64);
        }
        let file = tree.read(&beneath, &path, bytes, limits, &mut left);
        tree.files.push(file);
    }
    progress("reading files", all as u64, all as u64);
    Ok(tree)
}

impl Tree {
    fn read(&mut self, beneath: &Beneath, path: &Path, bytes: u64, limits: &Limits, left: &mut u64) -> File {
        let name = path.to_string_lossy();
        let language = language::of(path);
        let mut file = File { path: visible(&name), bytes, language, source: Source::default() };
        let manifest = manifest::kind(path);
        let readme = is_readme(path) && self.readme.is_none();
        if language.is_none() && manifest.is_none() && !readme {
            return file;
        }
        if bytes > *left {
            self.skip(&name, "the files together are too large to read them all");
            return file;
        }
        let text = match beneath.text(path, limits.file) {
            Ok(text) => text,
            Err(why) => {
                self.skip(&name, &why);
                return file;
            }
        };
        *left -= bytes;
        if let Some(kind) = manifest {
            match manifest::read(kind, &file.path, &text) {
                Ok(manifest) => self.manifests.push(manifest),
                Err(why) => self.skip(&name, &why),
            }
        }
        if readme {
            self.readme = opening(&text);
            self.readme_text = Visible::new(&text[..text.floor_char_boundary(README)]).into_string();
        }
        if let Some(language) = language {
            file.source = source::read(language, &file.path, &text);
        }
        file
    }

    fn skip(&mut self, name: &str, why: &str) {
        if self.skipped.len() < NAMED {
            self.skipped.push(Skipped { name: visible(name), why: why.to_owned() });
        } else {
            self.more_skipped += 1;
        }
    }
}

/// Safe, on one line.
fn visible(text: &str) -> String {
    Visible::line(text).into_string()
}

/// At most `most` characters of a safe line.
fn clipped(text: &str, most: usize) -> String {
    let text = text.trim();
    let kept: String = text.chars().take(most).collect();
    let whole = kept.len() == text.len();
    visible(&if whole { kept } else { format!("{}…", kept.trim_end()) })
}

fn is_readme(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    matches!(name.as_str(), "readme" | "readme.md" | "readme.rst" | "readme.txt")
}

/// The first paragraph that is words: no heading, badge, quote mark or code.
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
