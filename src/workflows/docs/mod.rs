//! `docs`: agents that document a code base, and question and refine what they wrote.
//!
//! ```text
//! START → scan_project_structure → create_execution_context → execute_agents (one child per agent)
//!       → aggregate_results → END
//! docs/agent: analyze_initial → evaluate_clarity → finalize_output → END
//!             evaluate_clarity (may ask) → generate_questions (may ask) → refine_analysis ⇄ look_up, then evaluate_clarity
//! ```
//! Facts come from code: the tree is scanned once, and its facts and the list of readable files are stored by digest.
//! Every prompt begins with the same facts; `refine_analysis` is the loop of all agents
//! ([`crate::agent::agent_loop`]) over tools that search and read. If an agent fails, the others' pages remain. The
//! built-in grant for output files lets it write pages without a card; if that grant is off, it asks first. A page that
//! was changed by hand is kept beside the new one.
//!
//! Without a language model the pages hold the facts, and nothing else.

mod agent;
mod agents;
mod card;
mod check;
mod diagram;
pub mod facts;
mod facts_text;
mod nodes;
mod page;
mod pages;
mod project;
mod readable;
mod state;
mod verb;

use crate::agent::Services;
use crate::agent::check_model;
use crate::engine::graph::{AnyState, BuildError, Graph, InputError, Workflow, ask, end, goto, spawn};
use crate::inbox::{Spec, Words, WorkflowVerb};
use crate::tools::folder;
use crate::tools::tree::{self, Limits};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use agent::{AgentInput, AgentState};
pub use agents::DocAgent;
pub(super) const VERB: WorkflowVerb = WorkflowVerb::of::<verb::Args>("docs");
pub use state::{DocsInput, Documentation};

pub(super) const WORDS: Words = &[(WRITE_DOCS, "saving files")];

/// The hidden workflow of one agent.
const AGENT: &str = "docs/agent";

/// The node that writes, and the question the person gets if writing is not granted.
const AGGREGATE: &str = "aggregate_results";
const WRITE_DOCS: &str = "write_docs";

/// The default output folder, inside the documented folder.
const DEFAULT_OUTPUT: &str = "docs-sayso";

/// The most refinements a run may ask for.
const MAX_ITERATIONS: u64 = 20;

/// The workflow with its services, and the workflow of its agents.
pub fn specs(services: &Arc<Services>) -> Result<Vec<Spec>, BuildError> {
    let models = services.models.clone();
    let workflow = Workflow::new("docs", graph()?, services.clone());
    let about = "document a code base; agents write and refine the pages";
    let docs = Spec::new(workflow, about, card::draw)
        .with_roles(agent::ROLES)
        .explaining(card::explain)
        .with_span_names(span_name)
        .preparing(move |input| {
            check_model(&*models, &input)?;
            prepare(input)
        });
    Ok(vec![docs, agent::spec(services)?])
}

fn graph() -> Result<Graph<Documentation, Services>, BuildError> {
    Graph::builder("docs", "scan_project_structure")
        .node("scan_project_structure", nodes::scan_project_structure, [goto("create_execution_context")])
        .timeout(Duration::from_secs(600))
        .node("create_execution_context", nodes::create_execution_context, [goto("execute_agents")])
        .node("execute_agents", nodes::execute_agents, [spawn(AGGREGATE)])
        .node(AGGREGATE, nodes::aggregate_results, [ask(AGGREGATE), end()])
        .build()
}

/// The names of spans: the whole run, then its nodes.
fn span_name(_: &AnyState, node: Option<&str>, _: usize) -> Option<String> {
    let name = match node {
        None => "DocumentationGeneration-Complete",
        Some("scan_project_structure") => "ScanProjectStructure",
        Some("create_execution_context") => "CreateExecutionContext",
        Some("execute_agents") => "ExecuteAgents",
        Some(AGGREGATE) => "AggregateResults",
        Some(_) => return None,
    };
    Some(name.to_owned())
}

/// Makes the paths absolute, and refuses invalid input before anything is stored.
fn prepare(mut input: Value) -> Result<Value, InputError> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let dir = text("dir").unwrap_or_default();
    let dir = folder::resolve(Path::new(&dir)).map_err(|e| InputError::field("dir", e.to_string()))?;
    let out = match text("out").filter(|out| !out.trim().is_empty()) {
        None => dir.join(DEFAULT_OUTPUT),
        Some(out) => std::path::absolute(out)
            .and_then(|out| folder::follow_links(&out))
            .map_err(|error| InputError::field("out", error.to_string()))?,
    };
    if out.exists() && !out.is_dir() {
        return Err(InputError::field("out", format!("{} is not a folder", out.display())));
    }
    if dir.starts_with(&out) {
        let why = "pages cannot go into the folder that is documented, or one above it; name a folder inside it or elsewhere";
        return Err(InputError::field("out", why));
    }
    for (key, max) in
        [("clarity_threshold", 100), ("min_improvement", 100), ("max_iterations", MAX_ITERATIONS)]
    {
        if input.get(key).and_then(Value::as_u64).is_some_and(|value| value > max) {
            return Err(InputError::field(key, format!("it is at most {max}")));
        }
    }
    // Only the names count here; nothing is read.
    let names_only = Limits { total: 0, ..Limits::default() };
    let tree = tree::scan(&dir, &[&out], &names_only, &|_, _, _| {})
        .map_err(|e| InputError::field("dir", e.to_string()))?;
    if tree.files.is_empty() {
        return Err(InputError::field("dir", nothing_to_document(&dir.display().to_string())));
    }
    for (key, path) in [("dir", &dir), ("out", &out)] {
        let path = path.to_str().ok_or_else(|| InputError::field(key, "the folder's name is not UTF-8"))?;
        input[key] = Value::from(path);
    }
    Ok(input)
}

fn nothing_to_document(dir: &str) -> String {
    format!("{dir} holds no file to document, or .gitignore leaves all of them out")
}
