//! Pages about a small code base, and how they get better.

use super::*;
use crate::workflows::docs::facts::{AreaFacts, ProjectFacts, Questions, Scores};
use serde_json::json;

fn project() -> ProjectFacts {
    let part = |path: &str, about: &str| AreaFacts {
        path: path.to_owned(),
        about: about.to_owned(),
        files: 3,
        lines: 300,
        language: "Rust".to_owned(),
        largest: vec![(format!("{path}/mod.rs"), 120)],
        ..AreaFacts::default()
    };
    let areas = vec![
        part("src/a", "Keeps rows, in one file, checked when they are read."),
        part("src/b", ""),
        part("src/c", ""),
        part("src/d", ""),
    ];
    ProjectFacts { name: "box".to_owned(), files: 12, folders: 4, areas, ..ProjectFacts::default() }
}

fn text(answer: Result<Answer, String>) -> String {
    match answer {
        Ok(Answer::Text(text)) => text,
        Ok(Answer::Data(value)) => value.to_string(),
        Ok(Answer::Calls(..)) => panic!("calls"),
        Err(why) => panic!("{why}"),
    }
}

fn scores(facts: &DocsFacts) -> Scores {
    serde_json::from_str(&text(evaluate(&json!(facts)))).unwrap()
}

#[test]
fn what_is_not_explained_is_asked_answered_from_files_and_scores_better_then() {
    let mut facts =
        DocsFacts { agent: "architecture".to_owned(), project: project(), ..DocsFacts::default() };
    facts.analysis = text(analyze(&json!(facts)));
    let before = scores(&facts);
    assert_eq!((before.completeness, before.depth), (100.0, 25.0));
    assert_eq!(before.missing_information.len(), 3);
    let asked: Questions = serde_json::from_str(&text(questions(&json!(facts)))).unwrap();
    assert!((3..=5).contains(&asked.questions.len()), "{asked:?}");
    assert_eq!(asked.questions[0].question, "What is `src/b` responsible for?");
    assert_eq!(asked.questions[0].files, ["src/b/mod.rs"]);
    for one in asked.questions.iter().take(3) {
        facts.question.clone_from(&one.question);
        let content = "//! Sends letters, each once, to whoever is named.\n\nfn main() {}\n";
        facts.files = vec![(one.files[0].clone(), content.to_owned())];
        let said = text(answer(&json!(facts)));
        assert!(said.starts_with("Sends letters, each once"), "{said}");
        facts.answers.push((one.question.clone(), said));
    }
    facts.analysis = text(refine(&json!(facts)));
    let after = scores(&facts);
    assert!(after.depth == 100.0 && after.mean() > before.mean() + 5.0, "{after:?}");
    assert!(after.missing_information.is_empty());
}

#[test]
fn paths_that_are_not_there_cost_accuracy() {
    let mut facts =
        DocsFacts { agent: "architecture".to_owned(), project: project(), ..DocsFacts::default() };
    facts.analysis = "## A\n\n`src/a` and `src/zebra`\n\n## B\n".to_owned();
    assert_eq!(scores(&facts).accuracy, 50.0);
}

#[test]
fn there_are_always_three_questions_and_none_twice() {
    let mut facts = DocsFacts { agent: "testing".to_owned(), person: true, ..DocsFacts::default() };
    for _ in 0..4 {
        let asked: Questions = serde_json::from_str(&text(questions(&json!(facts)))).unwrap();
        assert!((3..=5).contains(&asked.questions.len()), "{asked:?}");
        facts.asked.extend(asked.questions.into_iter().map(|one| one.question));
    }
    let empty = DocsFacts::default();
    assert_eq!(text(answer(&json!(empty))), "The files do not say.");
    assert!(text(analyze(&json!(empty))).contains("no language model"));
}
