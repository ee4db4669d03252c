//! `sheet`: an agent that works on a workbook with Python, and the person sees every line before it runs.
//!
//! ```text
//! START → planner_node → tool_node (asks) → run_code → planner_node | write_result → END
//! ```
//! The first three are the loop of all agents ([`crate::agent::agent_loop`]); the informer is one of its tools.
//! The workbook is read once and stored by its digest; code runs in [`crate::tools::cage`] on a copy, and what it saves is
//! stored, too. The next code works on that: nothing lives outside the state, and what was accepted runs once. After a
//! crash, in another process, or for a later "now by quarter", work continues from the same place without asking again.
//! The original is never written. If something was changed or saved, the result is written next to it, even if the
//! person ends the work before the model does.

mod card;
pub mod facts;
mod nodes;
mod prompts;
mod run;
mod state;
mod tools;
mod verb;

use crate::agent::Services;
use crate::agent::agent_loop::{Names, Options, agent_loop};
use crate::agent::need_model;
use crate::config;
use crate::engine::graph::{BuildError, Graph, InputError, Workflow, ask, end};
use crate::inbox::{Spec, Words, WorkflowVerb};
use crate::text::read_error_text;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const VERB: WorkflowVerb = WorkflowVerb::of::<verb::Args>("sheet");
pub use state::{SheetInput, SheetWork};

pub(super) const WORDS: Words = &[(PYTHON, "running Python")];

/// The node that writes the result, and the question the person gets if writing is not granted.
const WRITE_RESULT: &str = "write_result";
/// The only tool that asks the person.
const PYTHON: &str = "python";
/// The look-up tool.
const INFORM: &str = "inform";
/// The tool that ends the work.
const FINISH: &str = "finish";
/// Larger workbooks are not read.
const MAX_BYTES: u64 = 256 << 20;
/// How many steps can be allowed at once.
const MAX_ALLOWED_STEPS: u64 = 100;

/// What its models do.
const ROLES: &[&str] = &["plan"];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let (models, defaults) = (services.models.clone(), services.sheet.clone());
    let workflow = Workflow::new("sheet", graph()?, services);
    let about = "work on a workbook with Python that you see before it runs";
    Ok(Spec::new(workflow, about, card::draw).with_roles(ROLES).explaining(card::explain).preparing(
        move |input| {
            need_model(&*models, "sheet", ROLES, &input)?;
            prepare(input, &defaults)
        },
    ))
}

fn graph() -> Result<Graph<SheetWork, Services>, BuildError> {
    let names = Names {
        llm_call: "planner_node",
        interrupt_handler: "tool_node",
        act: "run_code",
        end: Some(WRITE_RESULT),
        ..Names::default()
    };
    let options = Options::new(nodes::plan)
        .reading(tools::read)
        .words(tools::words)
        .first_call_only()
        .end_label(end_label);
    agent_loop(Graph::builder("sheet", "planner_node"), names, tools::tools, options)
        .node(WRITE_RESULT, nodes::write_result, [ask(WRITE_RESULT), end()])
        .build()
}

/// The label for ending; it says so if there is something to write.
fn end_label(state: &SheetWork) -> &'static str {
    if state.has_results() { "finish with what is done" } else { "abandon" }
}

/// Makes the workbook's path absolute, fills in values from the config, and refuses other files before anything is
/// stored.
fn prepare(mut input: Value, defaults: &config::Sheet) -> Result<Value, InputError> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("instruction").trim().is_empty() {
        return Err(InputError::field("instruction", "say what is to be done"));
    }
    if let Some(steps) = input.get("max_steps").and_then(Value::as_u64)
        && !(1..=MAX_ALLOWED_STEPS).contains(&steps)
    {
        return Err(InputError::field("max_steps", format!("between 1 and {MAX_ALLOWED_STEPS} steps")));
    }
    let typed = text("workbook");
    let path = book_path(&typed).map_err(|text| InputError::field("workbook", text))?;
    input["workbook"] = Value::from(path);
    let is_missing = |key: &str| input.get(key).is_none_or(Value::is_null);
    let (needs_steps, needs_informer) = (is_missing("max_steps"), is_missing("with_informer"));
    if needs_steps {
        input["max_steps"] = Value::from(defaults.max_steps);
    }
    if needs_informer {
        input["with_informer"] = Value::from(defaults.with_informer);
    }
    Ok(input)
}

fn book_path(typed: &str) -> Result<String, String> {
    let extension =
        Path::new(typed).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["xlsx", "xls", "ods", "csv", "tsv"].contains(&extension.as_str()) {
        return Err(format!("{typed} is not a workbook: .xlsx, .xls, .ods and .csv can be read"));
    }
    let path = Path::new(typed)
        .canonicalize()
        .map_err(|error| format!("{typed} cannot be opened: {}", read_error_text(&error)))?;
    let meta =
        path.metadata().map_err(|error| format!("{typed} cannot be opened: {}", read_error_text(&error)))?;
    if !meta.is_file() {
        return Err(format!("{typed} is not a file"));
    }
    if meta.len() > MAX_BYTES {
        return Err(format!("{typed} is over {} MB, which is the most that is read", MAX_BYTES >> 20));
    }
    path.to_str().map(str::to_owned).ok_or_else(|| "its path is not UTF-8".to_owned())
}

/// The workbook's name as code sees it: openpyxl reads .xlsx alone, so that other packages are converted.
fn book_name(name: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    match ending.to_lowercase().as_str() {
        "xls" | "ods" => format!("{stem}.xlsx"),
        _ => name.to_owned(),
    }
}

/// Where another file that code wrote is kept: next to the workbook, under its name.
fn file_path(workbook: &Path, name: &str) -> PathBuf {
    let stem = workbook.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.replace('/', ".");
    let (first, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    match first {
        // Code likes to call a file "result.xlsx", too.
        "result" => workbook.with_file_name(format!("{stem}.saved.{name}")),
        first if first == stem => workbook.with_file_name(format!("{stem}.result.{ending}")),
        _ => workbook.with_file_name(format!("{stem}.{name}")),
    }
}

/// Where the result of a workbook is written: next to it, in the format that code wrote.
fn result_path(workbook: &Path) -> PathBuf {
    let name = workbook.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let in_cage = book_name(&name);
    let (stem, ending) = in_cage.rsplit_once('.').unwrap_or((&in_cage, ""));
    workbook.with_file_name(format!("{stem}.result.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_beside_the_workbook_under_its_name() {
        for (workbook, saved, expected) in [
            ("/d/big.csv", "chart.png", "/d/big.chart.png"),
            ("/d/big.csv", "big.xlsx", "/d/big.result.xlsx"),
            ("/d/big.xls", "big.csv", "/d/big.result.csv"),
            ("/d/big.xlsx", "result.xlsx", "/d/big.saved.result.xlsx"),
            ("/d/big.xlsx", "notes", "/d/big.notes"),
            ("/d/big.xlsx", "out/chart.png", "/d/big.out.chart.png"),
        ] {
            assert_eq!(file_path(Path::new(workbook), saved), Path::new(expected), "{workbook} {saved}");
        }
        for (workbook, expected) in [
            ("/d/big.csv", "/d/big.result.csv"),
            ("/d/big.xls", "/d/big.result.xlsx"),
            ("/d/big.ods", "/d/big.result.xlsx"),
            ("/d/a.b.XLSX", "/d/a.b.result.XLSX"),
        ] {
            assert_eq!(result_path(Path::new(workbook)), Path::new(expected), "{workbook}");
        }
    }
}
