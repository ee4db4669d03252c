//! Builds pages: sections of an analysis, tables from facts.

use super::diagram::LEFT_OUT;
use crate::workflows::docs::facts::{ModuleFacts, NameFacts, ProjectFacts};
use crate::workflows::docs::project::keep_best;
use serde_json::{Value, json};
use std::fmt::Write;

/// How many modules a page lists name by name, and how many names of each.
const MODULES: usize = 60;
const NAMES: usize = 120;

/// The sections of an analysis with their headings; the text before the first heading gets an empty one.
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

/// A page under construction.
pub(in super::super) struct Page(String);

impl Page {
    pub(in super::super) fn new(title: &str) -> Self {
        Self(format!("# {title}\n"))
    }

    pub(in super::super) fn text(mut self, text: &str) -> Self {
        if !text.trim().is_empty() {
            let _ = write!(self.0, "\n{}\n", text.trim());
        }
        self
    }

    pub(in super::super) fn heading(mut self, text: &str) -> Self {
        let _ = write!(self.0, "\n## {text}\n");
        self
    }

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

    /// Adds a table under a heading, unless it has no rows.
    pub(in super::super) fn table(self, title: &str, head: &[&str], rows: &[Vec<String>]) -> Self {
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
    pub(in super::super) fn diagram(mut self, title: &str, diagram: Option<String>) -> Self {
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
    pub(in super::super) fn runs(self, title: &str, project: &ProjectFacts, purposes: &[&str]) -> Self {
        let wanted = project.runs.iter().filter(|run| purposes.contains(&run.purpose.as_str()));
        let rows: Vec<Vec<String>> = wanted
            .map(|run| vec![run.purpose.clone(), path(&run.command), run.says.clone(), path(&run.from)])
            .collect();
        self.table(title, &["for", "command", "what it does", "named in"], &rows)
    }

    /// Adds the modules, each with the names it declares and their lines.
    pub(super) fn modules(mut self, project: &ProjectFacts) -> Self {
        let shown = project.modules.iter().filter(|module| !module.names.is_empty()).take(MODULES);
        for (at, module) in shown.enumerate() {
            if at == 0 {
                self = self.heading("Modules, name by name");
            }
            self = self.module(module);
        }
        let left = project.modules.iter().filter(|module| !module.names.is_empty()).skip(MODULES).count();
        if left > 0 {
            self = self.text(&format!("{left} smaller modules are left out here."));
        }
        self
    }

    fn module(mut self, module: &ModuleFacts) -> Self {
        let _ = write!(self.0, "\n### `{}`\n", module.path);
        let mut said = format!("{} lines", module.lines);
        if !module.imports.is_empty() {
            let _ = write!(said, "; imports {}", listed(&module.imports, 12));
        }
        if !module.tests.is_empty() {
            let _ = write!(said, "; tested in {}", listed(&module.tests, 4));
        }
        self = self.text(&module.about).text(&format!("{said}."));
        let mut names = module.names.clone();
        keep_best(&mut names, NAMES);
        let left = module.more_names + (module.names.len() - names.len()) as u64;
        let row = |name: &NameFacts| {
            let hidden = if name.public { "" } else { " (internal)" };
            vec![
                path(&name.name),
                path(&format!("{}:{}", module.path, name.line)),
                format!("{}{hidden}", name.kind),
                name.about.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = names.iter().map(row).collect();
        self = self.rows(&["name", "where", "kind", "what it does"], &rows);
        if left > 0 { self.text(&format!("{left} more are not listed.")) } else { self }
    }

    pub(in super::super) fn into_text(self) -> String {
        self.0
    }
}

/// A path formatted as code.
pub(in super::super) fn path(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Some paths formatted as code, and how many more there are.
pub(in super::super) fn listed(paths: &[String], most: usize) -> String {
    let shown: Vec<String> = paths.iter().take(most).map(|one| path(one)).collect();
    let more = paths.len().saturating_sub(most);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
