//! The nodes: look, ask, send, follow.

use super::ServerHandle;
use super::effects::{Sender, ServerEffect};
use super::items;
use super::state::{Batch, Mirror, MirrorUpdate};
use crate::agents::langgraph::answer::Answered;
use crate::agents::langgraph::api::{RemoteStatus, RemoteThread};
use crate::agents::langgraph::client::ServerError;
use crate::agents::langgraph::messages;
use crate::graph::{Answer, Authorization, Command, Ctx, Decision, NodeError};
use crate::inbox::SERVER_COMMANDS;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

type NodeResult = Result<Command<Mirror>, NodeError>;

/// How much of a thread's state is kept as its result, in bytes.
const LONGEST_RESULT: usize = 64 << 10;
/// How long a run is followed before we leave it alone.
const FOLLOW_FOR: Duration = Duration::from_secs(20 * 60);

/// Reads the thread's current state, and asks its questions.
pub(super) async fn look(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    if state.end {
        return Ok(Command::goto("end_there"));
    }
    if state.of.input.is_some() {
        return Ok(Command::goto("begin"));
    }
    let Some(thread) = read(&ctx, &state).await? else {
        return Ok(Command::end().update(rests("gone", Value::Null)));
    };
    if thread.asks() {
        let batch = Batch {
            fingerprint: thread.fingerprint(),
            turns: messages::last(&thread.values),
            pending: thread.pending,
        };
        let questions = items::items(&state, &batch);
        return Ok(Command::ask(questions, "answered").update(MirrorUpdate::Asked { batch }));
    }
    Ok(match thread.status {
        RemoteStatus::Busy => Command::goto("follow"),
        RemoteStatus::Idle => Command::end().update(rests("idle", thread.values)),
        // It stopped at a breakpoint, which asks nobody.
        RemoteStatus::Interrupted => Command::end().update(rests("interrupted", thread.values)),
        RemoteStatus::Error => Command::end().update(rests("error", thread.values)),
    })
}

/// Begins the run that a person started.
pub(super) async fn begin(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    let Some(input) = state.of.input.clone() else { return Ok(Command::goto("look")) };
    let sending = ServerEffect::Begin {
        thread: state.of.thread.clone(),
        assistant: state.of.assistant.clone(),
        input,
        mark: mark(&ctx),
    };
    let basis = Authorization::Grant { name: SERVER_COMMANDS.to_owned() };
    send(&ctx, "begin", basis, &sending).await
}

/// Sends the answers, unless the questions have changed or are gone.
pub(super) async fn answered(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    let (Some(batch), false) = (&state.asked, state.answers.is_empty()) else {
        return Ok(Command::goto("look"));
    };
    let decided = |key: &str| {
        let answer = state.answers.iter().find(|answer| answer.key == key);
        answer.map(|answer| answer.decision.clone())
    };
    let resume = items::resume(batch, decided).map_err(NodeError::failed)?;
    let now = read(&ctx, &state).await?;
    if !now.is_some_and(|now| now.asks() && now.fingerprint() == batch.fingerprint) {
        let why = "it was answered elsewhere, or asks something else by now".to_owned();
        return Ok(Command::goto("look").update(MirrorUpdate::NotSent { why }));
    }
    let basis = Authorization::Answers { given: state.answers.iter().map(answer_args).collect() };
    let (thread, fingerprint) = (state.of.thread.clone(), batch.fingerprint.clone());
    match resume {
        Answered::Value(resume) => {
            let assistant = state.of.assistant.clone();
            let sending = ServerEffect::Resume { thread, assistant, resume, fingerprint, mark: mark(&ctx) };
            send(&ctx, "resume", basis, &sending).await
        }
        Answered::End => end(&ctx, basis, &ServerEffect::End { thread, fingerprint }).await,
    }
}

/// Ends the thread on the server, on a person's own command.
pub(super) async fn end_there(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    let fingerprint = state.asked.as_ref().map(|batch| batch.fingerprint.clone()).unwrap_or_default();
    let basis = Authorization::Grant { name: SERVER_COMMANDS.to_owned() };
    end(&ctx, basis, &ServerEffect::End { thread: state.of.thread.clone(), fingerprint }).await
}

/// Waits until the run is over, unless too many others are being followed.
pub(super) async fn follow(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    let remote = &ctx.services().0;
    // If there is no room, the next poll that finds a question picks the thread up again.
    let Ok(_place) = remote.following.try_acquire() else {
        return Ok(Command::end().update(rests("busy", Value::Null)));
    };
    let until = Instant::now() + FOLLOW_FOR;
    let mut pause = Duration::from_millis(100);
    loop {
        let over = match &state.run {
            Some(run) => {
                let run = remote.run(&state.of.thread, run).await.map_err(|fault| failed(&ctx, &fault))?;
                if run.failed() {
                    let thread = read(&ctx, &state).await?;
                    let why = thread.and_then(|thread| thread.error).unwrap_or_else(|| run.status.clone());
                    let text = format!(
                        "the run on {} failed there: {}",
                        remote.name(),
                        crate::text::Visible::line(&why)
                    );
                    return Err(NodeError::failed(text));
                }
                run.ended()
            }
            None => true,
        };
        let thread = read(&ctx, &state).await?;
        if over && thread.is_none_or(|thread| thread.status != RemoteStatus::Busy) {
            return Ok(Command::goto("look"));
        }
        if Instant::now() >= until {
            return Ok(Command::end().update(rests("busy", Value::Null)));
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(2));
    }
}

async fn read(ctx: &Ctx<ServerHandle>, state: &Mirror) -> Result<Option<RemoteThread>, NodeError> {
    ctx.services().0.thread(&state.of.thread).await.map_err(|fault| failed(ctx, &fault))
}

async fn send(
    ctx: &Ctx<ServerHandle>,
    name: &str,
    basis: Authorization,
    sending: &ServerEffect,
) -> NodeResult {
    let sender = Arc::new(Sender(ctx.services().0.clone()));
    let outcome = ctx.once(name, basis, sending.frozen(), sender).await?;
    let run = outcome.get("run").and_then(Value::as_str).unwrap_or_default().to_owned();
    // If a person settled it as done, we know no run and look at the thread itself.
    let next = if run.is_empty() { "look" } else { "follow" };
    Ok(Command::goto(next).update(MirrorUpdate::Sent { run }))
}

async fn end(ctx: &Ctx<ServerHandle>, basis: Authorization, sending: &ServerEffect) -> NodeResult {
    let sender = Arc::new(Sender(ctx.services().0.clone()));
    ctx.once("end", basis, sending.frozen(), sender).await?;
    Ok(Command::end().update(rests("ended", Value::Null)))
}

/// Identifies this attempt, and no other, on the server.
fn mark(ctx: &Ctx<ServerHandle>) -> String {
    let step = ctx.step_context();
    format!("{}-{}", step.thread, step.number)
}

/// The arguments that an answer carries out; text and refusals carry out nothing.
fn answer_args(answer: &Answer) -> (String, Value) {
    let args = match &answer.decision {
        Decision::Accept => answer.proposed.clone(),
        Decision::Edit { args } => args.clone(),
        Decision::Respond { .. } | Decision::Ignore | Decision::Draft => Value::Null,
    };
    (answer.key.clone(), args)
}

fn rests(status: &str, values: Value) -> MirrorUpdate {
    let fits = values.to_string().len() <= LONGEST_RESULT;
    let values = if fits {
        values
    } else {
        Value::from("too long to be kept here; `sayso show` reads it from the server")
    };
    MirrorUpdate::Rests { status: status.to_owned(), values }
}

fn failed(ctx: &Ctx<ServerHandle>, fault: &ServerError) -> NodeError {
    let text = format!("{}: {fault}", ctx.services().0.name());
    match fault {
        ServerError::NotSent(_)
        | ServerError::Unclear(_)
        | ServerError::Status { code: 408 | 409 | 429 | 500..=599, .. } => NodeError::transient(text),
        ServerError::Status { .. } | ServerError::Odd(_) => NodeError::failed(text),
    }
}
