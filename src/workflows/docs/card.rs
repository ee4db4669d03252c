//! The cards of a run.

use super::WRITE_DOCS;
use super::readable::readable;
use super::state::Documentation;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use serde_json::Value;

pub(super) fn field(name: &str, value: &str) -> (Visible, Visible) {
    (Visible::line(name), Visible::line(value))
}

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Documentation>() else { return Card::default() };
    let mut blocks = Vec::new();
    match question {
        Some(question) if question.action == WRITE_DOCS => {
            let files = question.args.get("files").and_then(Value::as_array).into_iter().flatten();
            let files: Vec<&str> = files.filter_map(Value::as_str).collect();
            blocks
                .push(Block::Fields(vec![field("write to", state.out()), field("pages", &files.join(", "))]));
            for result in state.results.iter().filter(|result| result.status == "success") {
                blocks.push(Block::Heading(Visible::line(&result.agent_name)));
                blocks.push(Block::Text(Visible::new(&result.markdown)));
            }
        }
        None | Some(_) => {
            let page = state.index.as_deref().or(state.summary.as_deref()).unwrap_or_default();
            blocks.push(Block::Markdown(Visible::new(&readable(page))));
        }
    }
    let mut fields = vec![field("folder", &state.settings.dir)];
    if let Some(scanned) = &state.scanned {
        fields.push(field("files", &scanned.count.to_string()));
        if scanned.skipped > 0 {
            fields.push(field("not looked at", &scanned.skipped.to_string()));
        }
    }
    if !state.written.is_empty() {
        fields.push(field("written to", state.out()));
    }
    blocks.push(Block::Fields(fields));
    Card { blocks }
}

/// Why pages are shown, and how each agent did.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Documentation>() else { return Vec::new() };
    let why = match question {
        None => "all agents have ended",
        Some(_) => "writing pages into your folder is yours to decide",
    };
    let mut fields = vec![field("because", why)];
    for result in &state.results {
        fields.push(field(&result.agent_name, &result.status));
    }
    vec![Block::Fields(fields)]
}
