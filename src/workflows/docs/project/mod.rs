//! Turns a scanned tree into facts for prompts: counted, sorted and bounded, so that they fit into a prompt.

mod bodies;
mod modules;
mod testing;

pub(super) use bodies::bodies;
pub(super) use modules::keep_best;

use crate::tools::tree::{File, Manifest, ManifestKind, Parts, Tree, file_dependencies, links, runs};
use crate::workflows::docs::facts::{
    AreaFacts, DependencyFacts, LanguageFacts, LinkFacts, ManifestFacts, ProjectFacts, RunFacts,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many of each are kept.
const AREAS: usize = 60;
const LINKS: usize = 120;
const DEPENDENCIES: usize = 120;
const NAMES: usize = 14;
const FEW: usize = 12;
const RUNS: usize = 40;

pub(super) fn project(tree: &Tree) -> ProjectFacts {
    let parts = Parts::of(tree);
    let dependencies = file_dependencies(tree);
    let mut facts = ProjectFacts {
        name: name(tree),
        about: about(tree),
        readme: tree.readme_text.clone(),
        files: tree.files.len() as u64,
        folders: tree.folders as u64,
        bytes: tree.files.iter().map(|file| file.bytes).sum(),
        languages: languages(&tree.files),
        areas: areas(&tree.files, &parts),
        outline: outline(&tree.files),
        ..ProjectFacts::default()
    };
    facts.lines =
        facts.languages.iter().filter(|language| language.code).map(|language| language.lines).sum();
    let import_uses = import_uses(&tree.files, &parts);
    facts.manifests =
        tree.manifests.iter().take(30).map(|manifest| manifest_facts(manifest, &import_uses)).collect();
    facts.entries = entries(tree);
    let mut part_links = links(&dependencies, &parts);
    part_links.sort_by_key(|link| std::cmp::Reverse(link.files));
    facts.links = part_links
        .into_iter()
        .take(LINKS)
        .map(|link| LinkFacts { from: link.from, to: link.to, files: link.files as u64 })
        .collect();
    facts.outside = outside(&tree.files, &parts);
    facts.marks = marks(&tree.files);
    facts.roles = roles(&tree.files);
    (facts.modules, facts.whole) = modules::modules(tree, &dependencies);
    facts.testing = testing::testing(tree, &parts, &dependencies, &facts.areas);
    testing::match_tests(&mut facts);
    facts.runs = runs(tree)
        .into_iter()
        .take(RUNS)
        .map(|run| RunFacts {
            purpose: run.purpose.to_string(),
            command: run.command,
            says: run.says,
            from: run.from,
        })
        .collect();
    facts.unread = unread(&tree.files);
    let is_document = |file: &&File| {
        file.language.is_some_and(|language| matches!(language.name, "Markdown" | "reStructuredText"))
    };
    facts.documents = tree.files.iter().filter(is_document).map(|file| file.path.clone()).take(30).collect();
    facts.skipped = tree.skipped.iter().map(|one| (one.name.clone(), one.why.clone())).take(20).collect();
    facts.more_skipped = (tree.more_skipped + tree.skipped.len().saturating_sub(20)) as u64;
    facts
}

fn program_files(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.is_program())
}

/// Traits that are implemented more than once.
fn roles(files: &[File]) -> Vec<(String, u64)> {
    let items = program_files(files).flat_map(|file| &file.source.items).filter(|item| item.kind == "impl");
    let mut roles = count_by_name(items.map(|item| (item.name.as_str(), 1)));
    roles.retain(|(_, count)| *count > 1);
    roles
}

/// Languages of which only files and lines are known.
fn unread(files: &[File]) -> Vec<(String, u64)> {
    let mut file_counts: BTreeMap<&str, u64> = BTreeMap::new();
    for language in
        program_files(files).filter_map(|file| file.language).filter(|language| !language.is_read())
    {
        *file_counts.entry(language.name).or_default() += 1;
    }
    file_counts.into_iter().map(|(name, files)| (name.to_owned(), files)).collect()
}

/// Ways of writing, most frequent first, each with its first place.
fn marks(files: &[File]) -> Vec<(String, u64, String)> {
    let mut marks: BTreeMap<&str, (u64, String)> = BTreeMap::new();
    for file in program_files(files).filter(|file| !file.source.is_test) {
        for (mark, (count, line)) in &file.source.marks {
            let first = || (0, format!("{}:{line}", file.path));
            marks.entry(mark).or_insert_with(first).0 += u64::from(*count);
        }
    }
    let mut marks: Vec<_> =
        marks.into_iter().map(|(name, (count, place))| (name.to_owned(), count, place)).collect();
    marks.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    marks
}

/// Where programs start, and the files that others load first.
fn entries(tree: &Tree) -> Vec<(String, String)> {
    let folder_prefix =
        |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let main_files: BTreeSet<String> = tree
        .manifests
        .iter()
        .filter(|manifest| manifest.sort == ManifestKind::Npm)
        .map(|manifest| {
            let main = manifest.commands.iter().find_map(|command| command.strip_prefix("main: "));
            let main = main.unwrap_or("index.js").trim_start_matches("./");
            format!("{}{main}", folder_prefix(&manifest.path))
        })
        .collect();
    // A Python package is at the top or in `src`, and others load its first file.
    let is_package_entry = |path: &str| {
        let package_path = path.trim_start_matches("src/");
        package_path.ends_with("/__init__.py") && package_path.matches('/').count() == 1
    };
    let entry_kind = |file: &File| match file.source.entry {
        Some(entry) => Some(entry),
        None if main_files.contains(&file.path) || is_package_entry(&file.path) => {
            Some("file that others load first")
        }
        None => None,
    };
    let program = tree.files.iter().filter(|file| !file.source.is_test);
    program.filter_map(|file| Some((file.path.clone(), entry_kind(file)?.to_owned()))).take(40).collect()
}

/// The manifest at the top, or closest to it.
fn main_manifest(tree: &Tree) -> Option<&Manifest> {
    tree.manifests
        .iter()
        .filter(|manifest| manifest.name.is_some())
        .min_by_key(|manifest| manifest.path.matches('/').count())
}

fn name(tree: &Tree) -> String {
    let manifest_name = main_manifest(tree)
        .filter(|manifest| !manifest.path.contains('/'))
        .and_then(|manifest| manifest.name.clone());
    manifest_name.unwrap_or_else(|| tree.name.clone())
}

fn about(tree: &Tree) -> String {
    let description = main_manifest(tree).and_then(|manifest| manifest.about.clone());
    description.or_else(|| tree.readme.clone()).unwrap_or_default()
}

fn languages(files: &[File]) -> Vec<LanguageFacts> {
    let mut languages: BTreeMap<&str, LanguageFacts> = BTreeMap::new();
    for file in files {
        let Some(language) = file.language else { continue };
        let facts = languages.entry(language.name).or_insert_with(|| LanguageFacts {
            name: language.name.to_owned(),
            code: language.code,
            ..LanguageFacts::default()
        });
        facts.files += 1;
        facts.lines += file.source.lines;
        facts.bytes += file.bytes;
    }
    let mut languages: Vec<LanguageFacts> = languages.into_values().collect();
    languages.sort_by_key(|facts| std::cmp::Reverse((facts.code, facts.lines)));
    languages
}

fn areas(files: &[File], parts: &Parts) -> Vec<AreaFacts> {
    let mut files_by_part: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        files_by_part.entry(parts.part(&file.path)).or_default().push(file);
    }
    let mut areas: Vec<AreaFacts> =
        files_by_part.into_iter().map(|(path, files)| area_facts(path, &files)).collect();
    // Keeps the largest, then sorts them by path again.
    areas.sort_by_key(|area| std::cmp::Reverse(area.lines));
    areas.truncate(AREAS);
    areas.sort_by(|a, b| a.path.cmp(&b.path));
    areas
}

fn area_facts(path: &str, files: &[&File]) -> AreaFacts {
    let mut lines_by_language: BTreeMap<&str, u64> = BTreeMap::new();
    for file in files {
        if let Some(language) = file.language {
            *lines_by_language.entry(language.name).or_default() += file.source.lines;
        }
    }
    let mut largest: Vec<(String, u64)> = files
        .iter()
        .map(|file| (file.path.clone(), file.source.lines))
        .filter(|(_, lines)| *lines > 0)
        .collect();
    largest.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    largest.truncate(5);
    let mut names = Vec::new();
    for kind in ["trait", "interface", "struct", "class", "enum", "type", "function"] {
        let items = files.iter().flat_map(|file| &file.source.items).filter(|item| item.kind == kind);
        for item in items.filter(|item| item.public) {
            let kind_and_name = (item.kind.to_owned(), item.name.clone());
            if names.len() < NAMES && !names.contains(&kind_and_name) {
                names.push(kind_and_name);
            }
        }
    }
    // The description in a folder's entry file describes the folder.
    let entry_files =
        ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "index.js", "doc.go", "main.go"];
    let is_entry_file = |file: &&&File| {
        file.path == path || entry_files.iter().any(|name| file.path == format!("{path}/{name}"))
    };
    let description = files.iter().find(is_entry_file).and_then(|file| file.source.about.clone());
    let about = description
        .or_else(|| files.iter().filter(|_| files.len() < 4).find_map(|file| file.source.about.clone()));
    AreaFacts {
        path: path.to_owned(),
        about: about.unwrap_or_default(),
        files: files.len() as u64,
        lines: files.iter().map(|file| file.source.lines).sum(),
        language: lines_by_language
            .into_iter()
            .max_by_key(|(_, lines)| *lines)
            .map(|(name, _)| name.to_owned())
            .unwrap_or_default(),
        tests: files.iter().map(|file| u64::from(file.source.tests)).sum(),
        largest,
        names,
        is_test: files.iter().filter(|file| file.is_program()).all(|file| file.source.is_test)
            && files.iter().any(|file| file.is_program()),
    }
}

/// Folders up to three levels deep with their number of files, and the files at the top.
fn outline(files: &[File]) -> String {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut top = Vec::new();
    for file in files {
        match file.path.rsplit_once('/') {
            None => top.push(file.path.as_str()),
            Some((folder, _)) => {
                let names: Vec<&str> = folder.split('/').collect();
                for depth in 1..=names.len().min(3) {
                    *folders.entry(names[..depth].join("/")).or_default() += 1;
                }
            }
        }
    }
    let mut out = String::new();
    for (path, count) in folders.iter().take(200) {
        let depth = path.matches('/').count();
        let name = path.rsplit('/').next().unwrap_or(path);
        out += &format!("{}{name}/ ({count})\n", "  ".repeat(depth));
    }
    if folders.len() > 200 {
        out += &format!("… and {} more folders\n", folders.len() - 200);
    }
    top.iter().take(60).for_each(|name| out += &format!("{name}\n"));
    out
}

/// Every import as written, with how many files and which parts use it.
type ImportUses<'a> = BTreeMap<&'a str, (u64, BTreeSet<&'a str>)>;

fn import_uses<'a>(files: &'a [File], parts: &Parts) -> ImportUses<'a> {
    let mut uses = ImportUses::new();
    for file in files {
        for import in &file.source.imports {
            let (count, users) = uses.entry(import.from.as_str()).or_default();
            *count += 1;
            users.insert(parts.part(&file.path));
        }
    }
    uses
}

fn manifest_facts(manifest: &Manifest, import_uses: &ImportUses<'_>) -> ManifestFacts {
    let dependencies = manifest.dependencies.iter().take(DEPENDENCIES).map(|dependency| {
        // The name that code uses for it.
        let import_name = match manifest.sort {
            ManifestKind::Cargo => dependency.name.replace('-', "_"),
            ManifestKind::Python => dependency.name.replace('-', "_").to_lowercase(),
            ManifestKind::Npm | ManifestKind::Go => dependency.name.clone(),
        };
        let (mut count, mut parts) = (0, BTreeSet::new());
        let matches = import_uses
            .range(import_name.as_str()..)
            .take_while(|(import, _)| import.starts_with(&import_name));
        for (import, (files, users)) in matches {
            if import[import_name.len()..].is_empty()
                || import[import_name.len()..].starts_with([':', '.', '/'])
            {
                count += files;
                parts.extend(users.iter().copied());
            }
        }
        DependencyFacts {
            name: dependency.name.clone(),
            wanted: dependency.wanted.clone(),
            group: dependency.group.to_owned(),
            files: count,
            areas: parts.into_iter().take(FEW).map(str::to_owned).collect(),
        }
    });
    ManifestFacts {
        path: manifest.path.clone(),
        sort: manifest.sort.word().to_owned(),
        name: manifest.name.clone().unwrap_or_default(),
        version: manifest.version.clone().unwrap_or_default(),
        platform: manifest.platform.clone().unwrap_or_default(),
        dependencies: dependencies.collect(),
        commands: manifest.commands.clone(),
    }
}

fn outside(files: &[File], parts: &Parts) -> Vec<(String, Vec<String>)> {
    let mut parts_by_kind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in program_files(files).filter(|file| !file.source.is_test) {
        for kind in &file.source.reaches {
            parts_by_kind.entry(kind).or_default().insert(parts.part(&file.path));
        }
    }
    let part_names = |parts: BTreeSet<&str>| parts.into_iter().take(FEW).map(str::to_owned).collect();
    parts_by_kind.into_iter().map(|(kind, parts)| (kind.to_owned(), part_names(parts))).collect()
}

/// Counts by name, highest first.
fn count_by_name<'a>(entries: impl Iterator<Item = (&'a str, u32)>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, count) in entries {
        *counts.entry(name).or_default() += u64::from(count);
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(20);
    counts
}
