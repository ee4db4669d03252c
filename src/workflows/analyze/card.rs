//! The card of an analysis: the question first, then what it is based on, then the conversation so far.

use super::WRITE_RESULT;
use super::facts::Role;
use super::state::{Analysis, Verdict};
use crate::agent::agent_loop;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::{Visible, count_noun};

/// How many files are named.
const NAMED: usize = 12;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Analysis>() else { return Card::default() };
    let mut blocks = Vec::new();
    match question {
        None => {
            blocks.push(Block::Markdown(Visible::new(state.analysis_output.as_deref().unwrap_or_default())));
        }
        Some(question) if question.action == WRITE_RESULT => {
            let file = question.args.get("file").and_then(|file| file.as_str()).unwrap_or_default();
            let text = Block::text(state.analysis_output.as_deref().unwrap_or_default());
            blocks.push(Block::panel("This will be written", vec![Block::fields([("file", file)]), text]));
        }
        Some(question) if agent_loop::why(&question.action).is_some() => {
            let result = question.args.get("result").and_then(|text| text.as_str());
            blocks.extend(match result {
                Some(result) => vec![
                    Block::text(
                        "You are in the model's place: write the result in words, or take this as it is.",
                    ),
                    Block::Markdown(Visible::new(result)),
                ],
                None => agent_loop::card(&state.dialog, question).unwrap_or_default(),
            });
        }
        Some(question) => {
            let question = question.args.get("question").and_then(|text| text.as_str()).unwrap_or_default();
            blocks.push(Block::Markdown(Visible::new(question)));
        }
    }
    blocks.push(Block::fields(about(state)));
    // The last turn is the question or the result, which the card already starts with, but for words that are taken as
    // an approval.
    let shown = usize::from(state.verdict != Verdict::Presumed);
    let earlier = state.analysis_history.len().saturating_sub(shown);
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
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Analysis>() else { return Vec::new() };
    let turn_count = |role: Role| state.analysis_history.iter().filter(|turn| turn.role == role).count();
    let why = match question.map(|question| question.action.as_str()) {
        None => "you approved it, and it was summed up",
        Some(WRITE_RESULT) => "writing a file into your folder is yours to decide",
        Some(action) => {
            agent_loop::why(action).unwrap_or("it asks or proposes one thing at a time, until you approve")
        }
    };
    let turns = format!("{} by the agent, {} by you", turn_count(Role::Agent), turn_count(Role::User));
    let why = [("because", why.to_owned()), ("turns so far", turns)];
    vec![Block::fields(why.into_iter().chain(about(state)))]
}

fn about(state: &Analysis) -> Vec<(&'static str, String)> {
    let mut fields = vec![("query", state.query.clone()), ("folder", state.inputs_dir.clone())];
    if let Some(folder) = &state.folder {
        fields.push(("read", read_files(state)));
        let unread = folder.count.saturating_sub(state.file_contents.len() as u64);
        if unread > 0 {
            fields.push(("not read", format!("{} that nothing led to so far", count_noun(unread, "file"))));
        }
        fields.push(("left out", folder.left_out.clone()));
    }
    fields.extend(state.result_file.as_ref().map(|file| ("written to", file.clone())));
    fields
}

/// The files the model saw, in a line.
fn read_files(state: &Analysis) -> String {
    let files = &state.file_contents;
    let mut names: Vec<String> = files.iter().take(NAMED).cloned().collect();
    if files.len() > NAMED {
        names.push(format!("{} more", files.len() - NAMED));
    }
    if names.is_empty() { "nothing yet but the list of files".to_owned() } else { names.join(", ") }
}
