//! `file-structure`: where things are.

use super::page::{self, Page};
use super::{DocAgent, diagram, figure, files_in_folders, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) const AGENT: DocAgent = DocAgent {
    name: "file-structure",
    title: "File structure",
    about: "the file structure: which folders there are, what each holds, where a newcomer starts to read, \
                     how files are named and organised.",
    sections: "Overview, Folders, Where to start, Conventions",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    let largest = project.areas.iter().flat_map(|part| &part.largest);
    let mut largest: Vec<(String, u64)> = largest.cloned().collect();
    largest.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    largest.truncate(20);
    let mut text = prompt_facts::opening(project) + &prompt_facts::parts(project);
    text += &format!("\nThe tree, folders with how many files they hold:\n{}", project.outline);
    text += &prompt_facts::counts("Largest files by lines", &largest);
    text += &format!("\nDocuments: {}\n", project.documents.join(", "));
    if !project.skipped.is_empty() {
        let skipped: Vec<String> =
            project.skipped.iter().map(|(path, why)| format!("{path} ({why})")).collect();
        text += &format!("Not looked at: {} and {} more\n", skipped.join("; "), project.more_skipped);
    }
    text + &prompt_facts::code(project) + &prompt_facts::remaining_names(project)
}

fn count(project: &ProjectFacts) -> Value {
    json!({
        "files": project.files,
        "folders": project.folders,
        "lines": project.lines,
        "parts": project.program().count(),
        "tests": project.areas.iter().filter(|part| part.is_test).count(),
    })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    let files = files_in_folders(count("files"), count("folders"));
    let parts = match (count("parts"), count("tests")) {
        (0, 0) => return format!("{files}, without program text."),
        (parts, 0) => count_noun(parts, "part"),
        (0, tests) => format!("{} for tests", count_noun(tests, "part")),
        (parts, tests) => format!("{}, {tests} of them for tests", count_noun(parts + tests, "part")),
    };
    format!("{files}; {} of program text in {parts}.", count_noun(count("lines"), "line"))
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let parts: Vec<Vec<String>> = project
        .areas
        .iter()
        .map(|part| {
            vec![
                page::as_code(&part.path),
                part.about.clone(),
                part.files.to_string(),
                part.lines.to_string(),
                part.language.clone(),
            ]
        })
        .collect();
    let languages: Vec<Vec<String>> = project
        .languages
        .iter()
        .map(|one| {
            vec![one.name.clone(), one.files.to_string(), one.lines.to_string(), one.bytes.to_string()]
        })
        .collect();
    let skipped: Vec<Vec<String>> =
        project.skipped.iter().map(|(path, why)| vec![page::as_code(path), why.clone()]).collect();
    page.diagram("Diagram", diagram::folder_tree(project))
        .runs("How to test, run and build", project, &["test", "run", "check", "build", "other"])
        .table("Parts", &["part", "about", "files", "lines", "mostly"], &parts)
        .table("Languages", &["language", "files", "lines", "bytes"], &languages)
        .table("Not looked at", &["path", "why"], &skipped)
}
