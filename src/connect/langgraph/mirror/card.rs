//! The card of a server's question.

use super::items::{UNREADABLE, action_of};
use super::state::Mirror;
use crate::connect::langgraph::shape::Shape;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use crate::text::exact::{fields, is_exact};
use serde_json::Value;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Mirror>() else { return Card::default() };
    let mut blocks = Vec::from_iter(question.and_then(|question| Block::warnings(&question.warnings)));
    if let Some(batch) = &state.asked {
        match action_of(batch, question.map(|question| question.key.as_str()).unwrap_or_default()) {
            Some((pending, Shape::Free, action)) => {
                blocks.push(Block::text(&action.description));
                let value: Value = serde_json::from_str(&pending.value).unwrap_or_default();
                if !value.is_string() {
                    blocks.push(json(&pending.value));
                }
                if let Some(schema) = &pending.schema {
                    blocks.push(Block::Heading(Visible::line("An answer looks like this")));
                    blocks.push(json(schema));
                }
            }
            Some((_, _, action)) => {
                let call = vec![Block::Heading(Visible::line(&action.name)), arguments(&action.args)];
                blocks.push(Block::panel("This will run", call));
                blocks.push(Block::Markdown(Visible::new(&action.description)));
            }
            None => {
                if let Some(question) = question.filter(|question| question.action == UNREADABLE) {
                    let text = "Decide it where the server shows it, or end the thread.";
                    blocks.push(Block::text(&format!("{}. {text}", question.gist)));
                }
            }
        }
        if !batch.turns.is_empty() {
            blocks.push(Block::Heading(Visible::line("What was said last")));
            let turns = batch.turns.iter().map(|(who, message)| (Visible::line(who), Visible::new(message)));
            blocks.push(Block::Turns(turns.collect()));
        }
    }
    let of = &state.of;
    blocks.push(Block::fields([("server", &of.server), ("graph", &of.graph), ("thread there", &of.thread)]));
    Card { blocks }
}

/// Arguments as they came: strings as text, everything else character by character.
fn arguments(text: &str) -> Block {
    let Some(fields) = fields(text) else { return json(text) };
    let shown = fields.iter().map(|(name, value)| {
        let words = serde_json::from_str::<String>(value).ok();
        (Visible::line(name), Visible::new(words.as_deref().unwrap_or(value)))
    });
    Block::Fields(shown.collect())
}

fn json(text: &str) -> Block {
    let pretty =
        serde_json::from_str::<Value>(text).ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    let exact = is_exact(text);
    let shown = pretty.filter(|_| exact).unwrap_or_else(|| text.to_owned());
    Block::Code { language: "json".to_owned(), text: Visible::new(&shown) }
}
