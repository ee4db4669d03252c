//! `memory`: one batch of answers becomes the next version of one profile.
//!
//! Promised: the new version stands on the one that was read, or is made anew; an update that drops a pinned line, or
//! more than a third of the profile, waits for the person, with its diff.
//!
//! People do not start it: the driver does, some time after the last answer.

mod held;
mod nodes;
mod prompts;
mod state;

use crate::graph::{BuildError, Folded, Graph, Workflow, ask, end, goto};
use crate::inbox::{Block, Card, Item, ItemKind, Spec, changed_lines};
use crate::text::Visible;
use crate::workflows::Services;
use serde_json::Value;
use std::sync::Arc;

pub use state::{Learning, MemoryInput};

/// The name threads of it go by.
pub const NAME: &str = "memory";

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(NAME, graph()?, services);
    Ok(Spec::new(workflow, "what answers teach", draw).explaining(explain).without_results().hidden())
}

fn graph() -> Result<Graph<Learning, Services>, BuildError> {
    Graph::builder("memory", "propose_update")
        .node("propose_update", nodes::propose_update, [goto("hold_update"), goto("propose_update"), end()])
        .node("hold_update", nodes::hold_update, [ask("store_update")])
        .node("store_update", nodes::store_update, [goto("propose_update"), end()])
        .build()
}

/// Why, then what changes.
fn draw(state: &Folded, item: &Item) -> Card {
    let Some(state) = state.get::<Learning>() else { return Card::default() };
    let mut blocks = Vec::new();
    if !item.warnings.is_empty() {
        blocks.push(Block::Warnings(item.warnings.clone()));
    }
    blocks.push(Block::Text(Visible::new(&state.reasoning)));
    let after = match item.kind {
        ItemKind::Interrupt(_) => item.args.get("profile").and_then(Value::as_str).unwrap_or_default(),
        ItemKind::Result => &state.proposed,
    };
    blocks.push(Block::Diff(changed_lines(&state.profile, after)));
    Card { blocks }
}

/// Which answers taught it, and what it makes of them.
fn explain(state: &Folded, _: &Item) -> Vec<Block> {
    let Some(state) = state.get::<Learning>() else { return Vec::new() };
    let line = Visible::line;
    let mut fields = vec![
        (line("profile"), line(&state.namespace)),
        (line("because"), Visible::new(&state.reasoning)),
        (line("answers"), line(&state.causes.len().to_string())),
    ];
    for cause in &state.causes {
        let about = cause.mail.as_ref().map(|mail| mail.subject.as_str()).unwrap_or_default();
        let said = if cause.feedback.is_empty() { String::new() } else { format!(": {}", cause.feedback) };
        let action = cause.action.as_deref().unwrap_or("mail");
        fields.push((line(action), line(&format!("{about}{said}"))));
    }
    fields.extend(state.thread.as_deref().map(|thread| (line("taught last by"), line(thread))));
    vec![Block::Fields(fields)]
}
