//! `testing`: how it is tested, and what is not.

use super::page::{self, Page};
use super::{DocAgent, figure, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

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
    let mut text = prompt_facts::opening(project);
    text += &format!(
        "\n{} test cases; {} files are for tests alone; {} cases stand beside the code they test.\n",
        testing.cases, testing.files, testing.beside
    );
    text += &prompt_facts::counts("Test cases by part", &testing.areas);
    text += &format!(
        "\nParts with at least 100 lines of program and no case in them: {}\n",
        prompt_facts::join_or_none(&testing.untested)
    );
    text += &format!("Test tools among the dependencies: {}\n", prompt_facts::join_or_none(&testing.tools));
    text += &format!("Automatic checks: {}\n", prompt_facts::join_or_none(&testing.checks));
    text += "\nTest files, and what they test by name and by what they import:\n";
    for (path, cases, covers) in &testing.covers {
        text += &format!("- {path} ({cases} cases): {}\n", covers.join(", "));
    }
    text + &prompt_facts::parts(project)
        + &prompt_facts::code(project)
        + &prompt_facts::remaining_names(project)
}

fn count(project: &ProjectFacts) -> Value {
    let testing = &project.testing;
    json!({ "cases": testing.cases, "files": testing.files, "beside": testing.beside, "untested": testing.untested.len() })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    if count("cases") == 0 {
        return "No test case was found in the files that were read.".to_owned();
    }
    let cases = describe_cases(count("cases"), count("beside"), count("files"));
    match count("untested") {
        0 => format!("{cases}."),
        n => format!("{cases}; no test was found for {}.", count_noun(n, "part")),
    }
}

/// How many test cases there are, and where.
pub(in super::super) fn describe_cases(cases: u64, beside: u64, files: u64) -> String {
    let (all, files) = (count_noun(cases, "test case"), count_noun(files, "file"));
    match beside {
        0 => format!("{all} in {files} for tests alone"),
        _ if beside == cases => format!("{all} beside the code"),
        _ => format!("{all}, {beside} of them beside the code, the others in {files} for tests alone"),
    }
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let testing = &project.testing;
    let areas: Vec<Vec<String>> =
        testing.areas.iter().map(|(part, cases)| vec![page::as_code(part), cases.to_string()]).collect();
    let untested: Vec<Vec<String>> = testing.untested.iter().map(|part| vec![page::as_code(part)]).collect();
    let covers: Vec<Vec<String>> = testing
        .covers
        .iter()
        .map(|(test, cases, covers)| {
            vec![page::as_code(test), cases.to_string(), page::list_paths(covers, 4)]
        })
        .collect();
    page.runs("How to run them", project, &["test", "check"])
        .table("What tests what", &["test file", "cases", "tests, by name and imports"], &covers)
        .table("Cases by part", &["part", "cases"], &areas)
        .table("No test found for", &["part"], &untested)
}
