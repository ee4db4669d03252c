//! `sayso graph`: draws a workflow.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::table::{cut, full, table};
use crate::engine::graph::{LEGEND, TakenPath};
use crate::inbox::Spec;
use crate::text::{Visible, suggest};
use serde_json::json;

/// Draw a workflow's graph; without a name, list the workflows
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso graph\n  \
    sayso graph WORKFLOW\n  \
    sayso graph WORKFLOW --mermaid > workflow.mmd")]
pub struct Args {
    /// The workflow
    workflow: Option<String>,
    /// As a Mermaid flowchart
    #[arg(long, requires = "workflow")]
    mermaid: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let Some(name) = self.workflow else { return list(&folder) };
        let Some(spec) = folder.registry().get(&name) else {
            let names: Vec<&str> = folder.registry().iter().map(|spec| spec.workflow.name()).collect();
            return Err(unknown(&name, &names));
        };
        let shape = spec.workflow.shape();
        if self.mermaid {
            let chart = shape.mermaid();
            return folder.format.answer(&json!({ "mermaid": chart }), |_| chart.clone());
        }
        folder.format.answer(shape, |_| {
            format!("{}\n\n{}\n{LEGEND}\n", shape.name, shape.picture(&TakenPath::default()).text())
        })
    }
}

/// Lists the workflows that users can start, and what each does.
fn list(folder: &OpenFolder) -> Result<Output, Failure> {
    let specs: Vec<_> = folder.registry().iter().filter(|spec| !spec.hidden).collect();
    let data: Vec<_> =
        specs.iter().map(|spec| json!({"name": spec.workflow.name(), "about": spec.about})).collect();
    let row = |spec: &&Spec| [spec.workflow.name().to_owned(), spec.about.to_owned()];
    let rows: Vec<_> = specs.iter().map(row).collect();
    folder.format.answer(&data, |format| table(format, [full("WORKFLOW"), cut("WHAT IT DOES")], &rows))
}

fn unknown(name: &str, known: &[&str]) -> Failure {
    let hint = suggest(name, known, "none is built in");
    Failure::gone(format!("there is no workflow `{}`; {hint}", Visible::line(name)))
}
