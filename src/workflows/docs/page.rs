//! Builds pages: sections of an analysis, tables from facts.

use super::diagram::LEFT_OUT;
use super::facts::{ModuleFacts, ProjectFacts};
use super::project::keep_best;
use crate::tools::tree::{Item, Purpose};
use serde_json::{Value, json};
use std::fmt::Write;

/// How many modules a page lists name by name, and how many names of each.
const MODULES: usize = 60;
const NAMES: usize = 120;

/// The sections of an analysis with their headings; the text before the first heading gets an empty one.
pub(super) fn sections(analysis: &str) -> Vec<Value> {
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut in_fence = false;
    for line in analysis.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let heading = line.trim_start_matches('#');
        let depth = line.len() - heading.len();
        if !in_fence && (1..=2).contains(&depth) && heading.starts_with(' ') {
            sections.push((heading.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let trimmed = sections.into_iter().map(|(title, text)| (title, text.trim().to_owned()));
    let non_empty = trimmed.filter(|(_, text)| !text.is_empty());
    non_empty.map(|(title, text)| json!({ "title": title, "text": text })).collect()
}

/// A page under construction.
pub(super) struct Page(String);

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self(format!("# {title}\n"))
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        if !text.trim().is_empty() {
            let _ = write!(self.0, "\n{}\n", text.trim());
        }
        self
    }

    pub(super) fn heading(mut self, text: &str) -> Self {
        let _ = write!(self.0, "\n## {text}\n");
        self
    }

    pub(super) fn sections(mut self, data: &Value) -> Self {
        for section in data.get("sections").and_then(Value::as_array).into_iter().flatten() {
            let field = |key: &str| section.get(key).and_then(Value::as_str).unwrap_or_default();
            if !field("title").is_empty() {
                let _ = write!(self.0, "\n## {}\n", field("title"));
            }
            let _ = write!(self.0, "\n{}\n", field("text"));
        }
        self
    }

    /// Adds a table under a heading, unless it has no rows.
    pub(super) fn table(self, title: &str, head: &[&str], rows: &[Vec<String>]) -> Self {
        if rows.is_empty() {
            return self;
        }
        self.heading(title).rows(head, rows)
    }

    /// Adds a table without a heading.
    fn rows(mut self, head: &[&str], rows: &[Vec<String>]) -> Self {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        self.0.push('\n');
        self.0 += &line(head.iter().map(|cell| (*cell).to_owned()).collect());
        self.0 += &line(head.iter().map(|_| "---".to_owned()).collect());
        for row in rows {
            self.0 += &line(row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect());
        }
        self
    }

    /// Adds a diagram under a heading, unless there is none.
    pub(super) fn diagram(mut self, title: &str, diagram: Option<String>) -> Self {
        if let Some(diagram) = diagram {
            self = self.heading(title);
            let _ = write!(self.0, "\n```mermaid\n{diagram}```\n");
            if diagram.contains(LEFT_OUT) {
                self = self.text("Arrows to what is reached through others anyway are left out.");
            }
        }
        self
    }

    /// Adds the commands that test, run, check and build it.
    pub(super) fn runs(self, title: &str, project: &ProjectFacts, purpose: Option<Purpose>) -> Self {
        let runs = project.runs.iter().filter(|run| purpose.is_none_or(|purpose| run.purpose == purpose));
        let rows: Vec<Vec<String>> = runs
            .map(|run| {
                vec![run.purpose.to_string(), as_code(&run.command), run.says.clone(), as_code(&run.from)]
            })
            .collect();
        self.table(title, &["for", "command", "what it does", "named in"], &rows)
    }

    /// Adds the modules, each with the names it declares and their lines.
    pub(super) fn modules(mut self, project: &ProjectFacts) -> Self {
        let listed = project.modules.iter().filter(|module| !module.names.is_empty()).take(MODULES);
        for (at, module) in listed.enumerate() {
            if at == 0 {
                self = self.heading("Modules, name by name");
            }
            self = self.module(module);
        }
        let omitted = project.modules.iter().filter(|module| !module.names.is_empty()).skip(MODULES).count();
        if omitted > 0 {
            self = self.text(&format!("{omitted} smaller modules are left out here."));
        }
        self
    }

    fn module(mut self, module: &ModuleFacts) -> Self {
        let _ = write!(self.0, "\n### `{}`\n", module.path);
        let mut details = format!("{} lines", module.lines);
        if !module.imports.is_empty() {
            let _ = write!(details, "; imports {}", list_paths(&module.imports, 12));
        }
        if !module.tests.is_empty() {
            let _ = write!(details, "; tested in {}", list_paths(&module.tests, 4));
        }
        self = self.text(&module.about).text(&format!("{details}."));
        let mut names = module.names.clone();
        keep_best(&mut names, NAMES);
        let omitted = module.more_names + (module.names.len() - names.len()) as u64;
        let row = |name: &Item| {
            let suffix = if name.public { "" } else { " (internal)" };
            vec![
                as_code(&name.name),
                as_code(&format!("{}:{}", module.path, name.line)),
                format!("{}{suffix}", name.kind),
                name.about.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = names.iter().map(row).collect();
        self = self.rows(&["name", "where", "kind", "what it does"], &rows);
        if omitted > 0 { self.text(&format!("{omitted} more are not listed.")) } else { self }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

/// A path, name or command formatted as code.
pub(super) fn as_code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Some paths formatted as code, and how many more there are.
pub(super) fn list_paths(paths: &[String], max: usize) -> String {
    let shown: Vec<String> = paths.iter().take(max).map(|one| as_code(one)).collect();
    let more = paths.len().saturating_sub(max);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
