//! The nodes of `email`, one file per stage.

mod act;
mod finish;
mod interrupt;
mod invitation;
mod learn;
mod llm;
mod triage;

pub(super) use finish::{leave, mark_as_read_node, reminded};
pub(super) use learn::{update_memory, update_memory_of_reply};
pub(super) use llm::{letter_of_words, reply_tools, reply_turn, reply_words};
pub(super) use triage::{triage_answered, triage_interrupt_handler, triage_router};

use super::state::Email;
use crate::engine::graph::{Command, NodeError};

type NodeResult = Result<Command<Email>, NodeError>;
