//! Pages on disk: assembled, marked as ours, and never written over what a person wrote.
//!
//! Text between `<!-- keep -->` and `<!-- /keep -->` belongs to the person: it is put back under its heading. The last
//! line of a page holds a digest of all the rest. If that rest was changed by hand, the old page is kept next to the
//! new one, with a date.

use super::agents::{DocAgent, Page, leaning, path, platforms};
use super::facts::{ModuleFacts, ProjectFacts};
use super::project::keep_best;
use super::rules::NOTE;
use super::state::{AgentResult, Documentation};
use crate::graph::{BoxFuture, Effect, EffectError, EffectTrace};
use crate::text::{hex, io_words};
use crate::tools::atomic_write;
use crate::workflows::output_file;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

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
struct Kept {
    heading: String,
    text: String,
}

/// The page to write: with the person's text from `standing`, and with our mark.
pub(super) fn finished(page: &str, standing: Option<&str>) -> String {
    let (kept, _) = part(standing.unwrap_or_default());
    let page = with_kept(page, &kept);
    let (_, ours) = part(&page);
    format!("{}\n\n{MARK}{} -->\n", page.trim_end(), digest(&ours))
}

/// Whether `page` may replace `standing`: our part of it is unchanged, and `page` holds everything the person wrote.
fn may_go(standing: &[u8], page: &[u8]) -> bool {
    let (Ok(standing), Ok(page)) = (std::str::from_utf8(standing), std::str::from_utf8(page)) else {
        return false;
    };
    let (kept, ours) = part(standing);
    let marked = standing.lines().rev().find_map(|line| line.trim().strip_prefix(MARK));
    let unchanged = marked.is_some_and(|mark| mark.trim_end_matches("-->").trim() == digest(&ours));
    let (in_page, _) = part(page);
    unchanged && kept.iter().all(|one| in_page.iter().any(|other| other.text == one.text))
}

/// What a person wrote in a page, and the lines that are ours.
fn part(text: &str) -> (Vec<Kept>, Vec<&str>) {
    let (mut kept, mut ours) = (Vec::new(), Vec::new());
    let mut heading = String::new();
    let mut inside: Option<Vec<&str>> = None;
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= inside.is_none() && line.trim_start().starts_with("```");
        match &mut inside {
            Some(lines) => {
                lines.push(line);
                if line.trim() == KEEP_END {
                    kept.push(Kept { heading: heading.clone(), text: lines.join("\n") });
                    inside = None;
                }
            }
            None if line.trim() == KEEP_START => inside = Some(vec![line]),
            None => {
                if line.starts_with('#') && !fenced {
                    heading = line.trim().to_owned();
                }
                ours.push(line);
            }
        }
    }
    if let Some(lines) = inside {
        // The mark was not closed: everything after it is the person's, except for our own last line.
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with(MARK)).collect();
        kept.push(Kept { heading, text: format!("{}\n{KEEP_END}", lines.join("\n").trim_end()) });
    }
    (kept, ours)
}

/// The page with each kept part at the end of its section.
fn with_kept(page: &str, kept: &[Kept]) -> String {
    if kept.is_empty() {
        return page.to_owned();
    }
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !fenced {
            sections.push((line.trim().to_owned(), String::new()));
        }
        if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    for one in kept {
        let at = sections.iter().position(|(heading, _)| *heading == one.heading && !heading.is_empty());
        let at = at.unwrap_or_else(|| {
            let left = sections.iter().position(|(heading, _)| heading == KEPT_HEADING);
            left.unwrap_or_else(|| {
                sections.push((KEPT_HEADING.to_owned(), format!("\n{KEPT_HEADING}\n")));
                sections.len() - 1
            })
        });
        let text = &mut sections[at].1;
        *text = format!("{}\n\n{}\n\n", text.trim_end(), one.text);
    }
    sections.into_iter().map(|(_, text)| text).collect()
}

/// A digest of our lines that ignores spacing.
fn digest(ours: &[&str]) -> String {
    let mut hash = Sha256::new();
    for line in
        ours.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty() && !line.starts_with(MARK))
    {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize()[..16])
}

/// The file name of an agent's page.
pub(super) fn file(agent: &str) -> String {
    format!("{agent}.md")
}

/// The index of a run: the project, how to start, the modules, and the pages.
pub(super) fn index(state: &Documentation, project: &ProjectFacts, agents: &[DocAgent]) -> String {
    let title = |result: &AgentResult| {
        let agent = agents.iter().find(|agent| agent.name == result.agent_name);
        agent.map_or(result.agent_name.clone(), |agent| agent.title.to_owned())
    };
    let rows: Vec<Vec<String>> = state
        .results
        .iter()
        .map(|result| match result.status.as_str() {
            "success" => vec![
                format!("[{}]({})", title(result), file(&result.agent_name)),
                result.summary.clone(),
                format!("{:.0} %", result.confidence * 100.0),
                result.checked.clone(),
            ],
            _ => vec![title(result), "failed; see below".to_owned(), "–".to_owned(), "–".to_owned()],
        })
        .collect();
    let needs: Vec<String> =
        platforms(project).map(|(path, platform)| format!("Needs {platform} (`{path}`).")).collect();
    let needs = needs.join("\n");
    let mut written = state.results.iter().filter(|result| result.status == "success");
    let made = match written.all(|result| result.markdown.contains(NOTE)) {
        true => {
            "Written by the built-in rules, without a language model: everything is counted from the code or quoted \
                 from it."
        }
        false => {
            "Written by agents from facts that a program read from the code. Tables, lines and diagrams are read \
                  from the code; the rest is what a model made of them."
        }
    };
    let mut page = Page::new(&project.name)
        .text(&project.about)
        .text(made)
        .table("Pages", &["page", "in a line", "confidence", "checked"], &rows)
        .text(&needs)
        .runs("How to test, run and build", project, &["test", "run", "check", "build"])
        .table("Modules", &["module", "what it is for", "main names"], &modules(project))
        .diagram("What imports what", leaning(project));
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
        let named: Vec<String> =
            names.iter().map(|name| path(&format!("{}:{}", name.name, name.line))).collect();
        let mut first: Vec<_> = module.names.iter().filter(|name| !name.about.is_empty()).cloned().collect();
        keep_best(&mut first, 1);
        let said = first.first().map(|name| format!("{}: {}", path(&name.name), name.about));
        let about = if module.about.is_empty() { said.unwrap_or_default() } else { module.about.clone() };
        vec![path(&module.path), about, named.join(", ")]
    };
    project.modules.iter().filter(|module| !module.names.is_empty()).take(MODULES).map(row).collect()
}

/// What the pages have to say. What several of them say is told once, with the names of all of them.
fn listing<'a>(
    state: &'a Documentation,
    title: &impl Fn(&AgentResult) -> String,
    lines: impl Fn(&'a AgentResult) -> &'a Vec<String>,
) -> String {
    let mut said: Vec<(&str, Vec<String>)> = Vec::new();
    for result in &state.results {
        for line in lines(result) {
            let (line, page) = (line.trim_end_matches('.'), title(result));
            match said.iter_mut().find(|(known, _)| *known == line) {
                Some((_, pages)) if pages.contains(&page) => {}
                Some((_, pages)) => pages.push(page),
                None => said.push((line, vec![page])),
            }
        }
    }
    let mut by_pages: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for (line, pages) in said {
        match by_pages.iter_mut().find(|(known, _)| *known == pages) {
            Some((_, lines)) => lines.push(line),
            None => by_pages.push((pages, vec![line])),
        }
    }
    by_pages.iter().map(|(pages, lines)| format!("- {}: {}\n", pages.join(", "), lines.join("; "))).collect()
}

/// The effect of writing a page into the folder.
pub(super) struct WritePage {
    pub path: PathBuf,
    pub stamp: String,
}

impl Effect for WritePage {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let path = self.path.display();
            let refused = |error: std::io::Error| {
                EffectError::Refused(format!(
                    "{path} could not be written: {}. Fix that and retry",
                    io_words(&error)
                ))
            };
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder).map_err(refused)?;
            }
            let over = |standing: &[u8]| may_go(standing, frozen);
            let kept = atomic_write::write_over(&self.path, frozen, &self.stamp, &over).map_err(refused)?;
            Ok(json!({ "file": self.path, "kept": kept }))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move { output_file::found(&self.path, frozen) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# Title\n\nWords.\n\n## One\n\nText one.\n\n```\n# no heading\n```\n\n## Two\n\nText two.\n";

    #[test]
    fn what_a_person_wrote_stays_under_its_heading_and_the_page_may_be_replaced() {
        let first = finished(PAGE, None);
        assert!(may_go(first.as_bytes(), b"anything new"));
        let theirs = first.replace("Text one.\n", "Text one.\n\n<!-- keep -->\nMine.\n<!-- /keep -->\n");
        let new = PAGE.replace("Text one", "Better text");
        let second = finished(&new, Some(&theirs));
        let (one, two) = (second.find("Mine.").unwrap(), second.find("## Two").unwrap());
        assert!(second.find("Better text").unwrap() < one && one < two, "{second}");
        assert!(may_go(theirs.as_bytes(), second.as_bytes()));
        assert!(!may_go(theirs.as_bytes(), finished(&new, None).as_bytes()), "what is theirs would be lost");
        assert_eq!(finished(&new, Some(&second)), second, "once more changes nothing");
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
        let said = listing(&state, &name, |result| &result.metadata.missing_information);
        assert_eq!(said, "- API, Tests: Why\n- API: Who\n");
    }

    #[test]
    fn a_page_changed_by_hand_or_not_ours_is_not_replaced() {
        let first = finished(PAGE, None);
        assert!(!may_go(first.replace("Words.", "My words.").as_bytes(), b"new"));
        assert!(!may_go(b"# Somebody's page\n", b"new"));
        assert!(!may_go(b"\xff", b"new"));
        assert!(may_go(first.replace("\n\n", "\n\n\n").as_bytes(), b"new"), "spacing is nothing");
    }

    #[test]
    fn parts_whose_heading_is_gone_and_marks_left_open_are_kept() {
        let first =
            finished(PAGE, None).replace("## Two\n", "## Two\n<!-- keep -->\nMine.\n<!-- /keep -->\n");
        let new = PAGE.split("## Two").next().unwrap();
        let second = finished(new, Some(&first));
        assert!(second.contains("## Kept notes\n\n<!-- keep -->\nMine.\n<!-- /keep -->"), "{second}");
        assert_eq!(finished(new, Some(&second)), second);
        let open = finished(PAGE, None).replace("Text two.\n", "<!-- keep -->\nMine, and open.\n");
        let third = finished(PAGE, Some(&open));
        assert!(third.contains("Mine, and open.\n<!-- /keep -->"), "{third}");
        assert_eq!(third.matches(MARK).count(), 1);
    }
}
