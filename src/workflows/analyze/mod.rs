//! `analyze`: a conversation about the text files of a folder, until the person approves the result.
//!
//! ```text
//! START → analysis_prepare → analysis_interrupt (asks) → analysis_prepare → … → write_result → END
//! ```
//! `analysis_prepare` reads the files once, then asks the model for its question or proposal, or for the summary when
//! the person is done. A separate node writes the summary: once it is in the state, a crash cannot make the file and
//! the state differ. The built-in grant for output files lets it write without a card; if that grant is off, it asks
//! first.

mod approval;
mod card;
mod documents;
pub mod facts;
mod nodes;
mod nothing_open;
mod pdf;
mod prompts;
mod share;
mod state;
mod verb;

use super::Services;
use super::services::need_model;
use crate::graph::{BuildError, Graph, InputError, Workflow, ask, end, goto};
use crate::inbox::{Spec, WorkflowVerb};
use crate::tools::folder::{self, FileFilter, Limits};
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
            [goto("analysis_interrupt"), goto(WRITE_RESULT), end()],
        )
        .node("analysis_interrupt", nodes::analysis_interrupt, [ask("analysis_prepare")])
        .node(WRITE_RESULT, nodes::write_result, [ask(WRITE_RESULT), end()])
        .build()
}

/// Endings of plain text. Source code, which is read only on request, comes last.
const TEXT: &[&str] = &[
    "txt", "md", "markdown", "csv", "rs", "py", "js", "mjs", "ts", "tsx", "jsx", "go", "java", "kt", "c",
    "h", "cc", "cpp", "hpp", "cs", "rb", "php", "swift", "scala", "sh", "sql", "toml", "yaml", "yml", "json",
    "xml", "css", "proto", "lua", "r",
];

/// How many of them are not source code.
const PLAIN: usize = 4;

/// What is read from the folder: text and documents, code on request, never the result of an earlier analysis.
fn wanted_files(recursive: bool, code: bool) -> FileFilter<'static> {
    let is_excluded = |name: &str| name.starts_with("analysis_result") && name.ends_with(".md");
    let endings = if code { TEXT } else { &TEXT[..PLAIN] };
    FileFilter { endings, documents: documents::READERS, is_excluded, recursive }
}

/// Makes the folder's path absolute, and refuses a folder with nothing to read before anything is stored.
fn prepare(mut input: Value) -> Result<Value, InputError> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("query").trim().is_empty() {
        return Err(InputError::field("query", "say what you want to know"));
    }
    let flag = |key: &str| input.get(key).and_then(Value::as_bool).unwrap_or(false);
    let (recursive, code) = (flag("recursive"), flag("code"));
    let inputs = text("inputs");
    let folder =
        folder::resolve(Path::new(&inputs)).map_err(|e| InputError::field("inputs", e.to_string()))?;
    let reading = folder::read(&folder, &wanted_files(recursive, code), &Limits::default())
        .map_err(|e| InputError::field("inputs", e.to_string()))?;
    if reading.files.is_empty() {
        return Err(InputError::field("inputs", nothing_to_read(&folder, &reading, recursive)));
    }
    let Some(folder) = folder.to_str() else {
        return Err(InputError::field("inputs", "the folder's name is not UTF-8"));
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
        text += "; folders inside it are read with --recursive (recursive=true with `sayso start`)";
    }
    text
}
