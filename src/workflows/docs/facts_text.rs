//! The facts as the text that every prompt of a run begins with.
//!
//! It is the same for all agents and all tasks, so that a provider reads it once. It says what there is and where; how
//! things work is for the agents to search and read.

use super::facts::{ModuleFacts, ProjectFacts};
use super::project::keep_best;
use std::cmp::Reverse;
use std::fmt::Write;

/// How many bytes it has at most: it is paid for at every call.
pub(super) const MAX_BYTES: usize = 16_000;

/// How many bytes of the README it quotes, how many files with how many names each, and how many test files.
const README: usize = 800;
const MODULES: usize = 60;
const NAMES: usize = 20;
const TESTS: usize = 30;

/// The facts. If they are too long, the end is cut off: the files that matter least.
pub(super) fn facts_text(project: &ProjectFacts) -> String {
    let mut out = opening(project);
    parts(&mut out, project);
    tests(&mut out, project);
    dependencies(&mut out, project);
    if !project.readme.is_empty() {
        let head = &project.readme[..project.readme.floor_char_boundary(README)];
        let _ = write!(out, "\nThe README begins:\n{head}\n[end of the README]\n");
    }
    out += "\nThe program, file by file, those used most first, with the lines of its main names:\n";
    project.modules.iter().take(MODULES).for_each(|module| add_module(&mut out, module));
    out
}

/// The project in a few lines.
fn opening(project: &ProjectFacts) -> String {
    let mut out = format!("The code base: {}\n", project.name);
    if !project.about.is_empty() {
        let _ = writeln!(out, "It says of itself: {}", project.about);
    }
    let (files, folders, lines) = (project.files, project.folders, project.lines);
    let _ = writeln!(out, "{files} files in {folders} folders, {lines} lines of program text.");
    for language in project.languages.iter().take(10) {
        let note =
            if language.code && !language.is_read { "; its names and imports are not read" } else { "" };
        let _ = writeln!(out, "{}: {} files, {} lines{note}", language.name, language.files, language.lines);
    }
    for (path, what) in &project.entries {
        let _ = writeln!(out, "Entry point: {path} ({what})");
    }
    for (path, platform) in project.platforms() {
        let _ = writeln!(out, "Needs {platform} ({path})");
    }
    for run in &project.runs {
        let _ = writeln!(out, "To {}: `{}` (named in {}; {})", run.purpose, run.command, run.from, run.says);
    }
    for wish in &project.wishes {
        let _ = writeln!(out, "The person asks besides: {wish}");
    }
    out
}

fn tests(out: &mut String, project: &ProjectFacts) {
    let testing = &project.testing;
    let _ = writeln!(
        out,
        "\n{} test cases; {} files are for tests alone; {} cases stand beside the code.",
        testing.cases, testing.files, testing.beside
    );
    let mut files: Vec<_> = testing.covers.iter().map(|(path, cases, _)| (Reverse(cases), path)).collect();
    files.sort_unstable();
    let files: Vec<String> =
        files.iter().take(TESTS).map(|(cases, path)| format!("{path} ({})", cases.0)).collect();
    if !files.is_empty() {
        let _ = writeln!(out, "Those with most cases: {}", files.join(", "));
    }
    if !testing.untested.is_empty() {
        let _ = writeln!(out, "No test was found for {}.", testing.untested.join(", "));
    }
}

/// The parts, and what each imports. A part that is one file is told with the files.
fn parts(out: &mut String, project: &ProjectFacts) {
    *out += "\nParts:\n";
    let is_told = |path: &str| project.modules.iter().take(MODULES).any(|module| module.path == path);
    for part in project.areas.iter().filter(|part| !is_told(&part.path)) {
        let _ = write!(out, "- {}: {} files, {} lines", part.path, part.files, part.lines);
        if !part.about.is_empty() {
            let _ = write!(out, "; says of itself: {}", part.about);
        }
        let links = project.program_links().filter(|link| link.from == part.path);
        add_list(out, "imports", links.map(|link| file_name(&link.to)));
        out.push('\n');
    }
}

fn add_list<'a>(out: &mut String, what: &str, items: impl Iterator<Item = &'a str>) {
    let items: Vec<&str> = items.collect();
    if !items.is_empty() {
        let _ = write!(out, "; {what} {}", items.join(", "));
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn dependencies(out: &mut String, project: &ProjectFacts) {
    for manifest in project.manifests.iter().filter(|manifest| !manifest.dependencies.is_empty()) {
        let list: Vec<String> = manifest
            .dependencies
            .iter()
            .map(|one| format!("{} {} ({}, in {} files)", one.name, one.wanted, one.group, one.files))
            .collect();
        let _ = writeln!(out, "\n{} ({}) needs {}", manifest.path, manifest.sort, list.join("; "));
    }
}

fn add_module(out: &mut String, module: &ModuleFacts) {
    let _ = write!(out, "{} ({} lines, imported by {} files", module.path, module.lines, module.used_by);
    add_list(out, "imports", module.imports.iter().map(|path| file_name(path)));
    add_list(out, "tested by", module.tests.iter().map(String::as_str));
    out.push(')');
    if !module.about.is_empty() {
        let _ = write!(out, " {}", module.about);
    }
    let mut best = module.names.clone();
    keep_best(&mut best, NAMES);
    let names: Vec<String> = best.iter().map(|name| format!("{}:{}", name.name, name.line)).collect();
    let more = module.names.len() - best.len() + module.more_names as usize;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(out, "{}{}{more}", if names.is_empty() { "" } else { ": " }, names.join(", "));
}
