//! Which tests cover what: test files are matched by the module they are named after, and by their imports.

use super::{FEW, program_files};
use crate::tools::tree::{File, FileDependencies, Parts, Tree};
use crate::workflows::docs::facts::{AreaFacts, ProjectFacts, TestingFacts};
use std::collections::{BTreeMap, BTreeSet};

/// How many test files are matched, and with how many modules each.
const MATCHED: usize = 200;
const COVERS: usize = 4;

/// Test tools, by their names as dependencies.
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

pub(super) fn testing(
    tree: &Tree,
    parts: &Parts,
    dependencies: &FileDependencies<'_>,
    areas: &[AreaFacts],
) -> TestingFacts {
    let covers = covers(tree, dependencies);
    let has_tests = |file: &&File| file.source.tests > 0;
    let mut by_area: Vec<(String, u64)> =
        areas.iter().filter(|area| area.tests > 0).map(|area| (area.path.clone(), area.tests)).collect();
    by_area.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
    by_area.truncate(30);
    let mut program_lines: BTreeMap<&str, u64> = BTreeMap::new();
    for file in program_files(&tree.files).filter(|file| !file.source.is_test) {
        *program_lines.entry(parts.part(&file.path)).or_default() += file.source.lines;
    }
    let covered: BTreeSet<&str> =
        covers.iter().flat_map(|(_, _, covers)| covers.iter().map(|path| parts.part(path))).collect();
    let is_large =
        |area: &&AreaFacts| program_lines.get(area.path.as_str()).is_some_and(|lines| *lines >= 100);
    let packages = tree.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    let tools: BTreeSet<&str> =
        packages.map(|package| package.name.as_str()).filter(|name| TEST_TOOLS.contains(name)).collect();
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
            .filter(has_tests)
            .map(|file| u64::from(file.source.tests))
            .sum(),
        untested: areas
            .iter()
            .filter(|area| area.tests == 0 && !covered.contains(area.path.as_str()))
            .filter(is_large)
            .map(|area| area.path.clone())
            .take(30)
            .collect(),
        areas: by_area,
        tools: tools.into_iter().map(str::to_owned).collect(),
        checks: tree
            .files
            .iter()
            .map(|file| file.path.clone())
            .filter(|path| is_check(path))
            .take(FEW)
            .collect(),
        covers,
    }
}

/// Test files with what they test: the module they are named after, then those they import most names from.
fn covers(tree: &Tree, dependencies: &FileDependencies<'_>) -> Vec<(String, u64, Vec<String>)> {
    let program: Vec<&File> = program_files(&tree.files).filter(|file| !file.source.is_test).collect();
    let is_program = |path: &str| program.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let tests = program_files(&tree.files).filter(|file| file.source.is_test && file.source.tests > 0);
    let match_file = |file: &File| {
        let subjects: Vec<String> = file.path.split('/').map(subject).collect();
        let same_named = program.iter().filter(|module| subjects.contains(&subject(name(&module.path))));
        let mut modules: Vec<String> =
            same_named.filter(|module| is_subject(&module.path)).map(|module| module.path.clone()).collect();
        // A name that many files share says nothing.
        if modules.len() > 2 {
            modules.clear();
        }
        let imports = dependencies.get(file.path.as_str()).into_iter().flatten();
        let mut imported: Vec<_> = imports.filter(|(path, _)| is_program(path)).collect();
        imported.sort_by_key(|(path, names)| (std::cmp::Reverse(names.len()), *path));
        for (path, _) in imported {
            if !modules.contains(path) {
                modules.push(path.clone());
            }
        }
        modules.truncate(COVERS);
        (file.path.clone(), u64::from(file.source.tests), modules)
    };
    tests.take(MATCHED).map(match_file).collect()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether tests can be named after a file.
fn is_subject(path: &str) -> bool {
    let is_entry_file = matches!(
        subject(name(path)).as_str(),
        "mod" | "main" | "lib" | "index" | "init" | "init__" | "conftest"
    );
    !is_entry_file && !path.starts_with("benches/") && !path.starts_with("examples/")
}

/// What a test file is about, by its name: `test_types.py` is about `types`.
fn subject(name: &str) -> String {
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let bare = stem.trim_start_matches("test_").trim_start_matches("tests_");
    bare.trim_end_matches("_tests").trim_end_matches("_test").trim_start_matches('_').to_owned()
}

/// Adds to each module the tests that use it.
pub(super) fn match_tests(facts: &mut ProjectFacts) {
    for module in &mut facts.modules {
        let mut tests: Vec<(usize, &str)> = facts
            .testing
            .covers
            .iter()
            .filter_map(|(test, _, covers)| {
                Some((covers.iter().position(|path| *path == module.path)?, test.as_str()))
            })
            .collect();
        tests.sort_unstable();
        module.tests = tests.into_iter().take(COVERS).map(|(_, test)| test.to_owned()).collect();
    }
}
