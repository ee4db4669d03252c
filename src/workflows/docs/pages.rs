//! Pages on disk: assembled, marked as ours, and never written over what a person wrote.
//!
//! The last line of a page holds a digest of all the rest. If that was changed by hand, the old page is kept next to the
//! new one, with a date.

use super::agents::DocAgent;
use super::diagram::import_graph;
use super::facts::{ModuleFacts, ProjectFacts};
use super::page::{Page, as_code};
use super::project::keep_best;
use super::state::{AgentResult, Documentation};
use crate::text::hex;
use sha2::{Digest, Sha256};

/// The first line of a page that no model wrote.
pub(super) const NOTE: &str = "_Facts only, no language model: everything here is counted from the code._";

const MARK: &str = "<!-- sayso docs: sha256 ";

/// How many modules an index shows, and how many names of each.
const MODULES: usize = 30;
const NAMES: usize = 4;

/// The page to write, with our mark.
pub(super) fn finish(page: &str) -> String {
    format!("{}\n\n{MARK}{} -->\n", page.trim_end(), digest(page))
}

/// Whether a page is as we wrote it.
pub(super) fn is_ours(page: &[u8]) -> bool {
    let page = std::str::from_utf8(page).unwrap_or_default();
    page.rsplit_once(MARK)
        .is_some_and(|(page, mark)| mark.trim_end_matches([' ', '-', '>', '\n']) == digest(page))
}

fn digest(page: &str) -> String {
    hex(&Sha256::digest(page.trim_end())[..16])
}

/// The file name of an agent's page.
pub(super) fn file_name(agent: &str) -> String {
    format!("{agent}.md")
}

/// The index of a run: the project, how to start, the modules, and the pages.
pub(super) fn index_page(state: &Documentation, project: &ProjectFacts, agents: &[DocAgent]) -> String {
    let title = |result: &AgentResult| {
        let agent = agents.iter().find(|agent| agent.name == result.agent_name);
        agent.map_or(result.agent_name.clone(), |agent| agent.title.to_owned())
    };
    let rows: Vec<Vec<String>> = state
        .results
        .iter()
        .map(|result| match result.status.as_str() {
            "success" => vec![
                format!("[{}]({})", title(result), file_name(&result.agent_name)),
                result.summary.clone(),
                format!("{:.0} %", result.confidence * 100.0),
                result.checked.clone(),
            ],
            _ => vec![title(result), "failed; see below".to_owned(), "–".to_owned(), "–".to_owned()],
        })
        .collect();
    let needs: Vec<String> =
        project.platforms().map(|(path, platform)| format!("Needs {platform} (`{path}`).")).collect();
    let needs = needs.join("\n");
    let mut successes = state.results.iter().filter(|result| result.status == "success");
    let origin = if successes.all(|result| result.markdown.contains(NOTE)) {
        "Written without a language model: everything is counted from the code, or quoted from it."
    } else {
        "Written by agents from facts that a program read from the code. Tables, lines and diagrams are read \
                  from the code; the rest is what a model made of them."
    };
    let mut page = Page::new(&project.name)
        .text(&project.about)
        .text(origin)
        .table("Pages", &["page", "in a line", "confidence", "checked"], &rows)
        .text(&needs)
        .runs("How to test, run and build", project, None)
        .table("Modules", &["module", "what it is for", "main names"], &modules(project))
        .diagram("What imports what", import_graph(project));
    for (heading, lines) in [
        ("On the way", listing(state, &title, |result| &result.warnings)),
        ("Still missing", listing(state, &title, |result| &result.metadata.missing_information)),
    ] {
        if !lines.is_empty() {
            page = page.heading(heading).text(&lines);
        }
    }
    page.into_text()
}

/// The most important modules, each with the names to look at first.
fn modules(project: &ProjectFacts) -> Vec<Vec<String>> {
    let row = |module: &ModuleFacts| {
        let mut names = module.names.clone();
        keep_best(&mut names, NAMES);
        let main_names: Vec<String> =
            names.iter().map(|name| as_code(&format!("{}:{}", name.name, name.line))).collect();
        let mut documented: Vec<_> =
            module.names.iter().filter(|name| !name.about.is_empty()).cloned().collect();
        keep_best(&mut documented, 1);
        let described = documented.first().map(|name| format!("{}: {}", as_code(&name.name), name.about));
        let about =
            if module.about.is_empty() { described.unwrap_or_default() } else { module.about.clone() };
        vec![as_code(&module.path), about, main_names.join(", ")]
    };
    project.modules.iter().filter(|module| !module.names.is_empty()).take(MODULES).map(row).collect()
}

/// A list of what the pages report. A line that several pages share appears once, with all their names.
fn listing<'a>(
    state: &'a Documentation,
    title: &impl Fn(&AgentResult) -> String,
    lines: impl Fn(&'a AgentResult) -> &'a Vec<String>,
) -> String {
    let mut pages_by_line: Vec<(&str, Vec<String>)> = Vec::new();
    for result in &state.results {
        for line in lines(result) {
            let (line, page) = (line.trim_end_matches('.'), title(result));
            match pages_by_line.iter_mut().find(|(known, _)| *known == line) {
                Some((_, pages)) if pages.contains(&page) => {}
                Some((_, pages)) => pages.push(page),
                None => pages_by_line.push((line, vec![page])),
            }
        }
    }
    let mut lines_by_pages: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for (line, pages) in pages_by_line {
        match lines_by_pages.iter_mut().find(|(known, _)| *known == pages) {
            Some((_, lines)) => lines.push(line),
            None => lines_by_pages.push((pages, vec![line])),
        }
    }
    lines_by_pages
        .iter()
        .map(|(pages, lines)| format!("- {}: {}\n", pages.join(", "), lines.join("; ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_pages_miss_is_said_once() {
        let page = |name: &str, missing: &[&str]| {
            let mut result = AgentResult { agent_name: name.to_owned(), ..AgentResult::default() };
            result.metadata.missing_information = missing.iter().map(|&line| line.to_owned()).collect();
            result
        };
        let results = vec![page("API", &["Why.", "Who."]), page("Tests", &["Why"]), page("Names", &[])];
        let state = Documentation { results, ..Documentation::default() };
        let name = |result: &AgentResult| result.agent_name.clone();
        let list = listing(&state, &name, |result| &result.metadata.missing_information);
        assert_eq!(list, "- API, Tests: Why\n- API: Who\n");
    }

    #[test]
    fn a_page_changed_by_hand_or_not_ours_is_not_replaced() {
        let page = finish("# Title\n\nWords.\n\n");
        assert!(is_ours(page.as_bytes()));
        assert!(!is_ours(page.replace("Words.", "My words.").as_bytes()));
        assert!(!is_ours(b"# Somebody's page\n") && !is_ours(b"\xff"));
    }
}
