//! The nodes of an analysis.

use super::prompts::{self, APPROVED};
use super::state::{Analysis, AnalysisUpdate, FileRef, Folder, Verdict};
use super::{RESULT_FILE, WRITE_RESULT, inputs};
use crate::graph::{Allow, Command, Ctx, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use crate::workflows::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::workflows::reading::look_and_answer;
use crate::workflows::{Picked, Services, ask_for_text, pick_model};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type NodeResult = Result<Command<Analysis>, NodeError>;

/// How many times the model may look into files in one turn.
const LOOKS: usize = 12;

/// Looks at the folder once, then lets the model look into it until it has a question or a proposal; or asks for the
/// summary at the end.
pub(super) async fn analysis_prepare(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    if state.verdict == Verdict::Abandoned {
        return Ok(Command::abandon());
    }
    let role = if state.verdict == Verdict::Approved { "final" } else { "turn" };
    let model = pick_model(&ctx, role, state.model_name.as_deref()).await?;
    let mut updates = Vec::new();
    let folder = match &state.folder {
        Some(folder) => folder.clone(),
        None => {
            let (folder, files) = ctx.call("read_inputs", look_at_folder(&ctx, &state, &model)).await?;
            updates.push(AnalysisUpdate::Read { folder: folder.clone(), files });
            folder
        }
    };
    let opening = ctx.services().records.blob(&folder.opening)?;
    let opening = String::from_utf8(opening).map_err(NodeError::failed)?;
    let user = &ctx.services().user;
    let command = if state.verdict == Verdict::Approved {
        let request = prompts::summary(&state, &opening, user);
        let output = ask_for_text(&ctx, "model", &model, &request, "the result of the analysis").await?;
        Command::goto(WRITE_RESULT).update(AnalysisUpdate::Concluded { output })
    } else {
        let request = prompts::turn(&state, &opening, user, folder.is_whole);
        let library = inputs::library(Path::new(&state.inputs_dir), state.recursive, state.code);
        let library = Arc::new(library.map_err(NodeError::failed)?);
        let found = look_and_answer(&ctx, "model", &model, request, &library, LOOKS).await?;
        if found.call.is_some_and(|call| call.name == APPROVED) {
            // Said for the second time, it is the person's approval.
            let next =
                if state.verdict == Verdict::Presumed { "analysis_prepare" } else { "analysis_interrupt" };
            Command::goto(next).update(AnalysisUpdate::Presumed)
        } else {
            let (text, looked_up) = (found.text, found.looked_up);
            let files = found.read.into_iter().map(|(name, shown)| FileRef { name, shown }).collect();
            Command::goto("analysis_interrupt").update(AnalysisUpdate::Asked { text, looked_up, files })
        }
    };
    updates.extend(command.updates);
    Ok(Command { updates, ..command })
}

async fn look_at_folder(
    ctx: &Ctx<Services>,
    state: &Analysis,
    model: &Picked,
) -> Result<(Folder, Vec<FileRef>), NodeError> {
    let (dir, window) = (PathBuf::from(&state.inputs_dir), model.window);
    let (recursive, code) = (state.recursive, state.code);
    // Documents take a while to read; nothing else should wait for it.
    let work = tokio::task::spawn_blocking(move || inputs::look(&dir, recursive, code, window));
    let looked = work.await.map_err(NodeError::failed)?.map_err(NodeError::failed)?;
    let folder = Folder {
        is_whole: looked.is_whole(),
        opening: ctx.services().records.put_blob(looked.opening.into_bytes()).await?,
        count: looked.count as u64,
        left_out: looked.left_out,
    };
    Ok((folder, looked.read.into_iter().map(|(name, shown)| FileRef { name, shown }).collect()))
}

/// Puts the model's question to the person.
pub(super) async fn analysis_interrupt(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    let model = pick_model(&ctx, "turn", state.model_name.as_deref()).await?;
    let question = match state.verdict {
        Verdict::Presumed => format!(
            "“{}” is taken as your approval: accept, and the result is written; or say what is missing.",
            short_line(&state.user_input, 160)
        ),
        Verdict::Open | Verdict::Approved | Verdict::Abandoned => state.current_analysis_query.clone(),
    };
    let args = json!({ "question": question });
    let mut interrupt = proposal("question", Kind::Question, "analysis_question", &args, &state.query);
    let last_line = question.lines().rfind(|line| !line.trim().is_empty());
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
