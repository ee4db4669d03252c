//! `memory`: turns one batch of answers into the next version of one profile.
//!
//! Promises: the new version is based on the one that was read, or is made again. An update waits for the person, with
//! its diff and the answers and mails it came from, if a line it adds, changes or drops is not provably narrow
//! ([`narrow`]), if it drops a pinned line, or if it drops more than a third of the profile.
//!
//! People do not start it: the driver does, some time after the last answer.

mod card;
mod narrow;
mod nodes;
mod prompts;
mod reasons;
mod state;
mod wording;

use crate::agent::Services;
use crate::engine::graph::{BuildError, Graph, Workflow, ask, end, goto};
use crate::inbox::{LEARNING_WORKFLOW, Spec, Words};
use std::sync::Arc;

pub use state::{Learning, MemoryInput};

/// The name of the workflow in its threads.
pub const NAME: &str = LEARNING_WORKFLOW;

pub const WORDS: Words = &[("update_memory", "remembering")];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(NAME, graph()?, services);
    Ok(Spec::new(workflow, "learns from your answers", card::draw)
        .explaining(card::explain)
        .without_results()
        .hidden())
}

fn graph() -> Result<Graph<Learning, Services>, BuildError> {
    Graph::builder("memory", "propose_update")
        .node("propose_update", nodes::propose_update, [goto("hold_update"), goto("propose_update"), end()])
        .node("hold_update", nodes::hold_update, [ask("store_update")])
        .node("store_update", nodes::store_update, [goto("propose_update"), end()])
        .build()
}
