//! Scores a page: how much of its subjects it explains, and whether the names it uses exist.
//!
//! If there is nothing to explain, nothing was checked, and the score for it is 0.

use super::subjects;
use super::write::description;
use crate::workflows::docs::check::check;
use crate::workflows::docs::facts::{DocsFacts, Question, Questions, Scores};

/// How many characters a line must have besides a name to explain it.
const EXPLAINS: usize = 28;

/// The most questions asked.
const MAX_QUESTIONS: usize = 5;

pub(super) fn scores(facts: &DocsFacts) -> Scores {
    let subjects = subjects(facts);
    let percent = |count: usize, all: usize| if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 };
    let named_count =
        subjects.iter().filter(|(name, _)| facts.analysis.contains(&format!("`{name}`"))).count();
    let unexplained: Vec<&String> =
        subjects.iter().map(|(name, _)| name).filter(|name| !is_explained(facts, name)).collect();
    let headings = facts.analysis.lines().filter(|line| line.starts_with("## ")).count();
    let lines = facts.analysis.lines().filter(|line| !line.trim().is_empty()).count();
    let long_lines = facts.analysis.lines().filter(|line| line.chars().count() > 600).count();
    let mut missing: Vec<String> =
        unexplained.iter().take(8).map(|name| format!("It is not said what `{name}` is for.")).collect();
    if subjects.is_empty() {
        missing.push(nothing_found(&facts.agent).to_owned());
    }
    Scores {
        completeness: percent(named_count, subjects.len()),
        clarity: if headings < 2 { 50.0 } else { percent(lines - long_lines, lines) },
        depth: percent(subjects.len() - unexplained.len(), subjects.len()),
        accuracy: check(&facts.analysis, &facts.project, &[]).share().unwrap_or(0.0) * 100.0,
        missing_information: missing,
    }
}

/// The message if an agent found nothing to explain.
fn nothing_found(agent: &str) -> &'static str {
    match agent {
        "dependency-analyzer" => {
            "No manifest that was read names a dependency; one that is declared elsewhere is not seen."
        }
        "testing" => "No test was found; tests that are kept elsewhere are not seen.",
        "patterns" => "No way of writing that is known here was found.",
        "data-flow" => "No entry point and no way to the outside was found.",
        _ => "No program text was found whose names and imports can be read.",
    }
}

/// Whether a line names a subject and says more than a count. What a part says of itself is enough, however short.
fn is_explained(facts: &DocsFacts, name: &str) -> bool {
    let quoted = format!("`{name}`");
    let part = facts.project.areas.iter().find(|part| part.path == name);
    let description =
        part.map(|part| description(part, &facts.project)).filter(|description| !description.is_empty());
    facts.analysis.lines().filter(|line| line.contains(&quoted)).any(|line| {
        if description.as_ref().is_some_and(|description| line.contains(description.as_str())) {
            return true;
        }
        let words = line.replace(&quoted, "");
        let words: String = words.chars().filter(|c| !c.is_ascii_digit()).collect();
        // "12 files, 1034 lines of Rust" is a count and explains nothing.
        let words = ["files,", "file,", "lines of", "lines", "cases.", "imported by", "imports,", "used in"]
            .iter()
            .fold(words, |text, count| text.replace(count, ""));
        words.trim().chars().count() >= EXPLAINS
    })
}

pub(super) fn questions(facts: &DocsFacts) -> Questions {
    let mut questions: Vec<Question> = Vec::new();
    let mut ask = |question: String, files: Vec<String>, for_person: bool| {
        let is_known =
            facts.asked.contains(&question) || questions.iter().any(|one| one.question == question);
        if questions.len() < MAX_QUESTIONS && !is_known {
            questions.push(Question { question, files, for_person });
        }
    };
    let subjects = subjects(facts);
    let files_can_answer = facts.agent != "dependency-analyzer";
    for (name, files) in subjects.iter().filter(|(name, _)| !is_explained(facts, name)) {
        let files = if files_can_answer { files.clone() } else { Vec::new() };
        ask(format!("What is `{name}` responsible for?"), files, !files_can_answer);
    }
    if facts.person {
        ask(format!("What should somebody new know first about {}?", facts.project.name), Vec::new(), true);
    }
    Questions { questions }
}
