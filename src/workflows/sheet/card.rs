//! The cards: the thought, the code, the last code's result; and at the end the answer with the changes.

use super::state::SheetWork;
use super::{PYTHON, WRITE_RESULT};
use crate::agent::agent_loop;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use crate::tools::cage::Observation;
use serde_json::Value;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<SheetWork>() else { return Card::default() };
    let blocks = match question {
        None => result_blocks(state),
        Some(question) => match question.action.as_str() {
            WRITE_RESULT => write_blocks(state, question),
            _ => proposal_blocks(state, question),
        },
    };
    Card { blocks }
}

fn text_arg<'i>(item: &'i Question, key: &str) -> &'i str {
    item.args.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn answer_block(state: &SheetWork) -> Block {
    Block::Markdown(Visible::new(state.dialog.answer.as_deref().unwrap_or_default()))
}

fn result_blocks(state: &SheetWork) -> Vec<Block> {
    let mut blocks = vec![answer_block(state)];
    blocks.push(about(state));
    for cell in &state.cells {
        blocks.push(code_block(&cell.code));
        push_observation(&mut blocks, &cell.observation);
    }
    blocks
}

/// The files that would be written with the changes, and the answer.
fn write_blocks(state: &SheetWork, item: &Question) -> Vec<Block> {
    let others = item.args.get("files").and_then(Value::as_array).into_iter().flatten();
    let files = std::iter::once(text_arg(item, "file")).chain(others.filter_map(Value::as_str));
    let mut written = vec![Block::fields(files.map(|file| ("file", file)))];
    for cell in &state.cells {
        push_changes(&mut written, &cell.observation);
    }
    vec![Block::panel("This will be written", written), answer_block(state), about(state)]
}

/// The thought and the code the model wants to run, or its question.
fn proposal_blocks(state: &SheetWork, item: &Question) -> Vec<Block> {
    let mut blocks = agent_loop::card(&state.dialog, item).unwrap_or_default();
    if item.action == agent_loop::UNCHECKED_ANSWER && state.cells.len() <= state.earlier {
        blocks.push(Block::text("No code was run for this."));
    }
    if item.action == PYTHON {
        blocks.push(Block::panel("This will run", vec![code_block(text_arg(item, "code"))]));
        blocks.push(Block::Markdown(Visible::new(state.dialog.thought())));
    }
    blocks.push(about(state));
    push_previous(&mut blocks, state);
    blocks
}

/// Why it asks.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<SheetWork>() else { return Vec::new() };
    let why = match question.map(|question| question.action.as_str()) {
        None => "the model gave its answer",
        Some(WRITE_RESULT) => "what was changed is written beside the original",
        Some(PYTHON) => "code is run only after you have seen it",
        Some(action) => agent_loop::why(action).unwrap_or("the model asks"),
    };
    let failed = state.cells.iter().filter(|cell| cell.observation.error.is_some()).count();
    let ran = format!("{} pieces of code, {failed} of them failed", state.cells.len());
    let why = [("because", why), ("the model says", state.dialog.thought()), ("ran so far", &ran)];
    vec![Block::fields(why), about(state)]
}

/// What the previous code did.
fn push_previous(blocks: &mut Vec<Block>, state: &SheetWork) {
    if let Some(observation) = &state.observation {
        blocks.push(Block::Heading(Visible::line("The code before this")));
        push_observation(blocks, observation);
    }
    if state.cells.len() > 1 {
        blocks.push(Block::text(&format!("{} pieces of code were run before.", state.cells.len())));
    }
}

fn code_block(text: &str) -> Block {
    Block::Code { language: "python".to_owned(), text: Visible::new(text) }
}

fn push_observation(blocks: &mut Vec<Block>, observation: &Observation) {
    if let Some(error) = &observation.error {
        blocks.push(Block::text(&format!("It failed:\n{error}")));
    }
    if !observation.stdout.trim().is_empty() {
        blocks.push(Block::text(observation.stdout.trim_end()));
    }
    if let Some(value) = &observation.value {
        blocks.push(Block::text(value));
    }
    push_changes(blocks, observation);
    if !observation.files.is_empty() {
        blocks.push(Block::fields([("files saved", observation.files.join(", "))]));
    }
}

/// What code did to the workbook.
fn push_changes(blocks: &mut Vec<Block>, observation: &Observation) {
    if !observation.added.is_empty() {
        blocks.push(Block::fields([("sheets added", observation.added.join(", "))]));
    }
    if !observation.layout.is_empty() {
        blocks.push(Block::text(&observation.layout.join("\n")));
    }
    if observation.changes.is_empty() {
        return;
    }
    let head = ["cell", "before", "after"].map(Visible::line).to_vec();
    let rows = observation.changes.iter().map(|change| {
        let place = format!("{}!{}", change.sheet, change.cell);
        vec![Visible::line(&place), Visible::line(&change.before), Visible::line(&change.after)]
    });
    let rows: Vec<_> = rows.collect();
    let more = observation.changed.saturating_sub(rows.len());
    blocks.push(Block::Table { head, rows });
    if more > 0 {
        blocks.push(Block::text(&format!("… and {more} cells more")));
    }
}

/// What the work is about, and how far it is.
fn about(state: &SheetWork) -> Block {
    let (dialog, book) = (&state.dialog, &state.book);
    let kept = book.kept.join("; ");
    let fields = [
        ("instruction", state.instruction.clone()),
        ("workbook", state.workbook.clone()),
        ("sheets", book.sheets.join(", ")),
        ("noticed", state.read.at_first.notes.join("; ")),
        ("in the result", if dialog.answer.is_none() || book.changed { kept } else { String::new() }),
        ("python", state.read.python.clone()),
        ("steps", format!("{} of {}", dialog.step, dialog.max_steps + dialog.more_steps)),
        ("found", state.key_information.join("; ")),
        ("formulas not computed yet", book.formulas.join(", ")),
    ];
    let written = state.result_file.iter().chain(&state.written_files);
    let written = written.map(|file| ("written to", file.clone()));
    let names: Vec<&str> = book.files.iter().map(|file| file.name.as_str()).collect();
    let others = if state.written_files.is_empty() { names.join(", ") } else { String::new() };
    let dropped = state.cells.iter().flat_map(|cell| cell.observation.dropped.clone());
    let rest = [("other files", others), ("not kept", dropped.collect::<Vec<_>>().join("; "))];
    Block::fields(fields.into_iter().chain(written).chain(rest))
}
