//! The workflows. A new one is a folder and a line in [`WORKFLOWS`].
//!
//! A workflow is a state, updates, nodes, prompts and cards. It reaches the clock, the config and the store only through
//! [`Services`].

pub mod agent_loop;
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
mod reading;
mod recorded_model;
pub mod request;
mod services;
pub mod sheet;
mod words;
mod written_text;

pub use ask_model::{
    ask_model, ask_model_reading, ask_structured, ask_with_schema, pick_model, pick_model_of, pick_only,
    try_structured,
};
pub use mail_cache::MailCache;
pub use services::{
    Accounts, CallRecord, GrantCheck, GrantQuery, Lesson, Models, Picked, Profile, Records, Services,
};
pub use words::{action_words, name_words};
pub use written_text::{WrittenText, ask_for_text, written_text};

use crate::inbox::{Registry, Spec, WorkflowVerb};
use crate::llm::Task;
use std::sync::Arc;

type MakeSpec = fn(Arc<Services>) -> Result<Spec, crate::graph::BuildError>;

/// One line per workflow. `docs` is two and is added in [`all`].
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

/// The tasks that work without a language model.
pub const RULES: &[&[Task]] = &[email::TASKS];

/// The command-line verbs that start some of them.
pub const VERBS: &[WorkflowVerb] = &[analyze::VERB, ask::VERB, docs::VERB, sheet::VERB];

/// All workflows, with the services their nodes use.
pub fn all(services: &Arc<Services>) -> Result<Registry, crate::graph::BuildError> {
    let mut specs: Vec<Spec> =
        WORKFLOWS.iter().map(|make| make(services.clone())).collect::<Result<_, _>>()?;
    // `docs` is two workflows that belong together.
    specs.extend(docs::specs(services)?);
    Ok(Registry::new(specs))
}
