//! The one line each page is summed up in.

use super::*;
use crate::workflows::docs::facts::{AreaFacts, LanguageFacts, LinkFacts, TestingFacts};

fn summary(name: &str, project: &ProjectFacts) -> String {
    let agent = agent(name).unwrap();
    agent.summary(&agent.parse("", project))
}

#[test]
fn a_folder_with_nothing_in_it_is_told_without_zeros() {
    let project = ProjectFacts { files: 2, ..ProjectFacts::default() };
    for (name, expected) in [
        ("file-structure", "2 files, without program text."),
        ("dependency-analyzer", "No manifest was found."),
        ("architecture", "No program text was found in the files that were read."),
        ("patterns", "No way of writing stands out."),
        ("data-flow", "No entry point was found; nothing outside is reached."),
        ("testing", "No test case was found in the files that were read."),
    ] {
        assert_eq!(summary(name, &project), expected);
    }
}

#[test]
fn the_pages_count_the_same_parts_and_imports() {
    let part = |path: &str, language: &str, is_test: bool| AreaFacts {
        path: path.to_owned(),
        lines: 10,
        language: language.to_owned(),
        is_test,
        ..AreaFacts::default()
    };
    let link = |from: &str, to: &str| LinkFacts { from: from.to_owned(), to: to.to_owned(), files: 1 };
    let language =
        |name: &str, code: bool| LanguageFacts { name: name.to_owned(), code, ..LanguageFacts::default() };
    let project = ProjectFacts {
        files: 4,
        folders: 2,
        lines: 30,
        languages: vec![language("Python", true), language("Markdown", false)],
        areas: vec![
            part(".", "Markdown", false),
            part("src/cart.py", "Python", false),
            part("src/price.py", "Python", false),
            part("tests", "Python", true),
        ],
        links: vec![link("src/cart.py", "src/price.py"), link("tests", "src/cart.py")],
        testing: TestingFacts { files: 1, cases: 1, ..TestingFacts::default() },
        ..ProjectFacts::default()
    };
    for (name, expected) in [
        ("file-structure", "4 files in 2 folders; 30 lines of program text in 3 parts, 1 of them for tests."),
        ("architecture", "2 parts with 1 import between them."),
        ("testing", "1 test case in 1 file for tests alone."),
    ] {
        assert_eq!(summary(name, &project), expected);
    }
    assert_eq!(import_graph(&project).unwrap().matches("-->").count(), 1);
}
