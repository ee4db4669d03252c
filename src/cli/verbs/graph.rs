//! `sayso graph`: a workflow, drawn.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::graph::{LEGEND, Taken};
use crate::text::{Visible, nearest};
use serde_json::json;

/// Draw a workflow's graph
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso graph WORKFLOW\n  \
    sayso graph WORKFLOW --mermaid > workflow.mmd")]
pub(in crate::cli) struct Args {
    /// The workflow
    workflow: String,
    /// As a Mermaid flowchart
    #[arg(long)]
    mermaid: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let here = context.open()?;
        let Some(spec) = here.registry().get(&self.workflow) else {
            let known: Vec<&str> = here.registry().iter().map(|spec| spec.workflow.name()).collect();
            return Err(unknown(&self.workflow, &known));
        };
        let shape = spec.workflow.shape();
        if self.mermaid {
            let chart = shape.mermaid();
            return here.page.answer(&json!({ "mermaid": chart }), |_| chart.clone());
        }
        here.page.answer(shape, |_| {
            format!("{}\n\n{}\n{LEGEND}\n", shape.name, shape.picture(&Taken::default()).text())
        })
    }
}

fn unknown(name: &str, known: &[&str]) -> Failure {
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "none is built in".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    Failure::gone(format!("there is no workflow `{}`; {hint}", Visible::line(name)))
}
