//! The nodes.

use super::plan::{self, Plan};
use super::state::{Pending, SheetUpdate, SheetWork, Verdict};
use super::{INFORM, MOST_BYTES, PYTHON, STEP_LIMIT, UNCHECKED_ANSWER, WRITE_RESULT, prompts, result_path};
use crate::graph::{Allow, Command, Ctx, Grantable, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::llm::{Message, Reply, Request};
use crate::text::{Visible, truncate, unreadable};
use crate::tools::sandbox::{Job, Limits, Report, SandboxError, Work};
use crate::workflows::output_file::{self, Asking, OutputFile, Permission, permission};
use crate::workflows::{Services, Wish, ask_model, pick_model};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

type Given = Result<Command<SheetWork>, NodeError>;

/// How often a model is asked again that nobody can understand.
const MORE_TRIES: usize = 2;

/// What a model is told that answers before its code has run.
const NO_CODE: &str = "nothing was computed for this yet; call python, or put the code into one ```python block, and \
    call finish if no code is needed";

/// Reads the workbook once, then lets the model say what is to be done next.
pub(super) async fn planner_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> Given {
    if state.verdict == Some(Verdict::Ended) {
        return Ok(ended(&state));
    }
    // The person took the model's words as the answer.
    if state.answer.is_some() {
        return Ok(Command::end());
    }
    if state.is_at_limit() {
        return Ok(Command::ask(vec![step_limit(&state)], "planner_node"));
    }
    if state.digest.is_empty() {
        let (digest, bytes, report) = ctx.call("read", read(&ctx, &state)).await?;
        let (picture, kept) = (report.picture.unwrap_or_default(), report.kept);
        let read = || SheetUpdate::Read {
            digest: digest.clone(),
            bytes,
            picture: picture.clone(),
            kept: kept.clone(),
        };
        let mut known = (*state).clone();
        crate::graph::State::apply(&mut known, read());
        let mut command = next(&ctx, &known).await?;
        command.updates.insert(0, read());
        return Ok(command);
    }
    next(&ctx, &state).await
}

/// The person wants no more. What they had run and changed before is theirs: it is written like any result.
fn ended(state: &SheetWork) -> Command<SheetWork> {
    if !state.changed {
        return Command::abandon();
    }
    let cells = state.cells.iter().map(|cell| cell.observation.changed).sum::<usize>();
    let changed = match cells {
        0 => String::new(),
        1 => " (1 cell)".to_owned(),
        several => format!(" ({several} cells)"),
    };
    let answer = format!("You ended it here. What was changed until then{changed} stands in the result.");
    Command::goto(WRITE_RESULT).update(SheetUpdate::Ended { answer })
}

/// How ending is called where something was changed already.
fn ending(state: &SheetWork) -> Option<String> {
    Some(if state.changed { "end, and write what is done" } else { "end" }.to_owned())
}

/// The model's next step, and where it leads.
async fn next(ctx: &Ctx<Services>, state: &SheetWork) -> Given {
    let model = pick_model(ctx, "plan", state.model_name.as_deref()).await?;
    let services = ctx.services();
    let today = services.clock.clone()().to_zoned(services.user.time_zone.clone()).date();
    let mut request = prompts::plan(state, &services.user, today);
    let mut why = "";
    for attempt in 0..=MORE_TRIES {
        let reply: Reply = ask_model(ctx, &format!("model_{attempt}"), &model, &request).await?;
        match plan::read(&reply) {
            Plan::Finish(message, answer) => {
                let answer = if answer.is_empty() { last_words(state) } else { answer };
                return Ok(finished(state, message, answer));
            }
            Plan::Say(text) if is_answer(state, attempt) => {
                let answer = if plan::says_only_done(&text) { last_words(state) } else { text.clone() };
                return Ok(finished(state, Message::assistant(text), answer));
            }
            Plan::Say(text) if attempt > 0 => {
                return Ok(Command::ask(vec![unchecked_answer(state, &text)], "planner_node"));
            }
            Plan::Say(_) => {
                why = NO_CODE;
                request = objected(request, &reply, why);
            }
            Plan::Act(message, pending) => {
                let node = if pending.tool == INFORM { "informer_node" } else { "tool_node" };
                let message = unique(message, &pending, state);
                let call = match &message {
                    Message::Assistant { calls, .. } => calls.first().cloned(),
                    _ => None,
                };
                let pending = Pending { call, ..pending };
                return Ok(Command::goto(node).update(SheetUpdate::Planned { message, pending }));
            }
            Plan::Unclear(text) => {
                why = text;
                request = objected(request, &reply, why);
            }
        }
    }
    Err(NodeError::failed(format!(
        "The model's answers cannot be used, after {} tries: {why}",
        MORE_TRIES + 1
    )))
}

/// Whether the model's words are the answer: at once where code has run for what is asked now, and after a reminder
/// where any code has run before. Words that rest on no code are not taken without the person.
fn is_answer(state: &SheetWork, reminders: usize) -> bool {
    let since = if reminders == 0 { state.earlier } else { 0 };
    state.cells.len() > since
}

/// The request again, with what was said and what is wrong with it.
fn objected(request: Request, reply: &Reply, why: &str) -> Request {
    request.message(reply.message()).user(format!("Your answer cannot be used: {why}."))
}

fn finished(state: &SheetWork, message: Message, answer: String) -> Command<SheetWork> {
    let command = if state.changed { Command::goto(WRITE_RESULT) } else { Command::end() };
    command.update(SheetUpdate::Finished { message, answer })
}

/// A call's id is its own in this conversation, whatever the server says.
fn unique(message: Message, pending: &Pending, state: &SheetWork) -> Message {
    let known = |id: &str| {
        state.messages.iter().any(|message| match message {
            Message::Assistant { calls, .. } => calls.iter().any(|call| call.id == id),
            _ => false,
        })
    };
    match (message, &pending.call) {
        (Message::Assistant { text, mut calls }, Some(_)) => {
            for call in &mut calls {
                if known(&call.id) {
                    call.id = format!("{}_{}", call.id, state.messages.len());
                }
            }
            Message::Assistant { text, calls }
        }
        (message, _) => message,
    }
}

/// What a model that only says Done has found: what its last code printed.
fn last_words(state: &SheetWork) -> String {
    let printed = state.cells.last().map(|cell| cell.observation.stdout.trim().to_owned());
    printed.filter(|text| !text.is_empty()).unwrap_or_else(|| "Done.".to_owned())
}

/// Puts words that rest on no code to the person: they may be the answer, or ask something.
fn unchecked_answer(state: &SheetWork, text: &str) -> Interrupt {
    let args = json!({ "answer": text });
    let mut asked = proposal(UNCHECKED_ANSWER, Kind::Question, UNCHECKED_ANSWER, &args, &state.instruction);
    asked.gist = truncate(Visible::line(text).as_str(), 160).into_owned();
    asked.allow = Allow { edit: false, draft: false, ..Allow::ALL };
    asked.labels = Labels {
        accept: Some("take it as the answer".to_owned()),
        respond: Some("answer".to_owned()),
        ignore: ending(state),
        ..Labels::default()
    };
    asked
}

fn step_limit(state: &SheetWork) -> Interrupt {
    let args = json!({ "steps": state.step });
    let title = format!("sheet has taken {} steps", state.step);
    let mut asked = proposal(STEP_LIMIT, Kind::Trouble, STEP_LIMIT, &args, &title);
    asked.gist = truncate(Visible::line(&state.instruction).as_str(), 160).into_owned();
    asked.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    asked.labels =
        Labels { accept: Some("as much again".to_owned()), ignore: ending(state), ..Labels::default() };
    asked
}

/// Puts the code to the person.
pub(super) async fn tool_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> Given {
    let Some(pending) = &state.pending else {
        return Err(NodeError::failed("there is no code to ask about"));
    };
    let key = pending.call.as_ref().map_or_else(|| format!("cell_{}", state.step), |call| call.id.clone());
    let mut asked = proposal(&key, Kind::Approval, PYTHON, &pending.args, &state.instruction);
    let thought = pending.thought.replace(['*', '_', '`', '#'], "");
    asked.gist = truncate(Visible::line(thought.trim()).as_str(), 160).into_owned();
    asked.schema = prompts::python().schema;
    asked.labels = Labels {
        accept: Some("run".to_owned()),
        edit: Some("edit and run".to_owned()),
        done: Some("run".to_owned()),
        ignore: ending(&state),
        ..Labels::default()
    };
    let name = Path::new(&state.workbook).file_name().map(|name| name.to_string_lossy().into_owned());
    asked.source = name.map(|name| Visible::line(&name).into_string());
    asked.binds = vec![state.digest.clone()];
    asked.grantable = Grantable { thread: true, ..Grantable::default() };
    asked.granted = ctx
        .services()
        .records
        .covering_grant(ctx.step_context(), &Wish { tool: PYTHON, ..Wish::default() })?;
    Ok(Command::ask(vec![asked], "run_code"))
}

/// Runs what was accepted, after everything that was accepted before.
pub(super) async fn run_code(ctx: Ctx<Services>, state: Arc<SheetWork>) -> Given {
    let code = match &state.verdict {
        Some(Verdict::Run(code)) => code.clone(),
        Some(Verdict::Ended) => return Ok(ended(&state)),
        Some(Verdict::Said) | None => return Ok(Command::goto("planner_node")),
    };
    let report: Report = ctx
        .call("run", async {
            let (report, _) = in_sandbox(&ctx, &state, Work::Run, Some(&code), None).await?;
            Ok(report)
        })
        .await?;
    let observation = Box::new(report.observation.unwrap_or_default());
    let Report { picture, changed, formulas, .. } = report;
    Ok(Command::goto("planner_node").update(SheetUpdate::Ran {
        code,
        observation,
        picture,
        changed,
        formulas,
    }))
}

/// Looks up where the words of a question stand.
pub(super) async fn informer_node(ctx: Ctx<Services>, state: Arc<SheetWork>) -> Given {
    let question = state.pending.as_ref().and_then(|pending| pending.args.get("question"));
    let question = question.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (report, _) = in_sandbox(&ctx, &state, Work::Look, None, Some(question)).await?;
    Ok(Command::goto("planner_node").update(SheetUpdate::Informed { found: report.found }))
}

/// Writes the changed workbook beside the original, once; asks first where output files are not granted.
pub(super) async fn write_result(ctx: Ctx<Services>, state: Arc<SheetWork>) -> Given {
    let path = result_path(Path::new(&state.workbook));
    let stamp = output_file::stamp(ctx.services());
    let file = path.to_string_lossy().into_owned();
    let args = json!({ "file": file });
    let gist = "The changed workbook is to be written beside the original.";
    let asking = Asking { action: WRITE_RESULT, args: &args, title: &state.instruction, gist };
    let basis = match permission(ctx.services(), state.may_write, &asking)? {
        Permission::No => return Ok(Command::end()),
        Permission::Write(basis) => basis,
        Permission::Ask(asked) => return Ok(Command::ask(vec![*asked], WRITE_RESULT)),
    };
    let (report, bytes) = in_sandbox(&ctx, &state, Work::Write, None, None).await?;
    if bytes.is_empty() {
        let why = report.observation.and_then(|o| o.error).unwrap_or_default();
        return Err(NodeError::failed(format!("The workbook could not be made again: {why}")));
    }
    ctx.once(WRITE_RESULT, basis, bytes, Arc::new(OutputFile { path, stamp })).await?;
    Ok(Command::end().update(SheetUpdate::Written { file }))
}

/// The workbook's bytes, kept, and what it looks like.
async fn read(ctx: &Ctx<Services>, state: &SheetWork) -> Result<(String, u64, Report), NodeError> {
    let path = state.workbook.clone();
    let bytes = tokio::task::spawn_blocking(move || bytes_of(&path)).await.map_err(NodeError::failed)?;
    let bytes = bytes.map_err(|error| {
        NodeError::failed(format!("{} cannot be read: {}", state.workbook, unreadable(&error)))
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(NodeError::failed(format!("{} is over {} MB", state.workbook, MOST_BYTES >> 20)));
    }
    let job = job(ctx.services(), state, Work::Look, None, None);
    let (report, _) = ctx.services().sandbox.run(&job, &bytes).await.map_err(refused)?;
    let length = bytes.len() as u64;
    let digest = ctx.services().records.put_blob(bytes).await?;
    Ok((digest, length, visible(&report)?))
}

fn bytes_of(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    }
}

async fn in_sandbox(
    ctx: &Ctx<Services>,
    state: &SheetWork,
    work: Work,
    code: Option<&str>,
    question: Option<String>,
) -> Result<(Report, Vec<u8>), NodeError> {
    let workbook = ctx.services().records.blob(&state.digest)?;
    let job = job(ctx.services(), state, work, code, question);
    let (report, bytes) = ctx.services().sandbox.run(&job, &workbook).await.map_err(refused)?;
    Ok((visible(&report)?, bytes))
}

fn refused(error: SandboxError) -> NodeError {
    NodeError::failed(error)
}

/// What came out of a workbook, with nothing in it that a person cannot see.
fn visible<T: Serialize + DeserializeOwned>(told: &T) -> Result<T, NodeError> {
    let value = serde_json::to_value(told).map_err(NodeError::failed)?;
    serde_json::from_value(Visible::json(&value)).map_err(NodeError::failed)
}
