//! One step: what happened, and how it changed the state.

use super::{Clock, took};
use crate::inbox::{
    Block, Change, NextView, Span, StepStates, StepView, ThreadView, Tone, TraceView, bounded,
};
use crate::text::Visible;
use crate::tui::diff::changed_words;
use crate::tui::words;
use serde_json::Value;

/// How many steps are shown above and below the current one.
const NEAR: usize = 3;

fn line(text: &str) -> Visible {
    Visible::line(text)
}

pub fn blocks(
    view: &ThreadView,
    at: usize,
    states: Option<&StepStates>,
    whole: bool,
    clock: &Clock<'_>,
) -> Vec<Block> {
    let Some(step) = view.steps.get(at) else { return Vec::new() };
    let mut blocks = vec![near(view, at, clock)];
    let heading = match updates(step) {
        Some(updates) => {
            blocks.push(Block::Heading(line(&format!("Step {}: what happened", step.n))));
            blocks.push(Block::Text(Visible::new(&updates)));
            "What it changed"
        }
        None => "It had no updates of its own",
    };
    match (states, whole) {
        (None, _) => blocks.push(Block::Text(line("Folding …"))),
        (Some(states), true) => {
            blocks.push(Block::Heading(line("The whole state after it (d: what changed)")));
            blocks.push(Block::Text(Visible::new(&outline(&states.state))));
            if states.cut {
                let text = "Long texts and lists are cut here; `sayso show` and W give all of it.";
                blocks.push(Block::Text(line(text)));
            }
        }
        (Some(states), false) => {
            blocks.push(Block::Heading(line(&format!("{heading} (d: the whole state)"))));
            let mut spans: Vec<Span> = Vec::new();
            for change in &states.changes {
                if !spans.is_empty() {
                    spans.push(Span { tone: Tone::Plain, text: Visible::new("\n") });
                }
                spans.extend(changed(change));
            }
            blocks.push(Block::Words(spans));
            if states.changes.is_empty() {
                blocks.push(Block::Text(line("The state did not change.")));
            }
            if states.untold > 0 {
                blocks.push(Block::Text(line(&format!("… and {} more places", states.untold))));
            }
        }
    }
    blocks
}

/// The steps around the current one.
fn near(view: &ThreadView, at: usize, clock: &Clock<'_>) -> Block {
    let beginning = shared_beginning(view.steps.iter().flat_map(names));
    let from = at.saturating_sub(NEAR).min(view.steps.len().saturating_sub(2 * NEAR + 1));
    let rows = view.steps.iter().enumerate().skip(from).take(2 * NEAR + 1).map(|(n, step)| {
        let mark = if n == at { "▸" } else { "" };
        vec![
            line(mark),
            line(&step.n.to_string()),
            line(&without(beginning, &step.node)),
            line(&next(step, beginning)),
            line(&worked(&view.trace, step.n)),
            line(&clock.time(step.at)),
        ]
    });
    let head = ["", "n", "node", "then", "took", "at"].map(line).to_vec();
    Block::Table { head, rows: rows.collect() }
}

/// The nodes a row names.
fn names(step: &StepView) -> impl Iterator<Item = &str> {
    let goto = match &step.next {
        NextView::Goto { goto } => Some(goto.as_str()),
        NextView::Ask { .. } | NextView::Spawn { .. } | NextView::End { .. } => None,
    };
    std::iter::once(step.node.as_str()).chain(goto)
}

/// What the names with a `/` all begin with, up to a `/`. It tells nothing apart, and takes the room of what does.
fn shared_beginning<'n>(names: impl Iterator<Item = &'n str>) -> &'n str {
    let shared = |one: &'n str, other: &'n str| {
        let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        let end = same.enumerate().filter(|(_, (letter, _))| *letter == b'/').last();
        end.map_or("", |(at, _)| &one[..=at])
    };
    let beginnings = names.filter_map(|name| name.rfind('/').map(|at| &name[..=at]));
    beginnings.reduce(shared).unwrap_or_default()
}

fn without(beginning: &str, name: &str) -> String {
    match name.strip_prefix(beginning) {
        Some(rest) if !beginning.is_empty() => format!("…/{rest}"),
        _ => name.to_owned(),
    }
}

fn next(step: &StepView, beginning: &str) -> String {
    match &step.next {
        NextView::Goto { goto } => format!("→ {}", without(beginning, goto)),
        NextView::Ask { ask, .. } => format!("asks {}", words::count(ask.len(), "question")),
        NextView::Spawn { spawn, .. } => format!("starts {}", words::count(spawn.len(), "thread")),
        NextView::End { .. } => "ends".to_owned(),
    }
}

fn worked(trace: &TraceView, step: u64) -> String {
    let node = trace.children.iter().find(|span| span.sort == "node" && span.step == Some(step));
    node.map(|span| took(span.ms)).unwrap_or_default()
}

/// A step's updates, cut to a readable length; `None` if there are none.
fn updates(step: &StepView) -> Option<String> {
    let (updates, _) = bounded(&step.updates);
    let empty = match &updates {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if empty { None } else { Some(outline(&updates)) }
}

fn changed(change: &Change) -> Vec<Span> {
    let span = |tone: Tone, text: &str| Span { tone, text: Visible::new(text) };
    let path = if change.path.is_empty() { "(all of it)" } else { &change.path };
    let mut spans = vec![Span { tone: Tone::Quiet, text: Visible::line(&format!("{path}: ")) }];
    match (&change.before, &change.after) {
        (Some(Value::String(before)), Some(Value::String(after))) => {
            spans.extend(changed_words(before, after))
        }
        (before, after) => {
            spans.extend(before.as_ref().map(|value| span(Tone::Removed, &shown(value))));
            if before.is_some() && after.is_some() {
                spans.push(span(Tone::Quiet, " → "));
            }
            spans.extend(after.as_ref().map(|value| span(Tone::Added, &shown(value))));
        }
    }
    spans
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => format!("\n{}", outline(value)),
        other => other.to_string(),
    }
}

/// A value as people read it: one name per line, texts unquoted, members indented below their name.
fn outline(value: &Value) -> String {
    let mut out = String::new();
    lay(value, 0, &mut out);
    out
}

fn lay(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let mut member = |name: String, value: &Value| {
        let short = match value {
            Value::String(text) => Some(text.as_str()).filter(|text| !text.contains('\n')).map(str::to_owned),
            Value::Array(items) if !items.is_empty() => None,
            Value::Object(fields) if !fields.is_empty() => None,
            other => Some(other.to_string()),
        };
        match short {
            Some(text) => out.push_str(&format!("{indent}{name} {text}\n")),
            None => {
                out.push_str(&format!("{indent}{name}\n"));
                lay(value, depth + 1, out);
            }
        }
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| member(format!("{name}:"), value)),
        Value::Array(items) => items.iter().for_each(|item| member("-".to_owned(), item)),
        Value::String(text) => text.lines().for_each(|line| out.push_str(&format!("{indent}{line}\n"))),
        other => out.push_str(&format!("{indent}{other}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_all_nodes_begin_with_is_cut() {
        let shared = |names: &[&'static str]| shared_beginning(names.iter().copied());
        assert_eq!(shared(&["START", "triage", "agent/call", "agent/act"]), "agent/");
        assert_eq!(shared(&["agent/one/call", "agent/one/act", "agent/once"]), "agent/");
        assert_eq!(shared(&["agent/call", "agency/call"]), "");
        assert_eq!(shared(&["START", "triage"]), "");
        assert_eq!(without("agent/", "agent/call"), "…/call");
        assert_eq!(without("agent/", "triage"), "triage");
        assert_eq!(without("", "triage"), "triage");
    }

    #[test]
    fn values_read_like_notes() {
        let value = json!([{"what": "said", "text": "two\nlines", "to": ["a", "b"], "none": []}]);
        let text = "-\n  none: []\n  text:\n    two\n    lines\n  to:\n    - a\n    - b\n  what: said\n";
        assert_eq!(outline(&value), text);
    }
}
