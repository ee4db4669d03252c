//! The walk: every file that no .gitignore excludes, sorted by path.

use super::super::open_beneath::{FolderHandle, NO_FILE};
use super::{Limits, OnProgress, PROGRESS_INTERVAL, Tree};
use crate::text::read_error_text;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::FileType;
use std::path::{Path, PathBuf};

/// Folders that tools fill, wherever they are.
const TOOLS: [&str; 8] =
    [".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"];

/// The longest .gitignore we read, in bytes.
const RULES: u64 = 256 << 10;

struct Walk<'a> {
    beneath: &'a FolderHandle,
    excluded: &'a [&'a Path],
    limits: &'a Limits,
    progress: OnProgress<'a>,
    entries: usize,
    full: bool,
    /// The rules in force, from the top down, each with its folder.
    rules: Vec<(PathBuf, Gitignore)>,
    tree: &'a mut Tree,
    files: Vec<(PathBuf, u64)>,
}

/// The files with their lengths, sorted by path. Counts the folders, and what was skipped, in `tree`.
pub(super) fn walk(
    beneath: &FolderHandle,
    excluded: &[&Path],
    limits: &Limits,
    progress: OnProgress<'_>,
    tree: &mut Tree,
) -> Result<Vec<(PathBuf, u64)>, String> {
    let (rules, files) = (Vec::new(), Vec::new());
    let mut walk = Walk { beneath, excluded, limits, progress, entries: 0, full: false, rules, tree, files };
    walk.enter(Path::new(""), 0)?;
    walk.files.sort();
    Ok(walk.files)
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, depth: usize) -> Result<(), String> {
        let room = self.limits.entries - self.entries;
        let (entries, more) = self.beneath.list(folder, room).map_err(|e| read_error_text(&e))?;
        self.entries += entries.len();
        self.tree.folders += 1;
        let has_rules = entries.iter().any(|entry| entry.name == ".gitignore") && self.learn(folder);
        for entry in entries {
            let path = folder.join(&entry.name);
            let kind = match entry.kind {
                Ok(kind) => kind,
                Err(error) => {
                    self.tree.skip(&path, &read_error_text(&error));
                    continue;
                }
            };
            let is_folder = kind == FileType::Directory;
            let is_tool_folder = is_folder && TOOLS.iter().any(|name| entry.name == *name);
            if is_tool_folder || self.excluded.contains(&path.as_path()) || self.is_ignored(&path, is_folder)
            {
                continue;
            }
            match kind {
                FileType::Directory if depth >= self.limits.depth => {
                    self.tree.skip(&path, &format!("it lies more than {} folders deep", self.limits.depth));
                }
                FileType::Directory => {
                    if let Err(why) = self.enter(&path, depth + 1) {
                        self.tree.skip(&path, &why);
                    }
                }
                FileType::Symlink => self.tree.skip(&path, "it is a link, and links are not followed"),
                FileType::RegularFile => self.file(path, entry.bytes),
                _ => self.tree.skip(&path, NO_FILE),
            }
        }
        if has_rules {
            self.rules.pop();
        }
        if more && !self.full {
            self.full = true;
            let why =
                format!("there are more than {} entries; the rest was not looked at", self.limits.entries);
            self.tree.skip(folder, &why);
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, bytes: u64) {
        if self.files.len() >= self.limits.files {
            return self.tree.skip(&path, &format!("there are more than {} files", self.limits.files));
        }
        self.files.push((path, bytes));
        let count = self.files.len();
        if count.is_multiple_of(PROGRESS_INTERVAL) {
            (self.progress)("looking at the tree", count as u64, count as u64);
        }
    }

    /// Adds the rules of a folder; unreadable rules exclude nothing.
    fn learn(&mut self, folder: &Path) -> bool {
        let text = match self.beneath.text(&folder.join(".gitignore"), RULES) {
            Ok(text) => text,
            Err(why) => {
                self.tree.skip(&folder.join(".gitignore"), &why);
                return false;
            }
        };
        let mut rules = GitignoreBuilder::new("");
        for line in text.lines() {
            // A line that is not a pattern is not a rule, as in git.
            let _ = rules.add_line(None, line);
        }
        match rules.build() {
            Ok(rules) => {
                self.rules.push((folder.to_owned(), rules));
                true
            }
            Err(_) => false,
        }
    }

    /// The nearest rule that matches a path decides.
    fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        for (folder, rules) in self.rules.iter().rev() {
            let Ok(inside) = path.strip_prefix(folder) else { continue };
            match rules.matched(inside, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
