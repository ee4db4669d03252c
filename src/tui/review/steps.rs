//! One step: what happened, and what it did to the state.

use super::{Clock, took};
use crate::inbox::{
    Block, Change, NextView, Span, StepStates, StepView, ThreadView, Tone, TraceView, bounded,
};
use crate::text::Visible;
use crate::tui::forms::changed_words;
use crate::tui::words;
use serde_json::Value;

/// So many steps stand above and below the shown one.
const NEAR: usize = 3;

fn line(text: &str) -> Visible {
    Visible::line(text)
}

pub(super) fn blocks(
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
            blocks.push(Block::Code { language: "json".to_owned(), text: Visible::new(&updates) });
            "What it changed"
        }
        None => "It changed nothing by itself",
    };
    match (states, whole) {
        (None, _) => blocks.push(Block::Text(line("Folding …"))),
        (Some(states), true) => {
            blocks.push(Block::Heading(line("The whole state after it (d: what changed)")));
            let text = serde_json::to_string_pretty(&states.state).unwrap_or_default();
            blocks.push(Block::Code { language: "json".to_owned(), text: Visible::new(&text) });
            if states.cut {
                let text = "Long texts and lists are cut here; `sayso show` and W give all of it.";
                blocks.push(Block::Text(line(text)));
            }
        }
        (Some(states), false) => {
            blocks.push(Block::Heading(line(&format!("{heading} (d: the whole state)"))));
            blocks.extend(states.changes.iter().map(changed));
            if states.changes.is_empty() {
                blocks.push(Block::Text(line("The state is as it was.")));
            }
            if states.untold > 0 {
                blocks.push(Block::Text(line(&format!("… and {} further places", states.untold))));
            }
        }
    }
    blocks
}

/// The steps around the shown one.
fn near(view: &ThreadView, at: usize, clock: &Clock<'_>) -> Block {
    let from = at.saturating_sub(NEAR).min(view.steps.len().saturating_sub(2 * NEAR + 1));
    let rows = view.steps.iter().enumerate().skip(from).take(2 * NEAR + 1).map(|(n, step)| {
        let mark = if n == at { "▸" } else { "" };
        vec![
            line(mark),
            line(&step.n.to_string()),
            line(&step.node),
            line(&next(step)),
            line(&worked(&view.trace, step.n)),
            line(&clock.time(step.at)),
        ]
    });
    let head = ["", "n", "node", "then", "took", "at"].map(line).to_vec();
    Block::Table { head, rows: rows.collect() }
}

fn next(step: &StepView) -> String {
    match &step.next {
        NextView::Goto { goto } => format!("→ {goto}"),
        NextView::Ask { ask, .. } => format!("asks {}", words::count(ask.len(), "question")),
        NextView::Spawn { spawn, .. } => format!("starts {}", words::count(spawn.len(), "thread")),
        NextView::End { .. } => "ends".to_owned(),
    }
}

fn worked(trace: &TraceView, step: u64) -> String {
    let node = trace.children.iter().find(|span| span.sort == "node" && span.step == Some(step));
    node.map(|span| took(span.ms)).unwrap_or_default()
}

/// What a step says, as far as anybody would read it; nothing where it says nothing.
fn updates(step: &StepView) -> Option<String> {
    let (updates, _) = bounded(&step.updates);
    let empty = match &updates {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if empty { None } else { serde_json::to_string_pretty(&updates).ok() }
}

fn changed(change: &Change) -> Block {
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
    Block::Words(spans)
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => serde_json::to_string_pretty(value).unwrap_or_default(),
        other => other.to_string(),
    }
}
