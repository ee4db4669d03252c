//! What the person sees: who asks, what it wants, and in whose words.

use super::state::Request;
use crate::graph::Folded;
use crate::inbox::{Block, Card, Item};
use crate::text::Visible;
use serde_json::{Map, Value};

pub(super) fn draw(state: &Folded, item: &Item) -> Card {
    let Some(state) = state.get::<Request>() else { return Card::default() };
    let asked = &state.asked;
    let mut blocks = Vec::new();
    if !item.warnings.is_empty() {
        blocks.push(Block::Warnings(item.warnings.clone()));
    }
    blocks.push(Block::Fields(who(state)));
    if let Some(args) = item.args.as_object() {
        blocks.extend(arguments(args));
    }
    if let Some(text) = &asked.text {
        // As it stands: a program's words get no headings and no weight of ours.
        blocks.push(Block::Text(Visible::new(text)));
    }
    Card { blocks }
}

fn who(state: &Request) -> Vec<(Visible, Visible)> {
    let asked = &state.asked;
    let name = match &asked.source {
        Some(name) => format!("a program that calls itself {name}"),
        None => "a program that gave no name".to_owned(),
    };
    let mut fields = vec![(Visible::line("asked by"), Visible::line(&name))];
    if let Some(action) = &asked.action {
        fields.push((Visible::line("wants to"), Visible::line(action)));
    }
    if let Some(folder) = &asked.folder {
        fields.push((Visible::line("in folder"), Visible::line(folder)));
    }
    fields
}

/// The arguments, each under its name.
fn arguments(args: &Map<String, Value>) -> Option<Block> {
    let fields = args.iter().map(|(name, value)| {
        let value = match value {
            Value::String(text) => Visible::new(text),
            other => Visible::new(&serde_json::to_string_pretty(other).unwrap_or_default()),
        };
        (Visible::line(name), value)
    });
    let fields: Vec<_> = fields.collect();
    (!fields.is_empty()).then_some(Block::Fields(fields))
}
