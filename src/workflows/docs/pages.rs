//! Pages on disk: assembled, marked as ours, and never written over what a person wrote.
//!
//! Text between `<!-- keep -->` and `<!-- /keep -->` belongs to the person: it is put back under its heading. The last
//! line of a page holds a digest of all the rest. If that rest was changed by hand, the old page is kept next to the
//! new one, with a date.

use super::agents::DocAgent;
use super::diagram::import_graph;
use super::facts::{ModuleFacts, ProjectFacts};
use super::page::{Page, as_code};
use super::project::keep_best;
use super::state::{AgentResult, Documentation};
use crate::agent::output_file;
use crate::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace};
use crate::text::atomic_write;
use crate::text::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The first line of a page that no model wrote.
pub(super) const NOTE: &str = "_Facts only, no language model: everything here is counted from the code._";

const KEEP_START: &str = "<!-- keep -->";
const KEEP_END: &str = "<!-- /keep -->";
const MARK: &str = "<!-- sayso docs: what you write between keep marks stays; sha256 ";

/// How many modules an index shows, and how many names of each.
const MODULES: usize = 30;
const NAMES: usize = 4;

/// The section for kept parts whose heading is gone.
const KEPT_HEADING: &str = "## Kept notes";

/// Text a person wrote, and its heading.
#[derive(Debug, PartialEq)]
struct KeptBlock {
    heading: String,
    text: String,
}

/// The page to write: with the person's text from `existing`, and with our mark.
pub(super) fn finish(page: &str, existing: Option<&str>) -> String {
    let (kept_blocks, _) = split_kept(existing.unwrap_or_default());
    let page = insert_kept(page, &kept_blocks);
    let (_, our_lines) = split_kept(&page);
    format!("{}\n\n{MARK}{} -->\n", page.trim_end(), digest(&our_lines))
}

/// Whether `page` may replace `existing`: our part of that is unchanged, and `page` holds everything the person wrote.
fn may_replace(existing: &[u8], page: &[u8]) -> bool {
    let (Ok(existing), Ok(page)) = (std::str::from_utf8(existing), std::str::from_utf8(page)) else {
        return false;
    };
    let (kept_blocks, our_lines) = split_kept(existing);
    let mark = existing.lines().rev().find_map(|line| line.trim().strip_prefix(MARK));
    let is_unchanged = mark.is_some_and(|mark| mark.trim_end_matches("-->").trim() == digest(&our_lines));
    let (new_blocks, _) = split_kept(page);
    is_unchanged && kept_blocks.iter().all(|block| new_blocks.iter().any(|other| other.text == block.text))
}

/// What a person wrote in a page, and the lines that are ours.
fn split_kept(text: &str) -> (Vec<KeptBlock>, Vec<&str>) {
    let (mut kept_blocks, mut our_lines) = (Vec::new(), Vec::new());
    let mut heading = String::new();
    let mut open_block: Option<Vec<&str>> = None;
    let mut in_fence = false;
    for line in text.lines() {
        in_fence ^= open_block.is_none() && line.trim_start().starts_with("```");
        match &mut open_block {
            Some(lines) => {
                lines.push(line);
                if line.trim() == KEEP_END {
                    kept_blocks.push(KeptBlock { heading: heading.clone(), text: lines.join("\n") });
                    open_block = None;
                }
            }
            None if line.trim() == KEEP_START => open_block = Some(vec![line]),
            None => {
                if line.starts_with('#') && !in_fence {
                    heading = line.trim().to_owned();
                }
                our_lines.push(line);
            }
        }
    }
    if let Some(lines) = open_block {
        // The mark was not closed: everything after it is the person's, except for our own last line.
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with(MARK)).collect();
        kept_blocks.push(KeptBlock { heading, text: format!("{}\n{KEEP_END}", lines.join("\n").trim_end()) });
    }
    (kept_blocks, our_lines)
}

/// The page with each kept part at the end of its section.
fn insert_kept(page: &str, kept_blocks: &[KeptBlock]) -> String {
    if kept_blocks.is_empty() {
        return page.to_owned();
    }
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut in_fence = false;
    for line in page.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !in_fence {
            sections.push((line.trim().to_owned(), String::new()));
        }
        if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    for block in kept_blocks {
        let at = sections.iter().position(|(heading, _)| *heading == block.heading && !heading.is_empty());
        let at = at.unwrap_or_else(|| {
            let kept_section = sections.iter().position(|(heading, _)| heading == KEPT_HEADING);
            kept_section.unwrap_or_else(|| {
                sections.push((KEPT_HEADING.to_owned(), format!("\n{KEPT_HEADING}\n")));
                sections.len() - 1
            })
        });
        let text = &mut sections[at].1;
        *text = format!("{}\n\n{}\n\n", text.trim_end(), block.text);
    }
    sections.into_iter().map(|(_, text)| text).collect()
}

/// A digest of our lines that ignores spacing.
fn digest(our_lines: &[&str]) -> String {
    let mut hash = Sha256::new();
    for line in our_lines
        .iter()
        .map(|line| line.trim_end())
        .filter(|line| !line.is_empty() && !line.starts_with(MARK))
    {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize()[..16])
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

/// The effect of writing a page into the folder.
pub(super) struct WritePage {
    pub path: PathBuf,
    pub stamp: String,
}

impl Effect for WritePage {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let may_overwrite = |existing: &[u8]| may_replace(existing, frozen);
            let folder = self.path.parent().map_or(Ok(()), std::fs::create_dir_all);
            let backup = folder
                .and_then(|()| atomic_write::write_over(&self.path, frozen, &self.stamp, &may_overwrite));
            output_file::written(&self.path, backup)
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move { output_file::trace_of(&self.path, frozen) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# Title\n\nWords.\n\n## One\n\nText one.\n\n```\n# no heading\n```\n\n## Two\n\nText two.\n";

    #[test]
    fn what_a_person_wrote_stays_under_its_heading_and_the_page_may_be_replaced() {
        let first = finish(PAGE, None);
        assert!(may_replace(first.as_bytes(), b"anything new"));
        let edited = first.replace("Text one.\n", "Text one.\n\n<!-- keep -->\nMine.\n<!-- /keep -->\n");
        let new = PAGE.replace("Text one", "Better text");
        let second = finish(&new, Some(&edited));
        let (kept_at, next_heading_at) = (second.find("Mine.").unwrap(), second.find("## Two").unwrap());
        assert!(second.find("Better text").unwrap() < kept_at && kept_at < next_heading_at, "{second}");
        assert!(may_replace(edited.as_bytes(), second.as_bytes()));
        assert!(
            !may_replace(edited.as_bytes(), finish(&new, None).as_bytes()),
            "what is theirs would be lost"
        );
        assert_eq!(finish(&new, Some(&second)), second, "once more changes nothing");
    }

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
        let first = finish(PAGE, None);
        assert!(!may_replace(first.replace("Words.", "My words.").as_bytes(), b"new"));
        assert!(!may_replace(b"# Somebody's page\n", b"new"));
        assert!(!may_replace(b"\xff", b"new"));
        assert!(may_replace(first.replace("\n\n", "\n\n\n").as_bytes(), b"new"), "spacing is nothing");
    }

    #[test]
    fn parts_whose_heading_is_gone_and_marks_left_open_are_kept() {
        let first = finish(PAGE, None).replace("## Two\n", "## Two\n<!-- keep -->\nMine.\n<!-- /keep -->\n");
        let new = PAGE.split("## Two").next().unwrap();
        let second = finish(new, Some(&first));
        assert!(second.contains("## Kept notes\n\n<!-- keep -->\nMine.\n<!-- /keep -->"), "{second}");
        assert_eq!(finish(new, Some(&second)), second);
        let open = finish(PAGE, None).replace("Text two.\n", "<!-- keep -->\nMine, and open.\n");
        let third = finish(PAGE, Some(&open));
        assert!(third.contains("Mine, and open.\n<!-- /keep -->"), "{third}");
        assert_eq!(third.matches(MARK).count(), 1);
    }
}
