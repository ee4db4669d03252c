//! The nodes. Each checks what it needs, and what it made.

mod choose;
mod finish;
mod params;
mod request;

pub(super) use choose::{extract_category_node, get_apis_node, select_api_node};
pub(super) use finish::{format_response_node, next_question, reset_state_node};
pub(super) use params::extract_params_node;
pub(super) use request::{execute_request_node, send_request};

use super::MOST_TRIES;
use super::state::Ask;
use super::update::AskUpdate;
use crate::graph::{Command, NodeError};
use crate::tools::catalogue::Catalogue;
use crate::workflows::Services;

type Given = Result<Command<Ask>, NodeError>;

/// The error edge: what went wrong is kept and `back` tries again, a few times; then a person is asked.
fn erred(state: &Ask, node: &str, back: &str, text: impl Into<String>) -> Given {
    let text = text.into();
    if state.tries.get(node).copied().unwrap_or_default() + 1 >= MOST_TRIES {
        return Err(NodeError::failed(text));
    }
    Ok(Command::goto(back).update(AskUpdate::Erred { node: node.to_owned(), text }))
}

/// The person wants no more: an answer that was given stays, a question without one is given up.
fn no_more(state: &Ask) -> Command<Ask> {
    if state.has_answered() {
        Command::goto("reset_state_node").update(AskUpdate::Ended)
    } else {
        Command::abandon()
    }
}

/// The catalogue of an operation.
fn catalogue(services: &Services, name: &str) -> Result<Catalogue, NodeError> {
    services.apis.get(name).map(|(_, catalogue)| catalogue).map_err(NodeError::failed)
}
