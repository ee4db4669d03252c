//! The workflows. A new one is a folder and a line in [`WORKFLOWS`].
//!
//! A workflow is a state, updates, nodes, prompts and cards. It reaches the clock, the config and the store only
//! through [`Services`].

pub mod analyze;
pub mod ask;
pub mod docs;
pub mod email;
pub mod hidden;
pub mod sheet;
mod words;

pub use words::{action_words, name_words};

use crate::agent::Services;
use crate::agent::llm::Task;
use crate::inbox::{Registry, Spec, WorkflowVerb};
use std::sync::Arc;

type MakeSpec = fn(Arc<Services>) -> Result<Spec, crate::engine::graph::BuildError>;

/// One line per workflow. `docs` is two and is added in [`all`].
const WORKFLOWS: &[MakeSpec] = &[
    analyze::spec,
    ask::spec,
    email::spec,
    hidden::intake::spec,
    hidden::memory::spec,
    hidden::put_away::spec,
    hidden::request::spec,
    hidden::row::spec,
    sheet::spec,
];

/// The tasks that work without a language model.
pub const RULES: &[&[Task]] = &[email::TASKS];

/// The command-line verbs that start some of them.
pub const VERBS: &[WorkflowVerb] = &[analyze::VERB, ask::VERB, docs::VERB, sheet::VERB];

/// All workflows, with the services their nodes use.
pub fn all(services: &Arc<Services>) -> Result<Registry, crate::engine::graph::BuildError> {
    let mut specs: Vec<Spec> =
        WORKFLOWS.iter().map(|make| make(services.clone())).collect::<Result<_, _>>()?;
    // `docs` is two workflows that belong together.
    specs.extend(docs::specs(services)?);
    Ok(Registry::new(specs))
}
