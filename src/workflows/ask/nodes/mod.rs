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
use crate::agent::Services;
use crate::engine::graph::{Command, Ctx, NodeError};
use crate::text::words::with_full_stop;
use crate::tools::catalogue::Catalogue;

type NodeResult = Result<Command<Ask>, NodeError>;

/// The error edge: the error is recorded and `back` tries again, a few times; then a person is asked.
fn retry_or_fail(state: &Ask, node: &str, back: &str, text: impl Into<String>) -> NodeResult {
    let text = text.into();
    if state.tries.get(node).copied().unwrap_or_default() + 1 >= MAX_TRIES {
        return Err(NodeError::failed(text));
    }
    Ok(state.goto(back, |next| next.failed(node, text)))
}

/// A failure becomes an answer where there is something to go on with: that of a question's second request leaves the
/// answer to the first, with a note; in a conversation the person is told, and asks the next question. Failures that
/// only a person can settle (a budget, a doubt) stay failures.
pub(super) fn failure_as_answer(ctx: &Ctx<Services>, state: &Ask, error: NodeError) -> NodeResult {
    let why = match error {
        NodeError::Failed { text } => text,
        NodeError::Transient { text, .. } if ctx.step_context().last_try => text,
        other => return Err(other),
    };
    if state.is_second() {
        let note = format!("The second part could not be answered: {}", with_full_stop(&why));
        Ok(state.goto("format_response_node", |next| next.note(Some(note))))
    } else if state.follow_up || state.last_answer().is_some() {
        Ok(not_answered(state, &why))
    } else {
        Err(NodeError::failed(why))
    }
}

/// Tells the person why there is no answer.
fn not_answered(state: &Ask, why: &str) -> Command<Ask> {
    let text = format!("This could not be answered: {}", with_full_stop(why));
    state.goto("reset_state_node", |next| next.answer(text, None, None))
}

/// The person is done: an answer that was given stays, also one to the first of two requests; an unanswered question is
/// abandoned.
fn end_or_abandon(state: &Ask) -> Command<Ask> {
    let node = match (state.is_second(), state.last_answer()) {
        (true, _) => "format_response_node",
        (false, Some(_)) => "reset_state_node",
        (false, None) => return Command::abandon(),
    };
    state.goto(node, |next| next.ended = true)
}

fn catalogue(services: &Services, name: &str) -> Result<Catalogue, NodeError> {
    services.apis.get(name).map(|(_, catalogue)| catalogue).map_err(NodeError::failed)
}
