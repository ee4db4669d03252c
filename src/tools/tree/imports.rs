//! What files import, and which files of the tree that is.
//!
//! A name that a package only re-exports (`__init__.py`, `lib.rs`) is followed to the file that declares it.

use super::language::Syntax;
use super::outline::code_lines;
use super::{File, ManifestKind, Parts, Tree, clipped};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many imports per file we keep, and how many re-exports of a name we follow.
const MAX_IMPORTS: usize = 400;
const MAX_FOLLOWED: usize = 3;

/// The files that stand for their folder.
const INDEX: [&str; 5] = ["mod", "lib", "main", "index", "__init__"];

/// A module that is imported from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module as the language writes it: `.core`, `./lib/view`, `crate::engine::store`, `example.org/x/db`.
    pub from: String,
    /// The imported name, if there is one.
    pub name: String,
}

/// The imports of a text, each once.
pub(super) fn read(syntax: Syntax, text: &str) -> Vec<Import> {
    let mut imports = BTreeSet::new();
    let mut add = |from: &str, name: &str| {
        if !from.is_empty() && imports.len() < MAX_IMPORTS {
            imports.insert(Import { from: clipped(from, 200), name: clipped(name, 100) });
        }
    };
    let code = code_lines(syntax, text);
    let mut is_listing = false;
    for (at, line) in code.iter().enumerate() {
        let bare = line.trim();
        match syntax {
            Syntax::Python => {
                if let Some(modules) = bare.strip_prefix("import ") {
                    for module in modules.split(',').map(first_word) {
                        let names = names_of(module, &code);
                        let is_bare = names.is_empty();
                        names.into_iter().chain(is_bare.then_some("")).for_each(|name| add(module, name));
                    }
                } else if let Some((from, names)) =
                    bare.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
                {
                    let all = until(names, &code[at + 1..], if names.starts_with('(') { ")" } else { "" });
                    for name in all.trim_start_matches('(').split([',', ')']) {
                        add(from.trim(), first_word(name));
                    }
                }
            }
            Syntax::Rust => {
                let start =
                    bare.strip_prefix("pub").map_or(bare, |rest| rest.split_once(' ').map_or("", |(_, r)| r));
                match start.strip_prefix("use ") {
                    Some(tree) => expand("", &until(tree, &code[at + 1..], ";"), &mut add),
                    None => inline_paths(bare, &mut add),
                }
            }
            Syntax::Script => {
                let keyword =
                    ["from ", "require(", "import ", "import("].iter().find_map(|word| bare.split_once(word));
                add(keyword.map_or("", |(_, rest)| quoted(rest)), "");
            }
            Syntax::Go => {
                is_listing = (is_listing || bare.starts_with("import (")) && bare != ")";
                if is_listing || bare.starts_with("import ") {
                    add(
                        bare.split_once('"')
                            .map_or("", |(_, rest)| rest.split('"').next().unwrap_or_default()),
                        "",
                    );
                }
            }
            Syntax::Jvm => {
                add(bare.strip_prefix("import ").map_or("", |rest| rest.trim_end_matches(';')), "")
            }
            Syntax::C => add(
                bare.strip_prefix("#include").map_or("", |rest| rest.trim().trim_matches(['<', '>', '"'])),
                "",
            ),
            Syntax::Other => {}
        }
    }
    imports.into_iter().collect()
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The names that are used of an imported module: `box.INT`.
fn names_of<'a>(module: &str, code: &[&'a str]) -> BTreeSet<&'a str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for line in code.iter().filter(|line| !line.trim_start().starts_with("import ")) {
        for (at, _) in line.match_indices(module) {
            let rest = line[at + module.len()..].strip_prefix('.').unwrap_or_default();
            let is_whole = !line[..at].ends_with(|c: char| is_word(c) || c == '.');
            let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            names.extend(Some(name).filter(|name| is_whole && !name.is_empty()));
        }
    }
    names
}

/// A statement that may go on over some lines until `end`.
fn until(start: &str, lines: &[&str], end: &str) -> String {
    let mut text = start.to_owned();
    for line in lines.iter().take(100) {
        if text.contains(end) {
            break;
        }
        text.push_str(line.trim());
    }
    if end.is_empty() { text } else { text.split(end).next().unwrap_or_default().to_owned() }
}

/// The text in the quotes that `rest` begins with.
fn quoted(rest: &str) -> &str {
    let mut parts = rest.trim_start().splitn(3, ['\'', '"']);
    if parts.next() == Some("") { parts.next().unwrap_or_default() } else { "" }
}

/// The paths of a `use` tree.
fn expand(before: &str, tree: &str, add: &mut impl FnMut(&str, &str)) {
    let tree = tree.trim();
    if let Some((head, inside)) = tree.split_once('{') {
        let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
        let (mut depth, mut start) = (0_usize, 0);
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            depth = if c == '{' { depth + 1 } else { depth.saturating_sub(usize::from(c == '}')) };
            if c == ',' && depth == 0 || at == inside.len() {
                expand(&format!("{before}{}", head.trim()), &inside[start..at], add);
                start = (at + 1).min(inside.len());
            }
        }
        return;
    }
    let path = format!("{before}{}", first_word(tree)).replace("::self", "");
    let (from, name) = path.rsplit_once("::").unwrap_or((&path, ""));
    add(from, name);
}

/// `crate::engine::store::open` inside code.
fn inline_paths(line: &str, add: &mut impl FnMut(&str, &str)) {
    for (at, _) in line.match_indices("crate::") {
        let end = line[at..]
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
            .unwrap_or(line.len() - at);
        let path = line[at..at + end].trim_end_matches(':');
        if let Some((from, name)) = path.rsplit_once("::") {
            add(from, name);
        }
    }
}

/// A dependency of one part on another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    let mut all = FileDependencies::new();
    for file in &tree.files {
        for import in &file.source.imports {
            if let Some(target) = resolver.target(file, import, 0).filter(|target| *target != file.path) {
                let names = all.entry(&file.path).or_default().entry(target).or_default();
                names.extend((!import.name.is_empty()).then_some(import.name.as_str()));
            }
        }
    }
    all
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
    /// Program files by their path without its ending; an index file also by its folder.
    files: HashMap<String, &'a File>,
    /// Where packages of the tree are, by the name that code uses: `my_crate`, `example.org/x`.
    packages: Vec<(String, &'a str)>,
    /// Folders that may contain Python packages.
    roots: Vec<String>,
}

impl<'a> Resolver<'a> {
    fn of(tree: &'a Tree) -> Self {
        let mut files = HashMap::new();
        for file in tree.files.iter().filter(|file| file.is_program()) {
            let stem = stem(&file.path);
            let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
            if INDEX.contains(&name) {
                files.entry(folder.to_owned()).or_insert(file);
            }
            files.insert(stem.to_owned(), file);
        }
        let named = |manifest: &'a super::Manifest| {
            let name = manifest.name.as_deref()?;
            let name =
                if manifest.sort == ManifestKind::Cargo { name.replace('-', "_") } else { name.to_owned() };
            Some((name, folder(&manifest.path)))
        };
        let mut roots = vec![String::new(), "src".to_owned(), "lib".to_owned()];
        let python = tree.manifests.iter().filter(|manifest| manifest.sort == ManifestKind::Python);
        for at in python.map(|manifest| folder(&manifest.path)).filter(|at| !at.is_empty()) {
            roots.extend([at.to_owned(), within(at, "src")]);
        }
        Self { files, packages: tree.manifests.iter().filter_map(named).collect(), roots }
    }

    /// The file an import of this file leads to.
    fn target(&self, file: &'a File, import: &Import, followed: usize) -> Option<String> {
        let (bases, inside) = self.places(file, &import.from)?;
        let module = within(&inside, &import.name);
        let found = bases.iter().find_map(|base| {
            // The name may itself be a module, and the last part of a path a type.
            let shorter = inside.rsplit_once('/').map_or("", |(outer, _)| outer);
            let mut paths = vec![within(base, &module), within(base, &inside)];
            paths.extend((!shorter.is_empty()).then(|| within(base, shorter)));
            paths.iter().find_map(|path| self.files.get(path.as_str()).copied())
        });
        let Some(found) = found else {
            let is_go = file.language.is_some_and(|language| language.syntax == Syntax::Go);
            return bases.first().filter(|_| is_go).map(|base| within(base, &inside));
        };
        let hands_on = |one: &&Import| one.name == import.name && !import.name.is_empty();
        let is_declared = found.source.items.iter().any(|item| item.name == import.name);
        let next =
            found.source.imports.iter().find(hands_on).filter(|_| followed < MAX_FOLLOWED && !is_declared);
        let next = next.and_then(|next| self.target(found, next, followed + 1));
        Some(next.unwrap_or_else(|| found.path.clone()))
    }

    /// The folders an import may start from, and its path within them.
    fn places(&self, file: &'a File, from: &str) -> Option<(Vec<String>, String)> {
        let here = folder(&file.path);
        let package =
            || self.packages.iter().find_map(|(name, at)| Some((*at, from.strip_prefix(name.as_str())?)));
        Some(match file.language?.syntax {
            Syntax::Python => {
                let dots = from.len() - from.trim_start_matches('.').len();
                let base = (1..dots).fold(here, |at, _| folder(at));
                let bases = if dots == 0 { self.roots.clone() } else { vec![base.to_owned()] };
                (bases, from[dots..].replace('.', "/"))
            }
            Syntax::Rust => {
                let stem = stem(&file.path);
                let name = stem.rsplit('/').next().unwrap_or(stem);
                let module = if INDEX.contains(&name) { here } else { stem };
                let mut names: Vec<&str> = from.split("::").collect();
                let own_crate = file.path.rfind("src/").map_or("", |at| &file.path[..at + 3]);
                let mut base = match names.first() {
                    Some(&"crate") => own_crate.to_owned(),
                    Some(&("self" | "super")) => module.to_owned(),
                    _ => package().map_or(module.to_owned(), |(at, _)| within(at, "src")),
                };
                let is_relative = matches!(names.first(), Some(&("self" | "super" | "crate")));
                if is_relative || package().is_some() {
                    while names.first().is_some_and(|name| *name == "super") {
                        base = folder(&base).to_owned();
                        names.remove(0);
                    }
                    if !from.starts_with("super") {
                        names.remove(0);
                    }
                }
                (vec![base], names.join("/"))
            }
            Syntax::Script if from.starts_with('.') => {
                let mut at = here.to_owned();
                let mut inside = Vec::new();
                for part in from.split('/') {
                    match part {
                        "." | "" => {}
                        ".." => at = folder(&at).to_owned(),
                        part => inside.push(part),
                    }
                }
                (vec![at], stem(&inside.join("/")).to_owned())
            }
            Syntax::Go => {
                let (at, rest) = package()?;
                (vec![at.to_owned()], rest.strip_prefix('/').or(rest.is_empty().then_some(""))?.to_owned())
            }
            Syntax::C => (vec![here.to_owned(), String::new()], stem(from).to_owned()),
            Syntax::Script | Syntax::Jvm | Syntax::Other => return None,
        })
    }
}

/// A path without the ending of its file.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].find('.').filter(|at| *at > 0).map_or(path, |at| &path[..name + at])
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn within(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}
