//! Documentation by counting: pages say what the facts say, are scored by what they leave unexplained, and are improved
//! with what files say about themselves.
//!
//! The pages say that they only count and quote. A subject (a part, a dependency) is explained if a line names it and
//! says something about it. Questions are about unexplained subjects; answers are the comments at the top of files.

mod judge;
mod look;
mod write;

use crate::llm::{Answer, Task, facts};
use crate::workflows::docs::facts::DocsFacts;
use serde_json::Value;

/// The first line of a page that no model wrote.
pub(super) const NOTE: &str = "_Built-in rules, no language model: everything here is counted from the code or quoted from its \
                    comments; nothing is inferred._";

/// The tasks that work without a language model.
pub(in crate::workflows) const TASKS: &[Task] = &[
    ("docs.analyze", analyze),
    ("docs.evaluate", evaluate),
    ("docs.questions", questions),
    ("docs.answer", answer),
    ("docs.refine", refine),
];

/// `docs.analyze`
fn analyze(value: &Value) -> Result<Answer, String> {
    let facts = facts::<DocsFacts>(value)?;
    Ok(Answer::Text(format!("{NOTE}\n\n{}", write::page(&facts.agent, &facts.project))))
}

/// `docs.evaluate`
fn evaluate(value: &Value) -> Result<Answer, String> {
    Answer::data(&judge::scores(&facts::<DocsFacts>(value)?))
}

/// `docs.questions`
fn questions(value: &Value) -> Result<Answer, String> {
    Answer::data(&judge::questions(&facts::<DocsFacts>(value)?))
}

/// `docs.answer`
fn answer(value: &Value) -> Result<Answer, String> {
    Ok(Answer::Text(look::answer(&facts::<DocsFacts>(value)?)))
}

/// `docs.refine`
fn refine(value: &Value) -> Result<Answer, String> {
    Ok(Answer::Text(write::with_answers(&facts::<DocsFacts>(value)?)))
}

/// What a page of this agent has to explain, most important first: a name as quoted, and files that may say more.
fn subjects(facts: &DocsFacts) -> Vec<(String, Vec<String>)> {
    let project = &facts.project;
    if facts.agent == "dependency-analyzer" {
        let mut dependencies: Vec<_> = project.manifests.iter().flat_map(|one| &one.dependencies).collect();
        dependencies.sort_by_key(|one| std::cmp::Reverse(one.files));
        return dependencies.into_iter().take(12).map(|one| (one.name.clone(), Vec::new())).collect();
    }
    let with_file = |path: &String| (path.clone(), vec![path.split(':').next().unwrap_or(path).to_owned()]);
    match facts.agent.as_str() {
        "patterns" => return project.marks.iter().take(12).map(|(_, _, first)| with_file(first)).collect(),
        "data-flow" => {
            let outside_parts = project.outside.iter().flat_map(|(_, parts)| parts);
            return project
                .entries
                .iter()
                .map(|(path, _)| path)
                .chain(outside_parts)
                .take(16)
                .map(with_file)
                .collect();
        }
        _ => {}
    }
    let mut parts: Vec<_> = project.areas.iter().filter(|part| part.lines > 0 && part.path != ".").collect();
    let is_code = |name: &str| project.languages.iter().any(|one| one.code && one.name == name);
    parts.retain(|part| match facts.agent.as_str() {
        "testing" => part.tests > 0,
        "file-structure" => true,
        _ => !part.is_test && (is_code(&part.language) || project.languages.is_empty()),
    });
    parts.sort_by_key(|part| std::cmp::Reverse(part.lines));
    let entry_files = |part: &str| {
        ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "doc.go"].map(|f| format!("{part}/{f}"))
    };
    let files = |part: &crate::workflows::docs::facts::AreaFacts| -> Vec<String> {
        // The entry file of a folder says most about it.
        let entries = entry_files(&part.path);
        let mut files: Vec<String> = part.largest.iter().map(|(path, _)| path.clone()).collect();
        files.sort_by_key(|path| !entries.contains(path));
        files.truncate(3);
        files
    };
    parts.into_iter().take(16).map(|part| (part.path.clone(), files(part))).collect()
}

#[cfg(test)]
mod tests;
