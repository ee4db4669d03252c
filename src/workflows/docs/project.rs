//! Turns a scanned tree into facts: counted, sorted and bounded.

use super::facts::{
    AreaFacts, DependencyFacts, LanguageFacts, ManifestFacts, ModuleFacts, ProjectFacts, TestingFacts,
};
use crate::tools::tree::{
    File, FileDependencies, Item, Manifest, ManifestKind, Parts, Run, Tree, file_dependencies, links,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many of each are kept.
const AREAS: usize = 60;
const LINKS: usize = 120;
const DEPENDENCIES: usize = 120;
const FEW: usize = 12;
const RUNS: usize = 40;
const SKIPPED: usize = 20;
const TEST_FILES: usize = 200;
const MODULES: usize = 400;
const NAMES: usize = 160;

/// How many modules a test file is matched with, and how many test files a module.
const COVERS: usize = 4;

pub(super) fn project(tree: &Tree) -> ProjectFacts {
    let parts = Parts::of(tree);
    let dependencies = file_dependencies(tree);
    let areas = areas(&tree.files, &parts);
    let languages = languages(&tree.files);
    let mut part_links = links(&dependencies, &parts);
    part_links.sort_by_key(|link| std::cmp::Reverse(link.files));
    let testing = testing(tree, &parts, &dependencies, &areas);
    ProjectFacts {
        name: name(tree),
        about: about(tree),
        readme: tree.readme_text.clone(),
        files: tree.files.len() as u64,
        folders: tree.folders as u64,
        lines: languages.iter().filter(|language| language.code).map(|language| language.lines).sum(),
        modules: modules(tree, &dependencies, &testing),
        runs: runs(tree),
        manifests: manifests(tree, &parts),
        entries: entries(tree),
        links: part_links.into_iter().take(LINKS).collect(),
        skipped: tree.skipped.iter().map(|one| (one.name.clone(), one.why.clone())).take(SKIPPED).collect(),
        more_skipped: (tree.more_skipped + tree.skipped.len().saturating_sub(SKIPPED)) as u64,
        wishes: Vec::new(),
        areas,
        languages,
        testing,
    }
}

/// The files of the program that are not tests.
fn program(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.is_program() && !file.source.is_test)
}

/// The manifest at the top, or closest to it.
fn main_manifest(tree: &Tree) -> Option<&Manifest> {
    let named = tree.manifests.iter().filter(|manifest| manifest.name.is_some());
    named.min_by_key(|manifest| manifest.path.matches('/').count())
}

fn name(tree: &Tree) -> String {
    let manifest = main_manifest(tree).filter(|manifest| !manifest.path.contains('/'));
    manifest.and_then(|manifest| manifest.name.clone()).unwrap_or_else(|| tree.name.clone())
}

fn about(tree: &Tree) -> String {
    let description = main_manifest(tree).and_then(|manifest| manifest.about.clone());
    description.or_else(|| tree.readme.clone()).unwrap_or_default()
}

/// Every command that a manifest names, tests first; each once, from the file nearest to the top.
fn runs(tree: &Tree) -> Vec<Run> {
    let mut runs: Vec<&Run> = tree.manifests.iter().flat_map(|manifest| &manifest.runs).collect();
    runs.sort_by_key(|run| (run.purpose, run.from.matches('/').count()));
    let mut seen = BTreeSet::new();
    runs.into_iter().filter(|run| seen.insert(&run.command)).take(RUNS).cloned().collect()
}

/// Where programs start, and the files that others load first.
fn entries(tree: &Tree) -> Vec<(String, String)> {
    let main_files: BTreeSet<String> = tree
        .manifests
        .iter()
        .filter(|manifest| manifest.sort == ManifestKind::Npm)
        .map(|manifest| {
            let folder =
                manifest.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
            let main = manifest.main.as_deref().unwrap_or("index.js");
            format!("{folder}{}", main.trim_start_matches("./"))
        })
        .collect();
    let kind = |file: &File| {
        let inside = file.path.trim_start_matches("src/");
        // A Python package is at the top or in `src`, and others load its first file.
        let is_package = inside.ends_with("/__init__.py") && inside.matches('/').count() == 1;
        if file.source.items.iter().any(|item| item.name == "main") || inside.ends_with("__main__.py") {
            Some("program")
        } else if is_package || main_files.contains(&file.path) || file.path.ends_with("src/lib.rs") {
            Some("file that others load first")
        } else {
            None
        }
    };
    program(tree).filter_map(|file| Some((file.path.clone(), kind(file)?.to_owned()))).take(FEW).collect()
}

fn languages(files: &[File]) -> Vec<LanguageFacts> {
    let mut languages: BTreeMap<&str, LanguageFacts> = BTreeMap::new();
    for file in files {
        let Some(language) = file.language else { continue };
        let facts = languages.entry(language.name).or_default();
        (facts.name, facts.code) = (language.name.to_owned(), language.code);
        facts.is_read = language.is_read();
        facts.files += 1;
        facts.lines += file.source.lines;
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
    // The description in a folder's entry file describes the folder.
    let entry_files =
        ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "index.js", "doc.go", "main.go"];
    let is_entry_file = |file: &&&File| {
        file.path == path || entry_files.iter().any(|name| file.path == format!("{path}/{name}"))
    };
    let description = files.iter().find(is_entry_file).and_then(|file| file.source.about.clone());
    let about = description
        .or_else(|| files.iter().filter(|_| files.len() < 4).find_map(|file| file.source.about.clone()));
    let program = || files.iter().filter(|file| file.is_program());
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
        is_test: program().all(|file| file.source.is_test) && program().next().is_some(),
    }
}

fn manifests(tree: &Tree, parts: &Parts) -> Vec<ManifestFacts> {
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in &tree.files {
        for import in &file.source.imports {
            users.entry(import.from.as_str()).or_default().insert(&file.path);
        }
    }
    let dependency = |manifest: &Manifest, one: &crate::tools::tree::Dependency| {
        // The name that code uses for it.
        let import_name = match manifest.sort {
            ManifestKind::Cargo => one.name.replace('-', "_"),
            ManifestKind::Python => one.name.replace('-', "_").to_lowercase(),
            ManifestKind::Npm | ManifestKind::Go => one.name.clone(),
        };
        let is_inside = |import: &str| {
            let rest = &import[import_name.len()..];
            rest.is_empty() || rest.starts_with([':', '.', '/'])
        };
        let near =
            users.range(import_name.as_str()..).take_while(|(import, _)| import.starts_with(&import_name));
        let files: BTreeSet<&str> = near
            .filter(|(import, _)| is_inside(import))
            .flat_map(|(_, files)| files.iter().copied())
            .collect();
        let areas: BTreeSet<&str> = files.iter().map(|file| parts.part(file)).collect();
        DependencyFacts {
            name: one.name.clone(),
            wanted: one.wanted.clone(),
            group: one.group.to_owned(),
            files: files.len() as u64,
            areas: areas.into_iter().take(FEW).map(str::to_owned).collect(),
        }
    };
    let facts = |manifest: &Manifest| ManifestFacts {
        path: manifest.path.clone(),
        sort: manifest.sort.word().to_owned(),
        platform: manifest.platform.clone().unwrap_or_default(),
        dependencies: manifest
            .dependencies
            .iter()
            .take(DEPENDENCIES)
            .map(|one| dependency(manifest, one))
            .collect(),
    };
    tree.manifests.iter().take(FEW).map(facts).collect()
}

/// The files of the program: what each declares, what it imports, and how often it is used; most important first.
fn modules(tree: &Tree, dependencies: &FileDependencies<'_>, testing: &TestingFacts) -> Vec<ModuleFacts> {
    let mut importers: BTreeMap<&str, u64> = BTreeMap::new();
    for file in program(tree) {
        for target in dependencies.get(file.path.as_str()).into_iter().flatten() {
            *importers.entry(target.0).or_default() += 1;
        }
    }
    let module = |file: &File| {
        let items = || file.source.items.iter().enumerate();
        // Of several declarations, the last is the one that does the work; the others are overloads.
        let last: BTreeMap<&str, usize> = items().map(|(at, item)| (item.name.as_str(), at)).collect();
        let is_last = |(at, item): &(usize, &Item)| last.get(item.name.as_str()) == Some(at);
        let mut names: Vec<Item> = items().filter(is_last).map(|(_, item)| item.clone()).collect();
        let all = names.len();
        keep_best(&mut names, NAMES);
        let imports = dependencies.get(file.path.as_str()).map(|targets| targets.keys().cloned().collect());
        let place = |covers: &[String]| covers.iter().position(|path| *path == file.path);
        let mut tests: Vec<_> = testing
            .covers
            .iter()
            .filter_map(|(test, _, covers)| Some((place(covers)?, covers.len(), test)))
            .collect();
        tests.sort_unstable();
        ModuleFacts {
            path: file.path.clone(),
            about: file.source.about.clone().unwrap_or_default(),
            lines: file.source.lines,
            imports: imports.unwrap_or_default(),
            used_by: importers.get(file.path.as_str()).copied().unwrap_or_default(),
            more_names: (all - names.len()) as u64,
            names,
            tests: tests.into_iter().map(|(.., test)| test.clone()).take(COVERS).collect(),
        }
    };
    let mut modules: Vec<ModuleFacts> =
        program(tree).filter(|file| file.source.lines > 0).map(module).collect();
    modules.sort_by_key(|module| (std::cmp::Reverse(weight(module)), module.path.clone()));
    modules.truncate(MODULES);
    modules
}

/// How useful a module is to a newcomer: how much it is used, how much it exports, and how long it is.
fn weight(module: &ModuleFacts) -> u64 {
    let public = module.names.iter().filter(|name| name.public).count() as u64;
    module.used_by * 6 + public.min(40) + module.lines.min(4_000) / 100
}

/// Keeps the most telling names, in order: types first, then functions, then methods; public and documented ones
/// before others.
pub(super) fn keep_best(names: &mut Vec<Item>, max: usize) {
    let rank = |name: &Item| {
        let kind = match name.kind.as_str() {
            "function" | "constant" => 1,
            "method" => 3,
            _ => 0,
        };
        // A method of a private type is often where the work is done.
        kind + if name.public { 0 } else { 2 } + u8::from(name.about.is_empty())
    };
    if names.len() > max {
        names.sort_by_key(|name| (rank(name), name.line));
        names.truncate(max);
        names.sort_by_key(|name| name.line);
    }
}

fn testing(
    tree: &Tree,
    parts: &Parts,
    dependencies: &FileDependencies<'_>,
    areas: &[AreaFacts],
) -> TestingFacts {
    let cases = |file: &File| u64::from(file.source.tests);
    let covers = covers(tree, dependencies);
    let mut program_lines: BTreeMap<&str, u64> = BTreeMap::new();
    for file in program(tree) {
        *program_lines.entry(parts.part(&file.path)).or_default() += file.source.lines;
    }
    let covered: BTreeSet<&str> =
        covers.iter().flat_map(|(_, _, covers)| covers.iter().map(|path| parts.part(path))).collect();
    let is_untested = |area: &&AreaFacts| {
        let is_large = program_lines.get(area.path.as_str()).is_some_and(|lines| *lines >= 100);
        area.tests == 0 && is_large && !covered.contains(area.path.as_str())
    };
    TestingFacts {
        files: tree.files.iter().filter(|file| file.source.is_test).count() as u64,
        cases: tree.files.iter().map(cases).sum(),
        beside: program(tree).map(cases).sum(),
        untested: areas.iter().filter(is_untested).map(|area| area.path.clone()).take(FEW).collect(),
        covers,
    }
}

/// Test files with what they test: the module they are named after, then those they import most names from.
fn covers(tree: &Tree, dependencies: &FileDependencies<'_>) -> Vec<(String, u64, Vec<String>)> {
    let program: BTreeMap<&str, &File> = program(tree).map(|file| (file.path.as_str(), file)).collect();
    let tests = tree.files.iter().filter(|file| file.source.is_test && file.source.tests > 0);
    let match_file = |file: &File| {
        let name = |path: &str| subject(path.rsplit('/').next().unwrap_or(path));
        let is_namesake = |path: &&&str| name(path) == name(&file.path);
        let mut modules: Vec<&str> = program.keys().filter(is_namesake).copied().collect();
        // A name that many files share says nothing.
        if modules.len() > 2 {
            modules.clear();
        }
        let imports = dependencies.get(file.path.as_str()).into_iter().flatten();
        let mut imported: Vec<_> = imports.filter(|(path, _)| program.contains_key(path.as_str())).collect();
        imported.sort_by_key(|(path, names)| (std::cmp::Reverse(names.len()), *path));
        for (path, _) in imported {
            if !modules.contains(&path.as_str()) {
                modules.push(path);
            }
        }
        let modules = modules.into_iter().take(COVERS).map(str::to_owned).collect();
        (file.path.clone(), u64::from(file.source.tests), modules)
    };
    tests.take(TEST_FILES).map(match_file).collect()
}

/// What a test file is about, by its name: `test_types.py` is about `types`.
fn subject(name: &str) -> String {
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    stem.trim_start_matches("test_").trim_end_matches("_tests").trim_end_matches("_test").to_owned()
}
