//! The nodes of an analysis.

use super::prompts::Reader;
use super::state::{Analysis, AnalysisUpdate, FileRef, Verdict};
use super::{RESULT_FILE, WRITE_RESULT, nothing_open, nothing_to_read, prompts, wanted_files};
use crate::graph::{Allow, Command, Ctx, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use crate::tools::folder::{self, Limits, Skipped};
use crate::workflows::analyze::facts::FileFacts;
use crate::workflows::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::workflows::{Services, ask_for_text, ask_model, pick_model};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type NodeResult = Result<Command<Analysis>, NodeError>;

/// Reads the folder once, then asks the model: for its question or proposal, or for the summary at the end.
pub(super) async fn analysis_prepare(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    if state.verdict == Verdict::Abandoned {
        return Ok(Command::abandon());
    }
    let mut updates = Vec::new();
    let mut files = state.file_contents.clone();
    if !state.read {
        let (read_files, skipped) = ctx.call("read_inputs", read_inputs(&ctx, &state)).await?;
        files.clone_from(&read_files);
        updates.push(AnalysisUpdate::Read { files: read_files, skipped });
    }
    let texts = contents(&ctx, &files)?;
    let role = if state.verdict == Verdict::Approved { "final" } else { "turn" };
    let model = pick_model(&ctx, role, state.model_name.as_deref()).await?;
    let reader = Reader { user: &ctx.services().user, window: model.window };
    let command = if state.verdict == Verdict::Approved {
        let (request, unseen) = prompts::summary(&state, &texts, &reader);
        let text = ask_for_text(&ctx, "model", &model, &request, "the result of the analysis").await?;
        let output = nothing_open::remove_empty_sections(&text);
        Command::goto(WRITE_RESULT).update(AnalysisUpdate::Concluded { output, unseen })
    } else {
        let (request, unseen) = prompts::turn(&state, &texts, &reader);
        let text = ask_model(&ctx, "model", &model, &request).await?.text;
        Command::goto("analysis_interrupt").update(AnalysisUpdate::Asked { text, unseen })
    };
    updates.extend(command.updates);
    Ok(Command { updates, ..command })
}

/// Puts the model's question to the person.
pub(super) async fn analysis_interrupt(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    let model = pick_model(&ctx, "turn", state.model_name.as_deref()).await?;
    let args = json!({ "question": state.current_analysis_query });
    let mut interrupt = proposal("question", Kind::Question, "analysis_question", &args, &state.query);
    let last_line = state.current_analysis_query.lines().rfind(|line| !line.trim().is_empty());
    // Lists cannot show emphasis.
    let plain = last_line.unwrap_or_default().replace(['*', '_', '`', '#'], "");
    interrupt.gist = short_line(plain.trim(), 160);
    interrupt.allow = Allow { edit: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("approve".to_owned()),
        // Names the model that reads the answer.
        respond: Some(format!("answer {}", short_line(&model.name, 40))),
        ignore: Some("abandon".to_owned()),
        ..Labels::default()
    };
    let folder = Path::new(&state.inputs_dir).file_name().map(|name| name.to_string_lossy().into_owned());
    interrupt.source = folder.map(|name| Visible::line(&name).into_string());
    interrupt.schema = json!({
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": false
    });
    Ok(Command::ask(vec![interrupt], "analysis_prepare"))
}

/// Writes the summary into the folder, once; asks first if output files are not granted.
pub(super) async fn write_result(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    let path = Path::new(&state.inputs_dir).join(RESULT_FILE);
    let stamp = output_file::stamp(ctx.services());
    let Some(output) = &state.analysis_output else {
        return Err(NodeError::failed("there is no result to write"));
    };
    let mut bytes = output.clone().into_bytes();
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let file = path.to_string_lossy().into_owned();
    let args = json!({ "file": file });
    let gist = "The result will be written into the folder.";
    let question = WriteQuestion { action: WRITE_RESULT, args: &args, title: &state.query, gist };
    let basis = match permission(ctx.services(), state.may_write, &question)? {
        Permission::No => return Ok(Command::end()),
        Permission::Write(basis) => basis,
        Permission::Ask(interrupt) => return Ok(Command::ask(vec![*interrupt], WRITE_RESULT)),
    };
    ctx.once(WRITE_RESULT, basis, bytes, Arc::new(OutputFile { path, stamp })).await?;
    Ok(Command::end().update(AnalysisUpdate::Written { file }))
}

async fn read_inputs(
    ctx: &Ctx<Services>,
    state: &Analysis,
) -> Result<(Vec<FileRef>, Vec<Skipped>), NodeError> {
    let folder = PathBuf::from(&state.inputs_dir);
    let reading = folder::read(&folder, &wanted_files(state.recursive, state.code), &Limits::default())
        .map_err(NodeError::failed)?;
    if reading.files.is_empty() {
        return Err(NodeError::failed(nothing_to_read(&folder, &reading, state.recursive)));
    }
    let mut files = Vec::new();
    for file in reading.files {
        let bytes = file.text.len() as u64;
        let digest = ctx.services().records.put_blob(file.text.into_bytes()).await?;
        files.push(FileRef { name: file.name, digest, bytes });
    }
    Ok((files, reading.skipped))
}

fn contents(ctx: &Ctx<Services>, files: &[FileRef]) -> Result<Vec<FileFacts>, NodeError> {
    let read_file = |file: &FileRef| {
        let bytes = ctx.services().records.blob(&file.digest)?;
        let text = String::from_utf8(bytes).map_err(NodeError::failed)?;
        Ok(FileFacts { name: file.name.clone(), text })
    };
    files.iter().map(read_file).collect()
}
