//! The cards of a run and of its agents.

use super::WRITE_DOCS;
use super::agent::{AgentState, QUESTION};
use super::readable::readable;
use super::state::Documentation;
use crate::graph::Folded;
use crate::inbox::{Block, Card, Item, ItemKind};
use crate::text::Visible;
use serde_json::Value;

fn field(name: &str, value: &str) -> (Visible, Visible) {
    (Visible::line(name), Visible::line(value))
}

pub(super) fn draw(state: &Folded, item: &Item) -> Card {
    let Some(state) = state.get::<Documentation>() else { return Card::default() };
    let mut blocks = Vec::new();
    match item.kind {
        ItemKind::Interrupt(_) if item.action == WRITE_DOCS => {
            let files = item.args.get("files").and_then(Value::as_array).into_iter().flatten();
            let files: Vec<&str> = files.filter_map(Value::as_str).collect();
            blocks
                .push(Block::Fields(vec![field("write to", &state.out), field("pages", &files.join(", "))]));
            for result in state.results.iter().filter(|result| result.status == "success") {
                blocks.push(Block::Heading(Visible::line(&result.agent_name)));
                blocks.push(Block::Text(Visible::new(&result.markdown)));
            }
        }
        ItemKind::Result | ItemKind::Interrupt(_) => {
            let page = state.index.as_deref().or(state.summary.as_deref()).unwrap_or_default();
            blocks.push(Block::Markdown(Visible::new(&readable(page))));
        }
    }
    let mut fields = vec![field("folder", &state.dir)];
    if let Some(scanned) = &state.scanned {
        fields.push(field("files", &scanned.count.to_string()));
        if scanned.skipped > 0 {
            fields.push(field("not looked at", &scanned.skipped.to_string()));
        }
    }
    if !state.written.is_empty() {
        fields.push(field("written to", &state.out));
    }
    blocks.push(Block::Fields(fields));
    Card { blocks }
}

/// Why pages are shown, and how each agent did.
pub(super) fn explain(state: &Folded, item: &Item) -> Vec<Block> {
    let Some(state) = state.get::<Documentation>() else { return Vec::new() };
    let why = match item.kind {
        ItemKind::Result => "all agents have ended",
        ItemKind::Interrupt(_) => "writing pages into your folder is yours to decide",
    };
    let mut fields = vec![field("because", why)];
    for result in &state.results {
        fields.push(field(&result.agent_name, &result.status));
    }
    vec![Block::Fields(fields)]
}

/// Why an agent asks: its scores, and what is missing.
pub(super) fn explain_agent(state: &Folded, item: &Item) -> Vec<Block> {
    let Some(state) = state.get::<AgentState>() else { return Vec::new() };
    let why = match item.action == QUESTION {
        true => "no file answers it, and you wanted to be asked",
        false => "the next refinement is larger than you allow without asking",
    };
    let scores: Vec<String> = state.scores.iter().map(|score| format!("{score:.0}")).collect();
    let mut fields = vec![
        field("because", why),
        field("agent", &state.context.agent),
        field("scores so far", &scores.join(", ")),
        field("wanted", &state.context.settings.clarity_threshold.to_string()),
    ];
    if !state.missing_information.is_empty() {
        fields.push(field("missing", &state.missing_information.join("; ")));
    }
    vec![Block::Fields(fields)]
}

pub(super) fn draw_agent(state: &Folded, item: &Item) -> Card {
    let Some(state) = state.get::<AgentState>() else { return Card::default() };
    let mut blocks = Vec::new();
    if item.action == QUESTION {
        let question = item.args.get("question").and_then(Value::as_str).unwrap_or_default();
        blocks.push(Block::Text(Visible::new(question)));
    } else {
        let count = |key: &str| item.args.get(key).and_then(Value::as_u64).unwrap_or_default();
        let text = format!(
            "Refinement {} of {} would take about {} tokens; you wanted to be asked above {}.",
            count("iteration"),
            state.context.settings.max_iterations,
            count("estimated_tokens"),
            count("approve_over_tokens")
        );
        blocks.push(Block::Text(Visible::new(&text)));
    }
    let mut fields = vec![
        field("agent", &state.context.agent),
        field("folder", &state.context.dir),
        field(
            "score",
            &format!(
                "{:.0} of 100, wanted {}",
                state.clarity_score, state.context.settings.clarity_threshold
            ),
        ),
    ];
    if !state.missing_information.is_empty() {
        fields.push(field("missing", &state.missing_information.join("; ")));
    }
    blocks.push(Block::Fields(fields));
    blocks.push(Block::Heading(Visible::line("As it stands")));
    blocks.push(Block::Markdown(Visible::new(&readable(&state.current_analysis))));
    Card { blocks }
}
