//! How pages are put together: sections of an analysis, tables and diagrams from facts.

use crate::workflows::docs::facts::{AreaFacts, LinkFacts, ProjectFacts};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many parts and links a diagram shows: more cannot be read.
const NODES: usize = 24;
const ARROWS: usize = 48;

/// The sections of an analysis by their headings; what stands before the first is called by no name.
pub(super) fn sections(analysis: &str) -> Vec<Value> {
    let mut found: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut fenced = false;
    for line in analysis.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = line.trim_start_matches('#');
        let depth = line.len() - heading.len();
        if !fenced && (1..=2).contains(&depth) && heading.starts_with(' ') {
            found.push((heading.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = found.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let whole = found.into_iter().map(|(title, text)| (title, text.trim().to_owned()));
    let kept = whole.filter(|(_, text)| !text.is_empty());
    kept.map(|(title, text)| json!({ "title": title, "text": text })).collect()
}

/// A page in the making.
pub(in super::super) struct Page(String);

impl Page {
    /// A page with a title.
    pub(in super::super) fn new(title: &str) -> Self {
        Self(format!("# {title}\n"))
    }

    /// Adds running text.
    pub(in super::super) fn text(mut self, text: &str) -> Self {
        if !text.trim().is_empty() {
            let _ = write!(self.0, "\n{}\n", text.trim());
        }
        self
    }

    /// Adds a heading.
    pub(in super::super) fn heading(mut self, text: &str) -> Self {
        let _ = write!(self.0, "\n## {text}\n");
        self
    }

    /// Adds the sections of an analysis.
    pub(super) fn sections(mut self, data: &Value) -> Self {
        for section in data.get("sections").and_then(Value::as_array).into_iter().flatten() {
            let part = |key: &str| section.get(key).and_then(Value::as_str).unwrap_or_default();
            if !part("title").is_empty() {
                let _ = write!(self.0, "\n## {}\n", part("title"));
            }
            let _ = write!(self.0, "\n{}\n", part("text"));
        }
        self
    }

    /// Adds a table under a heading; nothing where it has no rows.
    pub(in super::super) fn table(mut self, title: &str, head: &[&str], rows: &[Vec<String>]) -> Self {
        if rows.is_empty() {
            return self;
        }
        self = self.heading(title);
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        self.0.push('\n');
        self.0 += &line(head.iter().map(|cell| (*cell).to_owned()).collect());
        self.0 += &line(head.iter().map(|_| "---".to_owned()).collect());
        for row in rows {
            self.0 += &line(row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect());
        }
        self
    }

    /// Adds a diagram under a heading; nothing where it shows nothing.
    pub(super) fn diagram(mut self, title: &str, diagram: Option<String>) -> Self {
        if let Some(diagram) = diagram {
            self = self.heading(title);
            let _ = write!(self.0, "\n```mermaid\n{diagram}```\n");
        }
        self
    }

    /// The page.
    pub(in super::super) fn into_text(self) -> String {
        self.0
    }
}

/// Which parts lean on which, as a diagram.
pub(super) fn leaning(links: &[LinkFacts]) -> Option<String> {
    let mut parts: BTreeSet<&str> = BTreeSet::new();
    let mut arrows = Vec::new();
    for link in links.iter().take(ARROWS) {
        let new =
            [link.from.as_str(), link.to.as_str()].into_iter().filter(|name| !parts.contains(name)).count();
        if parts.len() + new <= NODES {
            parts.extend([link.from.as_str(), link.to.as_str()]);
            arrows.push(link);
        }
    }
    if arrows.is_empty() {
        return None;
    }
    let names: Vec<&str> = parts.into_iter().collect();
    let id = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let mut out = "graph LR\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(out, "    n{at}[\"{}\"]", label(name));
    }
    for link in arrows {
        let _ = writeln!(out, "    n{} --> n{}", id(&link.from), id(&link.to));
    }
    Some(out)
}

/// The parts of a project as a tree.
pub(super) fn tree(project: &ProjectFacts) -> Option<String> {
    let mut largest: Vec<&AreaFacts> = project.areas.iter().filter(|part| part.path != ".").collect();
    largest.sort_by_key(|part| std::cmp::Reverse(part.lines));
    largest.truncate(NODES);
    if largest.is_empty() {
        return None;
    }
    largest.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out = format!("graph TD\n    root[\"{}\"]\n", label(&project.name));
    let mut tops: Vec<&str> = Vec::new();
    for part in &largest {
        let top = part.path.split('/').next().unwrap_or_default();
        if !tops.contains(&top) {
            tops.push(top);
            let _ = writeln!(out, "    t{}[\"{}/\"]\n    root --> t{}", tops.len(), label(top), tops.len());
        }
    }
    for (at, part) in largest.iter().enumerate() {
        let Some((top, rest)) = part.path.split_once('/') else { continue };
        let place = tops.iter().position(|known| *known == top).map_or(0, |at| at + 1);
        let _ =
            writeln!(out, "    a{at}[\"{}/<br/>{} lines\"]\n    t{place} --> a{at}", label(rest), part.lines);
    }
    Some(out)
}

/// What is reached outside, as a diagram.
pub(super) fn reaching(outside: &[(String, Vec<String>)]) -> Option<String> {
    let mut parts: Vec<&str> =
        outside.iter().flat_map(|(_, parts)| parts.iter().map(String::as_str)).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.truncate(NODES);
    if parts.is_empty() {
        return None;
    }
    let mut out = "graph LR\n".to_owned();
    for (at, part) in parts.iter().enumerate() {
        let _ = writeln!(out, "    p{at}[\"{}\"]", label(part));
    }
    for (at, (what, from)) in outside.iter().enumerate() {
        let _ = writeln!(out, "    o{at}([\"{}\"])", label(what));
        for part in from {
            if let Some(place) = parts.iter().position(|known| known == part) {
                let _ = writeln!(out, "    p{place} --> o{at}");
            }
        }
    }
    Some(out)
}

/// Text that means nothing to a diagram.
fn label(text: &str) -> String {
    text.replace('"', "'").replace(['[', ']', '{', '}', '<', '>', '`', '#', ';'], " ")
}

/// A path as code.
pub(super) fn path(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// The project in a few lines, with which every prompt begins.
pub(super) fn opening(project: &ProjectFacts) -> String {
    let mut out = format!("The code base: {}\n", project.name);
    if !project.about.is_empty() {
        let _ = writeln!(out, "It says of itself: {}", project.about);
    }
    let _ = writeln!(
        out,
        "{} files in {} folders, {} lines of program text.",
        project.files, project.folders, project.lines
    );
    let languages: Vec<String> = project
        .languages
        .iter()
        .take(10)
        .map(|one| format!("{} {} files {} lines", one.name, one.files, one.lines))
        .collect();
    let _ = writeln!(out, "Languages: {}", languages.join("; "));
    let entries: Vec<String> =
        project.entries.iter().map(|(path, what)| format!("{path} ({what})")).collect();
    if !entries.is_empty() {
        let _ = writeln!(out, "Entry points: {}", entries.join("; "));
    }
    for wish in &project.wishes {
        let _ = writeln!(out, "The person asks besides: {wish}");
    }
    out
}

/// The parts with what is known of each.
pub(super) fn parts(project: &ProjectFacts) -> String {
    let mut out = "\nParts:\n".to_owned();
    for part in &project.areas {
        let _ = write!(out, "- {}: {} files, {} lines", part.path, part.files, part.lines);
        if !part.language.is_empty() {
            let _ = write!(out, ", {}", part.language);
        }
        if part.tests > 0 {
            let _ = write!(out, ", {} tests", part.tests);
        }
        if !part.about.is_empty() {
            let _ = write!(out, "; says of itself: {}", part.about);
        }
        if !part.names.is_empty() {
            let names: Vec<String> = part.names.iter().map(|(kind, name)| format!("{kind} {name}")).collect();
            let _ = write!(out, "; declares {}", names.join(", "));
        }
        out.push('\n');
    }
    out
}

/// Which parts lean on which, as lines.
pub(super) fn links(project: &ProjectFacts) -> String {
    let mut out = "\nImports between parts (from, to, files):\n".to_owned();
    for link in &project.links {
        let _ = writeln!(out, "- {} -> {} ({})", link.from, link.to, link.files);
    }
    out
}

/// Names and numbers as lines.
pub(super) fn counts(title: &str, counts: &[(String, u64)]) -> String {
    let mut out = format!("\n{title}:\n");
    for (name, count) in counts {
        let _ = writeln!(out, "- {name}: {count}");
    }
    out
}
