//! The planner's turn, and the node after the loop.

use super::run::{read, today};
use super::state::{SheetUpdate, SheetWork};
use super::{WRITE_RESULT, file_path, prompts, result_path};
use crate::agent::agent_loop::ModelTurn;
use crate::agent::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::agent::{Services, pick_model};
use crate::engine::graph::{Command, Ctx, NodeError, State};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Reads the workbook once, and asks the model for the next step.
pub(super) async fn plan(
    ctx: Ctx<Services>,
    mut state: Arc<SheetWork>,
) -> Result<ModelTurn<SheetWork>, NodeError> {
    let mut updates = Vec::new();
    if state.read.digest.is_empty() {
        let (read, book) = ctx.call("read", read(&ctx, &state)).await?;
        let update = SheetUpdate::Read { read, book: Box::new(book) };
        Arc::make_mut(&mut state).apply(update.clone());
        updates.push(update);
    }
    let model = pick_model(&ctx, "plan", state.model_name.as_deref()).await?;
    let request = prompts::plan(&state, &ctx.services().user, today(ctx.services()));
    Ok(ModelTurn { model, request, updates })
}

/// Writes the changed workbook next to the original, once; asks first if output files are not granted. Changes the
/// person accepted before they ended the work are theirs, and are written like any result.
pub(super) async fn write_result(
    ctx: Ctx<Services>,
    state: Arc<SheetWork>,
) -> Result<Command<SheetWork>, NodeError> {
    match (state.dialog.stopped, state.has_results()) {
        // Nobody wanted it written.
        (true, _) if state.dialog.expired => return Ok(Command::abandon()),
        (true, false) => return Ok(Command::abandon()),
        (false, false) => return Ok(Command::end()),
        (_, true) => {}
    }
    let close = |command: Command<SheetWork>| {
        if state.dialog.stopped {
            command.update(SheetUpdate::Closed { answer: closing_words(&state) })
        } else {
            command
        }
    };
    let workbook = Path::new(&state.workbook);
    let path = result_path(workbook);
    let stamp = output_file::stamp(ctx.services());
    let file = state.book.changed.then(|| path.to_string_lossy().into_owned());
    let other_paths: Vec<String> = state
        .book
        .files
        .iter()
        .map(|file| file_path(workbook, &file.name).to_string_lossy().into_owned())
        .collect();
    let args = if other_paths.is_empty() {
        json!({ "file": file })
    } else {
        json!({ "file": file, "files": other_paths })
    };
    let gist = "The result will be written next to the original.";
    let question = WriteQuestion { action: WRITE_RESULT, args: &args, title: &state.instruction, gist };
    let basis = match permission(ctx.services(), state.may_write, &question)? {
        Permission::No => return Ok(close(Command::end())),
        Permission::Write(basis) => basis,
        Permission::Ask(interrupt) => return Ok(close(Command::ask(vec![*interrupt], WRITE_RESULT))),
    };
    let records = &ctx.services().records;
    if state.book.changed {
        let output = OutputFile { path, stamp: stamp.clone(), is_disposable: |_| false };
        let bytes = records.blob(&state.book.newest)?;
        ctx.once(WRITE_RESULT, basis.clone(), bytes, Arc::new(output)).await?;
    }
    for (left, path) in state.book.files.iter().zip(&other_paths) {
        let output = OutputFile { path: path.into(), stamp: stamp.clone(), is_disposable: |_| false };
        let key = format!("{WRITE_RESULT}_{}", left.name);
        ctx.once(&key, basis.clone(), records.blob(&left.digest)?, Arc::new(output)).await?;
    }
    Ok(close(Command::end()).update(SheetUpdate::Written { file, files: other_paths }))
}

fn closing_words(state: &SheetWork) -> String {
    if state.may_write == Some(false) {
        return "You ended it here. Nothing was written.".to_owned();
    }
    let cells = state.cells.iter().map(|cell| cell.observation.changed).sum::<usize>();
    let changed = match cells {
        0 => String::new(),
        1 => " (1 cell)".to_owned(),
        several => format!(" ({several} cells)"),
    };
    format!("You ended it here. What had changed by then{changed} is in the result.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_says_whether_anything_is_written() {
        let mut state = SheetWork::default();
        let expected = "You ended it here. What had changed by then is in the result.";
        assert_eq!(closing_words(&state), expected);
        state.apply(SheetUpdate::MayWrite { yes: false });
        assert_eq!(closing_words(&state), "You ended it here. Nothing was written.");
    }
}
