//! The card of an analysis: the question first, then what it is based on, then the conversation so far.

use super::WRITE_RESULT;
use super::state::{Analysis, Unseen};
use crate::graph::AnyState;
use crate::inbox::{Block, Card, Item, ItemKind};
use crate::text::Visible;
use crate::workflows::analyze::facts::Role;

pub(super) fn draw(state: &AnyState, item: &Item) -> Card {
    let Some(state) = state.get::<Analysis>() else { return Card::default() };
    let mut blocks = Vec::new();
    match item.kind {
        ItemKind::Result => {
            blocks.push(Block::Markdown(Visible::new(state.analysis_output.as_deref().unwrap_or_default())));
        }
        ItemKind::Interrupt(_) if item.action == WRITE_RESULT => {
            let file = item.args.get("file").and_then(|file| file.as_str()).unwrap_or_default();
            blocks.push(Block::Fields(vec![(Visible::line("write to"), Visible::line(file))]));
            blocks.push(Block::Text(Visible::new(state.analysis_output.as_deref().unwrap_or_default())));
        }
        ItemKind::Interrupt(_) => {
            let question = item.args.get("question").and_then(|text| text.as_str()).unwrap_or_default();
            blocks.push(Block::Markdown(Visible::new(question)));
            if state.explain_approval {
                blocks.push(Block::Markdown(Visible::new("To approve it, answer DONE.")));
            }
        }
    }
    blocks.push(Block::Fields(about_fields(state)));
    // The last turn is the question or the result, which the card already starts with.
    let earlier = state.analysis_history.len().saturating_sub(1);
    let turns = state.analysis_history.iter().take(earlier).map(|turn| {
        let who = match turn.role {
            Role::User => "you",
            Role::Agent => "agent",
        };
        (Visible::line(who), Visible::new(&turn.text))
    });
    let turns: Vec<_> = turns.collect();
    if !turns.is_empty() {
        blocks.push(Block::Turns(turns));
    }
    Card { blocks }
}

/// Why it asks, or what the result is based on.
pub(super) fn explain(state: &AnyState, item: &Item) -> Vec<Block> {
    let Some(state) = state.get::<Analysis>() else { return Vec::new() };
    let turn_count = |role: Role| state.analysis_history.iter().filter(|turn| turn.role == role).count();
    let why = match item.kind {
        ItemKind::Result => "you approved it, and it was summed up",
        ItemKind::Interrupt(_) if item.action == WRITE_RESULT => {
            "writing a file into your folder is yours to decide"
        }
        ItemKind::Interrupt(_) => "it asks or proposes one thing at a time, until you approve",
    };
    let mut fields = vec![(Visible::line("because"), Visible::line(why))];
    let turns = format!("{} by the agent, {} by you", turn_count(Role::Agent), turn_count(Role::User));
    fields.push((Visible::line("turns so far"), Visible::line(&turns)));
    fields.extend(about_fields(state));
    vec![Block::Fields(fields)]
}

fn about_fields(state: &Analysis) -> Vec<(Visible, Visible)> {
    let mut fields = vec![
        (Visible::line("query"), Visible::line(&state.query)),
        (Visible::line("folder"), Visible::line(&state.inputs_dir)),
    ];
    let names: Vec<&str> = state.file_contents.iter().map(|file| file.name.as_str()).collect();
    fields.push((Visible::line("files"), Visible::line(&names.join(", "))));
    if !state.skipped.is_empty() {
        let skipped: Vec<String> = state.skipped.iter().map(|s| format!("{} ({})", s.name, s.why)).collect();
        fields.push((Visible::line("not read"), Visible::line(&skipped.join(", "))));
    }
    if !state.unseen.is_empty() {
        let describe = |one: &Unseen| match one.shown {
            0 => format!("{} (nothing of {})", one.name, kilobytes(one.bytes)),
            shown => format!("{} ({} of {})", one.name, kilobytes(shown), kilobytes(one.bytes)),
        };
        let unseen: Vec<String> = state.unseen.iter().map(describe).collect();
        fields.push((Visible::line("seen in part"), Visible::line(&unseen.join(", "))));
    }
    if let Some(file) = &state.result_file {
        fields.push((Visible::line("written to"), Visible::line(file)));
    }
    fields
}

fn kilobytes(bytes: u64) -> String {
    if bytes < 1_024 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_024) }
}
