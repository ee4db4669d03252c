//! A scanned tree as facts for prompts: counted, sorted and bounded, so that a prompt has room for them.

use crate::tools::tree::{File, Manifest, ManifestKind, Tree, area, links};
use crate::workflows::docs::facts::{
    AreaFacts, DependencyFacts, LanguageFacts, LinkFacts, ManifestFacts, ProjectFacts, TestingFacts,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many of each are kept.
const AREAS: usize = 60;
const LINKS: usize = 120;
const DEPENDENCIES: usize = 120;
const NAMES: usize = 14;
const SOME: usize = 12;

/// Test tools, by the names they are needed under.
const TEST_TOOLS: [&str; 26] = [
    "proptest",
    "quickcheck",
    "insta",
    "rstest",
    "criterion",
    "mockall",
    "wiremock",
    "tempfile",
    "pytest",
    "hypothesis",
    "tox",
    "unittest2",
    "nose",
    "jest",
    "vitest",
    "mocha",
    "chai",
    "ava",
    "cypress",
    "playwright",
    "@playwright/test",
    "jasmine",
    "testify",
    "github.com/stretchr/testify",
    "ginkgo",
    "vt100",
];

/// The facts of a tree.
pub(super) fn project(tree: &Tree) -> ProjectFacts {
    let mut facts = ProjectFacts {
        name: name(tree),
        about: about(tree),
        files: tree.files.len() as u64,
        folders: tree.folders as u64,
        bytes: tree.files.iter().map(|file| file.bytes).sum(),
        languages: languages(&tree.files),
        areas: areas(&tree.files),
        outline: outline(&tree.files),
        ..ProjectFacts::default()
    };
    facts.lines =
        facts.languages.iter().filter(|language| language.code).map(|language| language.lines).sum();
    let imported = imported(&tree.files);
    facts.manifests = tree.manifests.iter().take(30).map(|one| manifest_facts(one, &imported)).collect();
    facts.entries = tree
        .files
        .iter()
        .filter(|file| !file.source.is_test)
        .filter_map(|file| Some((file.path.clone(), file.source.entry?.to_owned())))
        .take(40)
        .collect();
    let mut leaning = links(tree);
    leaning.sort_by_key(|link| std::cmp::Reverse(link.files));
    facts.links = leaning
        .into_iter()
        .take(LINKS)
        .map(|link| LinkFacts { from: link.from, to: link.to, files: link.files as u64 })
        .collect();
    facts.outside = outside(&tree.files);
    facts.marks =
        counted(code(&tree.files).flat_map(|file| file.source.marks.iter().map(|(mark, n)| (*mark, *n))));
    let carried = |file: &'_ File| -> Vec<String> {
        let items = file.source.items.iter().filter(|item| item.kind == "impl");
        items.map(|item| item.name.clone()).collect()
    };
    let roles: Vec<String> = code(&tree.files).flat_map(carried).collect();
    facts.roles = counted(roles.iter().map(|name| (name.as_str(), 1)));
    facts.roles.retain(|(_, count)| *count > 1);
    facts.testing = testing(tree, &facts.areas);
    facts.documents = tree
        .files
        .iter()
        .filter(|file| {
            file.language.is_some_and(|language| matches!(language.name, "Markdown" | "reStructuredText"))
        })
        .map(|file| file.path.clone())
        .take(30)
        .collect();
    facts.skipped = tree.skipped.iter().map(|one| (one.name.clone(), one.why.clone())).take(20).collect();
    facts.more_skipped = (tree.more_skipped + tree.skipped.len().saturating_sub(20)) as u64;
    facts
}

fn code(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.language.is_some_and(|language| language.code))
}

/// The manifest at the top, or nearest to it.
fn main_manifest(tree: &Tree) -> Option<&Manifest> {
    tree.manifests.iter().filter(|one| one.name.is_some()).min_by_key(|one| one.path.matches('/').count())
}

fn name(tree: &Tree) -> String {
    let own = main_manifest(tree).filter(|one| !one.path.contains('/')).and_then(|one| one.name.clone());
    own.unwrap_or_else(|| tree.name.clone())
}

fn about(tree: &Tree) -> String {
    let said = main_manifest(tree).and_then(|one| one.about.clone());
    said.or_else(|| tree.readme.clone()).unwrap_or_default()
}

fn languages(files: &[File]) -> Vec<LanguageFacts> {
    let mut found: BTreeMap<&str, LanguageFacts> = BTreeMap::new();
    for file in files {
        let Some(language) = file.language else { continue };
        let one = found.entry(language.name).or_insert_with(|| LanguageFacts {
            name: language.name.to_owned(),
            code: language.code,
            ..LanguageFacts::default()
        });
        one.files += 1;
        one.lines += file.source.lines;
        one.bytes += file.bytes;
    }
    let mut found: Vec<LanguageFacts> = found.into_values().collect();
    found.sort_by_key(|one| std::cmp::Reverse((one.code, one.lines)));
    found
}

fn areas(files: &[File]) -> Vec<AreaFacts> {
    let mut parts: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        parts.entry(area(&file.path)).or_default().push(file);
    }
    let mut found: Vec<AreaFacts> = parts.into_iter().map(|(path, files)| area_facts(path, &files)).collect();
    // The largest stay; then they stand by path again.
    found.sort_by_key(|one| std::cmp::Reverse(one.lines));
    found.truncate(AREAS);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn area_facts(path: &str, files: &[&File]) -> AreaFacts {
    let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
    for file in files {
        if let Some(language) = file.language {
            *lines.entry(language.name).or_default() += file.source.lines;
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
        for item in items {
            let one = (item.kind.to_owned(), item.name.clone());
            if names.len() < NAMES && !names.contains(&one) {
                names.push(one);
            }
        }
    }
    // What the file that opens a folder says is what the folder is about.
    let opening = ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "index.js", "doc.go", "main.go"];
    let leads = |file: &&&File| opening.iter().any(|name| file.path == format!("{path}/{name}"));
    let said = files.iter().find(leads).and_then(|file| file.source.about.clone());
    let about =
        said.or_else(|| files.iter().filter(|_| files.len() < 4).find_map(|file| file.source.about.clone()));
    AreaFacts {
        path: path.to_owned(),
        about: about.unwrap_or_default(),
        files: files.len() as u64,
        lines: files.iter().map(|file| file.source.lines).sum(),
        language: lines
            .into_iter()
            .max_by_key(|(_, lines)| *lines)
            .map(|(name, _)| name.to_owned())
            .unwrap_or_default(),
        tests: files.iter().map(|file| u64::from(file.source.tests)).sum(),
        largest,
        names,
    }
}

/// Folders three deep with how many files they hold, and the files at the top.
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

/// Who imports what: every import as written, with how many files and which parts use it.
type Imported<'a> = BTreeMap<&'a str, (u64, BTreeSet<&'a str>)>;

fn imported(files: &[File]) -> Imported<'_> {
    let mut found = Imported::new();
    for file in files {
        for import in &file.source.imports {
            let (count, parts) = found.entry(import).or_default();
            *count += 1;
            parts.insert(area(&file.path));
        }
    }
    found
}

fn manifest_facts(manifest: &Manifest, imported: &Imported<'_>) -> ManifestFacts {
    let dependencies = manifest.dependencies.iter().take(DEPENDENCIES).map(|one| {
        // The name code uses for it.
        let known = match manifest.sort {
            ManifestKind::Cargo => one.name.replace('-', "_"),
            ManifestKind::Python => one.name.replace('-', "_").to_lowercase(),
            ManifestKind::Npm | ManifestKind::Go => one.name.clone(),
        };
        let (mut count, mut parts) = (0, BTreeSet::new());
        let from = imported.range(known.as_str()..).take_while(|(import, _)| import.starts_with(&known));
        for (import, (files, used)) in from {
            if import[known.len()..].is_empty() || import[known.len()..].starts_with([':', '.', '/']) {
                count += files;
                parts.extend(used.iter().copied());
            }
        }
        DependencyFacts {
            name: one.name.clone(),
            wanted: one.wanted.clone(),
            group: one.group.to_owned(),
            files: count,
            areas: parts.into_iter().take(SOME).map(str::to_owned).collect(),
        }
    });
    ManifestFacts {
        path: manifest.path.clone(),
        sort: manifest.sort.word().to_owned(),
        name: manifest.name.clone().unwrap_or_default(),
        version: manifest.version.clone().unwrap_or_default(),
        dependencies: dependencies.collect(),
        commands: manifest.commands.clone(),
    }
}

fn outside(files: &[File]) -> Vec<(String, Vec<String>)> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in code(files).filter(|file| !file.source.is_test) {
        for what in &file.source.reaches {
            found.entry(what).or_default().insert(area(&file.path));
        }
    }
    let named = |parts: BTreeSet<&str>| parts.into_iter().take(SOME).map(str::to_owned).collect();
    found.into_iter().map(|(what, parts)| (what.to_owned(), named(parts))).collect()
}

/// Counted by name, most first.
fn counted<'a>(all: impl Iterator<Item = (&'a str, u32)>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, count) in all {
        *counts.entry(name).or_default() += u64::from(count);
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(20);
    counts
}

fn testing(tree: &Tree, areas: &[AreaFacts]) -> TestingFacts {
    let tested = |file: &&File| file.source.tests > 0;
    let mut by_area: Vec<(String, u64)> =
        areas.iter().filter(|one| one.tests > 0).map(|one| (one.path.clone(), one.tests)).collect();
    by_area.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
    by_area.truncate(30);
    let mut program: BTreeMap<&str, u64> = BTreeMap::new();
    for file in code(&tree.files).filter(|file| !file.source.is_test) {
        *program.entry(area(&file.path)).or_default() += file.source.lines;
    }
    let large = |one: &&AreaFacts| program.get(one.path.as_str()).is_some_and(|lines| *lines >= 100);
    let needed = tree.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    let tools: BTreeSet<&str> =
        needed.map(|one| one.name.as_str()).filter(|name| TEST_TOOLS.contains(name)).collect();
    let is_check = |path: &str| {
        path.starts_with(".github/workflows/")
            || path.ends_with(".gitlab-ci.yml")
            || path.ends_with("Jenkinsfile")
    };
    TestingFacts {
        files: tree.files.iter().filter(|file| file.source.is_test).count() as u64,
        cases: tree.files.iter().map(|file| u64::from(file.source.tests)).sum(),
        beside: tree
            .files
            .iter()
            .filter(|file| !file.source.is_test)
            .filter(tested)
            .map(|file| u64::from(file.source.tests))
            .sum(),
        untested: areas
            .iter()
            .filter(|one| one.tests == 0)
            .filter(large)
            .map(|one| one.path.clone())
            .take(30)
            .collect(),
        areas: by_area,
        tools: tools.into_iter().map(str::to_owned).collect(),
        checks: tree
            .files
            .iter()
            .map(|file| file.path.clone())
            .filter(|path| is_check(path))
            .take(SOME)
            .collect(),
    }
}
