//! One step: what happened, and how it changed the state.

use super::Clock;
use crate::inbox::{
    Block, Change, NextView, Span, StepStates, StepView, ThreadView, Tone, TraceView, bounded,
};
use crate::text::{Visible, count_noun, duration};
use crate::tui::diff::changed_words;
use serde_json::Value;

/// How many steps are shown above and below the current one.
const NEIGHBOURS: usize = 3;

fn line(text: &str) -> Visible {
    Visible::line(text)
}

pub fn blocks(
    view: &ThreadView,
    index: usize,
    states: Option<&StepStates>,
    shows_whole_state: bool,
    clock: &Clock<'_>,
) -> Vec<Block> {
    let Some(step) = view.steps.get(index) else { return Vec::new() };
    let mut blocks = vec![neighbours(view, index, clock)];
    let heading = match updates(step) {
        Some(updates) => {
            blocks.push(Block::Heading(line(&format!("Step {}: what happened", step.n))));
            blocks.push(Block::Text(Visible::new(&updates)));
            "What it changed"
        }
        None => "It changed nothing itself",
    };
    match (states, shows_whole_state) {
        (None, _) => blocks.push(Block::Text(line("Loading …"))),
        (Some(states), true) => {
            blocks.push(Block::Heading(line("The whole state after it")));
            blocks.push(Block::Text(Visible::new(&outline(&states.state))));
            if states.cut {
                let text = "Long texts and lists are cut here; `sayso show` gives all of it.";
                blocks.push(Block::Text(line(text)));
            }
        }
        (Some(states), false) => {
            blocks.push(Block::Heading(line(heading)));
            let mut spans: Vec<Span> = Vec::new();
            for change in &states.changes {
                if !spans.is_empty() {
                    spans.push(Span { tone: Tone::Plain, text: Visible::new("\n") });
                }
                spans.extend(change_spans(change));
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
fn neighbours(view: &ThreadView, index: usize, clock: &Clock<'_>) -> Block {
    let prefix = common_prefix(view.steps.iter().flat_map(names));
    let from = index.saturating_sub(NEIGHBOURS).min(view.steps.len().saturating_sub(2 * NEIGHBOURS + 1));
    let shown = || view.steps.iter().enumerate().skip(from).take(2 * NEIGHBOURS + 1);
    // The day is named once if it is the same for all; then names have the room they need.
    let day = clock.day(view.steps[index].at);
    let is_one_day = shown().all(|(_, step)| clock.day(step.at) == day);
    let rows = shown().map(|(n, step)| {
        let mark = if n == index { "▸" } else { "" };
        vec![
            line(mark),
            line(&step.n.to_string()),
            line(shorten(prefix, &step.node)),
            line(&next(step, prefix)),
            line(&working_time(&view.trace, step.n)),
            line(&if is_one_day { clock.second(step.at) } else { clock.time(step.at) }),
        ]
    });
    let at = if is_one_day { &day } else { "at" };
    let head = ["", "n", "node", "then", "took", at].map(line).to_vec();
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

/// The prefix that all names with a `/` share, up to a `/`. It takes up room and distinguishes nothing.
fn common_prefix<'n>(names: impl Iterator<Item = &'n str>) -> &'n str {
    let common = |one: &'n str, other: &'n str| {
        let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        let end = same.enumerate().filter(|(_, (letter, _))| *letter == b'/').last();
        end.map_or("", |(at, _)| &one[..=at])
    };
    let prefixes = names.filter_map(|name| name.rfind('/').map(|at| &name[..=at]));
    prefixes.reduce(common).unwrap_or_default()
}

fn shorten<'n>(prefix: &str, name: &'n str) -> &'n str {
    name.strip_prefix(prefix).unwrap_or(name)
}

fn next(step: &StepView, prefix: &str) -> String {
    match &step.next {
        NextView::Goto { goto } => format!("→ {}", shorten(prefix, goto)),
        NextView::Ask { ask, .. } => format!("asks {}", count_noun(ask.len(), "question")),
        NextView::Spawn { spawn, .. } => format!("starts {}", count_noun(spawn.len(), "thread")),
        NextView::End { .. } => "ends".to_owned(),
    }
}

fn working_time(trace: &TraceView, step: u64) -> String {
    let node = trace.children.iter().find(|span| span.sort == "node" && span.step == Some(step));
    node.map(|span| duration(span.ms)).unwrap_or_default()
}

/// A step's updates, cut to a readable length; `None` if there are none.
fn updates(step: &StepView) -> Option<String> {
    let (updates, _) = bounded(&step.updates);
    let is_empty = match &updates {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if is_empty { None } else { Some(outline(&updates)) }
}

fn change_spans(change: &Change) -> Vec<Span> {
    let span = |tone: Tone, text: &str| Span { tone, text: Visible::new(text) };
    let path = if change.path.is_empty() { "(all of it)" } else { &change.path };
    let mut spans = vec![Span { tone: Tone::Quiet, text: Visible::line(&format!("{path}: ")) }];
    match (&change.before, &change.after) {
        (Some(Value::String(before)), Some(Value::String(after))) => {
            spans.extend(changed_words(before, after))
        }
        (before, after) => {
            spans.extend(before.as_ref().map(|value| span(Tone::Removed, &value_text(value))));
            if before.is_some() && after.is_some() {
                spans.push(span(Tone::Quiet, " → "));
            }
            spans.extend(after.as_ref().map(|value| span(Tone::Added, &value_text(value))));
        }
    }
    spans
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => format!("\n{}", outline(value)),
        other => other.to_string(),
    }
}

/// A value as people read it: one name per line, texts unquoted, members indented below their name.
fn outline(value: &Value) -> String {
    let mut out = String::new();
    write_outline(value, 0, &mut out);
    out
}

fn write_outline(value: &Value, depth: usize, out: &mut String) {
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
                write_outline(value, depth + 1, out);
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
        let prefix = |names: &[&'static str]| common_prefix(names.iter().copied());
        assert_eq!(prefix(&["START", "triage", "agent/call", "agent/act"]), "agent/");
        assert_eq!(prefix(&["agent/one/call", "agent/one/act", "agent/once"]), "agent/");
        assert_eq!(prefix(&["agent/call", "agency/call"]), "");
        assert_eq!(prefix(&["START", "triage"]), "");
        assert_eq!(shorten("agent/", "agent/call"), "call");
        assert_eq!(shorten("agent/", "triage"), "triage");
        assert_eq!(shorten("", "triage"), "triage");
    }

    #[test]
    fn values_read_like_notes() {
        let value = json!([{"what": "said", "text": "two\nlines", "to": ["a", "b"], "none": []}]);
        let text = "-\n  none: []\n  text:\n    two\n    lines\n  to:\n    - a\n    - b\n  what: said\n";
        assert_eq!(outline(&value), text);
    }
}
