//! `dependency-analyzer`: which dependencies there are, and where they are used.

use super::page::{self, Page};
use super::{DocAgent, diagram, figure, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) const AGENT: DocAgent = DocAgent {
    name: "dependency-analyzer",
    title: "Dependencies",
    about: "the dependencies: what is needed from outside and what for, where each is used, which are central, \
                     which no file imports, and what parts need each other.",
    sections: "Overview, Central dependencies, For development, Worth a look",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    let mut text = prompt_facts::opening(project);
    for manifest in &project.manifests {
        let _ = writeln!(
            text,
            "\nManifest {} ({}), package {} {}:",
            manifest.path, manifest.sort, manifest.name, manifest.version
        );
        for dependency in &manifest.dependencies {
            let _ = writeln!(
                text,
                "- {} {} ({}): {} imports, from {}",
                dependency.name,
                dependency.wanted,
                dependency.group,
                dependency.files,
                if dependency.areas.is_empty() { "nowhere".to_owned() } else { dependency.areas.join(", ") }
            );
        }
        for command in &manifest.commands {
            let _ = writeln!(text, "- {command}");
        }
    }
    text + &prompt_facts::links(project)
}

fn count(project: &ProjectFacts) -> Value {
    let dependencies = || project.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    json!({
        "manifests": project.manifests.len(),
        "dependencies": dependencies().count(),
        "development": dependencies().filter(|dependency| dependency.group == "dev").count(),
        "unused": dependencies().filter(|dependency| dependency.files == 0).count(),
    })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    let manifests = match count("manifests") {
        0 => return "No manifest was found.".to_owned(),
        n => count_noun(n, "manifest"),
    };
    let dependencies = match count("dependencies") {
        0 => return format!("No dependency in {manifests}."),
        1 => format!("1 dependency in {manifests}"),
        n => format!("{n} dependencies in {manifests}"),
    };
    let development = match count("development") {
        0 => String::new(),
        n => format!(", {n} of them for development"),
    };
    let unused = match count("unused") {
        0 => String::new(),
        1 => "; 1 is imported by no file that was read".to_owned(),
        n => format!("; {n} are imported by no file that was read"),
    };
    format!("{dependencies}{development}{unused}.")
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let mut page = page;
    for manifest in &project.manifests {
        let rows: Vec<Vec<String>> = manifest
            .dependencies
            .iter()
            .map(|dependency| {
                vec![
                    page::as_code(&dependency.name),
                    dependency.wanted.clone(),
                    dependency.group.clone(),
                    dependency.files.to_string(),
                    dependency.areas.join(", "),
                ]
            })
            .collect();
        let title = format!("Needed by {}", page::as_code(&manifest.path));
        page = page.table(&title, &["name", "version", "for", "imports", "used in"], &rows);
    }
    page.diagram("Which parts need which", diagram::import_graph(project))
}
