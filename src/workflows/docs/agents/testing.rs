//! `testing`: how it is tested, and what is not.

use super::page::{self, Page};
use super::{DocAgent, figure};
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

/// What the agent is, knows and shows.
pub(super) const AGENT: DocAgent = DocAgent {
    name: "testing",
    title: "Testing",
    about: "the tests: where they stand, how they are organised, with which tools, how they are run, and which parts \
                     have none of their own.",
    sections: "Overview, Where tests stand, Tools, Parts without tests of their own",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    let testing = &project.testing;
    let mut text = page::opening(project);
    text += &format!(
        "\n{} test cases; {} files are for tests alone; {} cases stand beside the code they test.\n",
        testing.cases, testing.files, testing.beside
    );
    text += &page::counts("Test cases by part", &testing.areas);
    text += &format!(
        "\nParts with at least 100 lines of program and no case in them: {}\n",
        testing.untested.join(", ")
    );
    text += &format!("Test tools among the dependencies: {}\n", testing.tools.join(", "));
    text += &format!("Automatic checks: {}\n", testing.checks.join(", "));
    let commands = project.manifests.iter().flat_map(|manifest| &manifest.commands);
    for command in commands.filter(|command| command.contains("test") || command.starts_with("bench")) {
        text += &format!("Named in a manifest: {command}\n");
    }
    text + &page::parts(project)
}

fn count(project: &ProjectFacts) -> Value {
    let testing = &project.testing;
    json!({ "cases": testing.cases, "files": testing.files, "beside": testing.beside, "untested": testing.untested.len() })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    format!(
        "{} test cases, {} of them beside the code; {} files are for tests alone; {} parts have no case of their own.",
        count("cases"),
        count("beside"),
        count("files"),
        count("untested")
    )
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let testing = &project.testing;
    let areas: Vec<Vec<String>> =
        testing.areas.iter().map(|(part, cases)| vec![page::path(part), cases.to_string()]).collect();
    let untested: Vec<Vec<String>> = testing.untested.iter().map(|part| vec![page::path(part)]).collect();
    page.table("Cases by part", &["part", "cases"], &areas).table(
        "Program text without a case of its own",
        &["part"],
        &untested,
    )
}
