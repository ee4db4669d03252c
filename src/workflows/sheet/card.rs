//! The cards: the thought, the code, the last code's result; and at the end the answer with the changes.

use super::state::SheetWork;
use super::{DIFFERS, PYTHON, WRITE_RESULT};
use crate::agent::agent_loop;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use crate::tools::sandbox::Observation;
use serde_json::Value;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<SheetWork>() else { return Card::default() };
    let blocks = match question {
        None => result_blocks(state),
        Some(question) => match question.action.as_str() {
            WRITE_RESULT => write_blocks(state, question),
            DIFFERS => differs_blocks(state, question),
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
    blocks.push(Block::Fields(about_fields(state)));
    for cell in &state.cells {
        blocks.push(code_block(&cell.code));
        push_observation(&mut blocks, &cell.observation);
    }
    blocks
}

/// The files that would be written, and the changes.
fn write_blocks(state: &SheetWork, item: &Question) -> Vec<Block> {
    let others = item.args.get("files").and_then(Value::as_array).into_iter().flatten();
    let files = std::iter::once(text_arg(item, "file")).chain(others.filter_map(Value::as_str));
    let files = files.filter(|file| !file.is_empty());
    let files = files.map(|file| (Visible::line("write to"), Visible::line(file))).collect();
    let mut blocks = vec![Block::Fields(files), answer_block(state)];
    for cell in &state.cells {
        push_changes(&mut blocks, &cell.observation);
    }
    blocks.push(Block::Fields(about_fields(state)));
    blocks
}

/// The code that gave a different result this time.
fn differs_blocks(state: &SheetWork, item: &Question) -> Vec<Block> {
    let text = "All earlier code is run again before a new piece, and this piece gave a different result: something in \
                it depends on chance or on the clock. What you saw before no longer holds. Accept to go on with the \
                new result.";
    let mut blocks = vec![Block::Text(Visible::new(text))];
    let index = item.args.get("cell").and_then(Value::as_u64).unwrap_or(1).max(1) - 1;
    if let Some(cell) = usize::try_from(index).ok().and_then(|index| state.cells.get(index)) {
        blocks.push(code_block(&cell.code));
        blocks.push(Block::Heading(Visible::line("Its result before")));
        push_observation(&mut blocks, &cell.observation);
    }
    blocks.push(Block::Fields(about_fields(state)));
    blocks
}

/// The thought and the code the model wants to run, or its question.
fn proposal_blocks(state: &SheetWork, item: &Question) -> Vec<Block> {
    let mut blocks = agent_loop::card(&state.dialog, item).unwrap_or_default();
    if item.action == agent_loop::UNCHECKED_ANSWER && state.cells.len() <= state.earlier {
        blocks.push(Block::Text(Visible::new("No code was run for this.")));
    }
    if item.action == PYTHON {
        let thought = Some(state.dialog.thought()).filter(|thought| !thought.is_empty());
        blocks.extend(thought.map(|thought| Block::Markdown(Visible::new(thought))));
        blocks.push(code_block(text_arg(item, "code")));
    }
    blocks.push(Block::Fields(about_fields(state)));
    push_previous(&mut blocks, state);
    blocks
}

/// Why it asks.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<SheetWork>() else { return Vec::new() };
    let why = match question.map(|question| question.action.as_str()) {
        None => "the model gave its answer",
        Some(WRITE_RESULT) => "what was changed is written beside the original",
        Some(DIFFERS) => "code that ran before gives a different result now",
        Some(PYTHON) => "code is run only after you have seen it",
        Some(action) => agent_loop::why(action).unwrap_or("the model asks"),
    };
    let mut fields = vec![(Visible::line("because"), Visible::line(why))];
    if !state.dialog.thought().is_empty() {
        fields.push((Visible::line("the model says"), Visible::new(state.dialog.thought())));
    }
    let failed = state.cells.iter().filter(|cell| cell.observation.error.is_some()).count();
    let ran = format!("{} pieces of code, {failed} of them failed", state.cells.len());
    fields.push((Visible::line("ran so far"), Visible::line(&ran)));
    fields.extend(about_fields(state));
    vec![Block::Fields(fields)]
}

/// What the previous code did.
fn push_previous(blocks: &mut Vec<Block>, state: &SheetWork) {
    if let Some(observation) = &state.observation {
        blocks.push(Block::Heading(Visible::line("The code before this")));
        push_observation(blocks, observation);
    }
    if state.cells.len() > 1 {
        let text = format!("{} pieces of code were run before.", state.cells.len());
        blocks.push(Block::Text(Visible::new(&text)));
    }
}

fn code_block(text: &str) -> Block {
    Block::Code { language: "python".to_owned(), text: Visible::new(text) }
}

fn push_observation(blocks: &mut Vec<Block>, observation: &Observation) {
    if let Some(error) = &observation.error {
        blocks.push(Block::Text(Visible::new(&format!("It failed:\n{error}"))));
    }
    if !observation.stdout.trim().is_empty() {
        blocks.push(Block::Text(Visible::new(observation.stdout.trim_end())));
    }
    if let Some(value) = &observation.value {
        blocks.push(Block::Text(Visible::new(value)));
    }
    push_changes(blocks, observation);
}

/// What code did to the workbook.
fn push_changes(blocks: &mut Vec<Block>, observation: &Observation) {
    if !observation.added.is_empty() {
        let names = observation.added.join(", ");
        blocks.push(Block::Fields(vec![(Visible::line("sheets added"), Visible::line(&names))]));
    }
    if !observation.layout.is_empty() {
        blocks.push(Block::Text(Visible::new(&observation.layout.join("\n"))));
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
        blocks.push(Block::Text(Visible::new(&format!("… and {more} cells more"))));
    }
}

fn about_fields(state: &SheetWork) -> Vec<(Visible, Visible)> {
    let mut fields = vec![
        (Visible::line("instruction"), Visible::line(&state.instruction)),
        (Visible::line("workbook"), Visible::line(&state.workbook)),
    ];
    let mut add = |name: &str, text: String| {
        if !text.is_empty() {
            fields.push((Visible::line(name), Visible::line(&text)));
        }
    };
    if let Some(summary) = &state.book.summary {
        let sheets = summary.sheets.iter().map(|s| format!("{} ({} rows)", s.name, s.rows));
        add("sheets", sheets.collect::<Vec<_>>().join(", "));
        add("noticed", summary.notes.join("; "));
    }
    if state.dialog.answer.is_none() || state.book.changed {
        add("in the result", state.book.kept.join("; "));
    }
    if let Some(used) = &state.read.python {
        let embedded = format!("the embedded one: {}", used.text);
        add("python", if used.program.is_some() { used.text.clone() } else { embedded });
    }
    let dialog = &state.dialog;
    add("steps", format!("{} of {}", dialog.step, dialog.max_steps + dialog.more_steps));
    add("found", state.key_information.join("; "));
    add("formulas not computed yet", state.book.formulas.join(", "));
    if let Some(file) = &state.result_file {
        add("written to", file.clone());
    }
    for file in &state.written_files {
        add("written to", file.clone());
    }
    if state.written_files.is_empty() {
        add("other files", state.book.files.join(", "));
    }
    add("not kept", state.book.dropped.join("; "));
    fields
}
