//! The workflows. A new one is a folder and a line in [`all`].
//!
//! A workflow is a state, updates, nodes, prompts and cards; it uses what [`Services`] offers and nothing
//! else: no clock, no config, no store of its own.

pub mod analyze;
pub mod ask;
mod ask_model;
pub mod docs;
pub mod email;
pub mod intake;
pub mod lesson;
mod mail_cache;
pub mod mail_facts;
pub mod memory;
mod output_file;
pub mod put_away;
pub mod request;
mod services;
pub mod sheet;

pub use ask_model::{ask_for, ask_model, ask_shaped, pick_model, pick_model_of, pick_only, try_for};
pub use mail_cache::MailCache;
pub use services::{
    Accounts, CallRecord, Covering, Lesson, Models, Picked, Profile, Records, Services, Wish,
};

use crate::inbox::{Registry, Spec, WorkflowVerb};
use crate::llm::Task;
use std::sync::Arc;

type MakeSpec = fn(Arc<Services>) -> Result<Spec, crate::graph::BuildError>;

/// Every workflow there is, one line each.
const WORKFLOWS: &[MakeSpec] = &[
    analyze::spec,
    ask::spec,
    email::spec,
    intake::spec,
    memory::spec,
    put_away::spec,
    request::spec,
    sheet::spec,
];

/// What each of them can do without a language model.
pub const RULES: &[&[Task]] = &[analyze::TASKS, ask::TASKS, docs::TASKS, email::TASKS, sheet::TASKS];

/// The verbs by which people start some of them at the command line.
pub const VERBS: &[WorkflowVerb] = &[analyze::VERB, ask::VERB, docs::VERB, sheet::VERB];

/// All workflows, with the services their nodes use.
pub fn all(services: &Arc<Services>) -> Result<Registry, crate::graph::BuildError> {
    let mut specs: Vec<Spec> =
        WORKFLOWS.iter().map(|make| make(services.clone())).collect::<Result<_, _>>()?;
    // Two that belong together.
    specs.extend(docs::specs(services)?);
    Ok(Registry::new(specs))
}
