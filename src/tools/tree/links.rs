//! Which files of a tree depend on which, by their imports.
//!
//! A name that a package only re-exports (`__init__.py`, `lib.rs`, `index.js`) is followed to the file that declares
//! it.

use super::language::Family;
use super::{File, ManifestKind, Parts, Tree, rust};
use std::collections::{BTreeMap, BTreeSet};

/// How many re-exports of a name we follow.
const MAX_FOLLOWED: usize = 3;

/// Extensions that a JavaScript or TypeScript path may omit.
const SCRIPTS: [&str; 14] = [
    "",
    ".js",
    ".ts",
    ".mjs",
    ".cjs",
    ".tsx",
    ".jsx",
    ".mts",
    ".d.ts",
    "/index.js",
    "/index.ts",
    "/index.mjs",
    "/index.cjs",
    "/index.tsx",
];

/// A dependency of one part on another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The part that imports.
    pub from: String,
    /// The part it imports from.
    pub to: String,
    /// In how many files.
    pub files: usize,
}

/// What each file imports from other files of the tree, or from folders if a package is a folder, with the names.
pub type FileDependencies<'a> = BTreeMap<&'a str, BTreeMap<String, BTreeSet<&'a str>>>;

pub fn file_dependencies(tree: &Tree) -> FileDependencies<'_> {
    let resolver = Resolver::of(tree);
    fn of_file<'a>(resolver: &Resolver<'a>, file: &'a File) -> BTreeMap<String, BTreeSet<&'a str>> {
        let mut to: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for import in &file.source.imports {
            let targets = resolver.targets(file, &import.from, &import.names);
            let names = import.names.iter().map(String::as_str).chain(std::iter::repeat(""));
            for (target, name) in targets.into_iter().zip(names) {
                if let Some(target) = target.filter(|target| *target != file.path) {
                    to.entry(target).or_default().extend((!name.is_empty()).then_some(name));
                }
            }
        }
        to
    }
    tree.files
        .iter()
        .map(|file| (file.path.as_str(), of_file(&resolver, file)))
        .filter(|(_, to)| !to.is_empty())
        .collect()
}

/// All dependencies between parts, by their names.
pub fn links(dependencies: &FileDependencies<'_>, parts: &Parts) -> Vec<Link> {
    let mut counted: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (file, to) in dependencies {
        let from = parts.part(file);
        let to: BTreeSet<&str> = to.keys().map(|path| parts.part(path)).collect();
        for to in to.into_iter().filter(|to| *to != from && *to != ".") {
            *counted.entry((from, to)).or_default() += 1;
        }
    }
    let link =
        |((from, to), files): ((&str, &str), usize)| Link { from: from.to_owned(), to: to.to_owned(), files };
    counted.into_iter().map(link).collect()
}

/// Resolves imports to files of a tree.
struct Resolver<'a> {
    tree: &'a Tree,
    /// Folders of crates, by the name that code uses.
    crates: BTreeMap<String, &'a str>,
    /// Go modules with their folders.
    modules: Vec<(&'a str, &'a str)>,
    /// Folders that may contain Python packages.
    roots: Vec<String>,
    /// What Go files declare, by folder and name.
    beside: BTreeMap<(&'a str, &'a str), &'a File>,
}

impl<'a> Resolver<'a> {
    fn of(tree: &'a Tree) -> Self {
        let of = |sort: ManifestKind| tree.manifests.iter().filter(move |manifest| manifest.sort == sort);
        let named = |manifest: &'a super::Manifest| Some((manifest.name.as_deref()?, folder(&manifest.path)));
        let mut roots = vec![String::new(), "src".to_owned(), "lib".to_owned()];
        for at in of(ManifestKind::Python).map(|manifest| folder(&manifest.path)).filter(|at| !at.is_empty())
        {
            roots.extend([at.to_owned(), within(at, "src")]);
        }
        Self {
            tree,
            crates: of(ManifestKind::Cargo)
                .filter_map(named)
                .map(|(name, at)| (name.replace('-', "_"), at))
                .collect(),
            modules: of(ManifestKind::Go).filter_map(named).collect(),
            roots,
            beside: tree
                .files
                .iter()
                .filter(|file| is_go(file) && !file.source.is_test)
                .flat_map(declared)
                .collect(),
        }
    }

    fn file(&self, path: &str) -> Option<&'a File> {
        let files = &self.tree.files;
        files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &files[at])
    }

    /// The files an import of this file leads to, one per name.
    fn targets(&self, file: &File, from: &str, names: &[String]) -> Vec<Option<String>> {
        let Some(language) = file.language else { return Vec::new() };
        let path_of = |target: Option<&File>| target.map(|file| file.path.clone());
        let plain = || names.is_empty().then_some("").into_iter();
        let each = plain().chain(names.iter().map(String::as_str));
        match language.family {
            Family::Python => each.map(|name| path_of(self.python(&file.path, from, name, 0))).collect(),
            Family::Rust => each.map(|name| path_of(self.rust(&file.path, from, name, 0))).collect(),
            Family::Script => vec![path_of(self.script(&file.path, from))],
            Family::Go if from == "." => {
                let at = folder(&file.path);
                names.iter().map(|name| path_of(self.beside.get(&(at, name.as_str())).copied())).collect()
            }
            Family::Go => vec![self.modules.iter().find_map(|(name, folder)| {
                let rest = from.strip_prefix(name)?;
                (rest.is_empty() || rest.starts_with('/'))
                    .then(|| within(folder, rest.trim_start_matches('/')))
            })],
            Family::C => {
                let beside = within(folder(&file.path), from);
                vec![path_of(self.file(from).or_else(|| self.file(&beside)))]
            }
            Family::Jvm | Family::Shell | Family::Other => Vec::new(),
        }
    }

    fn python(&self, path: &str, from: &str, name: &str, followed: usize) -> Option<&'a File> {
        let dots = from.chars().take_while(|c| *c == '.').count();
        let inside = from[dots..].replace('.', "/");
        let module = |base: &str, inside: &str| {
            let at = within(base, inside);
            self.file(&format!("{at}.py")).or_else(|| self.file(&within(&at, "__init__.py")))
        };
        let bases = match dots {
            0 => self.roots.clone(),
            _ => vec![(1..dots).fold(folder(path), |at, _| folder(at)).to_owned()],
        };
        for base in bases {
            // The name may itself be a module.
            if !name.is_empty()
                && let Some(file) = module(&base, &within(&inside, name))
            {
                return Some(file);
            }
            if let Some(file) =
                module(&base, &inside).filter(|file| !(inside.is_empty() && file.path == path))
            {
                return Some(self.declaring_file(file, name, followed, Self::python));
            }
        }
        None
    }

    fn rust(&self, path: &str, from: &str, name: &str, followed: usize) -> Option<&'a File> {
        let mut names: Vec<&str> = from.split("::").filter(|part| !part.is_empty()).collect();
        names.extend((!name.is_empty()).then_some(name));
        let (root, rest) = names.split_first()?;
        let module = |at: &str| self.file(&format!("{at}.rs")).or_else(|| self.file(&within(at, "mod.rs")));
        let of_crate =
            if *root == "crate" { Some(rust::in_crate(path)?.0) } else { self.crates.get(*root).copied() };
        // A path may also start with a module next to the file.
        let (base, rest) = match of_crate {
            Some(base) => (within(base, "src"), rest),
            None => (rust::beneath(path).to_owned(), names.as_slice()),
        };
        for length in (1..=rest.len()).rev() {
            if let Some(file) = module(&within(&base, &rest[..length].join("/"))) {
                let next = rest.get(length).copied().unwrap_or_default();
                return Some(self.declaring_file(file, next, followed, Self::rust));
            }
        }
        of_crate?;
        let top = self.file(&within(&base, "lib.rs")).or_else(|| self.file(&within(&base, "main.rs")))?;
        let name = rest.first().copied().unwrap_or_default();
        Some(self.declaring_file(top, name, followed, Self::rust))
    }

    /// The file that declares a name, if this one only imports it.
    fn declaring_file(
        &self,
        file: &'a File,
        name: &str,
        followed: usize,
        find: fn(&Self, &str, &str, &str, usize) -> Option<&'a File>,
    ) -> &'a File {
        let declared = file.source.items.iter().any(|item| item.name == name);
        if name.is_empty() || declared || followed >= MAX_FOLLOWED {
            return file;
        }
        let source = file.source.imports.iter().find(|import| import.names.iter().any(|one| one == name));
        source.and_then(|import| find(self, &file.path, &import.from, name, followed + 1)).unwrap_or(file)
    }

    fn script(&self, path: &str, from: &str) -> Option<&'a File> {
        if !from.starts_with('.') {
            return None;
        }
        let at = join(folder(path), from)?;
        let exact = SCRIPTS.iter().find_map(|ending| self.file(at_top(&format!("{at}{ending}"))));
        // TypeScript imports may name the compiled file.
        let becomes = || self.file(&format!("{}.ts", at.strip_suffix(".js")?));
        let file = exact.filter(|file| file.is_program()).or_else(becomes)?;
        // A file that only re-exports another stands for it.
        match file.source.imports.as_slice() {
            [only] if file.source.items.is_empty() && file.path != path => {
                self.script(&file.path, &only.from).or(Some(file))
            }
            _ => Some(file),
        }
    }
}

fn is_go(file: &File) -> bool {
    file.language.is_some_and(|language| language.family == Family::Go)
}

/// The top-level declarations of a file, with its folder.
fn declared(file: &File) -> impl Iterator<Item = ((&str, &str), &File)> {
    let top = file.source.items.iter().filter(|item| item.kind != "method");
    top.map(move |item| ((folder(&file.path), item.name.as_str()), file))
}

/// `/index.js` without a folder is at the top.
fn at_top(path: &str) -> &str {
    path.trim_start_matches('/')
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

/// A relative path from a folder; `None` if it leads out of the tree.
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
