//! The nodes: look and ask, then send.

use super::ServerHandle;
use super::effects::{Sender, ServerEffect};
use super::items;
use super::state::{Batch, Mirror, MirrorUpdate};
use crate::connect::langgraph::api::{RemoteStatus, RemoteThread};
use crate::connect::langgraph::client::ServerError;
use crate::connect::langgraph::messages;
use crate::engine::graph::{Answer, Authorization, Command, Ctx, Decision, NodeError};
use crate::text::short_line;
use crate::tools::web::WebError;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

type NodeResult = Result<Command<Mirror>, NodeError>;

/// How long a run is followed before we leave it alone.
const FOLLOW_FOR: Duration = Duration::from_secs(20 * 60);

/// Reads the thread once its run is over, and asks its questions.
pub(super) async fn look(ctx: Ctx<ServerHandle>, state: Arc<Mirror>) -> NodeResult {
    let thread = match at_rest(&ctx, &state).await? {
        Seen::AtRest(thread) => thread,
        Seen::Busy => return Ok(Command::end().update(MirrorUpdate::LeftBusy)),
        Seen::Gone => return Ok(Command::end()),
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
    if state.sent && thread.status == RemoteStatus::Error {
        let why = thread.error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        let text = format!("the run on {} failed there: {}", state.of.server, short_line(why, 300));
        return Err(NodeError::failed(text));
    }
    Ok(Command::end())
}

/// A thread on its server.
enum Seen {
    AtRest(RemoteThread),
    /// Nobody follows its run; the next poll that finds a question picks it up again.
    Busy,
    Gone,
}

/// Waits until no run is active, as long as there is room to follow one.
async fn at_rest(ctx: &Ctx<ServerHandle>, state: &Mirror) -> Result<Seen, NodeError> {
    let mut place = None;
    let until = Instant::now() + FOLLOW_FOR;
    let mut pause = Duration::from_millis(100);
    loop {
        let Some(thread) = read(ctx, state).await? else { return Ok(Seen::Gone) };
        if thread.status != RemoteStatus::Busy {
            return Ok(Seen::AtRest(thread));
        }
        if place.is_none() {
            place = ctx.services().0.following.try_acquire().ok();
        }
        if place.is_none() || Instant::now() >= until {
            return Ok(Seen::Busy);
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(2));
    }
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
    let name = if resume.is_some() { "resume" } else { "end" };
    let step = ctx.step_context();
    let effect = ServerEffect {
        thread: state.of.thread.clone(),
        assistant: state.of.assistant.clone(),
        resume,
        fingerprint: batch.fingerprint.clone(),
        mark: format!("{}-{}", step.thread, step.number),
    };
    let frozen = serde_json::to_vec(&effect).map_err(|error| NodeError::failed(error.to_string()))?;
    ctx.once(name, basis, frozen, Arc::new(Sender(ctx.services().0.clone()))).await?;
    Ok(Command::goto("look").update(MirrorUpdate::Sent))
}

async fn read(ctx: &Ctx<ServerHandle>, state: &Mirror) -> Result<Option<RemoteThread>, NodeError> {
    ctx.services().0.thread(&state.of.thread).await.map_err(|error| {
        let text = format!("{}: {error}", state.of.server);
        match error {
            ServerError::Web(WebError::NotSent(_) | WebError::MaybeSent(_))
            | ServerError::Status { code: 408 | 409 | 429 | 500..=599, .. } => NodeError::transient(text),
            ServerError::Status { .. } => NodeError::failed(text),
        }
    })
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
