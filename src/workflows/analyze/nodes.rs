//! The nodes of an analysis.

use super::facts::Role;
use super::prompts;
use super::state::{Analysis, AnalysisUpdate, Folder, Verdict};
use super::{QUESTION, RESULT, RESULT_FILE, WRITE_RESULT, inputs};
use crate::agent::agent_loop::person::your_turn;
use crate::agent::agent_loop::{Accepted, ModelTurn, Outcome, Tool};
use crate::agent::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::agent::reading::{list_tool, look, read_tool, search_tool};
use crate::agent::{Picked, Services, ask_for_text, pick_model};
use crate::engine::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type NodeResult = Result<Command<Analysis>, NodeError>;

/// The model, and what its turn begins with. The folder is looked at once.
pub(super) async fn turn(ctx: Ctx<Services>, state: Arc<Analysis>) -> Result<ModelTurn<Analysis>, NodeError> {
    let model = pick_model(&ctx, "turn", state.model_name.as_deref()).await?;
    let mut updates = Vec::new();
    let folder = match &state.folder {
        Some(folder) => folder.clone(),
        None => {
            let (folder, files) = ctx.call("read_inputs", look_at_folder(&ctx, &state, &model)).await?;
            updates.push(AnalysisUpdate::Read { folder: folder.clone(), files });
            folder
        }
    };
    let request = prompts::turn(&state, &opening(&ctx, &folder)?, &ctx.services().user);
    Ok(ModelTurn { model, request, updates })
}

/// What the model may do: look into the files, and say that it takes the person's words for an approval.
pub(super) fn tools(_: &Services, state: &Analysis) -> Result<Vec<Tool<Analysis>>, NodeError> {
    let looking = [list_tool(), search_tool(), read_tool("read")].map(|spec| Tool::free(spec, look_up));
    let has_spoken = |role: Role| state.analysis_history.iter().any(|turn| turn.role == role);
    let approved = Tool::free(prompts::approved_tool(), |_, _, _| async {
        Ok(Outcome::done("The person is asked.").update(AnalysisUpdate::Presumed).ending())
    });
    // Before it has proposed anything, there is nothing to approve.
    let approved = approved.offered_if(has_spoken(Role::Agent) && has_spoken(Role::User));
    Ok(looking.into_iter().chain([approved]).collect())
}

/// Lists, searches or reads.
async fn look_up(
    _: Ctx<Services>,
    state: Arc<Analysis>,
    accepted: Accepted,
) -> Result<Outcome<Analysis>, NodeError> {
    let library = inputs::library(Path::new(&state.inputs_dir), state.recursive, state.code);
    let library = library.map_err(NodeError::failed)?;
    Ok(match look(library, accepted).await? {
        Ok((text, None)) => Outcome::done(text),
        Ok((text, Some(file))) => Outcome::done(text).update(AnalysisUpdate::Seen { file }),
        Err(why) => Outcome::failed(why),
    })
}

/// Goes on with what the person said: the model's next turn, or the summary.
pub(super) async fn analysis_answered(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    match state.verdict {
        Verdict::Abandoned => return Ok(Command::abandon()),
        Verdict::Open | Verdict::Presumed => return Ok(Command::goto("analysis_prepare")),
        Verdict::Approved => {}
    }
    if state.analysis_output.is_some() {
        // The person in the model's place wrote it.
        return Ok(Command::goto(WRITE_RESULT));
    }
    let folder = state.folder.as_ref().ok_or_else(|| NodeError::failed("the folder was not read"))?;
    let model = pick_model(&ctx, "final", state.model_name.as_deref()).await?;
    if model.person {
        return Ok(Command::ask(vec![ask_for_result(&state)], "analysis_answered"));
    }
    let request = prompts::summary(&state, &opening(&ctx, folder)?, &ctx.services().user);
    let output = ask_for_text(&ctx, "model", &model, &request, "the result of the analysis").await?;
    Ok(Command::goto(WRITE_RESULT).update(AnalysisUpdate::Concluded { output }))
}

/// Asks the person in the model's place for the result; what was said last may be it.
fn ask_for_result(state: &Analysis) -> Interrupt {
    let args = json!({ "result": state.current_analysis_query });
    let labels = Labels::new("take this as the result", "write the result", "abandon");
    Interrupt { key: RESULT.to_owned(), ..your_turn(&state.query, "write the result", &args, labels) }
}

fn opening(ctx: &Ctx<Services>, folder: &Folder) -> Result<String, NodeError> {
    String::from_utf8(ctx.services().records.blob(&folder.opening)?).map_err(NodeError::failed)
}

async fn look_at_folder(
    ctx: &Ctx<Services>,
    state: &Analysis,
    model: &Picked,
) -> Result<(Folder, Vec<String>), NodeError> {
    let (dir, window) = (PathBuf::from(&state.inputs_dir), model.window);
    let (recursive, code) = (state.recursive, state.code);
    // Documents take a while to read; nothing else should wait for it.
    let work = tokio::task::spawn_blocking(move || inputs::look(&dir, recursive, code, window));
    let looked = work.await.map_err(NodeError::failed)?.map_err(NodeError::failed)?;
    let folder = Folder {
        opening: ctx.services().records.put_blob(looked.opening.into_bytes()).await?,
        count: looked.count as u64,
        left_out: looked.left_out,
    };
    Ok((folder, looked.read))
}

/// Puts the model's question to the person.
pub(super) async fn analysis_interrupt(ctx: Ctx<Services>, state: Arc<Analysis>) -> NodeResult {
    match state.verdict {
        Verdict::Approved => return Ok(Command::goto("analysis_answered")),
        Verdict::Open if state.dialog.stopped => return Ok(Command::abandon()),
        Verdict::Open | Verdict::Presumed | Verdict::Abandoned => {}
    }
    let model = pick_model(&ctx, "turn", state.model_name.as_deref()).await?;
    let question = match state.verdict {
        Verdict::Presumed => format!(
            "“{}” is taken as your approval: accept, and the result is written; or say what is missing.",
            short_line(&state.user_input, 160)
        ),
        Verdict::Open | Verdict::Approved | Verdict::Abandoned => state.current_analysis_query.clone(),
    };
    let args = json!({ "question": question });
    let mut interrupt = proposal(QUESTION, Kind::Question, "analysis_question", &args, &state.query);
    let last_line = question.lines().rfind(|line| !line.trim().is_empty());
    // Lists cannot show emphasis.
    let plain = last_line.unwrap_or_default().replace(['*', '_', '`', '#'], "");
    interrupt.gist = short_line(plain.trim(), 160);
    interrupt.allow = Allow { edit: false, ..Allow::ALL };
    // Names the model that reads the answer.
    interrupt.labels = Labels::new("approve", format!("answer {}", short_line(&model.name, 40)), "abandon");
    let folder = Path::new(&state.inputs_dir).file_name().map(|name| name.to_string_lossy().into_owned());
    interrupt.source = folder.map(|name| Visible::line(&name).into_string());
    Ok(Command::ask(vec![interrupt], "analysis_answered"))
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
    ctx.once(WRITE_RESULT, basis, bytes, Arc::new(OutputFile { path, stamp, is_disposable: |_| false }))
        .await?;
    Ok(Command::end().update(AnalysisUpdate::Written { file }))
}
