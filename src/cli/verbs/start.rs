//! `sayso start`: starts a thread.

use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::pairs;
use serde_json::{Map, Value};

/// Start a thread of a workflow
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Values are typed by the workflow's schema: strings as they stand, everything else as JSON; one word \
    for a list of strings is a list of one.\n\nExamples:\n  \
    sayso start WORKFLOW key=value\n  \
    sayso start WORKFLOW key=value count=3 --wait --json"
)]
pub struct Args {
    /// The workflow
    workflow: String,
    /// What it starts with
    #[arg(value_name = "KEY=VALUE")]
    pairs: Vec<String>,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut input = Map::new();
        // The inbox reports an unknown workflow.
        if let Some(spec) = folder.registry().get(&self.workflow).filter(|spec| !spec.hidden) {
            let schema = spec.workflow.input_schema();
            input = pairs::read(&self.pairs, &schema, &Value::Null)?;
            pairs::check_required(&input, &schema)?;
        }
        let input = folder.with_model(&self.workflow, input);
        let outcome = folder.inbox().threads().start(self.workflow, Value::Object(input)).await?;
        self.waiting.follow(&folder, outcome).await
    }
}
