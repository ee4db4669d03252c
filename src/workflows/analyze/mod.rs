//! `analyze`: a conversation over the text files of a folder, until the person approves what it has come to.
//!
//! ```text
//! START → analysis_prepare → analysis_interrupt (asks) → analysis_prepare → … → write_result → END
//! ```
//! `analysis_prepare` reads the files once, then asks the model for its question or proposal, or, when the
//! person is done, for the summary. The summary is written by a node of its own: once it is in the state, a
//! crash cannot make the file and the state differ. It runs without a card, by the built-in grant for output
//! files; where that is switched off, it asks first.

mod approval;
mod card;
mod documents;
pub mod facts;
mod nodes;
mod nothing_open;
mod pdf;
mod prompts;
pub mod rules;
mod share;
mod state;
mod verb;

use super::Services;
use crate::graph::{BuildError, Graph, InputError, Workflow, ask, end, goto};
use crate::inbox::{Spec, WorkflowVerb};
use crate::tools::folder::{self, Limits, Wanted};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(super) use rules::TASKS;
pub(super) const VERB: WorkflowVerb = WorkflowVerb::of::<verb::Args>("analyze");
pub use state::{Analysis, AnalyzeInput};

/// The file a result is written to, inside the folder.
pub const RESULT_FILE: &str = "analysis_result.md";

/// The node that writes it, and what the person is asked where that is not granted.
const WRITE_RESULT: &str = "write_result";

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let models = services.models.clone();
    let workflow = Workflow::new("analyze", graph()?, services);
    let about = "a conversation over the texts and documents of a folder";
    Ok(Spec::new(workflow, about, card::draw)
        .with_roles(&["turn", "final"])
        .explaining(card::explain)
        .preparing(move |input| {
            if let Some(model) = input.get("model").and_then(Value::as_str) {
                models.known(model).map_err(|text| field("model", text))?;
            }
            prepare(input)
        }))
}

fn graph() -> Result<Graph<Analysis, Services>, BuildError> {
    Graph::builder("analyze", "analysis_prepare")
        .node(
            "analysis_prepare",
            nodes::analysis_prepare,
            [goto("analysis_interrupt"), goto(WRITE_RESULT), end()],
        )
        .node("analysis_interrupt", nodes::analysis_interrupt, [ask("analysis_prepare")])
        .node(WRITE_RESULT, nodes::write_result, [ask(WRITE_RESULT), end()])
        .build()
}

/// Plain text; what is read only on request follows.
const TEXT: &[&str] = &[
    "txt", "md", "markdown", "csv", "rs", "py", "js", "mjs", "ts", "tsx", "jsx", "go", "java", "kt", "c",
    "h", "cc", "cpp", "hpp", "cs", "rb", "php", "swift", "scala", "sh", "sql", "toml", "yaml", "yml", "json",
    "xml", "css", "proto", "lua", "r",
];

/// How many of them are no source code.
const PLAIN: usize = 4;

/// What is read of the folder: text and documents, code on request, and never what an earlier analysis wrote.
fn wanted(recursive: bool, code: bool) -> Wanted<'static> {
    let never = |name: &str| name.starts_with("analysis_result") && name.ends_with(".md");
    let endings = if code { TEXT } else { &TEXT[..PLAIN] };
    Wanted { endings, documents: documents::READERS, never, recursive }
}

/// Makes the folder's path whole, and refuses one that holds nothing to read before anything is stored.
fn prepare(mut input: Value) -> Result<Value, InputError> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("query").trim().is_empty() {
        return Err(field("query", "say what you want to know"));
    }
    let flag = |key: &str| input.get(key).and_then(Value::as_bool).unwrap_or(false);
    let (recursive, code) = (flag("recursive"), flag("code"));
    let inputs = text("inputs");
    let folder = folder::resolve(Path::new(&inputs)).map_err(|e| field("inputs", e.to_string()))?;
    let reading = folder::read(&folder, &wanted(recursive, code), &Limits::default())
        .map_err(|e| field("inputs", e.to_string()))?;
    if reading.files.is_empty() {
        return Err(field("inputs", nothing_to_read(&folder, &reading, recursive)));
    }
    let Some(folder) = folder.to_str() else {
        return Err(field("inputs", "the folder's name is not UTF-8"));
    };
    input["inputs"] = Value::from(folder);
    Ok(input)
}

fn nothing_to_read(folder: &Path, reading: &folder::Reading, recursive: bool) -> String {
    let mut text = format!(
        "{} holds no readable text or document (.txt, .md, .csv, .html, .eml, .pdf, .docx)",
        folder.display()
    );
    if let Some(first) = reading.skipped.first() {
        text += &format!(" ({} left out, the first: {}, {})", reading.skipped.len(), first.name, first.why);
    } else if !recursive {
        text += "; folders inside it are read with recursive=true";
    }
    text
}

fn field(name: &str, text: impl Into<String>) -> InputError {
    InputError::Field { field: name.to_owned(), text: text.into() }
}
