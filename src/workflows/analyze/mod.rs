//! `analyze`: a conversation about the text files of a folder, until the person approves the result.
//!
//! ```text
//! START → analysis_prepare → analysis_interrupt (asks) → analysis_prepare → … → write_result → END
//! ```
//! `analysis_prepare` looks at the folder once. If it is small, its texts are in every prompt; if not, the model lists,
//! searches and reads until it has a question or a proposal. Only the person ends it: by accepting, by the words in
//! [`approval`], or by other words that the model takes for a yes, once the card has said so. The summary is a call of
//! its own, and a separate node writes it: once it is in the state, a crash cannot make the file and the state differ.
//! The built-in grant for output files lets it write without a card; if that grant is off, it asks first.

mod approval;
mod card;
mod documents;
pub mod facts;
mod inputs;
mod nodes;
mod pdf;
mod prompts;
mod state;
mod verb;

use super::Services;
use super::services::need_model;
use crate::graph::{BuildError, Graph, InputError, Workflow, ask, end, goto};
use crate::inbox::{Spec, WorkflowVerb};
use crate::tools::folder;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(super) const VERB: WorkflowVerb = WorkflowVerb::of::<verb::Args>("analyze");
pub use state::{Analysis, AnalyzeInput};

/// The file a result is written to, inside the folder.
pub const RESULT_FILE: &str = "analysis_result.md";

/// The node that writes it, and the question the person gets if writing is not granted.
const WRITE_RESULT: &str = "write_result";

/// What its models do.
const ROLES: &[&str] = &["turn", "final"];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let models = services.models.clone();
    let workflow = Workflow::new("analyze", graph()?, services);
    let about = "a conversation over the texts and documents of a folder";
    Ok(Spec::new(workflow, about, card::draw).with_roles(ROLES).explaining(card::explain).preparing(
        move |input| {
            need_model(&*models, "analyze", ROLES, &input)?;
            prepare(input)
        },
    ))
}

fn graph() -> Result<Graph<Analysis, Services>, BuildError> {
    Graph::builder("analyze", "analysis_prepare")
        .node(
            "analysis_prepare",
            nodes::analysis_prepare,
            [goto("analysis_interrupt"), goto("analysis_prepare"), goto(WRITE_RESULT), end()],
        )
        .node("analysis_interrupt", nodes::analysis_interrupt, [ask("analysis_prepare")])
        .node(WRITE_RESULT, nodes::write_result, [ask(WRITE_RESULT), end()])
        .build()
}

/// Makes the folder's path absolute, and refuses a folder with nothing to read before anything is stored.
fn prepare(mut input: Value) -> Result<Value, InputError> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("query").trim().is_empty() {
        return Err(InputError::field("query", "say what you want to know"));
    }
    let flag = |key: &str| input.get(key).and_then(Value::as_bool).unwrap_or(false);
    let (recursive, code) = (flag("recursive"), flag("code"));
    let folder = folder::resolve(Path::new(&text("inputs")))
        .map_err(|e| InputError::field("inputs", e.to_string()))?;
    inputs::look(&folder, recursive, code, None).map_err(|why| InputError::field("inputs", why))?;
    let Some(folder) = folder.to_str() else {
        return Err(InputError::field("inputs", "the folder's name is not UTF-8"));
    };
    input["inputs"] = Value::from(folder);
    Ok(input)
}
