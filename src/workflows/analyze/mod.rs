//! `analyze`: a conversation about the text files of a folder, until the person approves the result.
//!
//! ```text
//! START → analysis_prepare ⇄ look_up, then analysis_interrupt (asks) → analysis_answered → analysis_prepare | write_result → END
//! ```
//! `analysis_prepare` is the loop of all agents ([`crate::agent::agent_loop`]) over tools that list, search and read.
//! It looks at the folder once; the texts of a small one are in every prompt. Only the person ends it: by accepting, by
//! the words in [`approval`], or by other words that the model takes for a yes, once the card has said so. The summary
//! is a call of its own, and a separate node writes it: once it is in the state, a crash cannot make the file and the
//! state differ. The built-in grant for output files lets it write without a card; if that grant is off, it asks first.

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

use crate::agent::Services;
use crate::agent::agent_loop::{Names, Options, agent_loop};
use crate::agent::need_model;
use crate::engine::graph::{BuildError, Graph, InputError, Workflow, ask, end, goto};
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

/// The key of the model's question or proposal.
const QUESTION: &str = "question";
/// The key of the question for the result, if a person is in the model's place.
const RESULT: &str = "result";
/// After how many looks into the files in one turn the person is asked whether to go on.
const LOOKS: u32 = 12;

/// What its models do.
const ROLES: &[&str] = &["turn", "final"];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let models = services.models.clone();
    let workflow = Workflow::new("analyze", graph()?, services);
    let about = "talk about the texts and documents in a folder";
    Ok(Spec::new(workflow, about, card::draw).with_roles(ROLES).explaining(card::explain).preparing(
        move |input| {
            need_model(&*models, "analyze", ROLES, &input)?;
            prepare(input)
        },
    ))
}

fn graph() -> Result<Graph<Analysis, Services>, BuildError> {
    let names = Names {
        llm_call: "analysis_prepare",
        act: "look_up",
        end: Some("analysis_interrupt"),
        ..Names::free()
    };
    let builder = Graph::builder("analyze", "analysis_prepare");
    agent_loop(builder, names, nodes::tools, Options::new(nodes::turn))
        .node(
            "analysis_interrupt",
            nodes::analysis_interrupt,
            [ask("analysis_answered"), goto("analysis_answered"), end()],
        )
        .node(
            "analysis_answered",
            nodes::analysis_answered,
            [ask("analysis_answered"), goto("analysis_prepare"), goto(WRITE_RESULT), end()],
        )
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
