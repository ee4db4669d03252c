//! The cards of a run.

use super::WRITE_DOCS;
use super::readable::readable;
use super::state::Documentation;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use serde_json::Value;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Documentation>() else { return Card::default() };
    let mut blocks = Vec::new();
    match question {
        Some(question) if question.action == WRITE_DOCS => {
            let files = question.args.get("files").and_then(Value::as_array).into_iter().flatten();
            let files: Vec<&str> = files.filter_map(Value::as_str).collect();
            let mut written = vec![Block::fields([("folder", state.out()), ("pages", &files.join(", "))])];
            for result in state.results.iter().filter(|result| result.status == "success") {
                written.push(Block::Heading(Visible::line(&result.agent_name)));
                written.push(Block::text(&result.markdown));
            }
            blocks.push(Block::panel("This will be written", written));
        }
        None | Some(_) => {
            let page = state.index.as_deref().or(state.summary.as_deref()).unwrap_or_default();
            blocks.push(Block::Markdown(Visible::new(&readable(page))));
        }
    }
    let count = |count: u64| if count > 0 { count.to_string() } else { String::new() };
    let (files, skipped) = state.scanned.as_ref().map_or((0, 0), |scanned| (scanned.count, scanned.skipped));
    blocks.push(Block::fields([
        ("folder", state.settings.dir.clone()),
        ("files", count(files)),
        ("not looked at", count(skipped)),
        ("written to", if state.written.is_empty() { String::new() } else { state.out().to_owned() }),
    ]));
    Card { blocks }
}

/// Why pages are shown, and how each agent did.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Documentation>() else { return Vec::new() };
    let why = match question {
        None => "all agents have ended",
        Some(_) => "writing pages into your folder is yours to decide",
    };
    let agents = state.results.iter().map(|result| (result.agent_name.as_str(), result.status.as_str()));
    vec![Block::fields(std::iter::once(("because", why)).chain(agents))]
}
