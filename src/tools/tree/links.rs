//! Which parts of a tree lean on which, by the imports of their files.

use super::language::Family;
use super::{File, ManifestKind, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// One part leans on another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The part that imports.
    pub from: String,
    /// The part it imports from.
    pub to: String,
    /// In how many files.
    pub files: usize,
}

/// The part of a tree a file belongs to: the first two folders of its path, `.` at the top.
pub fn area(path: &str) -> &str {
    let folders = path.rsplit_once('/').map_or(".", |(folders, _)| folders);
    match folders.match_indices('/').nth(1) {
        Some((at, _)) => &folders[..at],
        None => folders,
    }
}

/// Every such leaning, by the names of the parts.
pub fn links(tree: &Tree) -> Vec<Link> {
    let areas: BTreeSet<&str> = tree.files.iter().map(|file| area(&file.path)).collect();
    let crates: BTreeMap<String, &str> = tree
        .manifests
        .iter()
        .filter(|manifest| manifest.sort == ManifestKind::Cargo)
        .filter_map(|manifest| Some((manifest.name.as_ref()?.replace('-', "_"), folder(&manifest.path))))
        .collect();
    let modules: Vec<(&str, &str)> = tree
        .manifests
        .iter()
        .filter(|manifest| manifest.sort == ManifestKind::Go)
        .filter_map(|manifest| Some((manifest.name.as_deref()?, folder(&manifest.path))))
        .collect();
    let known = Known { areas, crates, modules };
    let mut counted: BTreeMap<(String, String), usize> = BTreeMap::new();
    for file in &tree.files {
        let from = area(&file.path);
        let to: BTreeSet<String> =
            file.source.imports.iter().filter_map(|import| known.target(file, import)).collect();
        for to in to.into_iter().filter(|to| to != from) {
            *counted.entry((from.to_owned(), to)).or_default() += 1;
        }
    }
    counted.into_iter().map(|((from, to), files)| Link { from, to, files }).collect()
}

/// What names can lead to.
struct Known<'a> {
    areas: BTreeSet<&'a str>,
    /// Crates by the name code uses, with their folders.
    crates: BTreeMap<String, &'a str>,
    /// Go modules with their folders.
    modules: Vec<(&'a str, &'a str)>,
}

impl Known<'_> {
    /// The part an import of this file leads to, where it leads to one of ours.
    fn target(&self, file: &File, import: &str) -> Option<String> {
        match file.language?.family {
            Family::Rust => self.of_crate(&file.path, import),
            Family::Script => {
                let path = import.starts_with('.').then(|| join(folder(&file.path), import))??;
                self.holding(&path)
            }
            Family::Python => {
                let dots = import.chars().take_while(|c| *c == '.').count();
                if dots > 0 {
                    let mut base = folder(&file.path);
                    for _ in 1..dots {
                        base = folder(base);
                    }
                    return self.holding(&within(base, &import[dots..].replace('.', "/")));
                }
                let path = import.replace('.', "/");
                self.holding(&path).or_else(|| self.holding(&format!("src/{path}")))
            }
            Family::Go => self.modules.iter().find_map(|(name, folder)| {
                let rest = import.strip_prefix(name)?.trim_start_matches('/');
                self.holding(&within(folder, rest))
            }),
            Family::C => self.holding(import).or_else(|| self.holding(&within(folder(&file.path), import))),
            Family::Jvm | Family::Shell | Family::Other => None,
        }
    }

    fn of_crate(&self, path: &str, import: &str) -> Option<String> {
        let (root, rest) = import.split_once("::").unwrap_or((import, ""));
        let base = if root == "crate" {
            // What stands beside `src` (tests, benches) is a crate of its own.
            let (before, _) = path.split_once("src/")?;
            before.trim_end_matches('/')
        } else {
            self.crates.get(root)?
        };
        let module = within(&within(base, "src"), rest);
        self.holding(&module)
    }

    /// The part a folder or file at this path belongs to.
    fn holding(&self, path: &str) -> Option<String> {
        let path = path.trim_matches('/');
        // The path may be a folder, or a file without its ending.
        let as_folder = area_of_folder(path);
        let found =
            [as_folder, area(path)].into_iter().find(|name| self.areas.contains(name) && *name != ".");
        found.map(str::to_owned)
    }
}

fn area_of_folder(path: &str) -> &str {
    match path.match_indices('/').nth(1) {
        Some((at, _)) => &path[..at],
        None => path,
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn within(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}").trim_end_matches('/').to_owned()
    }
}

/// A relative path from a folder; nothing where it leads out of the tree.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}
