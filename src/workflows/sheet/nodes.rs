//! The nodes of `sheet`.

use super::plan::{self, Plan};
use super::state::{Pending, PythonUsed, SheetUpdate, SheetWork, Verdict};
use super::{DIFFERS, INFORM, MAX_BYTES, PYTHON, STEP_LIMIT, UNCHECKED_ANSWER, WRITE_RESULT};
use super::{file_path, prompts, result_path};
use crate::graph::{Allow, Command, Ctx, Grantable, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::llm::{Message, Reply, Request};
use crate::text::{Visible, read_error_text, short_line};
use crate::tools::regular_file;
use crate::tools::sandbox::{Job, Limits, Report, Work};
use crate::workflows::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::workflows::{GrantQuery, Services, ask_model, pick_model, written_text};
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

type NodeResult = Result<Command<SheetWork>, NodeError>;

/// How often a model is asked again if its reply cannot be understood.
const MAX_RETRIES: usize = 2;

/// The reply to a model that answers before its code has run.
const NO_CODE: &str = "nothing was computed for this yet; call python, or put the code into one ```python block, and \
    call finish if no code is needed";

/// Reads the workbook once, then asks the model for the next step.
pub(super) async fn planner_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> NodeResult {
    if state.verdict == Some(Verdict::Ended) {
        return Ok(end_work(&state));
    }
    // The person accepted the model's words as the answer.
    if state.answer.is_some() {
        return Ok(Command::end());
    }
    if state.is_at_limit() {
        return Ok(Command::ask(vec![step_limit(&state)], "planner_node"));
    }
    if state.digest.is_empty() {
        let (digest, bytes, report, python) = ctx.call("read", read(&ctx, &state)).await?;
        let summary = report.summary.unwrap_or_default();
        let kept_notes = match &python {
            Some(used) if used.program.is_some() => {
                vec!["what openpyxl keeps; what it leaves out is said here once it has saved".to_owned()]
            }
            _ => report.kept,
        };
        let day = today(ctx.services()).to_string();
        let read_update = || SheetUpdate::Read {
            digest: digest.clone(),
            bytes,
            summary: summary.clone(),
            kept: kept_notes.clone(),
            python: python.clone(),
            day: day.clone(),
        };
        let mut updated_state = (*state).clone();
        crate::graph::State::apply(&mut updated_state, read_update());
        let mut command = next_step(&ctx, &updated_state).await?;
        command.updates.insert(0, read_update());
        return Ok(command);
    }
    next_step(&ctx, &state).await
}

/// The person is done. Changes they had already accepted are theirs, and are written like any result.
fn end_work(state: &SheetWork) -> Command<SheetWork> {
    if !has_results(state) {
        return Command::abandon();
    }
    Command::goto(WRITE_RESULT).update(SheetUpdate::Ended { answer: closing_words(state) })
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

fn has_results(state: &SheetWork) -> bool {
    state.changed || !state.files.is_empty()
}

/// The label for ending; it says so if there is something to write.
fn end_label(state: &SheetWork) -> Option<String> {
    Some(if has_results(state) { "finish with what is done" } else { "abandon" }.to_owned())
}

/// The model's next step, and where it leads.
async fn next_step(ctx: &Ctx<Services>, state: &SheetWork) -> NodeResult {
    let model = pick_model(ctx, "plan", state.model_name.as_deref()).await?;
    let mut request = prompts::plan(state, &ctx.services().user, today(ctx.services()));
    let mut why = "";
    for attempt in 0..=MAX_RETRIES {
        let reply: Reply = ask_model(ctx, &format!("model_{attempt}"), &model, &request).await?;
        match plan::read(&reply) {
            Plan::Finish(message, answer) => {
                let answer = if answer.is_empty() { last_words(state) } else { answer };
                return Ok(finish(state, message, answer));
            }
            Plan::Say(text) if is_answer(state, attempt) => {
                if plan::says_only_done(&text) {
                    return Ok(finish(state, Message::assistant(text), last_words(state)));
                }
                let what = "the answer to a question about a workbook";
                return Ok(match written_text(ctx, "words", &model, &reply, what).await? {
                    Some(answer) => finish(state, Message::assistant(text), answer.with_note()),
                    None => Command::ask(vec![unchecked_answer(state, &text)], "planner_node"),
                });
            }
            Plan::Say(text) if attempt > 0 => {
                return Ok(Command::ask(vec![unchecked_answer(state, &text)], "planner_node"));
            }
            Plan::Say(_) => {
                why = NO_CODE;
                request = add_objection(request, &reply, why);
            }
            Plan::Act(message, pending) => {
                let node = if pending.tool == INFORM { "informer_node" } else { "tool_node" };
                let message = with_unique_id(message, &pending, state);
                let call = match &message {
                    Message::Assistant { calls, .. } => calls.first().cloned(),
                    _ => None,
                };
                let pending = Pending { call, ..pending };
                return Ok(Command::goto(node).update(SheetUpdate::Planned { message, pending }));
            }
            Plan::Unclear(text) => {
                why = text;
                request = add_objection(request, &reply, why);
            }
        }
    }
    Err(NodeError::failed(format!(
        "The model's answers cannot be used, after {} tries: {why}",
        MAX_RETRIES + 1
    )))
}

/// Whether the model's words are the answer: at once if code has run for the current question, and after a reminder if
/// any code has run before. Words not based on code are not accepted without the person.
fn is_answer(state: &SheetWork, reminders: usize) -> bool {
    let since = if reminders == 0 { state.earlier } else { 0 };
    state.cells.len() > since
}

/// The request again, with the reply and what is wrong with it.
fn add_objection(request: Request, reply: &Reply, why: &str) -> Request {
    request.message(reply.message()).user(format!("Your answer cannot be used: {why}."))
}

fn finish(state: &SheetWork, message: Message, answer: String) -> Command<SheetWork> {
    let command = if has_results(state) { Command::goto(WRITE_RESULT) } else { Command::end() };
    command.update(SheetUpdate::Finished { message, answer })
}

/// Makes a call's id unique in this conversation, whatever the server says.
fn with_unique_id(message: Message, pending: &Pending, state: &SheetWork) -> Message {
    let is_used = |id: &str| {
        state.messages.iter().any(|message| match message {
            Message::Assistant { calls, .. } => calls.iter().any(|call| call.id == id),
            _ => false,
        })
    };
    match (message, &pending.call) {
        (Message::Assistant { text, mut calls }, Some(_)) => {
            for call in &mut calls {
                if is_used(&call.id) {
                    call.id = format!("{}_{}", call.id, state.messages.len());
                }
            }
            Message::Assistant { text, calls }
        }
        (message, _) => message,
    }
}

/// The answer of a model that only says "Done": what its last code printed.
fn last_words(state: &SheetWork) -> String {
    let printed = state.cells.last().map(|cell| cell.observation.stdout.trim().to_owned());
    printed.filter(|text| !text.is_empty()).unwrap_or_else(|| "Done.".to_owned())
}

/// Shows words not based on code to the person: they may be the answer, or a question.
fn unchecked_answer(state: &SheetWork, text: &str) -> Interrupt {
    let args = json!({ "answer": text });
    let mut interrupt =
        proposal(UNCHECKED_ANSWER, Kind::Question, UNCHECKED_ANSWER, &args, &state.instruction);
    interrupt.gist = short_line(text, 160);
    interrupt.allow = Allow { edit: false, draft: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("take it as the answer".to_owned()),
        respond: Some("answer".to_owned()),
        ignore: end_label(state),
        ..Labels::default()
    };
    interrupt
}

fn step_limit(state: &SheetWork) -> Interrupt {
    let args = json!({ "steps": state.step });
    let title = format!("sheet has taken {} steps", state.step);
    let mut interrupt = proposal(STEP_LIMIT, Kind::Trouble, STEP_LIMIT, &args, &title);
    interrupt.gist = short_line(&state.instruction, 160);
    interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("allow as much again".to_owned()),
        ignore: end_label(state),
        ..Labels::default()
    };
    interrupt
}

/// Shows the code to the person.
pub(super) async fn tool_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> NodeResult {
    let Some(pending) = &state.pending else {
        return Err(NodeError::failed("there is no code to ask about"));
    };
    let key = pending.call.as_ref().map_or_else(|| format!("cell_{}", state.step), |call| call.id.clone());
    let mut interrupt = proposal(&key, Kind::Approval, PYTHON, &pending.args, &state.instruction);
    let thought = pending.thought.replace(['*', '_', '`', '#'], "");
    interrupt.gist = short_line(thought.trim(), 160);
    interrupt.schema = prompts::python().schema;
    interrupt.labels = Labels {
        accept: Some("run".to_owned()),
        edit: Some("edit and run".to_owned()),
        done: Some("run".to_owned()),
        ignore: end_label(&state),
        ..Labels::default()
    };
    let name = Path::new(&state.workbook).file_name().map(|name| name.to_string_lossy().into_owned());
    interrupt.source = name.map(|name| Visible::line(&name).into_string());
    interrupt.binds = vec![state.digest.clone()];
    interrupt.grantable = Grantable { thread: true, ..Grantable::default() };
    interrupt.granted = ctx
        .services()
        .records
        .covering_grant(ctx.step_context(), &GrantQuery { tool: PYTHON, ..GrantQuery::default() })?;
    Ok(Command::ask(vec![interrupt], "run_code"))
}

/// Runs the accepted code, after all code accepted before.
pub(super) async fn run_code(ctx: Ctx<Services>, state: Arc<SheetWork>) -> NodeResult {
    let code = match &state.verdict {
        Some(Verdict::Run(code)) => code.clone(),
        Some(Verdict::Ended) => return Ok(end_work(&state)),
        Some(Verdict::Said) | None => return Ok(Command::goto("planner_node")),
    };
    let report: Report = ctx
        .call("run", async {
            let (report, _) = run_in_sandbox(&ctx, &state, Work::Run, Some(&code), None).await?;
            Ok(report)
        })
        .await?;
    if let Some(cell) = state.first_differing(&report.digests).filter(|_| !state.may_differ) {
        return Ok(Command::ask(vec![different_result(&state, cell)], "run_code")
            .update(SheetUpdate::Differed { cell }));
    }
    let observation = Box::new(report.observation.unwrap_or_default());
    let Report { summary, changed, formulas, kept, digests, dropped, .. } = report;
    let files = report.files.into_iter().map(|file| file.name).collect();
    let update =
        SheetUpdate::Ran { code, observation, summary, changed, formulas, kept, digests, files, dropped };
    Ok(Command::goto("planner_node").update(update))
}

/// Tells the person that code gives a different result than before: what they saw then no longer holds.
fn different_result(state: &SheetWork, cell: usize) -> Interrupt {
    let args = json!({ "cell": cell });
    let title = format!("Piece {cell} of the code gives a different result than before");
    let mut interrupt = proposal(DIFFERS, Kind::Question, DIFFERS, &args, &title);
    interrupt.gist = short_line(&state.instruction, 160);
    interrupt.allow = Allow { edit: false, respond: false, draft: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("go on with the new result".to_owned()),
        ignore: Some("abandon".to_owned()),
        ..Labels::default()
    };
    interrupt
}

/// Looks up where the words of a question occur.
pub(super) async fn informer_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> NodeResult {
    let question = state.pending.as_ref().and_then(|pending| pending.args.get("question"));
    let question = question.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (report, _) = run_in_sandbox(&ctx, &state, Work::Look, None, Some(question)).await?;
    Ok(Command::goto("planner_node").update(SheetUpdate::Informed { found: report.found }))
}

/// Writes the changed workbook next to the original, once; asks first if output files are not granted.
pub(super) async fn write_result(ctx: Ctx<Services>, state: Arc<SheetWork>) -> NodeResult {
    let workbook = Path::new(&state.workbook);
    let path = result_path(workbook);
    let stamp = output_file::stamp(ctx.services());
    let file = state.changed.then(|| path.to_string_lossy().into_owned());
    let other_paths: Vec<String> =
        state.files.iter().map(|name| file_path(workbook, name).to_string_lossy().into_owned()).collect();
    let args = match other_paths.is_empty() {
        true => json!({ "file": file }),
        false => json!({ "file": file, "files": other_paths }),
    };
    let gist = "The result will be written next to the original.";
    let question = WriteQuestion { action: WRITE_RESULT, args: &args, title: &state.instruction, gist };
    let basis = match permission(ctx.services(), state.may_write, &question)? {
        // An ending announced a result; there is none now.
        Permission::No if state.verdict == Some(Verdict::Ended) => {
            return Ok(Command::end().update(SheetUpdate::Ended { answer: closing_words(&state) }));
        }
        Permission::No => return Ok(Command::end()),
        Permission::Write(basis) => basis,
        Permission::Ask(interrupt) => return Ok(Command::ask(vec![*interrupt], WRITE_RESULT)),
    };
    let (report, bytes) = run_in_sandbox(&ctx, &state, Work::Write, None, None).await?;
    if bytes.is_empty() {
        let why = report.observation.and_then(|o| o.error).unwrap_or_default();
        return Err(NodeError::failed(format!("The workbook could not be made again: {why}")));
    }
    if let Some(cell) = state.first_differing(&report.digests).filter(|_| !state.may_differ) {
        let differed = SheetUpdate::Differed { cell };
        return Ok(Command::ask(vec![different_result(&state, cell)], WRITE_RESULT).update(differed));
    }
    if state.changed {
        let output = OutputFile { path, stamp: stamp.clone() };
        ctx.once(WRITE_RESULT, basis.clone(), bytes, Arc::new(output)).await?;
    }
    for (left, path) in report.files.into_iter().zip(&other_paths) {
        let output = OutputFile { path: path.into(), stamp: stamp.clone() };
        let key = format!("{WRITE_RESULT}_{}", left.name);
        ctx.once(&key, basis.clone(), left.bytes, Arc::new(output)).await?;
    }
    Ok(Command::end().update(SheetUpdate::Written { file, files: other_paths }))
}

/// Today, in the person's time zone.
fn today(services: &Services) -> Date {
    services.clock.clone()().to_zoned(services.user.time_zone.clone()).date()
}

/// Stores the workbook's bytes, and describes the workbook.
async fn read(
    ctx: &Ctx<Services>,
    state: &SheetWork,
) -> Result<(String, u64, Report, Option<PythonUsed>), NodeError> {
    let path = state.workbook.clone();
    let read = tokio::task::spawn_blocking(move || regular_file::read(Path::new(&path), MAX_BYTES));
    let bytes = read.await.map_err(NodeError::failed)?.map_err(|error| {
        NodeError::failed(match error.kind() {
            ErrorKind::FileTooLarge => format!("{} is over {} MB", state.workbook, MAX_BYTES >> 20),
            _ => format!("{} cannot be read: {}", state.workbook, read_error_text(&error)),
        })
    })?;
    let job = job(ctx.services(), state, Work::Look, None, None);
    let (report, _) = ctx.services().sandbox.run(&job, &bytes).await.map_err(NodeError::failed)?;
    let length = bytes.len() as u64;
    let digest = ctx.services().records.put_blob(bytes).await?;
    Ok((digest, length, visible(&report)?, python(ctx.services()).await))
}

/// The Python that new work uses.
async fn python(services: &Services) -> Option<PythonUsed> {
    match services.pythons.get().await {
        Ok(cage) => {
            let interpreter = cage.interpreter();
            let program = interpreter.program.to_string_lossy().into_owned();
            Some(PythonUsed { program: Some(program), text: interpreter.text() })
        }
        Err(why) => why.map(|text| PythonUsed { program: None, text }),
    }
}

fn job(
    services: &Services,
    state: &SheetWork,
    work: Work,
    code: Option<&str>,
    question: Option<String>,
) -> Job {
    let name = Path::new(&state.workbook).file_name().map(|name| name.to_string_lossy().into_owned());
    Job {
        name: name.unwrap_or_default(),
        work,
        cells: state.codes(code),
        question,
        limits: Limits::from(&services.sheet),
        day: state.day.clone(),
        ..Job::default()
    }
}

async fn run_in_sandbox(
    ctx: &Ctx<Services>,
    state: &SheetWork,
    work: Work,
    code: Option<&str>,
    question: Option<String>,
) -> Result<(Report, Vec<u8>), NodeError> {
    let workbook = ctx.services().records.blob(&state.digest)?;
    let job = job(ctx.services(), state, work, code, question);
    let services = ctx.services();
    let program = state.python.as_ref().and_then(|python| python.program.as_deref());
    let (report, bytes) = match program {
        Some(program) => {
            let cage = services.pythons.reopen(Path::new(program)).await.map_err(|why| {
                NodeError::failed(format!(
                    "This work was started with {program}, which is not available now: {why}"
                ))
            })?;
            cage.run(&job, &workbook).await
        }
        None => services.sandbox.run(&job, &workbook).await,
    }
    .map_err(NodeError::failed)?;
    let mut visible_report = visible(&report)?;
    for (visible_file, file) in visible_report.files.iter_mut().zip(report.files) {
        visible_file.bytes = file.bytes;
    }
    Ok((visible_report, bytes))
}

/// A workbook's data without anything a person cannot see.
fn visible<T: Serialize + DeserializeOwned>(data: &T) -> Result<T, NodeError> {
    let value = serde_json::to_value(data).map_err(NodeError::failed)?;
    serde_json::from_value(Visible::json(&value)).map_err(NodeError::failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::State;

    fn answer_of(command: Command<SheetWork>, mut state: SheetWork) -> String {
        command.updates.into_iter().for_each(|update| state.apply(update));
        state.answer.unwrap_or_default()
    }

    #[test]
    fn an_ending_says_whether_anything_is_written() {
        let mut state = SheetWork { changed: true, ..SheetWork::default() };
        let expected = "You ended it here. What had changed by then is in the result.";
        assert_eq!(answer_of(end_work(&state), state.clone()), expected);
        state.apply(SheetUpdate::MayDiffer { yes: false });
        assert_eq!(answer_of(end_work(&state), state), "You ended it here. Nothing was written.");
    }
}
