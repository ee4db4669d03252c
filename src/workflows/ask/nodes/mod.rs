//! The nodes. Each checks its input and its result.

mod choose;
mod finish;
mod params;
mod request;

pub(super) use choose::{extract_category_node, get_apis_node, select_api_node};
pub(super) use finish::{format_response_node, next_question, reset_state_node};
pub(super) use params::extract_params_node;
pub(super) use request::{execute_request_node, send_request};

use super::MAX_TRIES;
use super::state::Ask;
use super::update::AskUpdate;
use crate::graph::{BoxFuture, Command, Ctx, NodeError};
use crate::text::words::with_full_stop;
use crate::tools::catalogue::Catalogue;
use crate::workflows::Services;
use std::sync::Arc;

type NodeResult = Result<Command<Ask>, NodeError>;

/// The error edge: the error is recorded and `back` tries again, a few times; then a person is asked.
fn retry_or_fail(state: &Ask, node: &str, back: &str, text: impl Into<String>) -> NodeResult {
    let text = text.into();
    if state.tries.get(node).copied().unwrap_or_default() + 1 >= MAX_TRIES {
        return Err(NodeError::failed(text));
    }
    Ok(Command::goto(back).update(AskUpdate::Erred { node: node.to_owned(), text }))
}

/// Wraps a node so that its failure, in a conversation, becomes an answer: the person is told, and the next question
/// can be asked.
pub(super) fn failure_as_answer<F, Work>(
    node: F,
) -> impl Fn(Ctx<Services>, Arc<Ask>) -> BoxFuture<'static, NodeResult> + Send + Sync + 'static
where
    F: Fn(Ctx<Services>, Arc<Ask>) -> Work + Send + Sync + 'static,
    Work: Future<Output = NodeResult> + Send + 'static,
{
    recovering(node, |state| state.follow_up || state.has_answered(), not_answered)
}

/// Wraps a node so that the failure of a question's second request leaves the answer to the first, with a note.
pub(super) fn first_answer_kept<F, Work>(
    node: F,
) -> impl Fn(Ctx<Services>, Arc<Ask>) -> BoxFuture<'static, NodeResult> + Send + Sync + 'static
where
    F: Fn(Ctx<Services>, Arc<Ask>) -> Work + Send + Sync + 'static,
    Work: Future<Output = NodeResult> + Send + 'static,
{
    recovering(node, Ask::is_second, |why| {
        let note = format!("The second part could not be answered: {}", with_full_stop(why));
        Command::goto("format_response_node").update(AskUpdate::Noted { note })
    })
}

/// Wraps a node so that `instead` follows its failure where `recovers`. Failures that only a person can settle (a budget,
/// a doubt) stay failures.
fn recovering<F, Work>(
    node: F,
    recovers: fn(&Ask) -> bool,
    instead: fn(&str) -> Command<Ask>,
) -> impl Fn(Ctx<Services>, Arc<Ask>) -> BoxFuture<'static, NodeResult> + Send + Sync + 'static
where
    F: Fn(Ctx<Services>, Arc<Ask>) -> Work + Send + Sync + 'static,
    Work: Future<Output = NodeResult> + Send + 'static,
{
    move |ctx: Ctx<Services>, state: Arc<Ask>| -> BoxFuture<'static, NodeResult> {
        let last_try = ctx.step_context().last_try;
        let recovers = recovers(&state);
        let work = node(ctx, state);
        Box::pin(async move {
            match work.await {
                Err(NodeError::Failed { text }) if recovers => Ok(instead(&text)),
                Err(NodeError::Transient { text, .. }) if recovers && last_try => Ok(instead(&text)),
                other => other,
            }
        })
    }
}

/// Tells the person why there is no answer.
fn not_answered(why: &str) -> Command<Ask> {
    let text = format!("This could not be answered: {}", with_full_stop(why));
    Command::goto("reset_state_node").update(AskUpdate::Formatted { text, table: None, more: Vec::new() })
}

/// The person is done: an answer that was given stays, also one to the first of two requests; an unanswered question is
/// abandoned.
fn end_or_abandon(state: &Ask) -> Command<Ask> {
    if state.is_second() {
        Command::goto("format_response_node").update(AskUpdate::Ended)
    } else if state.has_answered() {
        Command::goto("reset_state_node").update(AskUpdate::Ended)
    } else {
        Command::abandon()
    }
}

fn catalogue(services: &Services, name: &str) -> Result<Catalogue, NodeError> {
    services.apis.get(name).map(|(_, catalogue)| catalogue).map_err(NodeError::failed)
}
