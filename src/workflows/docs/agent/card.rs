//! The cards of an agent.

use super::state::{AgentState, QUESTION};
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question, YOUR_TURN};
use crate::text::Visible;
use crate::workflows::docs::agents::agent;
use crate::workflows::docs::readable::readable;
use serde_json::Value;

/// Why an agent asks: its scores, and what is missing.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<AgentState>() else { return Vec::new() };
    let why = match question.map(|question| question.action.as_str()).unwrap_or_default() {
        QUESTION => "no file answers it, and you wanted to be asked",
        YOUR_TURN => "you are in the model's place",
        _ => "the next refinement is larger than you allow without asking",
    };
    let scores: Vec<String> = state.scores.iter().map(|score| format!("{score:.0}")).collect();
    vec![Block::fields([
        ("because", why),
        ("agent", &state.context.agent),
        ("scores so far", &scores.join(", ")),
        ("wanted", &state.context.settings.clarity_threshold.to_string()),
        ("missing", &state.missing_information.join("; ")),
    ])]
}

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<AgentState>() else { return Card::default() };
    let action = question.map(|question| question.action.as_str()).unwrap_or_default();
    let arg = |key: &str| question.and_then(|question| question.args.get(key));
    let mut blocks = Vec::new();
    let text = |key: &str| arg(key).and_then(Value::as_str).unwrap_or_default();
    if action == YOUR_TURN {
        let wish = agent(&state.context.agent)
            .map(|agent| format!("Write the page about {} Its headings: {}.", agent.about, agent.sections));
        blocks.extend(wish.map(|wish| Block::text(&wish)));
    } else if action == QUESTION {
        blocks.push(Block::text(text("question")));
    } else {
        let count = |key: &str| arg(key).and_then(Value::as_u64).unwrap_or_default();
        let text = format!(
            "Refinement {} of {} would take about {} tokens; you wanted to be asked above {}.",
            count("iteration"),
            state.context.settings.max_iterations,
            count("estimated_tokens"),
            count("approve_over_tokens")
        );
        blocks.push(Block::text(&text));
    }
    let wanted = state.context.settings.clarity_threshold;
    blocks.push(Block::fields([
        ("agent", &state.context.agent),
        ("folder", &state.context.settings.dir),
        ("score", &format!("{:.0} of 100, wanted {wanted}", state.clarity_score)),
        ("missing", &state.missing_information.join("; ")),
    ]));
    blocks.push(Block::Heading(Visible::line("As it stands")));
    blocks.push(Block::Markdown(Visible::new(&readable(&state.current_analysis))));
    Card { blocks }
}
