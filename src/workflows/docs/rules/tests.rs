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
    assert_eq!(asked.questions.len(), 3, "{asked:?}");
    assert_eq!(asked.questions[0].question, "What is `src/b` responsible for?");
    assert_eq!(asked.questions[0].files, ["src/b/mod.rs"]);
    for one in asked.questions.iter().take(3) {
        facts.question.clone_from(&one.question);
        let content =
            "    1  //! Sends letters, each once, to whoever is named.\n    2  \n    3  fn main() {}\n";
        facts.files = vec![(one.files[0].clone(), content.to_owned())];
        let reply = text(answer(&json!(facts)));
        assert!(reply.starts_with("Sends letters, each once"), "{reply}");
        facts.answers.push((one.question.clone(), reply));
    }
    facts.analysis = text(refine(&json!(facts)));
    let after = scores(&facts);
    assert!(after.depth == 100.0 && after.mean() > before.mean() + 5.0, "{after:?}");
    assert!(after.missing_information.is_empty());
}

#[test]
fn what_a_part_says_of_itself_is_never_missing_however_short_it_is() {
    let mut project = project();
    project.areas[1].about = "A shopping cart.".to_owned();
    project.areas[2].is_test = true;
    project.testing.covers = vec![("src/c/test_a.rs".to_owned(), 2, vec!["src/a".to_owned()])];
    for agent in ["architecture", "file-structure"] {
        let mut facts =
            DocsFacts { agent: agent.to_owned(), project: project.clone(), ..DocsFacts::default() };
        facts.analysis = text(analyze(&json!(facts)));
        assert_eq!(scores(&facts).missing_information, ["It is not said what `src/d` is for."], "{agent}");
    }
}

#[test]
fn paths_that_are_not_there_cost_accuracy() {
    let mut facts =
        DocsFacts { agent: "architecture".to_owned(), project: project(), ..DocsFacts::default() };
    facts.analysis = "## A\n\n`src/a` and `src/zebra`\n\n## B\n".to_owned();
    assert_eq!(scores(&facts).accuracy, 50.0);
}

#[test]
fn nothing_found_is_never_a_good_score_and_nothing_is_asked_for_the_sake_of_asking() {
    for agent in ["architecture", "dependency-analyzer", "patterns", "data-flow", "testing"] {
        let mut facts = DocsFacts { agent: agent.to_owned(), ..DocsFacts::default() };
        facts.analysis = text(analyze(&json!(facts)));
        let scored = scores(&facts);
        assert!(scored.mean() <= 50.0 && scored.missing_information.len() == 1, "{agent}: {scored:?}");
        let asked: Questions = serde_json::from_str(&text(questions(&json!(facts)))).unwrap();
        assert!(asked.questions.is_empty(), "{asked:?}");
    }
    let mut facts = DocsFacts { agent: "testing".to_owned(), person: true, ..DocsFacts::default() };
    let asked: Questions = serde_json::from_str(&text(questions(&json!(facts)))).unwrap();
    assert!(asked.questions.len() == 1 && asked.questions[0].for_person, "{asked:?}");
    facts.asked.push(asked.questions[0].question.clone());
    let asked: Questions = serde_json::from_str(&text(questions(&json!(facts)))).unwrap();
    assert!(asked.questions.is_empty(), "none twice: {asked:?}");
    let empty = DocsFacts::default();
    assert_eq!(text(answer(&json!(empty))), "The files do not say.");
    assert!(text(analyze(&json!(empty))).contains("no language model"));
}
