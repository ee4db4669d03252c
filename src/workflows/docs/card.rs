//! The cards of a run and of its agents.

use super::WRITE_DOCS;
use super::agent::{AgentState, QUESTION};
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
            blocks.push(Block::Text(Visible::new(state.summary.as_deref().unwrap_or_default())));
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
    blocks.push(Block::Text(Visible::new(&state.current_analysis)));
    Card { blocks }
}
