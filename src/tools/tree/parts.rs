//! The parts of a tree: folders, and the modules of a folder that holds most of the program.

use super::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// How many times we split a part, and into how many pieces at most.
const MAX_ROUNDS: usize = 8;
const MAX_PIECES: usize = 80;

/// The parts of a tree, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts(BTreeSet<String>);

impl Parts {
    /// Folders two deep, and the program files at the top. A part with more than half of the program is split further.
    pub fn of(tree: &Tree) -> Self {
        let mut parts = Self(tree.files.iter().map(|file| area(&file.path).to_owned()).collect());
        // Files at the top rarely belong together.
        let top = tree.files.iter().filter(|file| file.is_program() && !file.path.contains('/'));
        parts.0.extend(top.take(MAX_PIECES).map(|file| file.path.clone()));
        for _ in 0..MAX_ROUNDS {
            let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
            let program = || tree.files.iter().filter(|file| file.is_program() && !file.source.is_test);
            for file in program() {
                *lines.entry(parts.part(&file.path)).or_default() += file.source.lines;
            }
            let all: u64 = lines.values().sum();
            let largest = lines.into_iter().max_by_key(|(_, lines)| *lines);
            let Some((part, _)) = largest.filter(|(part, lines)| lines * 2 > all && !is_file(tree, part))
            else {
                break;
            };
            let pieces: BTreeSet<String> = program()
                .filter(|file| parts.part(&file.path) == part)
                .map(|file| piece(part, &file.path).to_owned())
                .collect();
            if pieces.len() < 2 && pieces.iter().all(|piece| is_file(tree, piece))
                || pieces.len() > MAX_PIECES
            {
                break;
            }
            parts.0.extend(pieces);
        }
        parts
    }

    pub fn part<'a>(&self, path: &'a str) -> &'a str {
        let mut at = path;
        loop {
            if self.0.contains(at) {
                return at;
            }
            match at.rsplit_once('/') {
                Some((folder, _)) => at = folder,
                None => return ".",
            }
        }
    }
}

fn is_file(tree: &Tree, path: &str) -> bool {
    tree.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
}

/// The child of a part that contains this file, or the file itself.
fn piece<'a>(part: &str, path: &'a str) -> &'a str {
    let start = if part == "." { 0 } else { part.len() + 1 };
    match path[start..].find('/') {
        Some(end) => &path[..start + end],
        None => path,
    }
}

/// The first two folders of a path, `.` at the top.
fn area(path: &str) -> &str {
    let folders = path.rsplit_once('/').map_or(".", |(folders, _)| folders);
    match folders.match_indices('/').nth(1) {
        Some((at, _)) => &folders[..at],
        None => folders,
    }
}
