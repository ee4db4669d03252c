//! `testing`: how it is tested, and what is not.

use super::page::{self, Page};
use super::{DocAgent, figure, role};
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) struct Testing;

impl DocAgent for Testing {
    fn name(&self) -> &'static str {
        "testing"
    }

    fn title(&self) -> &'static str {
        "Testing"
    }

    fn system_prompt(&self) -> String {
        let about = "the tests: where they stand, how they are organised, with which tools, how they are run, and which parts \
                     have none of their own.";
        role(about, "Overview, Where tests stand, Tools, Parts without tests of their own")
    }

    fn human_prompt(&self, project: &ProjectFacts) -> String {
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

    fn figures(&self, project: &ProjectFacts) -> Value {
        let testing = &project.testing;
        json!({ "cases": testing.cases, "files": testing.files, "beside": testing.beside, "untested": testing.untested.len() })
    }

    fn markdown(&self, data: &Value, project: &ProjectFacts) -> String {
        let testing = &project.testing;
        let areas: Vec<Vec<String>> =
            testing.areas.iter().map(|(part, cases)| vec![page::path(part), cases.to_string()]).collect();
        let untested: Vec<Vec<String>> = testing.untested.iter().map(|part| vec![page::path(part)]).collect();
        Page::new(self.title())
            .text(&self.summary(data))
            .sections(data)
            .table("Cases by part", &["part", "cases"], &areas)
            .table("Program text without a case of its own", &["part"], &untested)
            .into_text()
    }

    fn summary(&self, data: &Value) -> String {
        let count = |key| figure(data, key);
        format!(
            "{} test cases, {} of them beside the code; {} files are for tests alone; {} parts have no case of their own.",
            count("cases"),
            count("beside"),
            count("files"),
            count("untested")
        )
    }
}
