//! A state as a tree with foldable branches.

use crate::text::{Visible, wrap};
use serde_json::Value;
use std::collections::HashSet;

/// How many members of a branch are shown.
const MAX_MEMBERS: usize = 500;

/// How many lines of a text are shown.
const MAX_LINES: usize = 400;

/// Texts are wrapped at this width; a branch is seldom narrower.
const WRAP_WIDTH: usize = 72;

const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// Its indentation.
    pub depth: usize,
    /// Whether it is unfolded; `None` if it cannot be.
    pub fold: Option<bool>,
    /// Its name; empty for a line of a text.
    pub name: String,
    /// Its value, on one line.
    pub value: String,
    /// Its path, which identifies it for folding.
    pub path: String,
}

/// A state, and which parts of it are unfolded.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub rows: Vec<TreeRow>,
    state: Value,
    open: HashSet<String>,
}

impl Tree {
    /// Sets another state; unfolded branches stay unfolded.
    pub fn put(&mut self, state: &Value) {
        if self.state != *state || self.rows.is_empty() {
            self.state = state.clone();
            self.lay_out();
        }
    }

    /// Folds or unfolds the branch of a row.
    pub fn toggle(&mut self, row: usize) {
        let Some(TreeRow { fold: Some(open), path, .. }) = self.rows.get(row) else { return };
        if *open {
            self.open.remove(path);
        } else {
            self.open.insert(path.clone());
        }
        self.lay_out();
    }

    fn lay_out(&mut self) {
        let mut rows = Vec::new();
        match &self.state {
            Value::Object(_) | Value::Array(_) => push_members(&self.state, "", 0, &self.open, &mut rows),
            Value::Null => {
                let value = "state unknown: this version of sayso has no such workflow".to_owned();
                rows.push(TreeRow { depth: 0, fold: None, name: String::new(), value, path: String::new() });
            }
            other => push_branch("state", other, "state", 0, &self.open, &mut rows),
        }
        self.rows = rows;
    }
}

fn push_members(value: &Value, path: &str, depth: usize, open: &HashSet<String>, rows: &mut Vec<TreeRow>) {
    let all: Box<dyn Iterator<Item = (String, &Value)>> = match value {
        Value::Object(fields) => Box::new(fields.iter().map(|(name, value)| (name.clone(), value))),
        Value::Array(items) => Box::new(items.iter().enumerate().map(|(n, item)| (n.to_string(), item))),
        _ => return,
    };
    let count = match value {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    for (name, value) in all.take(MAX_MEMBERS) {
        push_branch(&name, value, &format!("{path}/{name}"), depth, open, rows);
    }
    if count > MAX_MEMBERS {
        let value = format!("… {} more", count - MAX_MEMBERS);
        rows.push(TreeRow { depth, fold: None, name: String::new(), value, path: path.to_owned() });
    }
}

fn push_branch(
    name: &str,
    value: &Value,
    path: &str,
    depth: usize,
    open: &HashSet<String>,
    rows: &mut Vec<TreeRow>,
) {
    let is_open = open.contains(path) && depth < MAX_DEPTH;
    let (fold, shown) = match value {
        Value::Object(fields) if fields.is_empty() => (None, "{}".to_owned()),
        Value::Array(items) if items.is_empty() => (None, "[]".to_owned()),
        Value::Object(fields) => {
            let names: Vec<&str> = fields.keys().take(6).map(String::as_str).collect();
            (Some(is_open), format!("{{{}}} {}", fields.len(), names.join(", ")))
        }
        Value::Array(items) => {
            (Some(is_open), format!("[{}] {}", items.len(), glimpse(&items[items.len() - 1])))
        }
        Value::String(text) if text.contains('\n') || text.len() > WRAP_WIDTH => {
            (Some(is_open), glimpse(value))
        }
        other => (None, glimpse(other)),
    };
    rows.push(TreeRow {
        depth,
        fold,
        name: Visible::line(name).into_string(),
        value: Visible::line(&shown).into_string(),
        path: path.to_owned(),
    });
    if fold != Some(true) {
        return;
    }
    match value {
        Value::String(text) => {
            let text = Visible::new(text);
            for line in wrap(&text, WRAP_WIDTH).take(MAX_LINES) {
                let value = line.to_owned();
                rows.push(TreeRow {
                    depth: depth + 1,
                    fold: None,
                    name: String::new(),
                    value,
                    path: path.to_owned(),
                });
            }
        }
        value => push_members(value, path, depth + 1, open, rows),
    }
}

/// The beginning of a value, on one line.
fn glimpse(value: &Value) -> String {
    const MAX_CHARS: usize = 160;
    match value {
        Value::String(text) => {
            let cut: String = text.chars().take(MAX_CHARS).collect();
            format!("“{cut}{}", if cut.len() < text.len() { "…" } else { "”" })
        }
        Value::Object(fields) => {
            format!("{{{}}}", fields.keys().take(6).cloned().collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.len()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(tree: &Tree) -> Vec<(usize, &str, Option<bool>)> {
        tree.rows.iter().map(|row| (row.depth, row.name.as_str(), row.fold)).collect()
    }

    #[test]
    fn branches_fold_and_stay_unfolded() {
        let mut tree = Tree::default();
        tree.put(&json!({"a": {"b": [1, 2]}, "c": "short", "d": "two\nlines"}));
        assert_eq!(names(&tree), [(0, "a", Some(false)), (0, "c", None), (0, "d", Some(false))]);
        tree.toggle(0);
        tree.toggle(1);
        assert_eq!(
            names(&tree)[..5],
            [(0, "a", Some(true)), (1, "b", Some(true)), (2, "0", None), (2, "1", None), (0, "c", None)]
        );
        tree.put(&json!({"a": {"b": [1, 2, 3]}, "c": 1}));
        assert_eq!(tree.rows.len(), 6, "what was unfolded stays so");
        tree.toggle(0);
        assert_eq!(tree.rows.len(), 2);
        tree.toggle(1);
        tree.toggle(99);
        assert_eq!(tree.rows.len(), 2, "a leaf does not unfold");
    }

    #[test]
    fn large_and_hostile_states_stay_small_and_visible() {
        let mut tree = Tree::default();
        let wide: Vec<u64> = (0..100_000).collect();
        tree.put(&json!({"\u{1b}[2Jname": "\u{202e}x\n".repeat(5_000), "wide": wide}));
        for row in 0..2 {
            tree.toggle(1 - row);
        }
        assert!(tree.rows.len() <= MAX_MEMBERS + MAX_LINES + 3);
        let has_hidden = |text: &str| text.chars().any(crate::text::is_hidden);
        assert!(!tree.rows.iter().any(|row| has_hidden(&row.name) || has_hidden(&row.value)));
        let mut none = Tree::default();
        none.put(&Value::Null);
        assert_eq!(none.rows.len(), 1);
    }
}
