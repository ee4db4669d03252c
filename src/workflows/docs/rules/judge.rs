//! How good a page is: how much of what it has to explain it explains.

use super::subjects;
use crate::workflows::docs::facts::{DocsFacts, Question, Questions, Scores};
use std::collections::BTreeSet;

/// What a line must say besides a name to explain it, in characters.
const EXPLAINS: usize = 28;

/// How many questions are asked.
const LEAST: usize = 3;
const MOST: usize = 5;

pub(super) fn scores(facts: &DocsFacts) -> Scores {
    let subjects = subjects(facts);
    let part = |count: usize, all: usize| if all == 0 { 100.0 } else { count as f64 * 100.0 / all as f64 };
    let named = subjects.iter().filter(|(name, _)| facts.analysis.contains(&format!("`{name}`"))).count();
    let unexplained: Vec<&String> =
        subjects.iter().map(|(name, _)| name).filter(|name| !explained(&facts.analysis, name)).collect();
    let headings = facts.analysis.lines().filter(|line| line.starts_with("## ")).count();
    let lines = facts.analysis.lines().filter(|line| !line.trim().is_empty()).count();
    let long = facts.analysis.lines().filter(|line| line.chars().count() > 600).count();
    Scores {
        completeness: part(named, subjects.len()),
        clarity: if headings < 2 { 50.0 } else { part(lines - long, lines) },
        depth: part(subjects.len() - unexplained.len(), subjects.len()),
        accuracy: accuracy(facts),
        missing_information: unexplained
            .into_iter()
            .take(8)
            .map(|name| format!("It is not said what `{name}` is for."))
            .collect(),
    }
}

/// Whether a line names a subject and says something that is no count.
fn explained(analysis: &str, name: &str) -> bool {
    let quoted = format!("`{name}`");
    analysis.lines().filter(|line| line.contains(&quoted)).any(|line| {
        let words = line.replace(&quoted, "");
        let words: String = words.chars().filter(|c| !c.is_ascii_digit()).collect();
        // "12 files, 1034 lines of Rust" is a count and explains nothing.
        let words = ["files,", "file,", "lines of", "lines", "cases.", " parts lean on it, it leans on "]
            .iter()
            .fold(words, |text, count| text.replace(count, ""));
        words.trim().chars().count() >= EXPLAINS
    })
}

/// How many of the paths a page quotes are known.
fn accuracy(facts: &DocsFacts) -> f64 {
    let project = &facts.project;
    let mut known: BTreeSet<&str> = project.areas.iter().map(|part| part.path.as_str()).collect();
    known.extend(project.areas.iter().flat_map(|part| part.largest.iter().map(|(path, _)| path.as_str())));
    known.extend(project.entries.iter().map(|(path, _)| path.as_str()));
    known.extend(project.documents.iter().map(String::as_str));
    known.extend(project.manifests.iter().map(|one| one.path.as_str()));
    known.extend(project.testing.checks.iter().map(String::as_str));
    let quoted = facts.analysis.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted.filter(|text| text.contains('/') && !text.contains(' ')).collect();
    if paths.is_empty() {
        return 100.0;
    }
    let beneath = |path: &str| known.iter().any(|one| path.starts_with(&format!("{one}/")));
    let right = paths.iter().filter(|path| known.contains(**path) || beneath(path)).count();
    right as f64 * 100.0 / paths.len() as f64
}

pub(super) fn questions(facts: &DocsFacts) -> Questions {
    let mut found: Vec<Question> = Vec::new();
    let mut ask = |question: String, files: Vec<String>, for_person: bool| {
        let known = facts.asked.contains(&question) || found.iter().any(|one| one.question == question);
        if found.len() < MOST && !known {
            found.push(Question { question, files, for_person });
        }
    };
    let subjects = subjects(facts);
    let of_code = facts.agent != "dependency-analyzer";
    for (name, files) in subjects.iter().filter(|(name, _)| !explained(&facts.analysis, name)) {
        let files = if of_code { files.clone() } else { Vec::new() };
        ask(format!("What is `{name}` responsible for?"), files, !of_code);
    }
    if facts.person {
        ask(format!("What should somebody new know first about {}?", facts.project.name), Vec::new(), true);
    }
    // A model that has to ask three questions asks about the largest files next.
    for (path, _) in facts.project.areas.iter().flat_map(|part| part.largest.iter().take(2)) {
        ask(format!("What does `{path}` do?"), vec![path.clone()], false);
    }
    for about in ["changes most often", "is hardest to change", "will be replaced next"] {
        ask(format!("Which part {about}?"), Vec::new(), true);
    }
    let mut n = 0;
    while found.len() < LEAST {
        n += 1;
        let question = format!("What else should be said about {}? ({n})", facts.project.name);
        found.push(Question { question, files: Vec::new(), for_person: true });
    }
    found.truncate(MOST);
    Questions { questions: found }
}
